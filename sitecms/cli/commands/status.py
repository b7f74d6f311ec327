"""`sitecms status`: show the state of a site."""

import platform
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import asdict

from sitecms import __version__
from sitecms.actions.syncing.git.state import examine_git
from sitecms.actions.syncing.write_back import FileState, file_state
from sitecms.actions.writing.publish_scheduled import HELD_BACK_REMEDY, held_back_texts
from sitecms.cli.output import format_option, show_findings_as_json, show_findings_as_text
from sitecms.cli.settings_watch import RESTART, waiting_settings
from sitecms.cli.site_argument import folder_argument, open_settings
from sitecms.clock import format_timestamp
from sitecms.errors import InvalidFiles
from sitecms.findings import Finding, Severity, warning
from sitecms.plurals import counted
from sitecms.runtime import open_runtime
from sitecms.settings.site import METRICS_FOLDER, SETTINGS_FILE, SiteSettings
from sitecms.store.database import Database
from sitecms.store.engines.sqlite.connection import sqlite_version
from sitecms.store.maintenance.metrics import count_processes
from sitecms.store.maintenance.statistics import (
    Tally,
    count_deliveries,
    count_entries,
    count_mails,
    count_media,
    count_writes,
    latest_change_at,
)
from sitecms.store.schema.migrations import LATEST
from sitecms.store.site_state.site_builds import LastBuild, find_last_build
from sitecms.tasks.queue import QUEUE_REMEDY, QueueKind, QueueState, QueueWatch, open_queue

LIBRARIES = (
    "cysqlite", "flask", "granian", "huey", "jinja2", "markdown-it-py", "nh3", "orjson", "peewee", "pillow", "pygments",
    "requests", "boto3", "brotli", "pagefind", "psycopg",
)  # fmt: skip
FORMER_SETTINGS = "Running processes go on with the settings from before, until these errors are corrected:"
OVERDUE_AFTER = timedelta(minutes=1)
"""Age from which an accepted write is reported: a worker applies it within seconds."""


class SiteStatus(Struct, frozen=True):
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
    mails: Mapping[str, Tally]
    media_files: int
    media_bytes: int
    processes: Mapping[str, int]
    last_build: LastBuild | None
    files: FileState
    held_back: tuple[str, ...]
    versions: Mapping[str, str]
    waiting_settings: tuple[str, ...] = ()


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
            mails=count_mails(session),
            media_files=media_files,
            media_bytes=media_bytes,
            processes=(processes := count_processes(settings.metrics_dir)),
            waiting_settings=waiting_settings(settings.state_dir) if processes else (),
            last_build=find_last_build(settings.state_dir),
            files=file_state(session, settings),
            held_back=held_back_texts(session, at, settings),
            versions=versions(),
        )


def status_findings(status: SiteStatus) -> Iterator[Finding]:
    """Yield what needs attention: what failed, writes that nobody applies, entries that were not published."""
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
    if unsent := status.mails.get("failed"):
        remedy = "see why: sitecms mail list --status failed; send again: sitecms mail retry"
        yield warning("mail-failed", f"{counted(unsent.count, 'e-mail')} could not be sent", remedy)
    if status.last_build and status.last_build.failed:
        what = f"{counted(status.last_build.failed, 'page')} failed in the last build"
        yield warning("build-failed", what, "see why: sitecms check")
    for text in status.held_back:
        yield warning("address-taken", text, HELD_BACK_REMEDY)
    if status.waiting_settings:
        what = f"{SETTINGS_FILE} has other values than the running processes: {', '.join(status.waiting_settings)}"
        yield warning("settings-wait", what, RESTART)
    yield from _file_findings(status.files)


def _file_findings(files: FileState) -> Iterator[Finding]:
    """Yield a finding for each reason for which changes are not in files."""
    for problem, count in files.problems.items() if files.is_on else ():
        what = f"{counted(count, 'change')} not in the files: {problem}"
        yield warning("not-in-files", what, "then run: sitecms sync")


