"""Paths of entries on the built site, as far as they follow from the store and the settings alone.

Items have a path if their collection has a `route`.
"""

import re
from collections.abc import Collection as Group
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from sitecms.actions.permalinks import EntryPaths
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.permalink import BLOG, entry_path, folded_path, locale_root
from sitecms.content.schema import Collection, ContentSchema
from sitecms.content.text.slug import MAX_SLUG_LENGTH, numbered, slugify
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries.addresses import StoredAddress, published_addresses
from sitecms.store.entries.items import ItemName, names_of_items
from sitecms.store.entries.versions import VERSIONS

SLUG_FIELD = "slug"
INDEX = "index.html"
_NO_LETTER = re.compile(r"[\W_]+")
_NUMBER_AT_END = re.compile(r"[\W_]+([0-9]+)[\W_]*$")
_MAX_DIGITS = 9


def item_paths(
    entries: Iterable[Entry], schema: ContentSchema, settings: SiteSettings
) -> Mapping[tuple[int, str], str]:
    """Return the path of each item among the entries that has a page, by its id and locale.

    An own path comes before the route of the collection. Of items with equal slugs, which are given in the order of the
    collection, the first has the slug; a number is added to those of the others.
    """
    paths: dict[tuple[int, str], str] = {}
    taken: set[str] = set()
    items = (entry for entry in entries if not KINDS[entry.kind].has_slug and _has_page(entry, schema))
    shown = sorted(items, key=lambda each: each.type)
    for item in shown:
        if own := item.path:
            paths[item.id, item.locale] = own
            taken.add(own)
    for item in shown:
        if (item.id, item.locale) in paths:
            continue
        collection = schema.collections[item.type]
        slug = item_slug(item, collection)
        slugs = (slug, *(numbered(slug, number) for number in range(2, len(shown) + 2)))
        candidates = (_path(collection, item, each, settings) for each in slugs)
        path = next(path for path in candidates if path not in taken)
        taken.add(path)
        paths[item.id, item.locale] = path
    return paths


def paths_among(
    session: Session, items: Group[Entry], schema: ContentSchema, settings: SiteSettings
) -> Mapping[tuple[int, str], str]:
    """Return the paths of some published items of one locale, as `item_paths` does for all of them.

    Of the others only those are read that have a path of their own, or may have the slug of one of these.
    """
    routed = {key: each for key, each in schema.collections.items() if each.route}
    texts = {_slug_text(each.fields, routed[each.type]) for each in items if each.type in routed}
    if not texts:
        return {}
    (locale,) = {each.locale for each in items}
    ids = dict.fromkeys(
        name.id for collection in routed.values() for name in _rivals(session, collection, locale, texts)
    )
    place = {item_id: number for number, item_id in enumerate(ids)}
    alike = [each for each in VERSIONS[EntryKind.ITEM].of(session, [*ids]) if each.locale == locale and each.is_live]
    return item_paths(sorted(alike, key=lambda each: place[each.id]), schema, settings)


def _rivals(session: Session, collection: Collection, locale: str, texts: Iterable[str]) -> Sequence[ItemName]:
    """Return the items, in their order, whose path may be that of an item with one of these texts, or a number of it.

    Of a short text in ASCII it can be seen without making the slug, which takes ten times as long.
    """
    slugs = {slugify(text) for text in texts}
    stems = {_NUMBER_AT_END.sub("", slug) for slug in slugs}
    letters, with_stems = {_letters(slug) for slug in slugs}, {_letters(slug) for slug in slugs | stems}
    has_slugs = SLUG_FIELD in (spec.slug for spec in collection.fields)
    same, numbered = dict[ItemName, None](), dict[ItemName, int]()
    for stem in [""] if has_slugs else sorted(stems):
        for name in names_of_items(session, collection, locale, stem):
            text = name.slug or name.label
            lower = text.lower() if text.isascii() and len(text) <= MAX_SLUG_LENGTH else slugify(text)
            number = _NUMBER_AT_END.search(lower)
            if name.has_own_path or _letters(lower) in with_stems:
                same[name] = None
            elif number and _letters(lower[: number.start()]) in letters:
                numbered[name] = int(number[1][:_MAX_DIGITS])
    most = len(same)
    for number_taken in sorted(numbered.values()):  # a number above those that may be given out is nobody's rival
        most += number_taken <= most
    rivals = [*same, *(name for name, number_taken in numbered.items() if number_taken <= most)]
    return sorted(rivals, key=lambda name: name.place)


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text)


