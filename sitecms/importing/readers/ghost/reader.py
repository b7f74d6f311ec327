"""Files of a Ghost export as records: its tables, its media, its redirects, and bodies with plain HTML for its cards.

Redirects are in `redirects.json`, or in `redirects.yaml` with one table for each status.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import yaml
from msgspec.structs import replace

from sitecms.content.exchange import FIELDS_SECTION, OWN_TABLES
from sitecms.errors import InvalidRequest
from sitecms.importing.html.addresses import replace_addresses
from sitecms.importing.html.tree import Element, Node, Remark, line_of, parse, replace_children, rewrite, to_html
from sitecms.importing.reader import ReaderOptions, RecordLookup
from sitecms.importing.readers.ghost.documents import document_html
from sitecms.importing.readers.ghost.tables import ExportTables, Tables, strip_markers, strip_size
from sitecms.importing.readers.own_export import OwnExport
from sitecms.importing.records import (
    BodyFormat,
    EntryRecord,
    Kind,
    Media,
    Note,
    NoteKind,
    Place,
    Record,
    RedirectRecord,
)
from sitecms.importing.source import Source, SourceFile

MAX_EXPORT_BYTES = 1024 * 1024 * 1024
_CONTENT = re.compile(r"(?:^|/)content/(?:images|media|files)/(?!size/)(.+)$")
_OWN_MEDIA = re.compile(r"__GHOST_URL__(/content/(?:images|media|files)/[^\"\\\s)]+)")
_REDIRECT_FILES = ("redirects.json", "redirects.yaml", "redirects.yml")
_PLAIN_PATH = re.compile(r"[\w./%~:@!,;=&?-]*")
_OPTIONAL_END = re.compile(r"(?:\\?/\?|\(\\?/\)\?|\(/\|\))$")

DROPPED = {"kg-signup-card", "kg-email-card", "kg-email-cta-card", "kg-paywall-card"}
_OF_PLAYERS = {"button", "svg", "input"}


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
        yield RedirectRecord("/rss/", "/rss.xml")
        yield RedirectRecord("/page/", "list:", is_prefix=True)
        yield from _redirects(source)

    def finish(self, entry: EntryRecord, lookup: RecordLookup) -> EntryRecord:
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
        root = parse(strip_markers(body))
        if entry.data.get("own"):
            replace_children(root, _without_fields)
        replace_cards(root, report)
        replace_addresses(root, lambda address, _use: self._local_address(address))
        featured_image = self._local_address(strip_markers(entry.featured_image))
        entry = self._own.finished(entry)
        return replace(entry, body=to_html(root), format=BodyFormat.HTML, featured_image=featured_image)

    def _with_local_media(self, tables: Tables) -> Tables:
        """Return the tables with the addresses of media in the source in the facts of our own exports."""

        def local(match: re.Match[str]) -> str:
            return f"media:{match[1]}" if match[1] in self._media else match[1]

        own = {name: _OWN_MEDIA.sub(local, orjson.dumps(tables.get(name, [])).decode()) for name in OWN_TABLES}
        return {**tables, **{name: orjson.loads(text) for name, text in own.items()}}

    def _local_address(self, address: str) -> str:
        original = strip_size(address)
        path = original[original.find("/content/") :] if "/content/" in original else ""
        return f"media:{path}" if path in self._media else original


reader = GhostReader


def _without_fields(node: Node) -> list[Node] | None:
    """Leave out the section with the fields of a post of our own export."""
    return [] if isinstance(node, Element) and FIELDS_SECTION in node.classes() else None


def _media_key(name: str) -> str:
    match = _CONTENT.search(name)
    return match[0].lstrip("/") if match else ""


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


def _redirects(source: Source) -> Iterator[RedirectRecord | Note]:
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


def _redirect(file: SourceFile, pattern: str, target: str, status: int) -> RedirectRecord | Note:
    plain = one_path_of(pattern)
    if plain is None or "$" in target:
        remedy = "write its addresses into redirects.yaml by hand"
        return Note(NoteKind.ADDRESS, f"redirect by a regular expression: {pattern}", Place(file.name), remedy)
    return RedirectRecord(plain, target, status)


def one_path_of(pattern: str) -> str | None:
    """Return the one path that an expression matches, apart from a slash at its end; None if it matches several."""
    text = pattern.removeprefix("^").removesuffix("$")
    text = _OPTIONAL_END.sub("/", text)
    text = text.replace("\\/", "/").replace("\\.", ".").replace("\\-", "-")
    if not text.startswith("/") or not _PLAIN_PATH.fullmatch(text) or ("?" in text.rstrip("?") and "=" not in text):
        return None
    return text


def replace_cards(root: Element, report: Callable[[str], None]) -> None:
    """Replace the cards of a text by plain HTML. `report` gets the name of each that is dropped or unknown."""

    def change(node: Node) -> list[Node] | None:
        if isinstance(node, Remark):
            return []  # kg-card-begin, members-only
        if isinstance(node, str):
            return None
        classes = node.classes()
        if dropped := classes & DROPPED:
            report(min(dropped))
            return []
        for name, make in _CARDS.items():
            if name in classes:
                return make(node)
        if "kg-card" in classes and node.tag not in ("figure", "hr"):
            names = sorted(name for name in classes if name.endswith("-card") and name != "kg-card")
            report(next(iter(names), "kg-card"))
        _drop_classes(node)
        return None

    rewrite(root, change)


def _drop_classes(element: Element) -> None:
    kept = [name for name in element.attrs.get("class", "").split() if not name.startswith("kg-")]
    if kept:
        element.attrs["class"] = " ".join(kept)
    else:
        element.attrs.pop("class", None)


def _link(url: str, text: str) -> Element:
    return Element("p", children=[Element("a", {"href": url}, [text])])


def _caption(element: Element) -> list[Node]:
    caption = element.find("figcaption")
    return [caption] if caption and caption.text().strip() else []


def _bookmark(card: Element) -> list[Node]:
    link = card.find("a")
    url = link.attrs.get("href", "") if link else ""
    title = line_of(card.with_class("kg-bookmark-title")) or url
    paragraph = _link(url, title)
    if description := line_of(card.with_class("kg-bookmark-description")):
        paragraph.children += [Element("br"), description]
    if caption := _caption(card):
        return [Element("figure", children=[paragraph, *caption])]
    return [paragraph]


def _gallery(card: Element) -> list[Node]:
    pictures: list[Node] = [each for each in card.elements() if each.tag == "img"]
    return [Element("figure", {"class": "gallery"}, pictures + _caption(card))] if pictures else []


def _callout(card: Element) -> list[Node]:
    text = card.with_class("kg-callout-text") or card
    emoji = line_of(card.with_class("kg-callout-emoji"))
    start: list[Node] = [f"{emoji} "] if emoji else []
    has_blocks = any(isinstance(child, Element) and child.tag in ("p", "ul", "ol") for child in text.children)
    inner: list[Node] = (
        [*([Element("p", children=[emoji])] if emoji else []), *text.children]
        if has_blocks
        else [Element("p", children=[*start, *text.children])]
    )
    return [Element("blockquote", children=inner)]


def _toggle(card: Element) -> list[Node]:
    heading = line_of(card.with_class("kg-toggle-heading-text"))
    content = card.with_class("kg-toggle-content")
    summary = Element("summary", children=[heading])
    return [Element("details", children=[summary, *(content.children if content else [])])]


def _button(card: Element) -> list[Node]:
    link = card.find("a")
    return [_link(link.attrs.get("href", ""), line_of(link))] if link else []


def _file(card: Element) -> list[Node]:
    link = card.find("a")
    if not link:
        return []
    name = line_of(card.with_class("kg-file-card-filename"))
    title = line_of(card.with_class("kg-file-card-title")) or name or link.attrs.get("href", "")
    paragraph = _link(link.attrs.get("href", ""), title)
    details = [line_of(card.with_class(f"kg-file-card-{part}")) for part in ("caption", "filesize")]
    if shown := ", ".join(filter(None, details)):
        paragraph.children.append(f" ({shown})")
    return [paragraph]


def _audio(card: Element) -> list[Node]:
    player = card.find("audio")
    if not player:
        return []
    sound = Element("audio", {"controls": "", "src": player.attrs.get("src", "")})
    title = line_of(card.with_class("kg-audio-title"))
    caption = [Element("figcaption", children=[title])] if title else []
    return [Element("figure", children=[sound, *caption])]


def _video(card: Element) -> list[Node]:
    player = card.find("video")
    if not player:
        return []
    kept = {name: player.attrs[name] for name in ("src", "poster", "width", "height") if player.attrs.get(name)}
    film = Element("video", {"controls": "", **kept})
    return [Element("figure", children=[film, *_caption(card)])]


def _unwrapped(card: Element) -> list[Node]:
    """Return texts, pictures and links of a card in their order, without its boxes."""
    kept: list[Node] = []
    for child in card.children:
        if isinstance(child, str):
            if child.strip():
                kept.append(Element("p", children=[child.strip()]))
        elif isinstance(child, Element) and child.tag not in _OF_PLAYERS:
            if child.tag in ("div", "section", "header"):
                kept += _unwrapped(child)
            elif child.tag == "a":
                kept.append(_link(child.attrs.get("href", ""), line_of(child)))
            elif child.tag == "img":
                kept.append(Element("p", children=[child]))
            else:
                kept.append(child)
    return kept


_CARDS: dict[str, Callable[[Element], list[Node]]] = {
    "kg-bookmark-card": _bookmark,
    "kg-gallery-card": _gallery,
    "kg-callout-card": _callout,
    "kg-toggle-card": _toggle,
    "kg-button-card": _button,
    "kg-file-card": _file,
    "kg-audio-card": _audio,
    "kg-video-card": _video,
    "kg-header-card": _unwrapped,
    "kg-product-card": _unwrapped,
    "kg-cta-card": _unwrapped,
    "kg-call-to-action-card": _unwrapped,
}
