"""`sitecms doctor`: find problems of this machine, or of a site on it."""

import sys
from pathlib import Path

import click

from sitecms.actions.operations.doctor import examine_machine, examine_site
from sitecms.actions.syncing.git.state import examine_git
from sitecms.cli.output import format_option, show_findings_as_json, show_findings_as_text, summarize
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import open_settings, plugins_option, remember_folder
from sitecms.clock import now
from sitecms.findings import Severity, count_findings
from sitecms.settings.site import SETTINGS_FILE, SiteSettings
from sitecms.site.output.atomic_exchange import can_exchange_in
from sitecms.tasks.queue import examine_queue


def _load(context: click.Context, parameter: click.Parameter, value: Path | None) -> SiteSettings | None:
    """Return the settings of the folder, by default of the current one if it is a site; else None."""
    if value is None and not Path(SETTINGS_FILE).is_file():
        return None
    return open_settings(remember_folder(context, parameter, value or Path()))


@click.command(epilog="\b\nExample:\n  sitecms doctor demo\n  sitecms doctor demo --port 8080 --format json")
@click.argument("settings", metavar="[SITE]", required=False, type=click.Path(path_type=Path), callback=_load)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address for `sitecms serve` to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Port to listen on.")
@click.option("--repair", is_flag=True, help="Take the rights of other users to read the store away.")
@plugins_option
@format_option
def doctor(settings: SiteSettings | None, host: str, port: int, repair: bool, output_format: str) -> None:
    """Examine this machine, and the site on it: versions, permissions, disk, clock, proxies, store, queue, Git.

    Changes nothing without --repair; abilities of the file system are tried in a temporary folder. Without a site, the
    machine alone is examined. The exit code is 1 if an error is left.

    \b
    JSON: {"format": 2, "site": "Tide", "errors": 0, "warnings": 1, "findings":
    [{"severity": "warning", "kind": "disk", "where": "", "file": "", "line": null, "place": "", "url": "",
    "pages": 0, "what": "0.8 GB free", "remedy": "free some space, or move the site", "repairable": false,
    "repaired": false}]}; what is in order has the severity "ok". "site" is null for the machine alone.
    """
    if settings is None:
        findings = tuple(examine_machine(host, port))
    else:
        findings = (
            *examine_site(settings, host, port, now, can_exchange_in, repair=repair),
            *examine_queue(settings),
            *examine_git(settings),
        )
    if output_format == "json":
        show_findings_as_json(settings.name if settings else None, findings, {})
    else:
        show_findings_as_text(findings)
        click.echo(f"Examined {settings.name if settings else 'this machine'}: {summarize(findings)}")
    if count_findings(findings, Severity.ERROR):
        sys.exit(ExitCode.FAILED)
