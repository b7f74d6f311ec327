"""Acceptance of page writes (API reference, Writes)."""

from functools import partial

from sitecms.actions.writing.accept.acceptance import (
    Accepted,
    Body,
    Caller,
    NewWrite,
    WriteContext,
    WritePlan,
    accept,
    key_of,
)
from sitecms.actions.writing.accept.body_reader import SCHEDULED_IGNORED, BodyReader
from sitecms.actions.writing.accept.fields import FieldCheck, sent_values, status_of
from sitecms.actions.writing.accept.studio_values import NO_STUDIO_VALUES, StudioValues
from sitecms.actions.writing.request_fields import SentFields
from sitecms.actions.writing.request_media import AskedMedia
from sitecms.actions.writing.save_entry import entry_at
from sitecms.content.change import EntryKind
from sitecms.content.references import SINGLE_PAGES
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.text.slug import RESERVED_SLUGS, first_free
from sitecms.content.writes import Operation, Save
from sitecms.errors import Forbidden, NotFound
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries import pages
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes.reservations import find_reserved, page_name

MAX_TITLE_LENGTH = 200
NO_TITLE = "You must specify a page title."
NO_SLUG = "You must specify a page slug."
NO_PAGE = "Page not found."
NEVER_NULL = ("title", "fields")
NOT_ALLOWED = "The token does not allow writes to pages of this type."
TAKEN = 'A page with the slug "{slug}" already exists.'
OCCUPIED = 'A page cannot have the slug "{slug}": {there} stands at that address.'
DECLARED = "A file in schema/single_pages declares the fields of the page of this slug; rename both files together."
IS_HOME = "The setting home in site.toml names this page by its slug; change the setting and the file of the page."
IMMUTABLE = "The field {name} was ignored: it cannot be changed once the page is there."


def create_page(
    context: WriteContext, caller: Caller, body: Body, locale: str = "", studio: StudioValues = NO_STUDIO_VALUES
) -> Accepted:
    """Create a page. Raises InvalidFields and Forbidden."""
    check = FieldCheck(context, context.locale(locale))

    def plan(session: Session, media: AskedMedia) -> WritePlan:
        reader, schema = BodyReader(body), load_content_schema(session)
        title = reader.title(MAX_TITLE_LENGTH, NO_TITLE)
        page_type, is_known = _page_type(reader, schema)
        if is_known:
            check_page_type(caller, page_type)
        slug = _slug(session, reader, page_type, context.settings)
        raw = body.get("fields")
        by_locale = check.split({} if raw is None else raw, reader)
        fields = SentFields(by_locale, status_of(reader) or Status.DRAFT)
        specs = schema.page_fields(page_type, slug) if is_known else ()
        merged = check.merged(session, media, fields, specs, schema)
        if is_known:
            reader.refuse_all(merged.errors)
        check.check_marks(reader)
        reader.raise_errors()
        save = Save(slug=slug, type=page_type, title=title, **sent_values(fields, [merged], studio))
        new_write = NewWrite(EntryKind.PAGE, Operation.CREATE, save, reserves=(page_name(page_type, slug),))
        return WritePlan(new_write, partial(_is_free, page_type, slug), removed=merged.warnings)

    return accept(context, caller, plan)


def update_page(
    context: WriteContext,
    caller: Caller,
    page_type: str,
    slug: str,
    body: Body,
    locale: str = "",
    studio: StudioValues = NO_STUDIO_VALUES,
) -> Accepted:
    """Change the page; requests leave title and slug as they are. PUT does the same. The type `*` stands for any.

    Raises NotFound, InvalidFields and Forbidden.
    """
    check = FieldCheck(context, context.locale(locale))

    def plan(session: Session, media: AskedMedia) -> WritePlan:
        schema = load_content_schema(session)
        page_id, found_type = get_known_page(session, schema, page_type, slug)
        check_page_type(caller, found_type)
        reader = BodyReader(body)
        reader.resolve_nulls({}, NEVER_NULL)
        raw = body.get("fields")
        by_locale = check.split({} if raw is None else raw, reader)
        fields = SentFields(by_locale, status_of(reader))
        specs = schema.page_fields(found_type, slug)
        merged = check.merged(session, media, fields, specs, schema, (EntryKind.PAGE, page_id))
        reader.refuse_all(merged.errors)
        check.check_marks(reader)
        title, new_slug = _new_names(session, reader, studio, (page_id, found_type, slug), schema, context.settings)
        reader.raise_errors()
        save = Save(
            slug=slug, new_slug=new_slug, type=found_type, locale=check.locale, title=title,
            **sent_values(fields, [merged], studio),
        )  # fmt: skip
        key, reserves = key_of(EntryKind.PAGE, page_id), (page_name(found_type, new_slug),) if new_slug else ()
        new_write = NewWrite(EntryKind.PAGE, Operation.UPDATE, save, page_id, key, reserves, locale=check.locale)
        holds = partial(_is_free, found_type, new_slug, own_id=page_id)
        return WritePlan(new_write, holds, _warnings(body, slug), merged.warnings)

    return accept(context, caller, plan)


