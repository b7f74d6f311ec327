"""The content of a backup, brought into the database that the restored site names."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitecms.actions.operations.fill_store import fill_store
from sitecms.errors import ConfigurationError
from sitecms.progress import Progress
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.maintenance.rows import is_unused
from sitecms.store.maintenance.store_copy import remove_store_file
from sitecms.store.opening import open_database


@contextmanager
def content_brought(url: ServiceUrl, store: Path, progress: Progress | None) -> Iterator[None]:
    """In the database if the block ends well, else in nothing; the file goes. Without an address it stays.

    Raises ConfigurationError if the database is not empty.
    """
    if not url:
        yield
        return
    database = open_database(url, create=True)
    try:
        with database.writing(counts_as_change=False) as transaction:
            if not is_unused(transaction):
                raise ConfigurationError(
                    f"There is a store at {url} already. Nothing was restored; name an empty database by "
                    "SITECMS_STORE_URL, or `sqlite` to have the content in the restored folder."
                )
            restored = open_database(store)
            try:
                with restored.reading() as session:
                    fill_store(session, transaction, progress=progress)
            finally:
                restored.close()
            remove_store_file(store)
            yield
    finally:
        database.close()
