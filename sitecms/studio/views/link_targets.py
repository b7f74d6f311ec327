"""What a link in a text may lead to: entries, media files and headings, by their titles; answers for scripts."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice

from flask import Response
from markupsafe import Markup
from msgspec import Struct, to_builtins

from sitecms.actions.editing.markdown_body import render_body, resolver_of
from sitecms.actions.entry_paths import paths_among, published_paths, title_of
from sitecms.content.entry import Entry
from sitecms.content.kinds import FORMAT, KINDS, MARKDOWN, EntryKind
from sitecms.content.media import MEDIA_NAME
from sitecms.content.query import Window
from sitecms.content.search_text import text_filter
from sitecms.content.status import Status, Version
from sitecms.content.text.html import sanitize
from sitecms.content.user import Action
from sitecms.errors import InvalidFields
from sitecms.site.routes import Routes
from sitecms.site.theme.html import Heading, outline
from sitecms.store.database import Session
from sitecms.store.entries.bodies import bodies_of
from sitecms.store.entries.items import names_of_items
from sitecms.store.entries.media_files import find_media
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.listings.entries import EntryFilter
from sitecms.store.listings.media import MediaFilter, list_media
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.entry_place import route_action
from sitecms.studio.entry_search import matching_entries
from sitecms.studio.texts import _
from sitecms.studio.visit import Route, Visit
from sitecms.studio.words import word

MAX_FOUND = 6


class LinkTarget(Struct, frozen=True):
    """Something that a link may lead to: its address on the site, and whether readers can open it."""

    title: str
    kind: str
    address: str
    is_public: bool = True


def find_links(visit: Visit) -> Response:
    """Return the entries with a page and the media files that match a text, as far as the user may know of them."""
    text, locale = visit.query("text"), _locale_of(visit)
    with visit.studio.runtime.database.reading() as session:
        kinds = [kind for kind in EntryKind if KINDS[kind].has_slug]
        found = [target for kind in kinds for target in _entries(session, visit, kind, text, locale)]
        found += _items(session, visit, text, locale)
        found += _media(session, text) if text else ()
    return visit.json({"found": to_builtins(found)})


def _locale_of(visit: Visit) -> str:
    """Return the locale of a text by the language tag that its field has; the default one for others."""
    settings, tag = visit.studio.runtime.settings, visit.query("language")
    return next((code for code in settings.locales if settings.language_tag(code) == tag), settings.default_locale)


def _entries(session: Session, visit: Visit, kind: EntryKind, text: str, locale: str) -> Iterator[LinkTarget]:
    """Yield entries of a kind with slugs, in the locale where they have it; drafts for those who may change them."""
    published_only = not visit.may(route_action(kind, Action.CREATE))
    wanted = EntryFilter(text, published_only=published_only)
    ids = [each.id for each in matching_entries(session, visit, kind, wanted, locale, MAX_FOUND)]
    by_id: dict[int, list[Entry]] = {}
    for entry in VERSIONS[kind].of(session, ids):
        if entry.status is Status.PUBLISHED or not published_only:
            by_id.setdefault(entry.id, []).append(entry)
    best = [min(by_id[each], key=partial(_rank, locale)) for each in ids if each in by_id]
    yield from _targets(visit, best)


def _rank(locale: str, entry: Entry) -> tuple[bool, bool]:
    return entry.locale != locale, entry.version is not Version.LIVE


def _items(session: Session, visit: Visit, text: str, locale: str) -> Iterator[LinkTarget]:
    """Yield published items that have a page, by their labels."""
    schema, has_words = load_content_schema(session), text_filter(text)
    ids = list[int]()
    for collection in schema.collections.values():
        if collection.route:
            names = names_of_items(session, collection, locale, text)
            ids += islice((name.id for name in names if has_words(name.label)), MAX_FOUND)
    items = [each for each in VERSIONS[EntryKind.ITEM].of(session, ids) if each.locale == locale and each.is_live]
    paths = paths_among(session, items, schema, visit.studio.runtime.settings)
    for item in sorted(items, key=lambda each: ids.index(each.id)):
        name = schema.collections[item.type].name or item.type
        yield LinkTarget(title_of(item, schema), name, paths[item.id, locale])


def _media(session: Session, text: str) -> Iterator[LinkTarget]:
    for file in list_media(session, MediaFilter(text), Window(MAX_FOUND)).entries:
        yield LinkTarget(file.original_name or file.name, _("File"), file.url)


def _targets(visit: Visit, entries: Iterable[Entry]) -> Iterator[LinkTarget]:
    routes = Routes(visit.studio.runtime.settings)
    for entry in entries:
        if path := routes.find(entry):
            is_public = entry.status is Status.PUBLISHED
            yield LinkTarget(entry.title or entry.slug, word(KINDS[entry.kind].label), path, is_public)


def _target_at(session: Session, visit: Visit, address: str) -> tuple[LinkTarget, Entry] | None:
    """Return the published entry that has its page at a path of the site."""
    schema, settings = load_content_schema(session), visit.studio.runtime.settings
    paths = published_paths(session, schema, settings, with_home=True) if address.startswith("/") else ()
    place = next((each for each in paths if each.path == address), None)
    if place is None:
        return None
    versions = VERSIONS[place.kind].of(session, [place.id])
    entry = next(each for each in versions if each.locale == place.locale and each.is_live)
    if KINDS[place.kind].has_slug:
        return LinkTarget(entry.title or entry.slug, word(KINDS[place.kind].label), address), entry
    collection = schema.collection(entry.type)
    return LinkTarget(title_of(entry, schema), collection.name or collection.key, address), entry


def show_target(visit: Visit) -> Response:
    """Return the published entry or the file at an address, with its headings; `target` is null for others."""
    address = visit.query("address").partition("#")[0]
    with visit.studio.runtime.database.reading() as session:
        if name := MEDIA_NAME.fullmatch(address):
            file = find_media(session, [name[1]]).get(name[1])
            target = LinkTarget(file.original_name or file.name, _("File"), address) if file else None
            return visit.json({"target": to_builtins(target), "headings": []})
        match = _target_at(session, visit, address)
        if match is None:
            return visit.json({"target": None, "headings": []})
        target, entry = match
        body = bodies_of(session, [entry.id]).get(entry.id, "") if KINDS[entry.kind].has_body else ""
    headings = _headings(body or "".join(_texts_in(entry.fields)))
    return visit.json({"target": to_builtins(target), "headings": headings})


def _texts_in(value: object) -> Iterator[str]:
    """Yield the formatted texts in the values of fields."""
    if isinstance(value, str):
        if "</h" in value:
            yield value
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts_in(each)


def show_headings(visit: Visit) -> Response:
    """Return the headings of a text that is being written, with the ids that they have on the site."""
    runtime, text = visit.studio.runtime, visit.field("text")
    if visit.field(FORMAT) == MARKDOWN:
        try:
            with runtime.database.reading() as session:
                text = render_body(runtime.settings, text, runtime.settings.default_locale, resolver_of(session))
        except InvalidFields:
            text = ""
    return visit.json({"headings": _headings(text)})


def _headings(html: str) -> list[dict[str, str]]:
    headings = outline(Markup(sanitize(html))).headings  # noqa: S704 - it is sanitised
    return [*_listed(headings)]


def _listed(headings: Iterable[Heading]) -> Iterator[dict[str, str]]:
    for heading in headings:
        yield {"id": heading.id, "title": heading.text}
        yield from _listed(heading.children)


ROUTES = (
    Route("GET", "/studio/find/links/", find_links, Action.CREATE),
    Route("GET", "/studio/find/link-target/", show_target, Action.CREATE),
    Route("POST", "/studio/find/headings/", show_headings, Action.CREATE),
)
