"""Readers by kind of source, each imported when it is used."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sitecms.errors import InvalidRequest
from sitecms.importing.reader import Reader
from sitecms.importing.source import Source


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source: `module` has a function `detect(source)` and a class `reader`; `title` is for people."""

    title: str
    module: str


KINDS: Mapping[str, SourceKind] = {
    "wordpress": SourceKind("a WordPress export (WXR)", "sitecms.importing.readers.wordpress"),
    "ghost": SourceKind("a Ghost export (JSON)", "sitecms.importing.readers.ghost"),
    "blogger": SourceKind("a backup of Blogger (Atom)", "sitecms.importing.readers.blogger"),
    "medium": SourceKind("an archive of Medium (zip)", "sitecms.importing.readers.medium"),
    "substack": SourceKind("an export of Substack (zip)", "sitecms.importing.readers.substack"),
    "contentful": SourceKind("a Contentful export (JSON)", "sitecms.importing.readers.contentful"),
    "hosted": SourceKind("the address of a /v2 read API", "sitecms.importing.readers.hosted"),
}
"""In the order in which they are asked: the first that recognises a source reads it."""


def detect(source: Source) -> str:
    """Return the kind of the source by its content. Raises InvalidRequest if no reader recognises it."""
    found = next((kind for kind, known in KINDS.items() if _module(known).detect(source)), "")
    if not found:
        known = "; ".join(f"{kind}: {each.title}" for kind, each in KINDS.items())
        raise InvalidRequest(f"{source} is nothing that can be imported. Name its kind with --from ({known}).")
    return found


def open_reader(kind: str) -> Reader:
    """Return a new reader of that kind."""
    made: Reader = _module(KINDS[kind]).reader()
    return made


def _module(kind: SourceKind) -> Any:
    return import_module(kind.module)
