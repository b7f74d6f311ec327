"""The entry, or the kind of a new one, that a form is about, in one locale; and the addresses of forms."""

import re
from collections.abc import Mapping

from msgspec import Struct

from sitecms.actions.editing.edited import Edited, NewEntry, get_edited
from sitecms.actions.entry_paths import paths_among
from sitecms.actions.site_settings.menu import is_menu_alone
from sitecms.content.kinds import KINDS, EntryKind, Kind, declared_fields
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status
from sitecms.content.user import Action
from sitecms.errors import NotFound
from sitecms.site.routes import Routes
from sitecms.store.site_state.documents import content_schema_digest, load_content_schema
from sitecms.studio.texts import _
from sitecms.studio.visit import Visit
from sitecms.studio.words import word

COLLECTIONS = "/studio/collections/"
SINGLE_PAGES = "single"
"""The name of Single Pages in addresses of the studio."""
LISTS: Mapping[EntryKind, str] = {kind: properties.list_path for kind, properties in KINDS.items()}
NEW_FORMS: Mapping[EntryKind, str] = {kind: properties.new_path for kind, properties in KINDS.items()}
STORED_FORMS: Mapping[EntryKind, str] = {kind: f"{path}<entry_id>/" for kind, path in LISTS.items()}
"""The paths of forms of stored entries; those of a kind with locales in one entry take a `locale`."""
_MAX_DIGITS = 18
_NAMES = {"entry_id": r"(?P<entry_id>[1-9]\d{0,17})", "key": r"(?P<key>[^/]+)", "page_type": r"(?P<page_type>[^/]+)"}


class EntryPlace(Struct, frozen=True):
    """The entry, or the kind of a new one, that a form is about, in one locale. `type` is as in `NewEntry`."""

    kind: EntryKind
    type: str
    locale: str
    specs: tuple[FieldSpec, ...]
    schema: ContentSchema
    digest: str
    edited: Edited | None = None

    @property
    def properties(self) -> Kind:
        """The properties of the kind."""
        return KINDS[self.kind]

    @property
    def entry(self) -> Edited | NewEntry:
        """The entry, or the place of a new one."""
        return self.edited or NewEntry(self.kind, self.type, self.locale)

    @property
    def is_menu(self) -> bool:
        """True if it is an entry of the menu, which is edited as a whole elsewhere."""
        collection = self.schema.collections.get(self.type) if not self.properties.has_slug else None
        return collection is not None and is_menu_alone(collection)

    @property
    def list_address(self) -> str:
        """The address of the list that has the entry."""
        return self.properties.list_address(self.type)

    @property
    def list_name(self) -> str:
        """The name of that list: of the collection where each has a list of its own."""
        collection = self.schema.collections.get(self.type) if not self.properties.has_slug else None
        return (collection.name or self.type) if collection else word(self.properties.plural)

    @property
    def path(self) -> str:
        """The address of the form of a stored entry, without the locale."""
        return self.properties.form_address(self.edited.id, self.type) if self.edited else self.list_address

    @property
    def query(self) -> dict[str, str]:
        """The locale, for addresses of kinds that have several in one entry."""
        return {"locale": self.locale} if self.properties.has_locales else {}


def route_action(kind: EntryKind, action: Action) -> Action:
    """Return the action that a route of the kind asks for: one permission covers all that concerns pages and items."""
    return action if KINDS[kind].has_author else Action.EDIT_PAGES


def address_for(visit: Visit, kind: EntryKind, entry_id: int, type_name: str, locale: str = "") -> str:
    """Return the address of the form of an entry, "" if the user may not open it."""
    if not KINDS[kind].has_author and not visit.may(Action.EDIT_PAGES):
        return ""
    return KINDS[kind].form_address(entry_id, type_name, locale)


def get_place(visit: Visit, kind: EntryKind, entry_id: str = "", key: str = "", page_type: str = "") -> EntryPlace:
    """Return the place that a path names. Raises NotFound and Forbidden."""
    runtime, edited = visit.studio.runtime, None
    locale = _locale(visit, kind)
    type_name = key or ("" if page_type == SINGLE_PAGES else page_type)
    with runtime.database.reading() as session:
        schema, digest = load_content_schema(session), content_schema_digest(session)
        if entry_id:
            edited = get_edited(session, visit.user, kind, number_of(entry_id), locale)
    if edited is None:
        return EntryPlace(kind, type_name, locale, declared_fields(schema, kind, type_name), schema, digest)
    if key not in ("", edited.type):
        raise NotFound(_("Not found."))
    return EntryPlace(kind, edited.type, edited.locale, edited.specs, schema, digest, edited)


def find_form(path: str) -> tuple[EntryKind, Mapping[str, str]] | None:
    """Return the kind of entries whose form stands at a path, and the names in the path; None if no form does."""
    for paths in (NEW_FORMS, STORED_FORMS):
        for kind, form in paths.items():
            pattern = re.sub(r"<(\w+)>", lambda name: _NAMES[name[1]], form)
            if match := re.fullmatch(pattern, path):
                return kind, match.groupdict()
    return None


def number_of(entry_id: str) -> int:
    """Return the id of an entry in a path. Raises NotFound."""
    if not (entry_id.isascii() and entry_id.isdecimal() and len(entry_id) <= _MAX_DIGITS):
        raise NotFound(_("Not found."))
    return int(entry_id)


def _locale(visit: Visit, kind: EntryKind) -> str:
    """Return the locale that the address names, or the form of a new post, else the default one. Raises NotFound."""
    settings = visit.studio.runtime.settings
    if not KINDS[kind].has_locales:
        return visit.field("locale") or settings.default_locale
    locale = visit.query("locale") or settings.default_locale
    if locale not in settings.locales:
        raise NotFound(_("Not found."))
    return locale


def undo_value(kind: EntryKind, entry_id: int) -> str:
    """Return an entry of the trash as the form that restores it names it."""
    return f"{kind}-{entry_id}"


def undone(value: str) -> tuple[EntryKind, int]:
    """Return the entry of the trash that a form names. Raises NotFound."""
    kind, _separator, number = value.partition("-")
    if kind not in list(EntryKind):
        raise NotFound(_("Not found."))
    return EntryKind(kind), number_of(number)


def public_address(visit: Visit, place: EntryPlace) -> str:
    """Return the address of a published entry's page; "" if readers see none, or the site has no `url`."""
    settings, live = visit.studio.runtime.settings, place.edited.live if place.edited else None
    if live is None or live.status is not Status.PUBLISHED or not settings.url:
        return ""
    paths: Mapping[tuple[int, str], str] = {}
    if not place.properties.has_slug:  # the path depends on the other items
        with visit.studio.runtime.database.reading() as session:
            paths = paths_among(session, [live], place.schema, settings)
    routes = Routes(settings)
    path = routes.find(live, paths)
    return routes.absolute(path) if path else ""
