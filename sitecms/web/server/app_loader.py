"""What each process of the web server loads: the API of one site folder, with a store connection of its own."""

from pathlib import Path

from sitecms.errors import StoreUnusable
from sitecms.runtime import open_runtime
from sitecms.settings.site import load_settings
from sitecms.web.service import Service, create_service
from sitecms.web.store_waiting import wait_for_store


def build_service(folder: Path, public_url: str, cache_bytes: int) -> Service:
    """Open the site in the folder and make its API; where the store cannot be used, one that waits for it.

    Raises ConfigurationError for anything else that is wrong with the site.
    """
    settings = load_settings(folder)

    def open_service() -> Service:
        return create_service(open_runtime(settings, counting="web"), public_url, cache_bytes=cache_bytes)

    try:
        return open_service()
    except StoreUnusable:
        return wait_for_store(settings, open_service)