def _new_names(
    session: Session,
    reader: BodyReader,
    studio: StudioValues,
    page: tuple[int, str | None, str],
    schema: ContentSchema,
    settings: SiteSettings,
) -> tuple[str | None, str]:
    """Return the new title and slug that a form gives the page (id, type, slug), and note what is wrong with them."""
    page_id, page_type, stored = page
    own = BodyReader({"title": studio.title, "slug": studio.slug})
    title = own.title(MAX_TITLE_LENGTH) if studio.title else None
    slug = own.slug() if studio.slug else None
    if slug == stored:
        slug = None
    if slug:
        holder = _find_known(session, page_type, slug)
        if holder not in (None, page_id):
            own.refuse("slug", TAKEN.format(slug=slug))
        elif there := entry_at(settings, page_type, slug):
            own.refuse("slug", OCCUPIED.format(slug=slug, there=there))
        elif page_type is None and not schema.single_pages.keys().isdisjoint({stored, slug}):
            own.refuse("slug", DECLARED)
        elif settings.build.home == (f"{page_type}/{stored}" if page_type else stored):
            own.refuse("slug", IS_HOME)
    reader.refuse_all(own.errors)
    return title, slug or ""


def get_known_page(session: Session, schema: ContentSchema, page_type: str, slug: str) -> tuple[int, str | None]:
    """Return id and type of a stored or accepted page; `*` means any type. Raises NotFound and Forbidden."""
    types = (None, *schema.page_types) if page_type == SINGLE_PAGES else (page_type,)
    ids = {each: _find_known(session, each, slug) for each in types if each is None or each in schema.page_types}
    found = [(page_id, each) for each, page_id in ids.items() if page_id is not None]
    if not found:
        raise NotFound(NO_PAGE)
    if len(found) > 1:
        names = ", ".join(each or "a Single Page" for _id, each in found)
        raise Forbidden(f"Several pages have this slug; name it with a page type. There are: {names}.")
    return found[0]


def check_page_type(caller: Caller, page_type: str | None) -> None:
    """Raise Forbidden if the token does not allow pages of this type."""
    if not caller.limits.allow_pages_of(page_type):
        raise Forbidden(NOT_ALLOWED)


def _find_known(session: Session, page_type: str | None, slug: str) -> int | None:
    there = pages.find_page_id(session, page_type, slug)
    if there is not None:
        return there
    reserved = find_reserved(session, EntryKind.PAGE, page_name(page_type, slug))
    return reserved.entry_id if reserved else None


def _page_type(reader: BodyReader, schema: ContentSchema) -> tuple[str | None, bool]:
    """Return the page type (None: a Single Page), and whether it is valid. Clients spell the key in two ways."""
    value = reader.body.get("page_type")
    value = reader.body.get("page-type") if value is None else value
    if value is None or value in ("", SINGLE_PAGES):
        return None, True
    if isinstance(value, str) and value in schema.page_types:
        return value, True
    known = ", ".join(sorted(schema.page_types)) or "none"
    reader.refuse("page_type", f'There is no page type "{str(value)[:100]}". Page types: {known}.')
    return None, False


def _slug(session: Session, reader: BodyReader, page_type: str | None, settings: SiteSettings) -> str:
    slug = reader.slug()
    if slug is None:
        if "slug" not in reader.errors:
            reader.refuse("slug", NO_SLUG)
        return ""
    if _find_known(session, page_type, slug) is not None:
        reader.refuse("slug", TAKEN.format(slug=slug))
    elif there := entry_at(settings, page_type, slug):
        reader.refuse("slug", OCCUPIED.format(slug=slug, there=there))
    return slug


def _is_free(page_type: str | None, slug: str, session: Session, *, own_id: int | None = None) -> bool:
    """Return whether no stored or accepted page of the type but `own_id` has the slug; "" is always free."""
    return not slug or _find_known(session, page_type, slug) in (None, own_id)


def free_slug(session: Session, page_type: str | None, base: str) -> str:
    """Return the slug, or the first of `-2`, `-3` and so on that no stored or accepted page of the type has."""
    return first_free(base, lambda slug: slug in RESERVED_SLUGS or _find_known(session, page_type, slug) is not None)


def _warnings(body: Body, slug: str) -> dict[str, str]:
    """Return warnings about sent keys that cannot be changed here."""
    ignored = [name for name in ("title", "slug") if body.get(name) not in (None, slug if name == "slug" else None)]
    warnings = {f"warning: {name} field": IMMUTABLE.format(name=name) for name in ignored}
    warnings.update(SCHEDULED_IGNORED if "scheduled" in body else {})
    return warnings
