"""`sitecms move-store`: move the store from an SQLite file to PostgreSQL or back."""

from pathlib import Path

import click

from sitecms.actions.operations import moves
from sitecms.cli.output import progress_bar
from sitecms.cli.site_argument import site_argument
from sitecms.plurals import counted
from sitecms.settings.service_url import ServiceUrl, is_from_environment, variable_of
from sitecms.settings.site import SETTINGS_FILE, STORE_IN_FILE, STORE_SCHEMES, SiteSettings
from sitecms.store.database import StoreAddress
from sitecms.store.site_state.relocation_state import MoveState


@click.command(
    "move-store",
    epilog="\b\nExample:\n  sitecms move-store demo --to postgresql://tide@db.example/tide\n"
    "  sitecms move-store demo --to sqlite",
)
@site_argument
@click.option(
    "--to", "place", metavar="URL", help="postgresql://[user@]host[:port]/database, or sqlite: .sitecms/store.db."
)
@click.option("--cancel", is_flag=True, help="Cancel a move: open the old store to writers again.")
def move_store(settings: SiteSettings, place: str | None, *, cancel: bool) -> None:
    """Move the site's store to PostgreSQL, or back into an SQLite file, with all waiting work.

    Reads are answered meanwhile. Writes are refused (503) until the move has ended and every process was restarted with
    the new setting, which this command prints and does not change. A move that was killed continues when the command
    is run again. At the end, checksums of every table are compared. The old store stays unchanged, and refers to the
    new one.

    \b
    To move back: --to sqlite, while the setting names PostgreSQL; what was written there is moved too.
    --cancel ends a move that was killed, or returns to the old store without what was written since.

    Other users of this machine may see the command's arguments: leave the password out of the URL, and give it by
    PGPASSFILE or ~/.pgpass.
    """
    if cancel == bool(place):
        raise click.UsageError("Name the new place with --to, or give --cancel.")
    if place is None:
        _cancel(settings)
        return
    target = _address(settings, place)
    with progress_bar() as progress:
        report = moves.move_store(settings, target, progress)
    click.echo(
        f"Moved the store of {settings.name} to {report.target}: "
        f"{counted(report.rows, 'row')} in {len(report.sums)} tables, "
        f"equal in both, change {report.change_number}. Writes were refused for {report.closed_seconds:.2f} s."
    )
    for line in _next(target):
        click.echo(line)


def _address(settings: SiteSettings, place: str) -> StoreAddress:
    if place == STORE_IN_FILE:
        return settings.store_path
    url = ServiceUrl(place)
    if url.scheme in STORE_SCHEMES and url.is_valid():
        return url
    raise click.UsageError(
        "--to is not the address of a PostgreSQL database; expected one such as postgresql://localhost/tide, or sqlite."
    )


def _next(target: StoreAddress) -> list[str]:
    """Return the steps that are left for the operator."""
    variable = variable_of("store")
    if isinstance(target, Path):
        lines = [f"Next, remove url from [store] in {SETTINGS_FILE}, and {variable} from the environment."]
    elif is_from_environment("store"):
        lines = [f"Next, in the environment:\n  {variable}={target.without_password()}"]
    else:
        lines = [f'Next, in {SETTINGS_FILE}:\n  [store]\n  url = "{target.without_password()}"']
    return [*lines, "Then restart every sitecms process of the site: those that run now can only read."]


def _cancel(settings: SiteSettings) -> None:
    move = moves.cancel_move(settings)
    click.echo(f"The store of {settings.name} stays in its place, and can be written to.")
    if move.state is MoveState.GONE:
        click.echo(
            f"It does not contain what was written to {move.place} since: stop everything that still uses that.",
            err=True,
        )
