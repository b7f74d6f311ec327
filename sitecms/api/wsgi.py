"""What each process of the web server loads: the app of one site folder, with a store connection of its own."""

from pathlib import Path

from sitecms.api.answers import Wsgi
from sitecms.api.app import create_app
from sitecms.runtime import open_runtime
from sitecms.settings import load_settings


def build_app(folder: Path, public_url: str, kept_bytes: int, media_in_full_at: str) -> Wsgi:
    """Open the site in the folder and make its app. Raises ConfigurationError."""
    runtime = open_runtime(load_settings(folder), counting="web")
    app = create_app(runtime, public_url, kept_bytes=kept_bytes, media_in_full_at=media_in_full_at)
    return app.wsgi_app
