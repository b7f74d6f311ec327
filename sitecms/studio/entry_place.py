"""The page or item, or the kind of a new one, that a form is about, in one locale."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from sitecms.actions.editing.entries import EditedEntry, get_entry, new_names
from sitecms.actions.entry_paths import item_paths
from sitecms.actions.writing.accept import StudioValues
from sitecms.content.change import EntryKind
from sitecms.content.item import Entry, Item
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status
from sitecms.errors import NotFound
from sitecms.site.routes import Routes
from sitecms.store.entries.items import published_items
from sitecms.store.site_state.documents import content_schema_digest, load_content_schema
from sitecms.studio.field_form import Typed, new_fields, typed_group
from sitecms.studio.post_form import typed_text
from sitecms.studio.visit import Visit

PAGES, COLLECTIONS = "/studio/pages/", "/studio/collections/"
SINGLE_PAGES = "single"
"""The name of Single Pages in addresses of the studio."""


class EntryPlace(Struct, frozen=True):
    """The entry, or the kind of a new one, that a form is about, in one locale."""

    kind: EntryKind
    locale: str
    specs: Sequence[FieldSpec]
    schema: ContentSchema
    digest: str
    edited: EditedEntry | None = None
    owner: str = ""

    @property
    def page_type(self) -> str:
        """The type of a new page, "" for a Single Page."""
        return "" if self.owner == SINGLE_PAGES else self.owner

    @property
    def shown(self) -> dict[str, Any]:
        """The typed values of the stored entry, or of a new one."""
        if self.edited is None:
            return new_fields(self.specs, self.schema)
        return typed_group(self.edited.fields, self.specs, self.schema)

    @property
    def texts(self) -> dict[str, bool]:
        """The fields whose conflicts are merged by block, and whether each is Markdown or else HTML."""
        types = ("long_text", "wysiwyg", "html")
        return {spec.slug: spec.type == "long_text" for spec in self.specs if spec.type in types}

    @property
    def list_address(self) -> str:
        """The address of the list that has the entry."""
        return PAGES if self.kind is EntryKind.PAGE else f"{COLLECTIONS}{self.owner}/"


def _locale(visit: Visit) -> str:
    """Return the locale that the address names, else the default one. Raises NotFound."""
    settings = visit.studio.runtime.settings
    locale = visit.query("locale") or settings.default_locale
    if locale not in settings.locales:
        raise NotFound("Not found.")
    return locale


def stored_place(visit: Visit, kind: EntryKind, entry_id: str, key: str = "") -> EntryPlace:
    """Return the place of a stored page or item. Raises NotFound and Forbidden."""
    if not (entry_id.isascii() and entry_id.isdecimal() and len(entry_id) < 19):
        raise NotFound("Not found.")
    locale = _locale(visit)
    with visit.studio.runtime.database.reading() as session:
        edited = get_entry(session, visit.user, kind, int(entry_id), locale)
        digest = content_schema_digest(session)
    if kind is EntryKind.ITEM and edited.collection != key:
        raise NotFound("Not found.")
    return EntryPlace(kind, locale, edited.specs, edited.schema, digest, edited, key)


def new_place(visit: Visit, kind: EntryKind, owner: str) -> EntryPlace:
    """Return the place of a new page of a type, or of a new item of a collection. Raises NotFound."""
    with visit.studio.runtime.database.reading() as session:
        schema, digest = load_content_schema(session), content_schema_digest(session)
    is_single = kind is EntryKind.PAGE and owner == SINGLE_PAGES
    page_type = None if is_single else owner
    specs = schema.page_fields(page_type) if kind is EntryKind.PAGE else schema.collection(owner).fields
    return EntryPlace(kind, _locale(visit), specs, schema, digest, None, owner)


def page_place(visit: Visit, page_id: str) -> EntryPlace:
    """Return the place of a stored page. Raises NotFound and Forbidden."""
    return stored_place(visit, EntryKind.PAGE, page_id)


def item_place(visit: Visit, key: str, item_id: str) -> EntryPlace:
    """Return the place of a stored item. Raises NotFound and Forbidden."""
    return stored_place(visit, EntryKind.ITEM, item_id, key)


def new_page_place(visit: Visit, page_type: str) -> EntryPlace:
    """Return the place of a new page of a type. Raises NotFound."""
    return new_place(visit, EntryKind.PAGE, page_type)


def new_item_place(visit: Visit, key: str) -> EntryPlace:
    """Return the place of a new item of a collection. Raises NotFound."""
    return new_place(visit, EntryKind.ITEM, key)


PlaceOf = Callable[..., EntryPlace]
"""Gets a visit and the names in the path of a form."""
STORED_FORMS: tuple[tuple[str, PlaceOf], ...] = (
    (f"{PAGES}<page_id>/", page_place),
    (f"{COLLECTIONS}<key>/<item_id>/", item_place),
)
"""The paths of forms of stored pages and items."""
NEW_FORMS: tuple[tuple[str, PlaceOf], ...] = (
    (f"{PAGES}new/<page_type>/", new_page_place),
    (f"{COLLECTIONS}<key>/new/", new_item_place),
)
"""The paths of forms of new pages and items."""


def create_body(visit: Visit, typed: Typed) -> dict[str, Any]:
    """Return the body of the request that creates a page or item with these typed values."""
    fields = {slug: value for slug, value in typed.items() if value not in ("", [], {"url": "", "alt": ""})}
    return {"title": visit.field("title"), "slug": visit.field("slug"), "fields": fields}


def names_of(visit: Visit, edited: EditedEntry) -> StudioValues:
    """Return the names that the form gives a page, as far as they differ from the stored ones. Raises InvalidFields."""
    page = edited.named_version
    if not isinstance(page, Page) or not {"title", "slug"} <= visit.request.form.keys():
        return StudioValues()
    title = typed_text(visit.field("title"), page.title)
    return new_names(edited, title if title == page.title else title.strip(), visit.field("slug").strip())


def public_address(visit: Visit, entry: Entry | Post | None) -> str:
    """Return the address of a published entry's page; "" if readers see none, or the site has no `url`."""
    settings = visit.studio.runtime.settings
    if entry is None or entry.status is not Status.PUBLISHED or not settings.url:
        return ""
    routes = Routes(settings)
    if not isinstance(entry, Item):
        entry_path = routes.find(entry)
        return routes.absolute(entry_path) if entry_path else ""
    with visit.studio.runtime.database.reading() as session:
        schema = load_content_schema(session)
        if not schema.collection(entry.collection).route:
            return ""
        items = [item for item in published_items(session) if item.locale == entry.locale]
    path = item_paths(items, schema, settings).get((entry.id, entry.locale))
    return routes.absolute(path) if path else ""
