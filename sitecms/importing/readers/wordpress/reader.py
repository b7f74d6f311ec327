"""Reader of WordPress exports: items become records, in one pass over all files."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, tzinfo
from html import unescape
from urllib.parse import unquote

from sitecms.content.author import Author as AuthorFacts
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.text.html import plain_text
from sitecms.errors import InvalidRequest
from sitecms.importing.formats.times import infer_zone, read_time, zone_of
from sitecms.importing.formats.xml import XmlElement
from sitecms.importing.reader import Lookup, ReaderOptions
from sitecms.importing.readers.wordpress.wxr import RawItem, export_files, raw_item, read_export
from sitecms.importing.records import Author, Comment, Entry, Format, Kind, Media, Note, NoteKind, Record, Site, Term
from sitecms.importing.source import Source
from sitecms.importing.spool import Spool

_MAX_PAIRS = 5_000


class WordPressReader:
    """Reader of WXR."""

    def __init__(self) -> None:
        self._options = ReaderOptions()
        self._site = Site()
        self._pairs: list[tuple[datetime, datetime]] = []
        self._left_out: Counter[str] = Counter()

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield all records; entries without a time in UTC come last, when the time zone is known."""
        self._options = options
        files = export_files(source)
        if not files:
            raise InvalidRequest(f"{source} holds no WordPress export (an XML file with wordpress.org/export in it).")
        notes: list[Note] = []
        with Spool[RawItem]() as late:
            for file in files:
                for element in read_export(file, notes, is_partial=options.is_partial):
                    yield from notes
                    notes.clear()
                    if element.name != "item":
                        yield from self._channel_part(element)
                        continue
                    item = raw_item(element, file.name)
                    if self._note_times(item):
                        yield from self._item(item, None)
                    else:
                        late.append(item)
                yield from notes
            zone = options.timezone or infer_zone(self._pairs)
            yield replace(self._site, timezone=zone)
            for item in late:
                yield from self._item(item, zone_of(zone))

    def finish(self, entry: Entry, lookup: Lookup) -> Entry:
        """Return the entry with its body as HTML."""
        del lookup
        return replace(entry, format=Format.HTML)

    def _note_times(self, item: RawItem) -> bool:
        """Remember local time and UTC of an item; return whether it states UTC."""
        local, utc = read_time(item["wp:post_date"]), read_time(item["wp:post_date_gmt"])
        if local and utc and len(self._pairs) < _MAX_PAIRS:
            self._pairs.append((local.replace(tzinfo=None), utc.replace(tzinfo=None)))
        return utc is not None

    def _channel_part(self, element: XmlElement) -> Iterator[Record]:
        text = unescape(element.text.strip())
        match element.name:
            case "title":
                self._site = replace(self._site, name=self._site.name or text)
            case "description":
                self._site = replace(self._site, description=self._site.description or text)
            case "language":
                self._site = replace(self._site, locale=text)
            case "wp:base_blog_url":
                self._site = replace(self._site, url=text)
            case "link" | "wp:base_site_url":
                self._site = replace(self._site, url=self._site.url or text)
            case "wp:author":
                yield self._author(element)
            case "wp:category":
                yield self._term(element, TermKind.CATEGORY, "wp:category_nicename", "wp:cat_name")
            case "wp:tag":
                yield self._term(element, TermKind.TAG, "wp:tag_slug", "wp:tag_name")
            case _:
                return

    def _author(self, element: XmlElement) -> Author:
        login = element.value("wp:author_login")
        first, last = element.value("wp:author_first_name"), element.value("wp:author_last_name")
        shown = element.value("wp:author_display_name") or login
        if not (first or last):
            first, _, last = shown.rpartition(" ") if " " in shown else (shown, "", "")
        return Author(login, AuthorFacts(login, unescape(first), unescape(last)))

    def _term(self, element: XmlElement, kind: TermKind, slug: str, name: str) -> Term:
        return Term(kind, unescape(element.value(name)), unquote(element.value(slug)))

    def _item(self, item: RawItem, zone: tzinfo | None) -> Iterator[Record]:
        kind = item["wp:post_type"]
        if kind == "attachment":
            yield Media(f"wp:{item.id}", item["wp:attachment_url"], parent=f"wp:{item['wp:post_parent']}")
        elif kind in ("post", "page"):
            yield self._entry(item, zone)
        else:
            yield Note(NoteKind.LEFT_OUT, f"items of type {kind}", item.place)

    def _entry(self, item: RawItem, zone: tzinfo | None) -> Entry:
        status = {"publish": Status.PUBLISHED, "future": Status.SCHEDULED}.get(item["wp:status"], Status.DRAFT)
        published = read_time(item["wp:post_date_gmt"]) or read_time(item["wp:post_date"], zone)
        return Entry(
            f"wp:{item.id}",
            Kind.PAGE if item["wp:post_type"] == "page" else Kind.POST,
            re.sub(r"<[^>]+>", "", unescape(item["title"])),
            item.place,
            slug=unquote(item["wp:post_name"]),
            old_url=item["link"],
            status=status,
            published_at=published if status is not Status.DRAFT else None,
            created_at=published,
            authors=(item["dc:creator"],),
            categories=tuple(unescape(term.name) for term in item.terms if term.domain == "category"),
            tags=tuple(unescape(term.name) for term in item.terms if term.domain == "post_tag"),
            summary=plain_text(item["excerpt:encoded"]),
            body=item["content:encoded"],
            format=Format.OWN,
            guid=item["guid"],
        )

    def _comments(self, item: RawItem) -> Iterator[Comment]:
        for each in item.comments:
            yield Comment(f"wp:{item.id}", each.id, each.author, each.text, read_time(each.date), each.parent)
