"""The store at one moment, to be checked while other processes write to it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitecms.actions.operations.verify.finding import RESTORE, VerifyKind, damage, repairable
from sitecms.errors import StoreUnusable
from sitecms.findings import Finding
from sitecms.progress import Progress
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.store.database import Database
from sitecms.store.maintenance import integrity
from sitecms.store.maintenance.store_copy import copy_store
from sitecms.store.opening import open_database


@contextmanager
def frozen_store(settings: SiteSettings, progress: Progress | None) -> Iterator[tuple[Database | None, list[Finding]]]:
    """Give a store that one read transaction shows in full, and the damage of its file or tables.

    The store is None if it cannot be read. An SQLite file is copied, since the check of the search index needs a second
    connection to the same state.
    """
    if progress:
        progress("Store", 0, 1)
    if isinstance(settings.store, ServiceUrl):
        yield from _on_server(settings.store, progress)
        return
    with tempfile.TemporaryDirectory(prefix="verify-", dir=settings.folder / STATE_FOLDER) as name:
        yield from _copy_of_file(settings.store, Path(name) / "store.db", progress)


def _on_server(url: ServiceUrl, progress: Progress | None) -> Iterator[tuple[Database | None, list[Finding]]]:
    database = open_database(url)
    try:
        with database.reading() as session:
            findings = [_store_damaged(str(url), problem) for problem in integrity.unreadable(session)]
        if progress:
            progress("Store", 1, 1)
        yield None if findings else database, findings
    finally:
        database.close()


def _copy_of_file(
    store: Path, copy: Path, progress: Progress | None
) -> Iterator[tuple[Database | None, list[Finding]]]:
    findings = _file_damage(store, copy)
    if progress:
        progress("Store", 1, 1)
    if any(finding.kind == VerifyKind.STORE_DAMAGED for finding in findings):
        yield None, findings
        return
    try:
        database = open_database(copy, moving=True)  # a store that is being moved can be checked too
    except Exception as error:  # noqa: BLE001 - damage can raise any error
        yield None, [*findings, _store_damaged(store.name, str(error))]
        return
    try:
        yield database, findings
    finally:
        database.close()


def _file_damage(store: Path, copy: Path) -> list[Finding]:
    """Copy the file and return what SQLite's own checks find in the copy."""
    try:
        copy_store(store, copy)
        problems = (*integrity.damage(copy), *integrity.schema_damage(copy))
    except (StoreUnusable, UnicodeDecodeError) as error:
        problems = (str(error),)
    return [
        repairable(VerifyKind.SEARCH_DAMAGED, "the search index", problem)
        if "fts5" in problem.lower()
        else _store_damaged(store.name, problem)
        for problem in problems
    ]


def _store_damaged(name: str, problem: str) -> Finding:
    return damage(VerifyKind.STORE_DAMAGED, f"the store {name}", problem, RESTORE)
