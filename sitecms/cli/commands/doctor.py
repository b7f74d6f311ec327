"""`sitecms doctor`: what is wrong with this machine, or with a site on it."""

import sys
from pathlib import Path

import click
import orjson

from sitecms.actions.operations.doctor import Examined, Outcome, examine_machine, examine_site
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import remember_folder
from sitecms.clock import now
from sitecms.settings.site import SETTINGS_FILE, SiteSettings, load_settings
from sitecms.site.output.atomic_exchange import can_exchange_in
from sitecms.tasks.queue_check import examine_queue

FORMAT = 1


def _load(context: click.Context, parameter: click.Parameter, value: Path | None) -> SiteSettings | None:
    """The current folder counts where it is a site; without one, the machine alone is looked at."""
    if value is None and not Path(SETTINGS_FILE).is_file():
        return None
    return load_settings(remember_folder(context, parameter, value or Path()))


@click.command(epilog="\b\nExample:\n  sitecms doctor demo\n  sitecms doctor demo --port 8080 --format json")
@click.argument("settings", metavar="[SITE]", required=False, type=click.Path(path_type=Path), callback=_load)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address that `sitecms serve` is to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Port, likewise.")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines for people, or one JSON object.",
)
def doctor(settings: SiteSettings | None, host: str, port: int, shape: str) -> None:
    """Look for what is wrong with this machine, or with a site on it: versions, permissions, disk, clock, proxies.

    Changes nothing; what the file system can do is tried in a folder that is removed again. Ends with 1 if there is
    a fault.

    \b
    JSON: {"format": 1, "faults": 0, "warnings": 1, "checks":
    [{"name": "disk", "outcome": "warning", "what": "0.8 GB free", "remedy": "Make room, or move the site."}]}
    """
    if settings is None:
        found = tuple(examine_machine(host, port))
    else:
        found = (*examine_site(settings, host, port, now, can_exchange_in), *examine_queue(settings))
    if shape == "json":
        click.echo(orjson.dumps(_as_json(found), option=orjson.OPT_INDENT_2))
    else:
        width = max(len(each.name) for each in found)
        for each in found:
            click.echo(f"{each.outcome:<7}  {each.name:<{width}}  {each.what}")
            if each.remedy:
                click.echo(f"{'':<9}{'':<{width}}  {each.remedy}")
    if _count(found, Outcome.FAULT):
        sys.exit(ExitCode.FAILED)


def _as_json(found: tuple[Examined, ...]) -> dict[str, object]:
    return {
        "format": FORMAT,
        "faults": _count(found, Outcome.FAULT),
        "warnings": _count(found, Outcome.WARNING),
        "checks": [
            {"name": each.name, "outcome": each.outcome.value, "what": each.what, "remedy": each.remedy}
            for each in found
        ],
    }


def _count(found: tuple[Examined, ...], outcome: Outcome) -> int:
    return sum(each.outcome is outcome for each in found)
