"""State of a site: its store, waiting work, running processes, the last build. Reads only, and fast."""

import platform
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sitecms import __version__
from sitecms.findings import Finding, warning
from sitecms.plurals import counted
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.engines.sqlite.connection import sqlite_version
from sitecms.store.maintenance.counters import living
from sitecms.store.maintenance.statistics import (
    Tally,
    count_deliveries,
    count_entries,
    count_media,
    count_writes,
    latest_change_at,
)
from sitecms.store.schema.migrations import LATEST
from sitecms.store.site_state.site_builds import LastBuild, find_last_build
from sitecms.values import dataclass

LIBRARIES = (
    "cysqlite", "flask", "granian", "huey", "jinja2", "markdown-it-py", "nh3", "orjson", "peewee", "pillow", "pygments",
    "requests", "boto3", "brotli", "pagefind", "psycopg",
)  # fmt: skip
OVERDUE_AFTER = timedelta(minutes=1)
"""Age from which an accepted write is reported: a worker applies it within seconds."""


@dataclass(frozen=True, slots=True)
class SiteStatus:
    """State of a site at one moment.

    `entries` are numbers by kind and status, `processes` the running ones on this machine by kind.
    """

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
    """Return the state of the site, read in one snapshot of the store. Raises StoreUnusable."""
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


def status_findings(status: SiteStatus) -> Iterator[Finding]:
    """Yield what needs attention: failed writes and deliveries, writes that nobody applies, pages that failed."""
    waiting = status.writes.get("accepted")
    if waiting and status.at - waiting.oldest_at > OVERDUE_AFTER:
        what = f"{counted(waiting.count, 'write')} accepted and not applied for more than a minute"
        remedy = "see why: sitecms writes list --status accepted"
        if not status.processes.get("worker"):
            what, remedy = f"{what}; no worker runs on this machine", "start one: sitecms serve, or sitecms worker"
        yield warning("writes-overdue", what, remedy)
    if failed := status.writes.get("failed"):
        remedy = "see why: sitecms writes list --status failed; try again: sitecms writes retry"
        yield warning("writes-failed", f"{counted(failed.count, 'write')} failed", remedy)
    if undelivered := status.deliveries.get("failed"):
        what = f"{counted(undelivered.count, 'delivery', 'deliveries')} of webhooks failed"
        yield warning(
            "deliveries-failed", what, "see why: sitecms webhook deliveries; send again: sitecms webhook replay"
        )
    if status.last_build and status.last_build.failed:
        what = f"{counted(status.last_build.failed, 'page')} failed in the last build"
        yield warning("build-failed", what, "see why: sitecms check")


def versions() -> Mapping[str, str]:
    """Return the versions of sitecms, Python, SQLite and the installed libraries."""
    numbers = {"sitecms": __version__, "python": platform.python_version(), "sqlite": sqlite_version()}
    for library in LIBRARIES:
        try:
            numbers[library] = version(library)
        except PackageNotFoundError:
            continue
    return numbers
