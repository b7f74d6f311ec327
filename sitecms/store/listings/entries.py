"""Lists of pages, items, authors, terms, media and deleted entries for editors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import orjson
from msgspec import Struct
from peewee import SQL, fn

from sitecms.clock import from_microseconds
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.media import MediaFile
from sitecms.content.query import Results, Window
from sitecms.content.schema import Collection, ContentSchema
from sitecms.content.search_text import text_filter
from sitecms.content.status import Status, Version
from sitecms.content.term import Term, TermKind
from sitecms.content.trash import TrashedEntry
from sitecms.store.database import Session
from sitecms.store.entries.items import ITEM_VERSIONS, item_versions
from sitecms.store.entries.live_posts import IS_POST
from sitecms.store.entries.media_files import find_media
from sitecms.store.entries.pages import PAGES
from sitecms.store.entries.trash import find_trash
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.listings.posts import is_readable
from sitecms.store.models.entries import AuthorRow, EntryRow, TermRow, VersionRow, VersionTermRow
from sitecms.store.sql import number_list

_OF_ENTRY = "version.kind = entry.kind AND version.entry_id = entry.id"
_STATES = f"""(SELECT string_agg(locale || ' ' || version || ' ' || status, ',' ORDER BY locale)
 FROM version WHERE {_OF_ENTRY})"""
_PUBLISHED = f"EXISTS (SELECT 1 FROM version WHERE {_OF_ENTRY} AND status = 'published')"
_PAGES = f"""
SELECT id, type, slug, title, {_STATES},
 coalesce((SELECT max(updated_at) FROM version WHERE {_OF_ENTRY}), created_at)
FROM entry WHERE kind = 'page' AND deleted_at IS NULL ORDER BY 6 DESC, id DESC"""
_ITEMS = f"""
SELECT id, {_STATES} FROM entry
WHERE kind = 'item' AND deleted_at IS NULL AND type = ? ORDER BY position, id"""
_ITEM_TEXTS = f"""
SELECT entry.id, fields_json FROM entry JOIN version ON {_OF_ENTRY}
WHERE entry.kind = 'item' AND entry.deleted_at IS NULL AND type = ? AND (? = 0 OR status = 'published')"""
_TARGET_PAGES = f"""
SELECT id, slug, title FROM entry WHERE kind = 'page' AND deleted_at IS NULL AND type = ?
 AND (? = 0 OR {_PUBLISHED}) ORDER BY title, id"""
_COUNTED = f"""
SELECT type, count(*) FROM entry WHERE kind = ? AND deleted_at IS NULL AND (? = 0 OR {_PUBLISHED}) GROUP BY type"""
_MEDIA = "SELECT name, original_name, alt, content_type FROM media_file ORDER BY created_at DESC, name"
_FIELD_USES = f"""
SELECT DISTINCT entry.id, CASE entry.kind WHEN 'page' THEN entry.title ELSE type END
FROM entry JOIN version ON {_OF_ENTRY}
WHERE entry.kind = ? AND entry.deleted_at IS NULL AND fields_json LIKE ? AND (? = 1 OR status = 'published')
ORDER BY entry.id DESC LIMIT ?"""
MAX_USES = 50
MAX_TARGETS = 1_000


class LocaleState(Struct, frozen=True):
    """The state of a page or item in one locale; `has_draft` if there is a draft over what is published."""

    locale: str
    status: Status
    has_draft: bool


class ListedPage(Struct, frozen=True):
    """A page of a list. `page_type` is "" for a Single Page."""

    id: int
    page_type: str
    slug: str
    title: str
    states: tuple[LocaleState, ...]
    changed_at: datetime


class ListedItem(Struct, frozen=True):
    """An item of a list, with the text that names it."""

    id: int
    label: str
    states: tuple[LocaleState, ...]


class ListedMediaUse(Struct, frozen=True):
    """An entry that shows a media file; `label` is the title of a post or page, the collection of an item."""

    kind: EntryKind
    id: int
    label: str


class EntryFilter(Struct, frozen=True):
    """The pages or items of a list; "" means any. With `published_only`, those that are published in a locale."""

    text: str = ""
    status: str = ""
    locale: str = ""
    published_only: bool = False

    def matches(self, states: Sequence[LocaleState]) -> bool:
        """Return whether an entry with these states belongs to the list, as far as its text does not decide."""
        shown = [each for each in states if self.locale in ("", each.locale)]
        if self.published_only:
            shown = [each for each in shown if each.status is Status.PUBLISHED]
        return any(self.status in ("", each.status) for each in shown)


def list_pages(session: Session, page_type: str | None, wanted: EntryFilter, window: Window) -> Results[ListedPage]:
    """Return the pages of a type ("": Single Pages, None: all), the last changed first, and their number."""
    has_words = text_filter(wanted.text)
    found = [
        page
        for page in _pages(session)
        if page_type in (None, page.page_type)
        and wanted.matches(page.states)
        and has_words(f"{page.title} {page.slug}")
    ]
    return Results(len(found), tuple(found[window.offset : window.offset + window.limit]))


def count_by_type(session: Session, kind: EntryKind, *, published_only: bool) -> Mapping[str, int]:
    """Return the number of pages of each page type ("": Single Pages), or of items of each collection.

    With `published_only`, those that are published in a locale.
    """
    rows = session.sql(_COUNTED, kind.value, int(published_only))
    return {str(entry_type): int(count) for entry_type, count in rows}


def _pages(session: Session) -> Iterator[ListedPage]:
    for page_id, page_type, slug, title, states, changed_us in session.sql(_PAGES):
        yield ListedPage(page_id, page_type, slug, title, _states(states), from_microseconds(changed_us))


def _states(text: str | None) -> tuple[LocaleState, ...]:
    versions: dict[str, dict[str, str]] = {}
    for each in text.split(",") if text else ():
        locale, version, status = each.split(" ")
        versions.setdefault(locale, {})[version] = status
    return tuple(
        LocaleState(locale, Status(found.get(Version.LIVE) or found[Version.DRAFT]), len(found) > 1)
        for locale, found in versions.items()
    )


def list_items(
    session: Session, collection: Collection, wanted: EntryFilter, locale: str, window: Window
) -> Results[ListedItem]:
    """Return the items of a collection in its order, with their labels in the locale, and their number."""
    states = {item_id: _states(text) for item_id, text in session.sql(_ITEMS, collection.key)}
    ids = [item_id for item_id, each in states.items() if wanted.matches(each)]
    if wanted.text.strip():
        texts: dict[int, str] = {}
        for item_id, fields_json in session.sql(_ITEM_TEXTS, collection.key, int(wanted.published_only)):
            texts[item_id] = " ".join((texts.get(item_id, ""), *_texts_in(orjson.loads(fields_json))))
        has_words = text_filter(wanted.text)
        ids = [item_id for item_id in ids if has_words(texts.get(item_id, ""))]
    shown = ids[window.offset : window.offset + window.limit]
    labels = _labels(item_versions(session, shown), collection, locale, wanted)
    return Results(len(ids), tuple(ListedItem(each, labels.get(each, ""), states[each]) for each in shown))


def _texts_in(value: object) -> Iterator[str]:
    """Yield the texts and numbers in the value of a field, those of its parts included."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(part)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _labels(versions: Sequence[Entry], collection: Collection, locale: str, wanted: EntryFilter) -> dict[int, str]:
    """Return the text that names each item: in the locale if it is there, its published version if that is wanted."""
    labels: dict[int, str] = {}
    for item in sorted(versions, key=lambda each: (each.locale == locale, each.version is Version.DRAFT)):
        if not wanted.published_only or item.status is Status.PUBLISHED:
            labels[item.id] = label_of(item.fields, collection)
    return labels


