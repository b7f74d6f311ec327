"""Files of a Ghost export as records: its tables, its media, and its redirects.

Redirects are in `redirects.json`, or in `redirects.yaml` with one table for each status.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson
import yaml

from sitecms.content.exchange import FIELDS_SECTION, OWN_TABLES
from sitecms.errors import InvalidRequest
from sitecms.importing.html.addresses import replace_addresses
from sitecms.importing.html.tree import Element, Node, parse, replace_children, to_html
from sitecms.importing.reader import ReaderOptions, RecordLookup
from sitecms.importing.readers.ghost.cards import replace_cards
from sitecms.importing.readers.ghost.documents import document_html
from sitecms.importing.readers.ghost.tables import ExportTables, Tables, unmarked, unsized
from sitecms.importing.readers.own_export import OwnExport
from sitecms.importing.records import (
    Entry,
    Format,
    Kind,
    Media,
    Note,
    NoteKind,
    Place,
    Record,
    Redirect,
)
from sitecms.importing.source import Source, SourceFile

MAX_EXPORT_BYTES = 1024 * 1024 * 1024
_CONTENT = re.compile(r"(?:^|/)content/(?:images|media|files)/(?!size/)(.+)$")
_OWN_MEDIA = re.compile(r"__GHOST_URL__(/content/(?:images|media|files)/[^\"\\\s)]+)")
_REDIRECT_FILES = ("redirects.json", "redirects.yaml", "redirects.yml")
_PLAIN_PATH = re.compile(r"[\w./%~:@!,;=&?-]*")
_OPTIONAL_END = re.compile(r"(?:\\?/\?|\(\\?/\)\?|\(/\|\))$")


def detect(source: Source) -> bool:
    """Return whether the source holds an export of Ghost."""
    return next(_exports(source), None) is not None


def _exports(source: Source) -> Iterator[SourceFile]:
    for file in source.with_suffix(".json"):
        if file.name.rsplit("/", 1)[-1].lower() not in _REDIRECT_FILES:
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
        yield from _redirects(source)

    def finish(self, entry: Entry, lookup: RecordLookup) -> Entry:
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


def _redirects(source: Source) -> Iterator[Redirect | Note]:
    """Yield the redirects of the source; a note for each regular expression, which has no equivalent."""
    for file in source.files:
        if file.name.rsplit("/", 1)[-1].lower() in _REDIRECT_FILES:
            try:
                rules = list(_redirect_rules(file))
            except (ValueError, yaml.YAMLError) as error:
                first_line = str(error).splitlines()[0]
                yield Note(NoteKind.SKIPPED, f"redirects that cannot be read: {first_line}", Place(file.name))
                continue
            for written, target, status in rules:
                yield _redirect(file, written, target, status)


def _redirect_rules(file: SourceFile) -> Iterator[tuple[str, str, int]]:
    """Yield source, target and status of each rule. Raises ValueError or YAMLError for an invalid file."""
    text = file.text()
    if file.name.lower().endswith(".json"):
        rules = orjson.loads(text)
        if not isinstance(rules, list):
            raise ValueError("expected a list of objects with from and to")
        for rule in rules:
            if isinstance(rule, dict) and rule.get("from"):
                yield str(rule["from"]), str(rule.get("to") or ""), 301 if rule.get("permanent", True) else 302
        return
    tables: Any = yaml.safe_load(text) or {}
    if not isinstance(tables, dict):
        raise ValueError("expected tables named 301 and 302")
    for status, table in tables.items():
        for written, target in (table or {}).items() if isinstance(table, dict | None) else ():
            yield str(written), str(target), 302 if str(status) == "302" else 301


def _redirect(file: SourceFile, written: str, target: str, status: int) -> Redirect | Note:
    plain = one_path_of(written)
    if plain is None or "$" in target:
        remedy = "write its addresses into redirects.yaml by hand"
        return Note(NoteKind.ADDRESS, f"redirect by a regular expression: {written}", Place(file.name), remedy)
    return Redirect(plain, target, status)


def one_path_of(written: str) -> str | None:
    """Return the one path that an expression matches, apart from a slash at its end; None if it matches several."""
    text = written.removeprefix("^").removesuffix("$")
    text = _OPTIONAL_END.sub("/", text)
    text = text.replace("\\/", "/").replace("\\.", ".").replace("\\-", "-")
    if not text.startswith("/") or not _PLAIN_PATH.fullmatch(text) or ("?" in text.rstrip("?") and "=" not in text):
        return None
    return text
