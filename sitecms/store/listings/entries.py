"""Lists of pages, items, authors, terms and deleted entries for editors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from peewee import SQL, fn

from sitecms.clock import from_microseconds
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.query import Results, Window
from sitecms.content.schema import Collection, ContentSchema
from sitecms.content.search_text import text_filter
from sitecms.content.status import Status, Version
from sitecms.content.term import Term, TermKind
from sitecms.content.trash import TrashedEntry
from sitecms.store.database import Session
from sitecms.store.entries.authors import is_of_author
from sitecms.store.entries.entry_tables import IS_VERSION, POSTS
from sitecms.store.entries.terms import has_term
from sitecms.store.entries.trash import find_trash
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.listings.posts import is_readable
from sitecms.store.listings.sorting import SortColumn, Sorting, sort_entries
from sitecms.store.models.entries import AuthorRow, EntryRow, TermRow, VersionRow, VersionTermRow
from sitecms.store.sql import number_list

# By hand: the states of all versions of an entry are one text, so that a list has one row for each entry.
_OF_ENTRY = "version.kind = entry.kind AND version.entry_id = entry.id"
_STATES = f"""(SELECT string_agg(locale || ' ' || version || ' ' || status || ' ' || updated_at, ',' ORDER BY locale)
 FROM version WHERE {_OF_ENTRY})"""
_CHANGED = f"coalesce((SELECT max(updated_at) FROM version WHERE {_OF_ENTRY}), created_at)"
_PUBLISHED = f"(SELECT max(published_at) FROM version WHERE {_OF_ENTRY})"
_LISTED = f"""
SELECT id, type, slug, title, {_STATES}, {_CHANGED}, {_PUBLISHED} FROM entry WHERE kind = ? AND deleted_at IS NULL """
_LAST_CHANGED = _LISTED + "ORDER BY 6 DESC, id DESC"
_OF_COLLECTION = _LISTED + "AND type = ? ORDER BY position, id"
_IS_PUBLISHED = VersionRow.status == Status.PUBLISHED.value
MAX_TARGETS = 1_000


class LocaleState(Struct, frozen=True):
    """The state of an entry in one locale; `has_draft` if there is a draft over what is published.

    `changed_at` is the time of the last change of what an editor shows.
    """

    locale: str
    status: Status
    has_draft: bool
    changed_at: datetime | None = None


class ListedEntry(Struct, frozen=True):
    """An entry of a list. `type` is "" for a Single Page; the title of an item, which has no slug, is its label."""

    id: int
    type: str
    slug: str
    title: str
    states: tuple[LocaleState, ...]
    changed_at: datetime
    published_at: datetime | None

    def value_in(self, column: SortColumn) -> str | datetime | None:
        """Return the value by which the entry is sorted in a column, None in one that the list does not have."""
        values: dict[SortColumn, str | datetime | None] = {
            SortColumn.TITLE: self.title or self.slug, SortColumn.TYPE: self.type,
            SortColumn.STATUS: _status_text(self.states), SortColumn.CHANGED: self.changed_at,
            SortColumn.PUBLISHED: self.published_at,
        }  # fmt: skip
        return values.get(column)


class EntryFilter(Struct, frozen=True):
    """The pages or items of a list; "" means any. With `published_only`, those that are published in a locale.

    Without `sorting`, the last changed pages stand first, and items in the order of their collection. `category` and
    `tag` are slugs, by which pages are listed.
    """

    text: str = ""
    status: str = ""
    locale: str = ""
    published_only: bool = False
    sorting: Sorting | None = None
    category: str = ""
    tag: str = ""

    def matches(self, states: Sequence[LocaleState]) -> bool:
        """Return whether an entry with these states belongs to the list, as far as its text does not decide."""
        shown = [each for each in states if self.locale in ("", each.locale)]
        if self.published_only:
            shown = [each for each in shown if each.status is Status.PUBLISHED]
        return any(self.status in ("", each.status) for each in shown)


def _status_text(states: Sequence[LocaleState]) -> str:
    """Return the statuses of an entry as a list shows them."""
    return " ".join(f"{each.status} {'changed' if each.has_draft else ''}" for each in states)


def list_entries(
    session: Session, kind: EntryKind, type_name: str | None, wanted: EntryFilter, window: Window
) -> Results[ListedEntry]:
    """Return the entries of a type ("": Single Pages, None: all) in the order of the filter, and their number.

    They are of a kind whose entries have titles, and versions in several locales.
    """
    has_words = text_filter(wanted.text)
    slugs = {TermKind.CATEGORY: wanted.category, TermKind.TAG: wanted.tag}
    of_terms = [_ids_of_term(session, kind, of, slug) for of, slug in slugs.items() if slug]
    found = [
        entry
        for entry in _entries(session, _LAST_CHANGED, kind.value)
        if type_name in (None, entry.type)
        and all(entry.id in ids for ids in of_terms)
        and wanted.matches(entry.states)
        and has_words(f"{entry.title} {entry.slug}")
    ]
    if wanted.sorting:
        column = wanted.sorting.column
        found = sort_entries(found, lambda entry: entry.value_in(column), wanted.sorting)
    return Results(len(found), tuple(found[window.offset : window.offset + window.limit]))


def count_by_type(session: Session, kind: EntryKind, *, published_only: bool) -> Mapping[str, int]:
    """Return the number of pages of each page type ("": Single Pages), or of items of each collection.

    With `published_only`, those that are published in a locale.
    """
    counted = EntryRow.select(EntryRow.type, fn.COUNT(SQL("*"))).where(_is_listed(kind, published_only=published_only))
    return {str(entry_type): int(count) for entry_type, count in session.rows(counted.group_by(EntryRow.type))}


def _is_listed(kind: EntryKind, *, published_only: bool) -> Any:
    """Return the condition of entries outside the trash, or of those that are published in a locale."""
    is_listed = (EntryRow.kind == kind.value) & EntryRow.deleted_at.is_null()
    if not published_only:
        return is_listed
    return is_listed & fn.EXISTS(VersionRow.select(SQL("1")).where(IS_VERSION, _IS_PUBLISHED))


def _entries(session: Session, statement: str, *values: str) -> Iterator[ListedEntry]:
    for entry_id, type_name, slug, title, states, changed_us, published_us in session.sql(statement, *values):
        published_at, changed_at = published_us and from_microseconds(published_us), from_microseconds(changed_us)
        yield ListedEntry(entry_id, type_name, slug or "", title, _states(states), changed_at, published_at)


def _states(text: str | None) -> tuple[LocaleState, ...]:
    versions: dict[str, dict[str, tuple[str, int]]] = {}
    for each in text.split(",") if text else ():
        locale, version, status, updated_us = each.split(" ")
        versions.setdefault(locale, {})[version] = status, int(updated_us)
    return tuple(_state(locale, found) for locale, found in versions.items())


def _state(locale: str, versions: Mapping[str, tuple[str, int]]) -> LocaleState:
    status, _updated_us = versions.get(Version.LIVE) or versions[Version.DRAFT]
    _status, updated_us = versions.get(Version.DRAFT) or versions[Version.LIVE]
    return LocaleState(locale, Status(status), len(versions) > 1, from_microseconds(updated_us))


def list_items(
    session: Session, collection: Collection, wanted: EntryFilter, locale: str, window: Window
) -> Results[ListedEntry]:
    """Return the items of a collection in the order of the filter, with labels in the locale, and their number."""
    items = _entries(session, _OF_COLLECTION, EntryKind.ITEM.value, collection.key)
    found = [item for item in items if wanted.matches(item.states)]
    if wanted.text.strip():
        texts: dict[int, str] = {}
        versions = EntryRow.select(EntryRow.id, VersionRow.fields).join(VersionRow, on=IS_VERSION)
        versions = versions.where(_is_listed(EntryKind.ITEM, published_only=False), EntryRow.type == collection.key)
        for item_id, fields in session.rows(versions.where(_IS_PUBLISHED) if wanted.published_only else versions):
            texts[item_id] = " ".join((texts.get(item_id, ""), *_texts_in(fields)))
        has_words = text_filter(wanted.text)
        found = [item for item in found if has_words(texts.get(item.id, ""))]

    def named(items: Sequence[ListedEntry]) -> list[ListedEntry]:
        versions = VERSIONS[EntryKind.ITEM].of(session, [item.id for item in items])
        labels = _labels(versions, collection, locale, wanted)
        return [replace(item, title=labels.get(item.id, "")) for item in items]

    place = slice(window.offset, window.offset + window.limit)
    if wanted.sorting is None:
        return Results(len(found), tuple(named(found[place])))
    column = wanted.sorting.column
    sorted_items = sort_entries(named(found), lambda item: item.value_in(column), wanted.sorting)
    return Results(len(found), tuple(sorted_items[place]))


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


def _ids_of_term(session: Session, kind: EntryKind, term_kind: TermKind, slug: str) -> frozenset[int]:
    """Return the ids of the entries of a kind that have a term in one of their versions."""
    entries = VersionRow.select(VersionRow.entry_id).where(VersionRow.kind == kind.value, has_term(term_kind, slug))
    return frozenset(row[0] for row in session.rows(entries))


def count_by_term(
    session: Session, kind: TermKind, own_author: str | None
) -> tuple[tuple[Term, Mapping[EntryKind, int]], ...]:
    """Return all terms of a kind by name, each with the numbers of its entries outside the trash.

    With `own_author`, drafts are counted of this author (slug) alone.
    """
    terms = TermRow.select(TermRow.id, TermRow.slug, TermRow.name).where(TermRow.kind == kind)
    number = fn.COUNT(VersionRow.entry_id.distinct())  # one may have it in several versions
    counts = VersionTermRow.select(VersionTermRow.term_id, VersionRow.kind, number).join(VersionRow)
    is_own = VersionRow.status == Status.PUBLISHED.value if own_author is not None else VersionRow.deleted_at.is_null()
    is_listed = (VersionRow.kind != EntryKind.POST.value) & VersionRow.deleted_at.is_null() & is_own
    counts = counts.where(is_readable(own_author) | is_listed).group_by(VersionTermRow.term_id, VersionRow.kind)
    by_term: dict[int, dict[EntryKind, int]] = {}
    for term_id, of_kind, count in session.rows(counts):
        by_term.setdefault(term_id, {})[EntryKind(of_kind)] = int(count)
    rows = session.rows(terms.order_by(TermRow.name_key))
    return tuple((Term(kind, slug, name), by_term.get(term_id, {})) for term_id, slug, name in rows)


def count_posts_by_author(session: Session, own_author: str | None) -> Mapping[str, int]:
    """Return the number of posts outside the trash of each author, by slug.

    With `own_author`, drafts are counted of this author (slug) alone.
    """
    posts = VersionRow.select(fn.COUNT(SQL("*")))
    count = posts.where(VersionRow.author_id == AuthorRow.id, is_readable(own_author))
    return {str(slug): int(number) for slug, number in session.rows(AuthorRow.select(AuthorRow.slug, count))}


def find_targets(
    session: Session, page_type: str, collection: Collection | None, locale: str, wanted: EntryFilter
) -> list[tuple[int, str, str]]:
    """Return id, slug and label of the entries that a reference may name and that are wanted, MAX_TARGETS at most.

    They are the items of the collection, in its order; without one, the pages of the type ("": Single Pages), by title.
    """
    if collection is not None:
        found = list_items(session, collection, wanted, locale, Window(MAX_TARGETS))
        return [(item.id, "", item.title or str(item.id)) for item in found.entries]
    has_words = text_filter(wanted.text)
    rows = session.rows(_target_pages(page_type, published_only=wanted.published_only))
    named = [row for row in rows if has_words(f"{row[2]} {row[1]}")]
    return [(row[0], row[1], row[2] or row[1]) for row in named[:MAX_TARGETS]]


def _target_pages(page_type: str, *, published_only: bool) -> Any:
    """Return the query of id, slug and title of the pages of a type, by title."""
    pages = EntryRow.select(EntryRow.id, EntryRow.slug, EntryRow.title).order_by(EntryRow.title, EntryRow.id)
    return pages.where(_is_listed(EntryKind.PAGE, published_only=published_only), EntryRow.type == page_type)


def label_of_page(session: Session, page_type: str, slug: str, *, published_only: bool) -> str:
    """Return the text that names the page of a type ("": a Single Page); "" if there is none to be shown."""
    rows = session.rows(_target_pages(page_type, published_only=published_only))
    return next((title or slug for _id, here, title in rows if here == slug), "")


def label_of_item(session: Session, collection: Collection, item_id: int, locale: str, *, published_only: bool) -> str:
    """Return the text that names an item of the collection in the locale; "" if there is none to be shown."""
    versions = [each for each in VERSIONS[EntryKind.ITEM].of(session, (item_id,)) if each.type == collection.key]
    labels = _labels(versions, collection, locale, EntryFilter(published_only=published_only))
    return (labels[item_id] or str(item_id)) if item_id in labels else ""


def list_trash(session: Session, own_author: str | None, window: Window) -> Results[TrashedEntry]:
    """Return deleted entries, the last deleted first; with `own_author`, posts of this author (slug) alone."""
    found = find_trash(session)
    if own_author is not None:
        posts = VersionRow.select(VersionRow.entry_id).where(POSTS.is_own, is_of_author(own_author))
        own = {row[0] for row in session.rows(posts.where(VersionRow.deleted_at.is_null(is_null=False)))}
        found = tuple(each for each in found if KINDS[each.kind].has_author and each.id in own)
    return Results(len(found), found[window.offset : window.offset + window.limit])


def titles_of(
    session: Session, entries: Iterable[tuple[EntryKind, int]], schema: ContentSchema
) -> Mapping[tuple[EntryKind, int], str]:
    """Return the titles of entries, in the trash or not, by kind and id; entries without a title are left out."""
    ids: dict[EntryKind, list[int]] = {kind: [] for kind in EntryKind}
    for kind, entry_id in entries:
        ids[kind].append(entry_id)
    found: dict[tuple[EntryKind, int], str] = {}
    for kind, listed in ids.items():
        if "title" in KINDS[kind].names:
            titles = EntryRow.select(EntryRow.id, fn.MAX(EntryRow.title), fn.MAX(VersionRow.title))
            titles = titles.join(VersionRow, on=IS_VERSION).group_by(EntryRow.id)
            rows = session.rows(titles.where(EntryRow.kind == kind.value, EntryRow.id.in_(number_list(listed))))
            found |= {(kind, int(row[0])): str(row[1] or row[2]) for row in rows}
            continue
        stored = VERSIONS[kind]
        for item in (*stored.of(session, listed), *stored.of(session, listed, in_trash=True)):
            collection = schema.collections.get(item.type)
            if collection is not None and (label := label_of(item.fields, collection)):
                found.setdefault((kind, item.id), label)
    return {key: title for key, title in found.items() if title}
