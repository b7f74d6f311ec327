"""Readers by kind of source, each imported when it is used."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from msgspec import Struct

from sitecms.errors import InvalidRequest
from sitecms.importing.reader import Reader
from sitecms.importing.readers.markdown.generators import is_generator_site
from sitecms.importing.source import Source

_MARKDOWN = "sitecms.importing.readers.markdown.reader"
_LEFT_IN_SITES = frozenset({"wordpress", "ghost", "blogger"})
"""Kinds whose exports often lie in the folder of the site that was made of them."""


class SourceKind(Struct, frozen=True):
    """A kind of source: `module` has a function `detect(source)` and a class `reader`; `title` is for people.

    A `variant` is given to the class; it is only taken where somebody names it.
    """

    title: str
    module: str
    variant: str = ""


KINDS: Mapping[str, SourceKind] = {
    "wordpress": SourceKind("a WordPress export (WXR)", "sitecms.importing.readers.wordpress.reader"),
    "ghost": SourceKind("a Ghost export (JSON)", "sitecms.importing.readers.ghost.reader"),
    "blogger": SourceKind("a backup of Blogger (Atom)", "sitecms.importing.readers.blogger"),
    "medium": SourceKind("an archive of Medium (zip)", "sitecms.importing.readers.medium"),
    "substack": SourceKind("an export of Substack (zip)", "sitecms.importing.readers.substack"),
    "contentful": SourceKind("a Contentful export (JSON)", "sitecms.importing.readers.contentful.reader"),
    "hosted": SourceKind("the address of a /v2 read API", "sitecms.importing.readers.hosted.reader"),
    "notion": SourceKind("an export of Notion (Markdown and CSV, or HTML)", "sitecms.importing.readers.notion.reader"),
    "markdown": SourceKind("a folder of Markdown", _MARKDOWN),
    "jekyll": SourceKind("a site of Jekyll or Octopress", _MARKDOWN, "jekyll"),
    "hugo": SourceKind("a site of Hugo", _MARKDOWN, "hugo"),
    "zola": SourceKind("a site of Zola", _MARKDOWN, "zola"),
    "eleventy": SourceKind("a site of Eleventy", _MARKDOWN, "eleventy"),
    "astro": SourceKind("a site of Astro", _MARKDOWN, "astro"),
    "pelican": SourceKind("a site of Pelican", _MARKDOWN, "pelican"),
    "hexo": SourceKind("a site of Hexo", _MARKDOWN, "hexo"),
}
"""Kinds in the order of detection: the first one that recognises a source reads it."""


def detect(source: Source) -> str:
    """Return the kind of the source by its content. Raises InvalidRequest if no reader recognises it."""
    name = next((kind for kind, known in KINDS.items() if not known.variant and _module(known).detect(source)), "")
    if name in _LEFT_IN_SITES and is_generator_site(source):
        return "markdown"
    if not name:
        known = "; ".join(f"{kind}: {each.title}" for kind, each in KINDS.items())
        raise InvalidRequest(f"{source} is not a known export. Name its kind with --from ({known}).")
    return name


def open_reader(kind: str) -> Reader:
    """Return a new reader of that kind."""
    known = KINDS[kind]
    reader: Reader = _module(known).reader(*([known.variant] if known.variant else []))
    return reader


def _module(kind: SourceKind) -> Any:
    return import_module(kind.module)
