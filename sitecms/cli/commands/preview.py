"""The command `sitecms preview`: show the site in a browser, drafts included, and reload it after every change."""

import shlex
import sys
import threading
import webbrowser
from functools import partial

import click

from sitecms.cli.processes import stop_event
from sitecms.cli.site_argument import NO_BEFORE_HELP, shown_path, site_argument
from sitecms.clock import now
from sitecms.settings.site import SiteSettings
from sitecms.site.before_build import WatchedCommands
from sitecms.site.preview.rebuild import Rebuilt
from sitecms.site.preview.run import Preview


@click.command(epilog="\b\nExample:\n  sitecms preview demo --open\n  sitecms preview demo --port 4500")
@site_argument
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Port to listen on. Default: the first free port from 4400."
)
@click.option("--open", "opens", is_flag=True, help="Open the site in the browser.")
@click.option("--no-before", is_flag=True, help=NO_BEFORE_HELP)
def preview(settings: SiteSettings, port: int | None, opens: bool, no_before: bool) -> None:
    """Show the site on this machine, with drafts and scheduled entries marked as such.

    Watches files, templates and the store, and reloads open pages after each change; errors are shown on the page, with
    file and line. Pages are rendered on demand. The published output and the store are not changed. Ctrl-C ends the
    preview. The commands of `[build] before`, as they stand when the preview starts, run again when files change.
    """
    stop, first_build = stop_event(), threading.Event()
    printed_notes: set[str] = set()

    def report(rebuilt: Rebuilt) -> None:
        _print_problems(rebuilt)
        if rebuilt.note and rebuilt.note not in printed_notes:
            printed_notes.add(rebuilt.note)
            click.echo(rebuilt.note, err=True)
        first_build.set()

    before = () if no_before or settings.plugins.are_left_out else settings.build.before
    commands = WatchedCommands(before, settings.folder, partial(click.echo, err=True))
    with Preview(settings, port, now, report, commands) as running:
        while not first_build.wait(0.1) and not stop.is_set():
            pass
        if not stop.is_set():
            click.echo(f"sitecms previews {settings.name} at {running.url}")
            if settings.studio.enabled:
                site = shlex.quote(str(shown_path(settings.folder)))
                click.echo(f"To write in a browser: sitecms serve {site}, then open http://127.0.0.1:8000/studio/")
            sys.stdout.flush()
            if opens:
                webbrowser.open(running.url)
        stop.wait()


def _print_problems(rebuilt: Rebuilt) -> None:
    for problem in rebuilt.problems:
        click.echo(str(problem), err=True)
    click.echo(f"{rebuilt.changed} changed in {rebuilt.seconds:.2f} s", err=True)
