"""What each process of the web server loads: the API of one site folder, with a store connection of its own."""

from pathlib import Path

from sitecms.api.app import create_service
from sitecms.api.layers import Service
from sitecms.runtime import PATIENCE_SECONDS, open_runtime
from sitecms.settings import load_settings


def build_service(folder: Path, public_url: str, kept_bytes: int) -> Service:
    """Open the site in the folder and make its API. Raises ConfigurationError."""
    runtime = open_runtime(load_settings(folder), counting="web", patience_seconds=PATIENCE_SECONDS)
    return create_service(runtime, public_url, kept_bytes=kept_bytes)
