"""What each process of the web server loads: the app of one site folder, with a store connection of its own."""

from pathlib import Path

from flask import Flask

from sitecms.api.app import create_app
from sitecms.runtime import open_runtime
from sitecms.settings import load_settings


def build_app(folder: Path, public_url: str, kept_bytes: int) -> Flask:
    """Open the site in the folder and make its app. Raises ConfigurationError."""
    return create_app(open_runtime(load_settings(folder)), public_url, kept_bytes=kept_bytes)