def label_of(fields: Fields, collection: Collection) -> str:
    """Return the text that names an item with these fields."""
    value = fields.get(collection.label)
    return "" if value is None or isinstance(value, (dict, list)) else str(value)


def count_posts_by_term(session: Session, kind: TermKind, own_author: str | None) -> tuple[tuple[Term, int], ...]:
    """Return all terms of a kind by name, each with the number of its posts outside the trash.

    With `own_author`, drafts are counted of this author (slug) alone.
    """
    posts = VersionTermRow.select(fn.COUNT(SQL("*"))).join(VersionRow)
    count = posts.where(VersionTermRow.term_id == TermRow.id, is_readable(own_author))
    terms = TermRow.select(TermRow.slug, TermRow.name, count).where(TermRow.kind == kind).order_by(TermRow.name_key)
    return tuple((Term(kind, slug, name), int(number)) for slug, name, number in session.rows(terms))


def count_posts_by_author(session: Session, own_author: str | None) -> Mapping[str, int]:
    """Return the number of posts outside the trash of each author, by slug.

    With `own_author`, drafts are counted of this author (slug) alone.
    """
    posts = VersionRow.select(fn.COUNT(SQL("*")))
    count = posts.where(VersionRow.author_id == AuthorRow.id, is_readable(own_author))
    return {str(slug): int(number) for slug, number in session.rows(AuthorRow.select(AuthorRow.slug, count))}


def list_media(session: Session, text: str, kind: str, window: Window) -> Results[MediaFile]:
    """Return the media files whose names and alt texts contain each word, the newest first, and their number.

    `kind` is the first part of their content types, as `image`; "" means any.
    """
    has_words = text_filter(text)
    names = [
        name
        for name, original, alt, content_type in session.sql(_MEDIA)
        if content_type.startswith(kind) and has_words(f"{original} {name} {alt}")
    ]
    shown = names[window.offset : window.offset + window.limit]
    files = find_media(session, shown)
    return Results(len(names), tuple(files[name] for name in shown))


