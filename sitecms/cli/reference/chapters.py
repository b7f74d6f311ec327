"""All reference chapters, the manual as a site folder with them, and its pages for reading without a server."""

import re
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from sitecms.cli.reference import (
    commands,
    endpoints,
    field_types,
    site_files,
    templates,
    webhooks,
)
from sitecms.cli.reference.markdown import Chapter
from sitecms.resources import resource_dir

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


def reference_chapters() -> Iterator[Chapter]:
    """Yield the chapters that are made from the code, and those of TEXTS."""
    for room in (site_files, field_types, templates, commands, webhooks, endpoints):
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
