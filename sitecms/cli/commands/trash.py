"""The command `sitecms trash`: list, restore and remove deleted entries."""

import shlex
from datetime import timedelta

import click

from sitecms.actions.operations.housekeeping import remove_expired
from sitecms.actions.writing.entry_events import EventCause
from sitecms.actions.writing.trash import restore_entry
from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.output import show_table
from sitecms.cli.site_argument import shown_path, site_argument
from sitecms.clock import format_timestamp
from sitecms.content.kinds import EntryKind
from sitecms.content.trash import TrashedEntry
from sitecms.media.library import open_library
from sitecms.plurals import counted
from sitecms.runtime import open_runtime
from sitecms.settings.site import SiteSettings
from sitecms.store.entries.trash import find_trash, remove_for_good

_HEADINGS = ("KIND", "ID", "NAME", "DELETED")


@click.group(
    cls=SuggestingGroup, epilog="\b\nExample:\n  sitecms trash list demo\n  sitecms trash restore demo post 12"
)
def trash() -> None:
    """List, restore and remove deleted entries, and former versions of entries that files replaced."""


@trash.command("list", epilog="\b\nExample:\n  sitecms trash list demo")
@site_argument
def list_trash(settings: SiteSettings) -> None:
    """List deleted entries, most recently deleted first."""
    entries = open_runtime(settings).database.read(find_trash)
    rows = [(entry.kind.value, str(entry.id), _name(entry), format_timestamp(entry.deleted_at)) for entry in entries]
    show_table(_HEADINGS, rows)


def _name(entry: TrashedEntry) -> str:
    former = f" (former version of {entry.kind} {entry.former_of})" if entry.former_of is not None else ""
    return entry.name + former


@trash.command(epilog="\b\nExample:\n  sitecms trash restore demo page 3")
@site_argument
@click.argument("kind", type=click.Choice([kind.value for kind in EntryKind]))
@click.argument("entry_id", metavar="ID", type=int)
def restore(settings: SiteSettings, kind: str, entry_id: int) -> None:
    """Restore an entry from the trash: published entries are visible at once, and webhooks are sent.

    A former version goes back into its entry; the version that it replaces moves to the trash.
    """
    runtime = open_runtime(settings)
    events = EventCause(settings.default_locale, runtime.clock())
    restored = runtime.database.write(restore_entry, EntryKind(kind), entry_id, settings, events)
    if restored.replaced_id is None:
        click.echo(f"The {kind} {restored.id} is restored.", err=True)
        return
    click.echo(
        f"The former version of the {kind} {restored.id} is restored. The version that it replaced is in the trash: "
        f"sitecms trash restore {shlex.quote(str(shown_path(settings.folder)))} {kind} {restored.replaced_id}",
        err=True,
    )


def _confirm() -> None:
    """Ask for confirmation. Raises Abort if it is denied, UsageError if nobody answers."""
    try:
        is_confirmed = click.confirm("Remove deleted entries permanently?")
    except click.Abort as error:
        raise click.UsageError(
            "There is no terminal to ask for confirmation. To empty the trash, give --yes."
        ) from error
    if not is_confirmed:
        raise click.Abort


@trash.command(epilog="\b\nExample:\n  sitecms trash empty demo --older-than 30")
@site_argument
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(min=0),
    default=0,
    help="Remove entries deleted at least this many days ago. Default: all.",
)
@click.option("--yes", "is_confirmed", is_flag=True, help="Do not ask for confirmation.")
def empty(settings: SiteSettings, days: int, *, is_confirmed: bool) -> None:
    """Permanently remove deleted entries, then expired writes, deliveries and unused media files.

    Asks for confirmation; without a terminal, --yes is needed.
    """
    if not is_confirmed:
        _confirm()
    runtime = open_runtime(settings)
    at = runtime.clock()
    count = runtime.database.write(remove_for_good, at - timedelta(days=days))
    removed = remove_expired(runtime.database, open_library(settings), settings.housekeeping, at)
    click.echo(
        f"Removed {counted(count, 'deleted entry', 'deleted entries')}, {counted(removed.writes, 'old write')}, "
        f"{counted(removed.deliveries, 'old delivery', 'old deliveries')}, "
        f"{counted(removed.revisions, 'old revision')}, {counted(removed.unsaved, 'unsaved text')}, "
        f"{counted(removed.actions, 'old action')} of the log and "
        f"{counted(removed.media, 'unused media file')}.",
        err=True,
    )