def find_targets(
    session: Session, page_type: str, collection: Collection | None, locale: str, wanted: EntryFilter
) -> list[tuple[int, str, str]]:
    """Return id, slug and label of the entries that a reference may name and that are wanted, MAX_TARGETS at most.

    They are the items of the collection, in its order; without one, the pages of the type ("": Single Pages), by title.
    """
    if collection is not None:
        found = list_items(session, collection, wanted, locale, Window(MAX_TARGETS))
        return [(item.id, "", item.label or str(item.id)) for item in found.entries]
    has_words = text_filter(wanted.text)
    rows = session.sql(_TARGET_PAGES, page_type, int(wanted.published_only))
    named = [row for row in rows if has_words(f"{row[2]} {row[1]}")]
    return [(row[0], row[1], row[2] or row[1]) for row in named[:MAX_TARGETS]]


def label_of_page(session: Session, page_type: str, slug: str, *, published_only: bool) -> str:
    """Return the text that names the page of a type ("": a Single Page); "" if there is none to be shown."""
    rows = session.sql(_TARGET_PAGES, page_type, int(published_only))
    return next((title or slug for _id, here, title in rows if here == slug), "")


def label_of_item(session: Session, collection: Collection, item_id: int, locale: str, *, published_only: bool) -> str:
    """Return the text that names an item of the collection in the locale; "" if there is none to be shown."""
    versions = [each for each in item_versions(session, (item_id,)) if each.type == collection.key]
    labels = _labels(versions, collection, locale, EntryFilter(published_only=published_only))
    return (labels[item_id] or str(item_id)) if item_id in labels else ""


def find_media_uses(session: Session, name: str, own_author: str | None) -> tuple[ListedMediaUse, ...]:
    """Return the entries outside the trash that show a file, MAX_USES of each kind at most.

    With `own_author`, those that are published, and drafts of this author (slug).
    """
    reads_all, pattern = int(own_author is None), f"%{name}%"
    posts = VersionRow.select(VersionRow.entry_id, VersionRow.title, VersionRow.slug).where(is_readable(own_author))
    posts = posts.where((VersionRow.featured_image == "/media/" + name) | VersionRow.body_media.contains(name))
    rows = session.rows(posts.order_by(VersionRow.entry_id.desc()).limit(MAX_USES))
    found = [ListedMediaUse(EntryKind.POST, row[0], row[1] or row[2]) for row in rows]
    for kind in VERSIONS:
        rows = session.sql(_FIELD_USES, kind.value, pattern, reads_all, MAX_USES)
        found += [ListedMediaUse(kind, row[0], row[1]) for row in rows]
    return tuple(found)


def list_trash(session: Session, own_author: str | None, window: Window) -> Results[TrashedEntry]:
    """Return deleted entries, the last deleted first; with `own_author`, posts of this author (slug) alone."""
    found = find_trash(session)
    if own_author is not None:
        posts = VersionRow.select(VersionRow.entry_id).join(AuthorRow).where(AuthorRow.slug == own_author, IS_POST)
        own = {row[0] for row in session.rows(posts.where(VersionRow.deleted_at.is_null(is_null=False)))}
        found = tuple(each for each in found if not KINDS[each.kind].has_versions and each.id in own)
    return Results(len(found), found[window.offset : window.offset + window.limit])


def titles_of(
    session: Session, entries: Iterable[tuple[EntryKind, int]], schema: ContentSchema
) -> Mapping[tuple[EntryKind, int], str]:
    """Return the titles of entries, in the trash or not, by kind and id; entries without a title are left out."""
    ids: dict[EntryKind, list[int]] = {kind: [] for kind in EntryKind}
    for kind, entry_id in entries:
        ids[kind].append(entry_id)
    found: dict[tuple[EntryKind, int], str] = {}
    is_listed = VersionRow.entry_id.in_(number_list(ids[EntryKind.POST]))
    posts = VersionRow.select(VersionRow.entry_id, VersionRow.title).where(is_listed, IS_POST)
    is_listed = PAGES.is_of_kind(EntryRow) & EntryRow.id.in_(number_list(ids[EntryKind.PAGE]))
    pages = EntryRow.select(EntryRow.id, EntryRow.title).where(is_listed)
    for kind, query in ((EntryKind.POST, posts), (EntryKind.PAGE, pages)):
        found |= {(kind, int(row[0])): str(row[1]) for row in session.rows(query)}
    items = ids[EntryKind.ITEM]
    for item in (*ITEM_VERSIONS.of(session, items), *ITEM_VERSIONS.of(session, items, in_trash=True)):
        collection = schema.collections.get(item.type)
        if collection is not None and (label := label_of(item.fields, collection)):
            found.setdefault((EntryKind.ITEM, item.id), label)
    return {key: title for key, title in found.items() if title}
