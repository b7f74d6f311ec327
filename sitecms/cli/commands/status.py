"""`sitecms status`: how a site stands."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import click
import orjson

from sitecms.actions.operations.status import SiteStatus, site_status
from sitecms.cli.site_argument import site_argument
from sitecms.clock import format_timestamp
from sitecms.runtime import open_runtime
from sitecms.settings.site import SiteSettings
from sitecms.store.maintenance.tallies import Tally
from sitecms.tasks.queue import QueueKind, open_queue
from sitecms.tasks.queue_watch import QueueState, QueueWatch

FORMAT = 1


@click.command(epilog="\b\nExample:\n  sitecms status demo\n  sitecms status demo --format json")
@site_argument
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines for people, or one JSON object.",
)
def status(settings: SiteSettings, shape: str) -> None:
    """Show how a site stands: store, queue, writes, deliveries, processes, last build, media, versions.

    Changes nothing, and may be asked while the server runs. Processes are those on this machine. The
    length of a queue that is out of reach is null.

    \b
    JSON: {"format": 1, "site": "Tide", "at": "2026-03-01T08:00:00Z",
    "store": {"engine": "SQLite 3.54.0", "size_bytes": 1, "version": 1, "change_number": 1, "changed_at": null,
    "entries": {"post": {"published": 1}}}, "queue": {"kind": "sqlite", "length": 0, "oldest_seconds": null},
    "writes": {"accepted": {"count": 1, "oldest_at": "...", "oldest_seconds": 1.5}},
    "deliveries": {}, "processes": {"web": 2, "worker": 1}, "last_build": null,
    "media": {"files": 0, "size_bytes": 0}, "versions": {"sitecms": "..."}}
    """
    runtime = open_runtime(settings)
    found = site_status(runtime.database, settings, runtime.clock())
    queued = QueueWatch(settings, lambda: open_queue(settings, runtime.database, only_looks=True)).look()
    if shape == "json":
        click.echo(orjson.dumps(as_json(found, queued), option=orjson.OPT_INDENT_2))
        return
    width = max(len(name) for name, _ in _lines(found, queued))
    for name, text in _lines(found, queued):
        click.echo(f"{name:<{width}}  {text}")


def as_json(found: SiteStatus, queued: QueueState) -> dict[str, Any]:
    """The status as plain data."""
    build = found.last_build
    waiting = found.writes.get("accepted")
    return {
        "format": FORMAT,
        "site": found.name,
        "at": format_timestamp(found.at),
        "store": {
            "engine": found.engine,
            "size_bytes": found.store_bytes,
            "version": found.schema_version,
            "change_number": found.change_number,
            "changed_at": format_timestamp(found.changed_at) if found.changed_at else None,
            "entries": found.entries,
        },
        "queue": {
            "kind": queued.kind.value,
            "length": queued.length,
            "oldest_seconds": _age(waiting.oldest_at, found.at) if waiting else None,
        },
        "writes": _tallies(found.writes, found.at),
        "deliveries": _tallies(found.deliveries, found.at),
        "processes": found.processes,
        "last_build": None if build is None else {
            "finished_at": format_timestamp(build.finished_at), "output": build.output, "seconds": build.seconds,
            "written": build.written, "failed": build.failed, "files": build.files, "size_bytes": build.size_bytes,
            "phases": build.phases,
        },
        "media": {"files": found.media_files, "size_bytes": found.media_bytes},
        "versions": found.versions,
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


def _lines(found: SiteStatus, queued: QueueState) -> list[tuple[str, str]]:
    build = found.last_build
    made = "never"
    if build is not None:
        made = (
            f"{_ago(build.finished_at, found.at)}, {build.files} files, {_size(build.size_bytes)} in {build.output}, "
            f"{build.failed} failed, {build.seconds:.2f} s"
        )
    kinds = [
        (f"{kind}s", ", ".join(f"{count} {status}" for status, count in counts.items()) or "none")
        for kind, counts in found.entries.items()
        if kind in ("post", "page", "item")
    ]
    others = ", ".join(f"{counts['all']} {kind}s" for kind, counts in found.entries.items() if "all" in counts)
    changed = f", changed {_ago(found.changed_at, found.at)}" if found.changed_at else ""
    number = f"version {found.schema_version}, change {found.change_number}"
    store = f"{found.engine}, {_size(found.store_bytes)}, {number}{changed}"
    return [
        ("site", f"{found.name} ({found.folder})"),
        ("store", store),
        *kinds,
        ("others", others),
        ("media", f"{found.media_files} files, {_size(found.media_bytes)}"),
        ("queue", _queue_text(queued)),
        ("writes", _tally_text(found.writes, found.at)),
        ("deliveries", _tally_text(found.deliveries, found.at)),
        ("processes", ", ".join(f"{count} {kind}" for kind, count in sorted(found.processes.items())) or "none"),
        ("last build", made),
        ("versions", ", ".join(f"{name} {number}" for name, number in found.versions.items())),
    ]


def _queue_text(queued: QueueState) -> str:
    if queued.length is None:
        return f"{queued.kind}, out of reach: {queued.problem}"
    return f"{queued.length} waiting" if queued.kind is QueueKind.SQLITE else f"{queued.length} waiting ({queued.kind})"


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
    return f"{span.days} days"


def _size(size_bytes: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if size_bytes < 1000:
            return f"{size_bytes:.0f} {unit}" if unit == "bytes" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} GB"
