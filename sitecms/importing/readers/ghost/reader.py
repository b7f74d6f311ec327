"""Tables of a Ghost export as records."""

import re
from collections.abc import Iterator
from dataclasses import replace

import orjson

from sitecms.content.exchange import FIELDS_SECTION, OWN_TABLES
from sitecms.errors import InvalidRequest
from sitecms.importing.html.addresses import replace_addresses
from sitecms.importing.html.tree import Element, Node, parse, replace_children, to_html
from sitecms.importing.reader import Lookup, ReaderOptions
from sitecms.importing.readers.ghost.cards import replace_cards
from sitecms.importing.readers.ghost.documents import document_html
from sitecms.importing.readers.ghost.redirects import NAMES, read_redirects
from sitecms.importing.readers.ghost.tables import ExportTables, Tables, unmarked, unsized
from sitecms.importing.readers.own_export import OwnExport
from sitecms.importing.records import (
    Entry,
    Format,
    Kind,
    Media,
    Note,
    NoteKind,
    Record,
    Redirect,
)
from sitecms.importing.source import Source, SourceFile

MAX_EXPORT_BYTES = 1024 * 1024 * 1024
_CONTENT = re.compile(r"(?:^|/)content/(?:images|media|files)/(?!size/)(.+)$")
_OWN_MEDIA = re.compile(r"__GHOST_URL__(/content/(?:images|media|files)/[^\"\\\s)]+)")


def detect(source: Source) -> bool:
    """Return whether the source holds an export of Ghost."""
    return next(_exports(source), None) is not None


def _exports(source: Source) -> Iterator[SourceFile]:
    for file in source.with_suffix(".json"):
        if file.name.rsplit("/", 1)[-1].lower() not in NAMES:
            beginning = file.beginning()
            if b'"exported_on"' in beginning or (b'"data"' in beginning and b'"posts"' in beginning):
                yield file


class GhostReader:
    """Reader of Ghost exports (see the package)."""

    def __init__(self) -> None:
        self._media: frozenset[str] = frozenset()
        self._own = OwnExport()

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield the records of all exports in the source."""
        media = {f"/{key}": file.name for file in source.files if (key := _media_key(file.name))}
        self._media = frozenset(media)
        for key, name in media.items():
            yield Media(key, options.old_url.rstrip("/") + key if options.old_url else "", name, _media_path(key))
        has_export = False
        for file in _exports(source):
            for tables in _tables(file):
                has_export = True
                yield from ExportTables(file, self._with_local_media(tables), options, self._own).records()
        yield from self._own.records()
        if not has_export:
            raise InvalidRequest(f"{source} has no export of Ghost: a JSON file with meta and data.")
        if not options.old_url:
            remedy = "name it with --old-url, so that absolute links and pictures on it are found"
            yield Note(NoteKind.SETTING, "a Ghost export does not contain the address of its site", remedy=remedy)
        yield Redirect("/rss/", "/rss.xml")
        yield Redirect("/page/", "list:", is_prefix=True)
        yield from read_redirects(source)

    def finish(self, entry: Entry, lookup: Lookup) -> Entry:
        """Return the entry with its body in plain HTML."""

        def report(card: str) -> None:
            lookup.note(Note(NoteKind.UNKNOWN_BLOCK, card, entry.place))

        if entry.data.get("own") and entry.kind is not Kind.POST:
            return self._own.finished(entry)
        body = entry.body
        if not body.strip():
            try:
                body = document_html(entry.data.get("mobiledoc"), entry.data.get("lexical"), report)
            except ValueError as error:
                lookup.note(Note(NoteKind.SKIPPED, f"a body that cannot be read: {error}", entry.place))
        root = parse(unmarked(body))
        if entry.data.get("own"):
            replace_children(root, _without_fields)
        replace_cards(root, report)
        replace_addresses(root, lambda address, _use: self._local_address(address))
        featured_image = self._local_address(unmarked(entry.featured_image))
        entry = self._own.finished(entry)
        return replace(entry, body=to_html(root), format=Format.HTML, featured_image=featured_image)

    def _with_local_media(self, tables: Tables) -> Tables:
        """Return the tables with the addresses of media in the source in the facts of our own exports."""

        def local(found: re.Match[str]) -> str:
            return f"media:{found[1]}" if found[1] in self._media else found[1]

        own = {name: _OWN_MEDIA.sub(local, orjson.dumps(tables.get(name, [])).decode()) for name in OWN_TABLES}
        return {**tables, **{name: orjson.loads(text) for name, text in own.items()}}

    def _local_address(self, address: str) -> str:
        original = unsized(address)
        path = original[original.find("/content/") :] if "/content/" in original else ""
        return f"media:{path}" if path in self._media else original


reader = GhostReader


def _without_fields(node: Node) -> list[Node] | None:
    """Leave out the section with the fields of a post of our own export."""
    return [] if isinstance(node, Element) and FIELDS_SECTION in node.classes() else None


def _media_key(name: str) -> str:
    found = _CONTENT.search(name)
    return found[0].lstrip("/") if found else ""


def _media_path(key: str) -> str:
    return key.split("/", 3)[3]


def _tables(file: SourceFile) -> Iterator[Tables]:
    """Yield the tables of an export, with `db` around them or not. Raises InvalidRequest for anything else."""
    try:
        data = orjson.loads(file.read(MAX_EXPORT_BYTES))
    except ValueError as error:
        raise InvalidRequest(f"{file.name} is not valid JSON: {error}. Export it again from Ghost.") from error
    wrapped = data.get("db") if isinstance(data, dict) else None
    for part in wrapped if isinstance(wrapped, list) else [data]:
        tables = part.get("data") if isinstance(part, dict) else None
        if not isinstance(tables, dict) or not isinstance(tables.get("posts"), list):
            raise InvalidRequest(f"{file.name} has no posts in data; it is not an export of Ghost.")
        yield {
            name: [row for row in rows if isinstance(row, dict)]
            for name, rows in tables.items()
            if isinstance(rows, list)
        }
