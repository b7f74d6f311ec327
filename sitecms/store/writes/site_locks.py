"""Which locks the workers of a site use."""

from sitecms.settings.site import SiteSettings
from sitecms.store.engines.lock_files import LockFiles
from sitecms.store.engines.locks import Locks


def site_locks(settings: SiteSettings) -> Locks:
    """The server's where it keeps the store, for any number of hosts; else files, for all run on one machine."""
    if settings.store_url:
        from sitecms.store.engines.postgres.locks import PostgresLocks  # its driver is an extra

        return PostgresLocks(settings.store_url)
    return LockFiles(settings.workers_dir)
