"""Opening the store at an address, with the engine that the address names."""

from sitecms.content.fields import own_types
from sitecms.errors import StoreMissing, StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database, StoreAddress
from sitecms.store.engines.sqlite.database import open_sqlite


def open_store(settings: SiteSettings, *, create: bool = False, moving: bool = False) -> Database:
    """Open the store of a site, whose fields may be of types that its plug-ins add. Raises as `open_database`."""
    database = open_database(settings.store, create=create, moving=moving)
    database.field_types = own_types(settings.plugins)
    return database


def find_database(address: StoreAddress) -> Database | None:
    """Open the store at the address; return None where there is none yet. Raises as `open_database`."""
    try:
        return open_database(address)
    except StoreMissing:
        return None


def open_database(address: StoreAddress, *, create: bool = False, moving: bool = False) -> Database:
    """Open the store at the address and bring its tables to this version.

    Raises StoreMissing if there is no store (unless `create`), StoreMoved if it was moved elsewhere (unless `moving`),
    StoreUnusable if it is damaged, out of reach, another program's, or made by a newer version.
    """
    if not isinstance(address, ServiceUrl):
        return open_sqlite(address, create=create, moving=moving)
    try:
        from sitecms.store.engines.postgres.database import open_postgres  # its driver is an extra
    except ImportError:
        from sitecms.optional_packages import Extra, missing_package

        raise StoreUnusable(missing_package(Extra.POSTGRES, f"The store {address}")) from None
    return open_postgres(address, create=create, moving=moving)
