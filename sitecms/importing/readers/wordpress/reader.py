"""Reader of WordPress exports: items become records, in one pass over all files."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from html import unescape
from urllib.parse import unquote

from sitecms.content.author import Author as AuthorFacts
from sitecms.content.term import TermKind
from sitecms.content.text.slug import slugify
from sitecms.errors import InvalidRequest
from sitecms.importing.formats.times import infer_zone, read_time, zone_of
from sitecms.importing.formats.xml import XmlElement
from sitecms.importing.reader import Lookup, ReaderOptions
from sitecms.importing.readers.wordpress.body import BodyConverter
from sitecms.importing.readers.wordpress.items import ItemConverter
from sitecms.importing.readers.wordpress.wxr import RawItem, export_files, raw_item, read_export
from sitecms.importing.records import (
    Author,
    Declaration,
    Entry,
    Format,
    Note,
    NoteKind,
    Record,
    Redirect,
    Site,
    Term,
)
from sitecms.importing.source import Source
from sitecms.spool import Spool

_MAX_PAIRS = 5_000


_TERM_KINDS = {"category": TermKind.CATEGORY, "post_tag": TermKind.TAG}


class WordPressReader:
    """Reader of WXR."""

    def __init__(self) -> None:
        self._site = Site()
        self._pairs: list[tuple[datetime, datetime]] = []
        self._items = ItemConverter("", "")
        self._slugs: set[tuple[TermKind, str]] = set()

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield all records; entries without a time in UTC come last, when the time zone is known."""
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
                    yield from self._terms_of(item)
                    if self._note_times(item):
                        yield from self._items.records(item, None)
                    else:
                        late.append(item)
                yield from notes
                notes.clear()
            zone = options.timezone or infer_zone(self._pairs)
            yield replace(self._site, timezone=zone)
            for item in late:
                yield from self._items.records(item, zone_of(zone))
        yield from self._declarations()
        yield from self._redirects()

    def finish(self, entry: Entry, lookup: Lookup) -> Entry:
        """Return the entry with its body as HTML, and the alternative text of its picture."""
        body = BodyConverter(entry, lookup, self._items.patterns).html(entry.body)
        image = lookup.media(entry.featured_image.removeprefix("media:"))
        alt = image.alt if image else ""
        return replace(entry, body=body, format=Format.HTML, featured_image_alt=alt)

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
                self._items.site_name = self._site.name
            case "description":
                self._site = replace(self._site, description=self._site.description or text)
            case "language":
                self._site = replace(self._site, locale=_locale(text))
            case "wp:base_blog_url" | "link":
                if element.name != "link" or not self._site.url:
                    self._site = replace(self._site, url=text)
                self._items.site_url = self._site.url.rstrip("/")
            case "wp:author":
                yield from self._author(element)
            case "wp:category":
                parent = unquote(element.value("wp:category_parent").strip())
                yield self._term(element, TermKind.CATEGORY, "wp:category_nicename", "wp:cat_name", parent)
            case "wp:tag":
                yield self._term(element, TermKind.TAG, "wp:tag_slug", "wp:tag_name")

    def _author(self, element: XmlElement) -> Iterator[Record]:
        login = element.value("wp:author_login").strip()
        first, last = element.value("wp:author_first_name").strip(), element.value("wp:author_last_name").strip()
        shown = element.value("wp:author_display_name").strip() or login
        if not (first or last):
            first, _, last = shown.rpartition(" ") if " " in shown else (shown, "", "")
        slug = slugify(shown) if "@" in login else slugify(login)
        url = f"{self._site.url.rstrip('/')}/author/{slug}/"
        yield Author(login, AuthorFacts(slug, unescape(first), unescape(last)), url)
        if element.value("wp:author_email").strip():
            yield Note(NoteKind.LEFT_OUT, "e-mail addresses of authors")

    def _term(self, element: XmlElement, kind: TermKind, slug_name: str, name: str, parent: str = "") -> Term:
        slug = unquote(element.value(slug_name).strip())
        self._slugs.add((kind, slug))
        base = f"{self._site.url.rstrip('/')}/{kind.value}/"
        description = "wp:category_description" if kind is TermKind.CATEGORY else "wp:tag_description"
        return Term(
            kind,
            unescape(unescape(element.value(name))).strip() or slug,
            slug,
            f"{base}{parent}/{slug}/" if parent else f"{base}{slug}/",
            parent,
            element.value(description).strip(),
        )

    def _terms_of(self, item: RawItem) -> Iterator[Term]:
        """Yield the terms that an item names and the channel does not list, with the usual addresses of WordPress."""
        for raw in item.terms:
            kind, slug, name = _TERM_KINDS.get(raw.domain), unquote(raw.slug).strip(), unescape(raw.name).strip()
            if kind and slug and name and (kind, slug) not in self._slugs:
                self._slugs.add((kind, slug))
                yield Term(kind, name, slug, f"{self._site.url.rstrip('/')}/{kind.value}/{slug}/")

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

    def _redirects(self) -> Iterator[Redirect]:
        """Yield redirects for feeds, months and pages of lists."""
        yield Redirect("/feed/", "feed:rss")
        yield Redirect("/feed/rss2/", "feed:rss")
        yield Redirect("/feed/atom/", "feed:atom")
        for month in sorted(self._items.months):
            yield Redirect(f"/{month[:4]}/", f"year:{month[:4]}")
            yield Redirect(f"/{month}/", f"year:{month[:4]}")


def _locale(language: str) -> str:
    """Return `en` for `en-US`, `pt-BR` for `pt-BR`: the variant counts only where it is not the usual one."""
    head, _, region = language.replace("_", "-").partition("-")
    usual = {"en": "US", "de": "DE", "fr": "FR", "es": "ES", "it": "IT", "nl": "NL", "ja": "JP", "pt": "PT", "ru": "RU"}
    is_usual = not region or usual.get(head.lower()) == region.upper() or len(region) != 2
    return head.lower() if is_usual else f"{head.lower()}-{region.upper()}"