def versions() -> Mapping[str, str]:
    """Return the versions of sitecms, Python, SQLite and the installed libraries."""
    numbers = {"sitecms": __version__, "python": platform.python_version(), "sqlite": sqlite_version()}
    for library in LIBRARIES:
        try:
            numbers[library] = version(library)
        except PackageNotFoundError:
            continue
    return numbers


@click.command(epilog="\b\nExample:\n  sitecms status demo\n  sitecms status demo --format json")
@folder_argument
@format_option
def status(folder: Path, output_format: str) -> None:
    """Show the state of a site: store, queue, writes, deliveries, e-mail, processes, last build, media, versions, Git.

    Changes nothing, and can be run while the server runs. Processes are those on this machine. The length of a queue
    that cannot be reached is null.

    \b
    JSON: {"format": 2, "site": "Tide", "errors": 0, "warnings": 0, "at": "2026-03-01T08:00:00Z",
    "store": {"engine": "SQLite 3.54.0", "size_bytes": 1, "version": 1, "change_number": 1, "changed_at": null,
    "entries": {"post": {"published": 1}}}, "queue": {"kind": "sqlite", "length": 0, "oldest_seconds": null},
    "writes": {"accepted": {"count": 1, "oldest_at": "...", "oldest_seconds": 1.5}},
    "deliveries": {}, "mail": {}, "processes": {"web": 2, "worker": 1}, "last_build": null,
    "files": {"write_back": true, "waiting": 0, "problems": {}, "drafts_in_store": 0},
    "media": {"files": 0, "size_bytes": 0}, "versions": {"sitecms": "..."}, "git": null, "findings": [{"severity":
    "warning", "kind": "writes-failed", "where": "", "file": "", "line": null, "place": "", "url": "", "pages": 0,
    "what": "1 write failed", "remedy": "...", "repairable": false, "repaired": false}]}
    """
    settings = _settings(folder)
    runtime = open_runtime(settings)
    state = site_status(runtime.database, settings, runtime.clock())
    queue = QueueWatch(settings, lambda: open_queue(settings, runtime.database, read_only=True)).look()
    git = tuple(examine_git(settings))
    findings = [*status_findings(state), *(finding for finding in git if finding.severity is not Severity.OK)]
    if queue.length is None:
        findings.append(warning("queue", f"the queue cannot be reached: {queue.problem}", QUEUE_REMEDY))
    if output_format == "json":
        details = {**_details(state, queue), "git": git[0].what if git else None}
        show_findings_as_json(state.name, findings, details)
        return
    lines = [*_lines(state, queue), *(("git", finding.what) for finding in git)]
    width = max(len(name) for name, _ in lines)
    for name, text in lines:
        click.echo(f"{name:<{width}}  {text}")
    show_findings_as_text(findings)


def _settings(folder: Path) -> SiteSettings:
    """Return the settings of the site. Raises InvalidFiles, after a line about what running processes do then."""
    try:
        return open_settings(folder)
    except InvalidFiles:
        if count_processes(folder / METRICS_FOLDER):
            click.echo(FORMER_SETTINGS, err=True)
        raise


def _details(state: SiteStatus, queue: QueueState) -> dict[str, Any]:
    build = state.last_build
    waiting = state.writes.get("accepted")
    return {
        "at": format_timestamp(state.at),
        "store": {
            "engine": state.engine,
            "size_bytes": state.store_bytes,
            "version": state.schema_version,
            "change_number": state.change_number,
            "changed_at": format_timestamp(state.changed_at) if state.changed_at else None,
            "entries": state.entries,
        },
        "queue": {
            "kind": queue.kind.value,
            "length": queue.length,
            "oldest_seconds": _age(waiting.oldest_at, state.at) if waiting else None,
        },
        "writes": _tallies(state.writes, state.at),
        "deliveries": _tallies(state.deliveries, state.at),
        "mail": _tallies(state.mails, state.at),
        "processes": state.processes,
        "last_build": {**asdict(build), "finished_at": format_timestamp(build.finished_at)} if build else None,
        "files": {
            "write_back": state.files.is_on, "waiting": state.files.waiting, "problems": state.files.problems,
            "drafts_in_store": state.files.drafts,
        },
        "media": {"files": state.media_files, "size_bytes": state.media_bytes},
        "versions": state.versions,
    }  # fmt: skip


