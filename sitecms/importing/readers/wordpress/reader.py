"""Reader of WordPress exports: items become records, in one pass over all files."""

from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from urllib.parse import unquote

from msgspec.structs import replace

from sitecms.content.author import Author, split_name
from sitecms.content.term import TermKind
from sitecms.content.text.slug import slugify
from sitecms.errors import InvalidRequest
from sitecms.importing.formats.times import infer_zone, read_time
from sitecms.importing.formats.xml import XmlElement
from sitecms.importing.reader import ReaderOptions, RecordLookup, guarded
from sitecms.importing.readers.wordpress.addresses import SiteAddresses
from sitecms.importing.readers.wordpress.body import BodyConverter
from sitecms.importing.readers.wordpress.items import ItemConverter, json_of
from sitecms.importing.readers.wordpress.languages import locale_of
from sitecms.importing.readers.wordpress.menu import NavigationMenus
from sitecms.importing.readers.wordpress.wxr import WxrItem, export_files, raw_item, read_export
from sitecms.importing.records import (
    AuthorRecord,
    BodyFormat,
    Declaration,
    EntryRecord,
    Kind,
    Note,
    NoteKind,
    Record,
    Site,
    TermRecord,
)
from sitecms.importing.source import Source
from sitecms.spool import Spool

_MAX_PAIRS = 5_000


_TERM_KINDS = {"category": TermKind.CATEGORY, "post_tag": TermKind.TAG}


def detect(source: Source) -> bool:
    """Return whether the source holds a WordPress export."""
    return bool(source.paths) and bool(export_files(source))


