"""The store as it is at one moment, to be looked through while others write to it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitecms.actions.operations.verify.finding import RESTORE, Finding, FindingKind
from sitecms.errors import StoreUnusable
from sitecms.progress import Progress
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.store.database import Database
from sitecms.store.maintenance import integrity
from sitecms.store.maintenance.store_copy import copy_store
from sitecms.store.opening import open_database


@contextmanager
def store_at_rest(settings: SiteSettings, progress: Progress | None) -> Iterator[tuple[Database | None, list[Finding]]]:
    """A store of which a read transaction shows all there is, and what is wrong with what keeps it.

    None where it cannot be read. A file is copied, for whoever reads its search index needs a connection more.
    """
    if progress:
        progress("Store", 0, 1)
    if isinstance(settings.store, ServiceUrl):
        yield from _on_server(settings.store, progress)
        return
    with tempfile.TemporaryDirectory(prefix="verify-", dir=settings.folder / STATE_FOLDER) as name:
        yield from _of_file(settings.store, Path(name) / "store.db", progress)


def _on_server(url: ServiceUrl, progress: Progress | None) -> Iterator[tuple[Database | None, list[Finding]]]:
    database = open_database(url)
    try:
        with database.reading() as session:
            found = [_of_store(str(url), problem) for problem in integrity.unreadable(session)]
        if progress:
            progress("Store", 1, 1)
        yield None if found else database, found
    finally:
        database.close()


def _of_file(store: Path, copy: Path, progress: Progress | None) -> Iterator[tuple[Database | None, list[Finding]]]:
    found = _damage(store, copy)
    if progress:
        progress("Store", 1, 1)
    if any(finding.kind is FindingKind.STORE_DAMAGED for finding in found):
        yield None, found
        return
    try:
        database = open_database(copy, moving=True)  # whatever it is in a move, it may be looked at
    except Exception as error:  # noqa: BLE001 - damage takes any form
        yield None, [*found, _of_store(store.name, str(error))]
        return
    try:
        yield database, found
    finally:
        database.close()


def _damage(store: Path, copy: Path) -> list[Finding]:
    """What SQLite says of the file, now copied."""
    try:
        copy_store(store, copy)
        problems = (*integrity.damage(copy), *integrity.schema_damage(copy))
    except (StoreUnusable, UnicodeDecodeError) as error:
        problems = (str(error),)
    return [
        Finding(FindingKind.SEARCH_DAMAGED, "the search index", problem, "", True)
        if "fts5" in problem.lower()
        else _of_store(store.name, problem)
        for problem in problems
    ]


def _of_store(name: str, problem: str) -> Finding:
    return Finding(FindingKind.STORE_DAMAGED, f"the store {name}", problem, RESTORE)