def _tallies(tallies: Mapping[str, Tally], at: datetime) -> dict[str, dict[str, Any]]:
    return {
        status: {
            "count": tally.count,
            "oldest_at": format_timestamp(tally.oldest_at),
            "oldest_seconds": _age(tally.oldest_at, at),
        }
        for status, tally in tallies.items()
    }


def _lines(state: SiteStatus, queue: QueueState) -> list[tuple[str, str]]:
    build = state.last_build
    last_build = "never"
    if build is not None:
        last_build = (
            f"{_ago(build.finished_at, state.at)}, {counted(build.files, 'file')}, {_size(build.size_bytes)} "
            f"in {build.output}, {build.failed} failed, {build.seconds:.2f} s"
        )
    kinds = [
        (f"{kind}s", ", ".join(_in_status(count, status) for status, count in counts.items()) or "none")
        for kind, counts in state.entries.items()
        if kind in ("post", "page", "item")
    ]
    others = ", ".join(counted(counts["all"], kind) for kind, counts in state.entries.items() if "all" in counts)
    changed = f", changed {_ago(state.changed_at, state.at)}" if state.changed_at else ""
    number = f"version {state.schema_version}, change {state.change_number}"
    return [
        ("site", f"{state.name} ({state.folder})"),
        ("store", f"{state.engine}, {_size(state.store_bytes)}, {number}{changed}"),
        *kinds,
        ("others", others),
        ("media", f"{counted(state.media_files, 'file')}, {_size(state.media_bytes)}"),
        ("queue", _queue_text(queue)),
        ("writes", _tally_text(state.writes, state.at)),
        ("deliveries", _tally_text(state.deliveries, state.at)),
        ("e-mail", _tally_text(state.mails, state.at)),
        ("files", _files_text(state.files)),
        ("processes", ", ".join(f"{count} {kind}" for kind, count in sorted(state.processes.items())) or "none"),
        ("last build", last_build),
        ("versions", ", ".join(f"{name} {number}" for name, number in state.versions.items())),
    ]


def _files_text(files: FileState) -> str:
    drafts = f"; {counted(files.drafts, 'draft')} over published entries in the store alone" if files.drafts else ""
    if not files.is_on:
        return f"not written back{drafts}"
    behind = sum(files.problems.values())
    if not files.waiting and not behind:
        return f"as the store{drafts}"
    return f"{counted(files.waiting, 'change')} to be written, {behind} that cannot be written{drafts}"


def _in_status(count: int, status: str) -> str:
    return f"{count} in the trash" if status == "trash" else f"{count} {status}"


def _queue_text(queue: QueueState) -> str:
    if queue.length is None:
        return f"{queue.kind}, cannot be reached: {queue.problem}"
    return f"{queue.length} waiting" if queue.kind is QueueKind.SQLITE else f"{queue.length} waiting ({queue.kind})"


def _tally_text(tallies: Mapping[str, Tally], at: datetime) -> str:
    parts = (f"{tally.count} {status} (oldest {_ago(tally.oldest_at, at)})" for status, tally in tallies.items())
    return ", ".join(parts) or "none"


def _age(moment: datetime, at: datetime) -> float:
    return round(max(0.0, (at - moment).total_seconds()), 3)


def _ago(moment: datetime, at: datetime) -> str:
    if moment > at:
        return f"in {_span(moment - at)} (the clock differs)"
    return f"{_span(at - moment)} ago"


def _span(span: timedelta) -> str:
    seconds = span.total_seconds()
    for limit, size, unit in ((120, 1, "s"), (7200, 60, "min"), (172_800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / size:.0f} {unit}"
    return counted(span.days, "day")


def _size(size_bytes: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if size_bytes < 1000:
            return f"{size_bytes:.0f} {unit}" if unit == "bytes" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} GB"