class WordPressReader:
    """Reader of WXR."""

    def __init__(self) -> None:
        self._site = Site()
        self._pairs: list[tuple[datetime, datetime]] = []
        self._addresses = SiteAddresses()
        self._items = ItemConverter(self._addresses)
        self._menus = NavigationMenus()
        self._slugs: set[tuple[TermKind, str]] = set()
        self._paths: dict[str, str] = {}

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield all records; entries without a time in UTC and translations come last, when what they need is known."""
        self._shortcodes = options.shortcodes
        self._items.is_at(options.old_url)
        files = export_files(source)
        if not files:
            raise InvalidRequest(f"{source} holds no WordPress export (an XML file with wordpress.org/export in it).")
        notes: list[Note] = []
        with Spool[WxrItem]() as late:
            for file in files:
                for element in read_export(file, notes, is_partial=options.is_partial):
                    yield from notes
                    notes.clear()
                    if element.name != "item":
                        yield from self._channel_part(element)
                        continue
                    item = raw_item(element, file.name)
                    self._menus.add_item(item)
                    yield from self._terms_of(item)
                    is_translated = self._items.languages.add(item)
                    if self._note_times(item) and not is_translated:
                        yield from guarded(self._items.records(item, UTC), item.place)
                    else:
                        late.append(item)
                yield from notes
                notes.clear()
            zone = options.timezone or infer_zone(self._pairs)
            yield replace(self._site, timezone=zone)
            self._items.site_locale = self._site.locale
            for item in late:
                yield from guarded(self._items.records(item, options.zone(zone)), item.place)
        yield Site(permalink=self._addresses.permalink())
        yield from self._declarations()
        yield from self._menus.records()
        yield from self._items.own.records()
        yield from self._addresses.redirects(self._items.site)
        self._items.forget_names()

    def finish(self, entry: EntryRecord, lookup: RecordLookup) -> EntryRecord:
        """Return the entry with its body as HTML, and the alternative text of its picture."""
        if entry.data.get("own") and entry.kind is not Kind.POST:
            return self._items.own.finished(entry)
        body = BodyConverter(entry, lookup, self._items.patterns, self._shortcodes).html(entry.body)
        image = lookup.media(entry.featured_image.removeprefix("media:"))
        alt = entry.featured_image_alt or (image.alt if image else "")
        return replace(self._items.own.finished(entry), body=body, format=BodyFormat.HTML, featured_image_alt=alt)

    def _note_times(self, item: WxrItem) -> bool:
        """Remember local time and UTC of an item; return whether it states UTC."""
        local, utc = read_time(item["wp:post_date"], UTC), read_time(item["wp:post_date_gmt"], UTC)
        if local and utc and len(self._pairs) < _MAX_PAIRS:
            self._pairs.append((local.replace(tzinfo=None), utc.replace(tzinfo=None)))
        return utc is not None

    def _channel_part(self, element: XmlElement) -> Iterator[Record]:
        text = unescape(element.text.strip())
        match element.name:
            case "title":
                self._site = replace(self._site, name=self._site.name or text)
                self._items.site_name = self._site.name
            case "description":
                self._site = replace(self._site, description=self._site.description or text)
            case "language":
                self._site = replace(self._site, locale=locale_of(text))
            case "wp:base_blog_url" | "link":
                if element.name != "link" or not self._site.url:
                    self._site = replace(self._site, url=text)
                self._items.is_at(self._site.url)
            case "sitecms:site":
                self._items.own.add_site(json_of(element.text))
            case "wp:author":
                yield from self._author(element)
            case "wp:category":
                yield self._term(element, TermKind.CATEGORY, "wp:category_nicename", "wp:cat_name")
            case "wp:tag":
                yield self._term(element, TermKind.TAG, "wp:tag_slug", "wp:tag_name")

    def _author(self, element: XmlElement) -> Iterator[Record]:
        login = element.value("wp:author_login").strip()
        first, last = element.value("wp:author_first_name").strip(), element.value("wp:author_last_name").strip()
        shown = element.value("wp:author_display_name").strip() or login
        if not (first or last):
            first, last = split_name(shown)
        slug = slugify(shown) if "@" in login else slugify(login)
        url = f"{self._site.url.rstrip('/')}/author/{slug}/"
        yield self._items.own.author(AuthorRecord(login, Author(slug, unescape(first), unescape(last)), url))
        if element.value("wp:author_email").strip():
            yield Note(NoteKind.LEFT_OUT, "e-mail addresses of authors")

    def _term(self, element: XmlElement, kind: TermKind, slug_name: str, name: str) -> TermRecord:
        slug = unquote(element.value(slug_name).strip())
        self._slugs.add((kind, slug))
        parent = unquote(element.value("wp:category_parent").strip())
        path = f"{self._paths.get(parent, parent)}/{slug}".lstrip("/")  # parents stand before their children
        if kind is TermKind.CATEGORY:
            self._paths[slug] = path
        description = "wp:category_description" if kind is TermKind.CATEGORY else "wp:tag_description"
        shown = unescape(unescape(element.value(name))).strip() or slug
        url = f"{self._site.url.rstrip('/')}/{kind.value}/{path}/"
        term = self._items.own.term(TermRecord(kind, shown, slug, url, parent, element.value(description).strip()))
        number = element.value("wp:term_id").strip()
        self._addresses.add_term(term, number)
        self._menus.add_term(number, shown, url)
        return term

    def _terms_of(self, item: WxrItem) -> Iterator[TermRecord]:
        """Yield the terms that an item names and the channel does not list, with the usual addresses of WordPress."""
        for raw in item.terms:
            kind, slug, name = _TERM_KINDS.get(raw.domain), unquote(raw.slug).strip(), unescape(raw.name).strip()
            if kind and slug and name and (kind, slug) not in self._slugs:
                self._slugs.add((kind, slug))
                term = TermRecord(kind, name, slug, f"{self._site.url.rstrip('/')}/{kind.value}/{slug}/")
                self._addresses.add_term(term)
                yield term

    def _declarations(self) -> Iterator[Declaration]:
        """Yield a page type for each custom type of item."""
        for name, fields in sorted(self._items.types.items()):
            declared = [
                {"slug": field, "type": "long_text"} for field in sorted(fields - {"body", "description", "image"})
            ]
            standard = [
                {"slug": "body", "type": "wysiwyg", "searchable": True},
                {"slug": "description", "type": "long_text"},
                {"slug": "image", "type": "media"},
            ]
            yield Declaration("page_types", name, {"slug": name, "fields": [*standard, *declared]})


reader = WordPressReader
