"""`sitecms preview`: the site in a browser, drafts included, fresh after every change."""

import signal
import sys
import threading
import webbrowser

import click

from sitecms.cli.site_argument import site_argument
from sitecms.clock import now
from sitecms.settings.site import SiteSettings
from sitecms.site.preview import Preview
from sitecms.site.preview.rebuild import Rebuilt


@click.command(epilog="\b\nExample:\n  sitecms preview demo --open\n  sitecms preview demo --port 4500")
@site_argument
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on; default: the first free one from 4400.")
@click.option("--open", "opens", is_flag=True, help="Open it in the browser.")
def preview(settings: SiteSettings, port: int | None, opens: bool) -> None:
    """Show the site on this machine, with drafts and scheduled entries marked as such.

    Watches files, templates and the store, and has open pages reload by themselves within moments of a change; faults
    stand on the page, with file and line. Pages are made when they are asked for. The published output and the store
    stay as they are. Ctrl-C ends it.
    """
    stop, first = threading.Event(), threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop.set())

    notes: set[str] = set()

    def told(rebuilt: Rebuilt) -> None:
        _tell(rebuilt)
        if rebuilt.note and rebuilt.note not in notes:
            notes.add(rebuilt.note)
            click.echo(rebuilt.note, err=True)
        first.set()

    with Preview(settings, port, now, told) as running:
        while not first.wait(0.1) and not stop.is_set():
            pass
        if not stop.is_set():
            click.echo(f"sitecms previews {settings.name} at {running.url}")
            sys.stdout.flush()
            if opens:
                webbrowser.open(running.url)
        stop.wait()


def _tell(rebuilt: Rebuilt) -> None:
    for problem in rebuilt.problems:
        click.echo(f"{problem.where}: {problem.what}", err=True)
    click.echo(f"{rebuilt.changed} changed in {rebuilt.seconds:.2f} s", err=True)
