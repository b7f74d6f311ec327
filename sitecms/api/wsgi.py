"""What each process of the web server loads: the app of one site folder, with a store connection of its own."""

from pathlib import Path

from sitecms.api.answers import Wsgi
from sitecms.api.app import create_app
from sitecms.api.one_piece import OnePiece
from sitecms.runtime import open_runtime
from sitecms.settings import load_settings


def build_app(folder: Path, public_url: str, kept_bytes: int) -> Wsgi:
    """Open the site in the folder and make its app. Raises ConfigurationError."""
    return OnePiece(create_app(open_runtime(load_settings(folder)), public_url, kept_bytes=kept_bytes).wsgi_app)
