"""The command `sitecms writes`: list accepted writes and retry failed ones."""

from datetime import datetime

import click
import orjson
from msgspec import to_builtins
from msgspec.structs import asdict

from sitecms.actions.writing.accept.acceptance import retry_write
from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.output import show_table
from sitecms.cli.site_argument import site_argument
from sitecms.clock import format_timestamp
from sitecms.content.kinds import KINDS
from sitecms.content.writes import Write, WriteStatus
from sitecms.runtime import open_runtime
from sitecms.settings.site import SiteSettings
from sitecms.store.writes import writes as store_writes
from sitecms.tasks.background import Background

_HEADINGS = ("ID", "STATUS", "OPERATION", "ENTRY", "ACCEPTED", "FINISHED")


@click.group(cls=SuggestingGroup, epilog="\b\nExample:\n  sitecms writes list demo --status rejected")
def writes() -> None:
    """List accepted writes and retry failed ones."""


@writes.command("list", epilog="\b\nExample:\n  sitecms writes list demo --status failed")
@site_argument
@click.option(
    "--status", type=click.Choice([status.value for status in WriteStatus]), help="Show writes with this status only."
)
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Maximum number of writes."
)
def list_writes(settings: SiteSettings, status: str | None, limit: int) -> None:
    """List writes, newest first."""
    with open_runtime(settings).database.reading() as session:
        newest = store_writes.find_writes(session, WriteStatus(status) if status else None, limit)
    show_table(_HEADINGS, [_row(write) for write in newest])


@writes.command(epilog="\b\nExample:\n  sitecms writes show demo 4f1c0e5ab2d34e8f9a7b6c5d4e3f2a10")
@site_argument
@click.argument("write_id", metavar="ID")
def show(settings: SiteSettings, write_id: str) -> None:
    """Print one write as JSON: status, attempts, errors, warnings and payload."""
    with open_runtime(settings).database.reading() as session:
        write = store_writes.get_write(session, write_id)
    data = {
        "id": write.id,
        "status": write.status.value,
        "operation": write.operation.value,
        "kind": write.kind.value,
        "ids": list(write.entry_ids),
        "attempts": write.attempt,
        "errors": dict(write.errors),
        "warnings": [asdict(warning) for warning in write.warnings.shown],
        "warnings_left_out": write.warnings.left_out,
        "accepted_at": format_timestamp(write.accepted_at),
        "finished_at": _time(write.finished_at) or None,
        "payload": to_builtins(write.payload),
    }
    click.echo(orjson.dumps(data, option=orjson.OPT_INDENT_2))


@writes.command(epilog="\b\nExample:\n  sitecms writes retry demo 4f1c0e5ab2d34e8f9a7b6c5d4e3f2a10")
@site_argument
@click.argument("write_id", metavar="ID")
@click.option("--force", is_flag=True, help="Retry even if the entry has changed since, and replace the newer change.")
def retry(settings: SiteSettings, write_id: str, *, force: bool) -> None:
    """Accept a rejected or failed write again; a running worker applies it.

    The command refuses if the entry has changed since, because the write would replace the newer change.
    """
    runtime = open_runtime(settings)
    with runtime.database.writing(counts_as_change=False) as transaction:
        retry_write(transaction, write_id, is_forced=force)
    Background(settings, runtime.database, runtime.clock).hint(write_id)
    click.echo(f"The write {write_id} is accepted again.", err=True)


def _row(write: Write) -> tuple[str, ...]:
    entry = f"{write.kind.value} {_name(write)}"
    accepted = format_timestamp(write.accepted_at)
    return write.id, write.status.value, write.operation.value, entry, accepted, _time(write.finished_at)


def _name(write: Write) -> str:
    """Return the slug of a post or page, or the id of an item; of several items, the first id and their number."""
    if not KINDS[write.kind].creates_several:
        return write.slug or str(write.entry_id)
    first, *others = write.entry_ids
    return f"{first} and {len(others)} more" if others else str(first)


def _time(moment: datetime | None) -> str:
    return format_timestamp(moment) if moment else ""
