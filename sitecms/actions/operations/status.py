"""How a site stands: its store, what waits in it, what runs, what was built last. Read only, and fast."""

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sitecms import __version__
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.engines.sqlite.connection import sqlite_version
from sitecms.store.maintenance.counters import living
from sitecms.store.maintenance.tallies import (
    Tally,
    count_deliveries,
    count_entries,
    count_media,
    count_writes,
    latest_change_at,
)
from sitecms.store.schema.migrations import LATEST
from sitecms.store.site_state.last_build import LastBuild, find_last_build

LIBRARIES = (
    "cysqlite", "flask", "granian", "huey", "jinja2", "markdown-it-py", "nh3", "orjson", "peewee", "pillow", "pygments",
    "requests", "boto3", "brotli", "pagefind", "psycopg",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SiteStatus:
    """`entries` are numbers by kind and status, `processes` those that live on this machine by kind."""

    name: str
    folder: Path
    at: datetime
    engine: str
    store_bytes: int
    schema_version: int
    change_number: int
    changed_at: datetime | None
    entries: Mapping[str, Mapping[str, int]]
    writes: Mapping[str, Tally]
    deliveries: Mapping[str, Tally]
    media_files: int
    media_bytes: int
    processes: Mapping[str, int]
    last_build: LastBuild | None
    versions: Mapping[str, str]


def site_status(database: Database, settings: SiteSettings, at: datetime) -> SiteStatus:
    """All of one moment: one snapshot of the store. Raises StoreUnusable."""
    with database.reading() as session:
        media_files, media_bytes = count_media(session)
        return SiteStatus(
            name=settings.name,
            folder=settings.folder,
            at=at,
            engine=database.engine,
            store_bytes=database.size_bytes(),
            schema_version=LATEST,
            change_number=session.change_number(),
            changed_at=latest_change_at(session),
            entries=count_entries(session),
            writes=count_writes(session),
            deliveries=count_deliveries(session),
            media_files=media_files,
            media_bytes=media_bytes,
            processes=living(settings.counters_dir),
            last_build=find_last_build(settings.state_dir),
            versions=versions(),
        )


def versions() -> Mapping[str, str]:
    """Of sitecms, of Python, of the store's engine and of the libraries that are installed."""
    found = {"sitecms": __version__, "python": platform.python_version(), "sqlite": sqlite_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