def _has_page(item: Entry, schema: ContentSchema) -> bool:
    collection = schema.collections.get(item.type)
    return collection is not None and bool(collection.route)


def item_slug(item: Entry, collection: Collection) -> str:
    """Return the slug of an item: from its field `slug`, else from its label, else from the key of the collection."""
    return slugify(_slug_text(item.fields, collection)) or slugify(item.type)


def _slug_text(fields: Fields, collection: Collection) -> str:
    declared = SLUG_FIELD in (spec.slug for spec in collection.fields)
    chosen = fields.get(SLUG_FIELD) if declared else None
    return str(chosen or fields.get(collection.label) or "")


def title_of(entry: Entry, schema: ContentSchema) -> str:
    """Return the title of an entry; that of an item is its label, else the name of its collection."""
    if KINDS[entry.kind].has_slug:
        return entry.title
    collection = schema.collections[entry.type]
    return str(entry.fields.get(collection.label) or collection.name)


def _path(collection: Collection, item: Entry, slug: str, settings: SiteSettings) -> str:
    return entry_path(collection.route, item.locale, settings.default_locale, slug=slug)


class EntryPath(NamedTuple):
    """The path of the page of one published version of an entry."""

    kind: EntryKind
    id: int
    locale: str
    path: str


def published_paths(
    session: Session, schema: ContentSchema, settings: SiteSettings, *, with_home: bool = False
) -> Iterator[EntryPath]:
    """Yield the path of each published entry that has a page of its own in a locale of the site.

    The page that is the home page is left out unless `with_home`: no other entry can take its path.
    """
    paths = EntryPaths(settings)
    for stored in published_addresses(session):
        if stored.locale in settings.locales and (with_home or not _is_home(stored, paths)):
            with suppress(OverflowError):  # a day that the time zone does not have: a build leaves the entry out
                yield EntryPath(stored.kind, stored.id, stored.locale, stored_path(stored, settings))
    for key, collection in schema.collections.items():
        if collection.route:
            items = [
                item
                for item in VERSIONS[EntryKind.ITEM].of_type(session, key)
                if item.is_live and item.locale in settings.locales
            ]
            for (item_id, locale), path in item_paths(items, schema, settings).items():
                yield EntryPath(EntryKind.ITEM, item_id, locale, path)


def stored_path(stored: StoredAddress, settings: SiteSettings) -> str:
    """Return the path of a post or page."""
    paths = EntryPaths(settings)
    if _is_home(stored, paths):
        return f"{locale_root(stored.locale, settings.default_locale)}/"
    return stored.path or paths.by_pattern(stored.kind, stored.place, stored.locale, stored.slug, stored.moment)


def path_key(path: str) -> str:
    """Return the path without what makes no difference: a final slash, the name of an index, case and Unicode form."""
    return folded_path(path.removesuffix(INDEX) if path.endswith(f"/{INDEX}") else path).strip("/")


def own_pages(settings: SiteSettings) -> Mapping[str, str]:
    """Return what the site shows at the addresses that are its own, by the key of the path."""
    pages = {}
    for locale in settings.locales:
        root = locale_root(locale, settings.default_locale)
        pages[path_key(f"{root}/")] = f"the home page ({locale})"
        pages[path_key(root + BLOG)] = f"the list of all posts ({locale})"
        pages[path_key(f"{root}/404.html")] = f"the page for unknown addresses ({locale})"
        if settings.search.enabled:
            pages[path_key(f"{root}/search/")] = f"the search page ({locale})"
    return pages


def entry_at(settings: SiteSettings, page_type: str, slug: str, own_path: str = "") -> str:
    """Return what the built site shows at the address of a page; "" if the address is free."""
    if settings.build.home == (f"{page_type}/{slug}" if page_type else slug):
        return ""  # it stands at the root instead
    pattern = settings.permalinks.page if page_type else settings.permalinks.single_page
    default = settings.default_locale
    path = own_path or entry_path(pattern, default, default, slug=slug, page_type=page_type)
    if path == BLOG:
        return "the list of all posts"
    homes = {f"{locale_root(locale, default)}/": locale for locale in settings.locales}
    return f"the home page in {homes[path]}" if path in homes else ""


def _is_home(stored: StoredAddress, paths: EntryPaths) -> bool:
    return paths.is_home(stored.kind, stored.place, stored.slug)
