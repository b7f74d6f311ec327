"""The command `sitecms manual`: build the manual that ships with sitecms, and show it without a network."""

import re
import shutil
import sys
import threading
import webbrowser
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

import click
from msgspec.structs import replace

from sitecms.actions.loading import load_site
from sitecms.cli.processes import stop_event
from sitecms.cli.reference import commands, endpoints, field_types, hooks, site_files, templates, webhooks
from sitecms.cli.reference.markdown import Chapter
from sitecms.clock import now
from sitecms.documents import suggest
from sitecms.errors import ConfigurationError, NotFound
from sitecms.resources import resource_dir
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import load_settings
from sitecms.settings.theme import SearchSettings
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.store.opening import open_store
from sitecms.temporary_folders import temporary_folder

CHAPTERS = Path("content/pages/chapter")
TEXTS = {
    "api": (
        "docs/api.md",
        "API reference",
        "The rules of the API: paths, tokens, parameters, shapes, writes, webhooks.",
    ),
    "site-folder": ("docs/site-folder.md", "The site folder", "The rules of the files that a site is made of."),
    "servers": (
        "deploy/guide.md",
        "From a laptop to three machines",
        "Put a site on a server of your own, or on several.",
    ),
}
"""Texts that ship with sitecms and are chapters as they are, with title and summary."""
_ADDRESS = re.compile(r'(<[a-z][^<>]*?\s(?:href|src)=")/(?!/)([^"#?]*)')
_NOT_FOUND = "404.html"
"""The page for any address, whose depth is not known."""
_LINKS = {"api.md": "/api/", "site-folder.md": "/site-folder/"}


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
    with temporary_folder("manual") as folder:
        pages = folder / "pages"
        _build(pages, chapter)
        _serve(pages, port, f"{chapter}/" if chapter else "", opens=opens)


def _build(output: Path, chapter: str = "") -> None:
    """Build the manual into the folder from a copy with the reference chapters: the package may be read-only.

    Raises NotFound, before the build, if there is no such chapter.
    """
    with temporary_folder("manual") as folder:
        site = folder / "manual"
        write_manual(site)
        chapters = sorted(path.stem for path in (site / "content/pages/chapter").glob("*.md"))
        if chapter and chapter not in chapters:
            raise NotFound(f'There is no chapter "{chapter}" ({suggest(chapter, chapters)}).')
        loaded = load_settings(site)  # the environment may name servers of the owner's site
        settings = replace(
            loaded,
            store_url=ServiceUrl(),
            media=replace(loaded.media, url=ServiceUrl()),
            search=SearchSettings(enabled=find_spec("pagefind") is not None),
        )
        database = open_store(settings, create=True)
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
    stop = stop_event()
    with server:
        url = f"http://127.0.0.1:{server.server_port}/{path}"
        click.echo(f"The manual of sitecms is at {url} (Ctrl-C ends it)")
        sys.stdout.flush()
        if opens:
            webbrowser.open(url)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stop.wait()
        server.shutdown()


def reference_chapters() -> Iterator[Chapter]:
    """Yield the chapters that are made from the code, and those of TEXTS."""
    for room in (site_files, field_types, templates, hooks, commands, webhooks, endpoints):
        yield from room.chapters()
    for slug, (file, title, summary) in TEXTS.items():
        folder, _, name = file.partition("/")
        text = (resource_dir(folder) / name).read_text(encoding="utf-8")
        yield Chapter(slug, title, summary, _without_title(text))


def write_manual(folder: Path) -> None:
    """Write the manual as a site folder, which must not exist."""
    shutil.copytree(resource_dir("manual"), folder)
    for chapter in reference_chapters():
        (folder / CHAPTERS / f"{chapter.slug}.md").write_text(chapter.to_file(), encoding="utf-8")


def make_relative(pages: Path) -> None:
    """Rewrite the addresses in all pages of a built site: `/settings/` becomes `../settings/index.html`."""
    for path in pages.rglob("*.html"):
        if path.name == _NOT_FOUND:
            continue
        to_root = "../" * len(PurePosixPath(path.relative_to(pages).as_posix()).parent.parts)
        html = path.read_text(encoding="utf-8")
        path.write_text(_ADDRESS.sub(partial(_relative, to_root), html), encoding="utf-8")


def _without_title(text: str) -> str:
    """Return a text without its first heading, its links to other texts as links to chapters."""
    body = re.sub(r"\A# .*\n", "", text)
    return re.sub(
        r"\]\(([\w-]+\.md)(#[\w-]+)?\)", lambda match: f"]({_LINKS.get(match[1], match[1])}{match[2] or ''})", body
    )


def _relative(to_root: str, match: "re.Match[str]") -> str:
    address = match[2]
    page = f"{address}index.html" if not address or address.endswith("/") else address
    return f"{match[1]}{to_root}{page}"
