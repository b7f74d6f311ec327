"""The command `sitecms manual`: build the manual that ships with sitecms, and show it without a network."""

import shutil
import signal
import sys
import tempfile
import threading
import webbrowser
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import click

from sitecms.actions.loading import load_site
from sitecms.cli.reference.chapters import make_relative, write_manual
from sitecms.clock import now
from sitecms.documents import suggest
from sitecms.errors import ConfigurationError, NotFound
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import load_settings
from sitecms.settings.theme import SearchSettings
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.store.opening import open_database


@click.command(
    epilog="\b\nExample:\n  sitecms manual --open\n  sitecms manual settings --open\n"
    "  sitecms manual --output manual-pages"
)
@click.argument("chapter", required=False, default="")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the pages to this new folder and end, instead of showing them.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on. Default: any free port.")
@click.option("--open", "opens", is_flag=True, help="Open the manual in the browser.")
def manual(chapter: str, output: Path | None, port: int, opens: bool) -> None:
    """Show the manual of this version of sitecms in a browser, from its first page or from CHAPTER.

    CHAPTER is the last part of a page's address, such as settings; error messages name one where they say too little.
    Builds the manual and serves it to this machine alone until Ctrl-C; no network is needed. The manual is a site of
    sitecms: its folder lies in the package and can be read as an example.
    """
    if output is not None:
        if output.exists():
            raise ConfigurationError(f"{output} exists; choose another folder. Nothing was changed.")
        _build(output)
        click.echo(f"Wrote the manual to {output}")
        return
    with tempfile.TemporaryDirectory(prefix="sitecms-manual-") as folder:
        pages = Path(folder) / "pages"
        _build(pages, chapter)
        _serve(pages, port, f"{chapter}/" if chapter else "", opens=opens)


def _build(output: Path, chapter: str = "") -> None:
    """Build the manual into the folder from a copy with the reference chapters: the package may be read-only.

    Raises NotFound, before the build, if there is no such chapter.
    """
    with tempfile.TemporaryDirectory(prefix="sitecms-manual-") as folder:
        site = Path(folder) / "manual"
        write_manual(site)
        known = sorted(path.stem for path in (site / "content/pages/chapter").glob("*.md"))
        if chapter and chapter not in known:
            raise NotFound(f'There is no chapter "{chapter}" ({suggest(chapter, known)}).')
        loaded = load_settings(site)  # the environment may name servers of the owner's site
        settings = replace(
            loaded,
            store_url=ServiceUrl(),
            media=replace(loaded.media, url=ServiceUrl()),
            search=SearchSettings(enabled=find_spec("pagefind") is not None),
        )
        database = open_database(settings.store, create=True)
        try:
            load_site(database, settings, now())
            build_site(database, settings, site / "public", BuildOptions())
        finally:
            database.close()
        shutil.copytree(site / "public", output)
    make_relative(output)


class _QuietHandler(SimpleHTTPRequestHandler):
    """Handler that serves files without a line for each request."""

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name in the standard library
        """Print nothing."""


def _serve(pages: Path, port: int, path: str, *, opens: bool) -> None:
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), partial(_QuietHandler, directory=str(pages)))
    except OSError as error:
        raise ConfigurationError(
            f"Port {port} is in use: {error.strerror}. Leave --port out for a free one."
        ) from error
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop.set())
    with server:
        url = f"http://127.0.0.1:{server.server_port}/{path}"
        click.echo(f"The manual of sitecms is at {url} (Ctrl-C ends it)")
        sys.stdout.flush()
        if opens:
            webbrowser.open(url)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stop.wait()
        server.shutdown()
