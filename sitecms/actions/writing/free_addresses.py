"""Addresses that are free: no two entries of a site have one, nor has one the address of a page of the site itself.

Files are held to the same rule by `loading.storing.clashes`, which looks at all entries of a load. A write
looks at few: those whose slug gives the path by a permalink, and those with an own path.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache

from msgspec import Struct

from sitecms.actions.entry_paths import item_paths, item_slug, own_pages, path_key, stored_path
from sitecms.actions.permalinks import EntryPaths
from sitecms.actions.writing.known_entries import entry_name, find_holder
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS, EntryKind, Kind
from sitecms.content.permalink import folded_path, locale_root
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.text.slug import RESERVED_SLUGS, first_free
from sitecms.content.writes import Save
from sitecms.errors import Conflict
from sitecms.messages import N_, Text
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries.addresses import StoredAddress, find_by_own_path, published_addresses_of
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.writes.writes import find_creation

_PLACEHOLDER = re.compile(r"\\\{(\w+)\\\}")
_DIGITS = ("year", "month", "day")
PUBLIC = (Status.PUBLISHED, Status.SCHEDULED)
AT_ADDRESS = "{name} stands at that address, {path}"
IS_TAKEN = N_("%(occupant)s. Rename or delete that one first.")
REMEDY = "Rename or delete that one first."


class AddressRule(Struct, frozen=True):
    """The rule that an address belongs to one entry, in one state of the store."""

    session: Session
    schema: ContentSchema
    settings: SiteSettings

    def occupant(self, version: StoredAddress) -> str:
        """Return who has the address of a version that is to be published, and the address; "" if it is free.

        Those who have it are published, or accepted to be so.
        """
        if EntryPaths(self.settings).is_home(version.kind, version.place, version.slug):
            return ""
        with suppress(OverflowError):  # a day that the time zone does not have: a build leaves the entry out
            return self._occupant_of(stored_path(version, self.settings), version)
        return ""

    def occupant_for(self, entry: Entry) -> str:
        """Return who has the address of an entry of any kind that is to be published, as `occupant`."""
        moment = entry.published_at or entry.scheduled_at or entry.created_at
        version = StoredAddress(entry.kind, entry.id, entry.locale, entry.slug, moment, entry.type, entry.path)
        if entry.locale not in self.settings.locales:
            return ""
        if KINDS[entry.kind].has_slug:
            return self.occupant(version)
        path = self._path_of_item(entry)
        return self._occupant_of(path, version) if path else ""

    def check_published(self, kind: EntryKind, entry_id: int, before: Collection[Entry] = ()) -> None:
        """Raise Conflict if a published version of the entry has the address of another one.

        `before` are the versions until now: an address that one of them had stays.
        """
        for version in self.newly_published(VERSIONS[kind].of(self.session, [entry_id]), before):
            if occupant := self.occupant_for(version):
                raise Conflict("slug", Text(IS_TAKEN, occupant=f"{occupant[0].upper()}{occupant[1:]}"))

    def newly_published(self, versions: Iterable[Entry], before: Iterable[Entry]) -> list[Entry]:
        """Return the published versions whose address was not that of a published version before."""
        stood = {self._parts(each) for each in before if each.is_live}
        return [each for each in versions if each.is_live and self._parts(each) not in stood]

    def _parts(self, entry: Entry) -> tuple[object, ...]:
        """Return what the address of a published version follows from."""
        if KINDS[entry.kind].has_slug:
            return entry.locale, entry.slug, entry.path, KINDS[entry.kind].is_dated and entry.published_at
        return entry.locale, entry.path, item_slug(entry, self.schema.collection(entry.type))

    def _path_of_item(self, item: Entry) -> str:
        """Return the path that an item has once it is published; "" if the items of its collection have no pages."""
        place = item.id, item.locale
        stored = ((each, (each.id, each.locale)) for each in VERSIONS[EntryKind.ITEM].of_type(self.session, item.type))
        shown = {key: each for each, key in stored if each.is_live or key == place}
        return item_paths({**shown, place: item}.values(), self.schema, self.settings).get(place, "")

    def _occupant_of(self, path: str, version: StoredAddress) -> str:
        """Return who else than the entry of the version has the path, and the path; "" if nobody has."""
        key = path_key(path)
        if page := own_pages(self.settings).get(key):
            return AT_ADDRESS.format(name=page, path=path)
        for other in self._others(version, path):
            if (other.kind, other.id) != (version.kind, version.id) and self._has(other, key):
                return AT_ADDRESS.format(name=entry_name(other.kind, other.place, other.slug), path=path)
        item = self._item_at(path, key, version)
        return AT_ADDRESS.format(name=item, path=path) if item else ""

    def free_slug(self, version: StoredAddress) -> str:
        """Return the slug of a new entry, or the first of `-2`, `-3` and so on that is free, and gives a free address.

        Reserved slugs count as taken.
        """
        kind, page_type = version.kind, version.place

        def is_taken(slug: str) -> bool:
            if slug in RESERVED_SLUGS or find_holder(self.session, kind, page_type, slug) is not None:
                return True
            return bool(self.occupant(version._replace(slug=slug)))

        return first_free(version.slug, is_taken)

    def _has(self, other: StoredAddress, key: str) -> bool:
        is_shown = other.locale in self.settings.locales
        is_home = EntryPaths(self.settings).is_home(other.kind, other.place, other.slug)
        return is_shown and not is_home and path_key(stored_path(other, self.settings)) == key

    def _others(self, version: StoredAddress, path: str) -> Iterator[StoredAddress]:
        """Yield published and accepted versions that may have the path."""
        for kind, page_type, slug in self._names(path):
            if (kind, page_type, slug) != (version.kind, version.place, version.slug):
                yield from self._versions(kind, page_type, slug)
        for kind, entry_id in find_by_own_path(self.session, path):
            if KINDS[kind].has_slug:  # the path of an item depends on the others: `_item_at`
                yield from published_addresses_of(self.session, kind, entry_id)

    def _names(self, path: str) -> Iterator[tuple[EntryKind, str, str]]:
        """Yield kind, page type and slug of each entry that a permalink would give the path."""
        paths = EntryPaths(self.settings)
        for kind, properties in KINDS.items():
            for page_type in types_with_slugs(self.schema, properties):
                pattern, _is_dated = paths.pattern(kind, page_type)
                for values in _matches(pattern, path, self.settings):
                    if values.get("page_type", page_type) == page_type:
                        yield kind, page_type, values["slug"]

    def _versions(self, kind: EntryKind, page_type: str, slug: str) -> Iterator[StoredAddress]:
        """Yield what the addresses of the stored or accepted entry of that name follow from."""
        entry_id = find_holder(self.session, kind, page_type, slug)
        if entry_id is None:
            return
        for each in published_addresses_of(self.session, kind, entry_id):
            yield each._replace(slug=slug)  # an accepted write may give it the slug
        if find_named(self.session, kind, page_type, slug) is not None:
            return
        creation = find_creation(self.session, kind, entry_id)
        if creation is not None and isinstance(save := creation.payload, Save) and save.status in PUBLIC:
            moment = save.scheduled_at or creation.accepted_at
            for locale in sent_locales(save, self.settings.default_locale):
                yield StoredAddress(kind, entry_id, locale, slug, moment, page_type, "")

    def _item_at(self, path: str, key: str, version: StoredAddress) -> str:
        """Return the item that has the path by the route of its collection, or as its own; "" if there is none.

        Items of one collection that have one slug get different paths by numbers.
        """
        own = [entry_id for kind, entry_id in find_by_own_path(self.session, path) if not KINDS[kind].has_slug]
        for name, collection in self.schema.collections.items():
            if not collection.route or not (own or any(_matches(collection.route, path, self.settings))):
                continue
            items = [item for item in VERSIONS[EntryKind.ITEM].of_type(self.session, name) if item.is_live]
            if not KINDS[version.kind].has_slug:
                is_same = name == version.place
                items = [item for item in items if item.id != version.id and (item.path or not is_same)]
            for (item_id, locale), item_path in item_paths(items, self.schema, self.settings).items():
                if locale in self.settings.locales and path_key(item_path) == key:
                    return f"the item {item_id} of {name}"
        return ""


def types_with_slugs(schema: ContentSchema, kind: Kind) -> tuple[str, ...]:
    """Return the types of entries of the kind that have slugs: "" for Single Pages, and for a kind without types."""
    if not kind.has_slug:
        return ()
    return ("", *schema.page_types) if kind.type_key else ("",)


def sent_locales(save: Save, default_locale: str) -> tuple[str, ...]:
    """Return the locales of the versions that a write creates or changes."""
    sent = tuple(locale for entry in save.entries for locale in entry.fields)
    return sent or (save.locale or default_locale,)


def _matches(pattern: str, path: str, settings: SiteSettings) -> Iterator[dict[str, str]]:
    """Yield the values with which a permalink gives the path, in each locale in which it does."""
    if "{slug}" not in pattern:
        return
    expression = _expression(pattern)
    for locale in settings.locales:
        root = locale_root(locale, settings.default_locale)
        if path.startswith(f"{root}/") and (match := expression.fullmatch(folded_path(path.removeprefix(root)))):
            yield match.groupdict()


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    """Return the expression of the paths that a permalink gives."""
    seen: set[str] = set()

    def group(match: re.Match[str]) -> str:
        name = match[1]
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return f"(?P<{name}>{'[0-9]+' if name in _DIGITS else '[^/]+'})"

    return re.compile(_PLACEHOLDER.sub(group, re.escape(folded_path(pattern))))
