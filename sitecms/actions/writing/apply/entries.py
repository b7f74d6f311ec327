"""Application of a write to a post, a page or items."""

from collections.abc import Iterable, Mapping, Set
from datetime import datetime, tzinfo
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.writing.accept.known_entries import PAGE_TAKEN
from sitecms.actions.writing.request_fields import Merged, ReadHtml, RequestLookup, SentFields, media_of, merge_fields
from sitecms.actions.writing.request_media import (
    AskedMedia,
    FetchedMedia,
    MediaSource,
    own_address,
    remote_images,
    stored_address,
    stored_media_of,
)
from sitecms.actions.writing.save_entry import derived_columns, save_page, save_post
from sitecms.content.change import EntryKind, ItemChange, Origin, PageChange, PostChange, Times, change_of_post
from sitecms.content.kinds import declared_fields
from sitecms.content.post import FIELDS
from sitecms.content.references import PageTarget
from sitecms.content.revision import ChangeCause
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.content.text.html import sanitize
from sitecms.content.validation import CleanResult, clean_fields
from sitecms.content.writes import Operation, Save, Write
from sitecms.errors import InvalidFields, NotFound
from sitecms.guarded_http.addresses import is_fetchable
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import items, pages, version_changes
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.entries.post_rows import find_fields
from sitecms.store.entries.posts import get_post_by_id
from sitecms.store.entries.references import rename_target
from sitecms.store.entries.working_copies import delete_copy
from sitecms.store.site_state.documents import content_schema_digest, load_content_schema

_ENTRY_GONE = "The {kind} was deleted before this write was applied."
_SHOWN_CHARACTERS = 200
ID_TAKEN = "A file of the site folder took the id {id} meanwhile; send the item again."


SavedVersion: TypeAlias = tuple[int, str, Status]
"""Entry id, locale and status of a version that a write saved."""
_POST_GONE = "The post was deleted before this write was applied."
_ORIGINAL_GONE = "The original post was deleted before this variant was made."


def media_of_fields(session: Session, write: Write, zone: tzinfo) -> tuple[str, ...]:
    """Return the URL of each remote file to fetch."""
    media = AskedMedia(session)
    _errors_of_fields(session, write, media, zone)
    return media.asked


def _errors_of_fields(session: Session, write: Write, media: AskedMedia, zone: tzinfo) -> dict[str, list[str]]:
    """Return the errors of a page or of items, by the place of their fields in the request."""
    schema, parts, lookup = load_content_schema(session), _parts(write), _lookup_without_html(session, media, zone)
    errors: dict[str, list[str]] = {}
    for part in parts:
        merged = _merged(session, write, part, schema, media, lookup)
        errors |= {part.place(place, len(parts)): list(texts) for place, texts in merged.errors.items()}
    return errors


def errors_of_media(session: Session, write: Write, problems: Mapping[str, str], zone: tzinfo) -> dict[str, list[str]]:
    """Return the problems of remote files by the fields that name them, as at acceptance; `problems` are by URL."""
    media = AskedMedia(session, problems)
    errors_of = _errors_of_post if write.kind is EntryKind.POST else _errors_of_fields
    unnamed = [f"{problem} {url[:_SHOWN_CHARACTERS]}" for url, problem in problems.items()]
    return errors_of(session, write, media, zone) or {"detail": unnamed}


def _lookup_without_html(session: Session, media: AskedMedia, zone: tzinfo) -> RequestLookup:
    """Return the look-ups of a request whose HTML does not matter."""
    return RequestLookup(session, media, lambda html, _report: html, zone)


def apply_page(
    transaction: Transaction,
    write: Write,
    settings: SiteSettings,
    media: FetchedMedia,
    at: datetime,
    cause: ChangeCause,
) -> tuple[SavedVersion, ...]:
    """Apply a write to a page; return the versions that it saved.

    Raises InvalidFields where the sent fields are no longer valid, NotFound where the page was deleted.
    """
    (part,) = _parts(write)
    schema, save = load_content_schema(transaction), write.save
    page_type, slug, title = save.type, save.slug, save.title or ""
    titles: Mapping[str, str] = {}
    if write.operation is Operation.CREATE:
        if pages.find_page_id(transaction, page_type, slug) is not None:
            raise InvalidFields({"slug": [PAGE_TAKEN.format(slug=slug)]})
        pages.insert_page(transaction, page_type, slug, title, Origin.API, at, write.entry_id)
    elif (named := pages.find_page_title(transaction, write.entry_id)) is None:
        raise NotFound(_ENTRY_GONE.format(kind="page"))
    else:
        page_type, slug, title, titles = named
    lookup = RequestLookup(transaction, media, _html_reader(transaction, write, media), settings.zone)
    merged = _merged(transaction, write, part, schema, media, lookup)
    if merged.errors:
        raise InvalidFields(merged.errors)
    new_slug = save.new_slug or slug
    locales = {each.locale for each in merged.versions}
    new_title, new_titles = _retitled(title, titles, save, locales, settings.default_locale)
    if new_slug != slug and pages.find_page_id(transaction, page_type, new_slug) is not None:
        raise InvalidFields({"slug": [PAGE_TAKEN.format(slug=new_slug)]})
    change = PageChange(write.entry_id, page_type, new_slug, new_title, merged.versions, titles=new_titles)
    save_page(transaction, change, schema, origin=Origin.API, at=at, cause=cause)
    saved = dict(merged.saved)
    if (new_slug, new_title, new_titles) != (slug, title, titles):
        rename_target(transaction, PageTarget(page_type, slug), PageTarget(page_type, new_slug))
        live = (each.locale for each in merged.versions if each.version is Version.LIVE)
        saved = {**dict.fromkeys(live, Status.PUBLISHED), **saved}  # what readers see of them has changed, too
    return tuple((write.entry_id, locale, status) for locale, status in saved.items())


def _retitled(
    title: str, titles: Mapping[str, str], save: Save, locales: Set[str], default_locale: str
) -> tuple[str, Mapping[str, str]]:
    """Return the title and those of locales after a write: a title given in a further locale is that locale's."""
    if not save.title:
        return title, titles
    locale = save.locale or default_locale
    if locale == default_locale or locales == {locale}:
        return save.title, {name: text for name, text in titles.items() if name != locale}
    return title, {**titles, locale: save.title}


def apply_item(
    transaction: Transaction,
    write: Write,
    settings: SiteSettings,
    media: FetchedMedia,
    at: datetime,
    cause: ChangeCause,
) -> tuple[SavedVersion, ...]:
    """Apply a write to an item, or create all items of the write. Returns and raises the same as `apply_page`."""
    collection, schema, parts = write.save.type or "", load_content_schema(transaction), _parts(write)
    saved: list[SavedVersion] = []
    errors: dict[str, list[str]] = {}
    lookup = RequestLookup(transaction, media, _html_reader(transaction, write, media), settings.zone)
    for part in parts:
        _place_item(transaction, write, part.entry_id, collection, at)
        merged = _merged(transaction, write, part, schema, media, lookup)
        errors |= {part.place(place, len(parts)): texts for place, texts in merged.errors.items()}
        if not errors:
            change = ItemChange(part.entry_id, collection, merged.versions)
            version_changes.save_entry(transaction, change, Origin.API, at, cause)
            saved += [(part.entry_id, locale, status) for locale, status in merged.saved]
    if errors:
        raise InvalidFields(errors)
    return tuple(saved)


def merged_entry(session: Session, write: Write, media: FetchedMedia, zone: tzinfo) -> Merged:
    """Return the versions of the page or item that the write makes, the first of several. Raises NotFound."""
    schema = load_content_schema(session)
    lookup = RequestLookup(session, media, lambda html, _report: media.place_in(html), zone)
    return _merged(session, write, _parts(write)[0], schema, media, lookup)


def is_schema_changed(session: Session, write: Write) -> bool:
    """Return whether the content schema has changed since the write was accepted."""
    return write.save.schema_digest != content_schema_digest(session)


def _html_reader(session: Session, write: Write, media: FetchedMedia) -> ReadHtml:
    """Return the function that resolves media in HTML, which was sanitised when the write was accepted.

    If the schema has changed since then, a field that was plain text may hold HTML now: it is sanitised here.
    """
    if is_schema_changed(session, write):
        return lambda html, report: media.place_in(sanitize(html, report))
    return lambda html, _report: media.place_in(html)


def _place_item(transaction: Transaction, write: Write, item_id: int, collection: str, at: datetime) -> None:
    """Create the item without versions, or check that it exists."""
    if write.operation is Operation.CREATE:
        if items.find_collection_of(transaction, item_id) is not None:
            raise InvalidFields({"id": [ID_TAKEN.format(id=item_id)]})
        items.insert_item(transaction, collection, Origin.API, at, item_id)
    elif not items.item_exists(transaction, item_id, (collection,)):
        raise NotFound(_ENTRY_GONE.format(kind="item"))


class _SentFields(Struct, frozen=True):
    """The fields that a write sends for one entry; `number` is its place among the elements of a creation."""

    entry_id: int
    sent: SentFields
    number: int = 0

    def place(self, place: str, count: int) -> str:
        """Return the place of an error in a request of `count` elements."""
        return place if count == 1 else f"fields[{self.number}].{place}"


def _merged(
    session: Session, write: Write, part: _SentFields, schema: ContentSchema, media: MediaSource, lookup: RequestLookup
) -> Merged:
    current = () if write.operation is Operation.CREATE else versions_of(session, write.kind, write.entry_id)
    media.stored = media_of(current)
    return merge_fields(current, part.sent, _specs(write, schema), schema, lookup)


def _specs(write: Write, schema: ContentSchema) -> tuple[FieldSpec, ...]:
    """Return the declared fields. Raises NotFound if the schema no longer has the page type or collection."""
    return declared_fields(schema, write.kind, write.save.type, write.save.slug)


def _parts(write: Write) -> tuple[_SentFields, ...]:
    """Return the fields of each entry that the write creates or changes."""
    save = write.save
    return tuple(
        _SentFields(
            entry.id,
            SentFields(entry.fields, save.status, save.replaces, save.scheduled_at, save.unpublishes),
            number,
        )
        for number, entry in enumerate(save.entries)
    )


def media_of_post(session: Session, write: Write, zone: tzinfo) -> tuple[str, ...]:
    """Return the URL of each remote file to fetch: the featured image, those of the body if asked for, of fields."""
    asked = AskedMedia(session)
    asked.stored = stored = stored_media_of(session, _base_id(write))
    _own_fields(session, write, _lookup_without_html(session, asked, zone))
    named = (write.save.built_in.featured_image or "", *_body_images(session, write), *asked.asked)
    return tuple(
        url
        for url in named
        if is_fetchable(url) and not (own_address(session, url) or stored_address(session, url, stored))
    )


def _body_images(session: Session, write: Write) -> Iterable[str]:
    """Return the addresses of the remote pictures of a body, if the write asks for them."""
    return remote_images(write.save.built_in.body or "", session) if write.save.uploads_images else ()


def _errors_of_post(session: Session, write: Write, media: AskedMedia, zone: tzinfo) -> dict[str, list[str]]:
    """Return the errors of remote files by field; those of the body, which can name several, with the address."""
    media.stored = stored_media_of(session, _base_id(write))
    own = _own_fields(session, write, _lookup_without_html(session, media, zone))
    errors = {f"{FIELDS}.{place}": list(texts) for place, texts in own.by_place().items()} if own else {}
    in_body = [url for url in _body_images(session, write) if url in media.problems]
    if in_body:
        errors["body"] = [f"{media.problems[url]} {url[:_SHOWN_CHARACTERS]}" for url in in_body]
    if problem := media.problems.get(write.save.built_in.featured_image or ""):
        errors["featured_image"] = [problem]
    return errors


def prepare_body(session: Session, write: Write, media: FetchedMedia) -> str | None:
    """Return the body as it is stored, None if none was sent; run before the transaction in which it is stored.

    Also derives the values that are stored beside the body, which `save_post` then has in its cache.
    """
    sent = write.save.built_in.body
    if sent is None:
        return None
    media.stored = stored_media_of(session, _base_id(write))
    body = media.place_in(sent)
    derived_columns(body)
    return body


def apply_post(
    transaction: Transaction,
    write: Write,
    body: str | None,
    settings: SiteSettings,
    media: FetchedMedia,
    at: datetime,
    cause: ChangeCause,
) -> tuple[SavedVersion, ...]:
    """Apply a write to a post; return the version that it saved. `body` comes from `prepare_body`.

    Raises InvalidFields where the author does not exist any more or the slug is taken, NotFound where the post is gone.
    """
    change = changed_post(transaction, write, body, media, at, settings.zone)
    new_id = write.entry_id if write.operation is Operation.CREATE else None
    save_post(
        transaction, change, owner=settings.owner, origin=Origin.API, at=at, new_id=new_id, cause=cause,
        ends_markdown=write.save.ends_markdown,
    )  # fmt: skip
    if write.save.ends_copy:
        delete_copy(transaction, write.entry_id)
    return ((write.entry_id, change.locale, change.status),)


def changed_post(
    session: Session, write: Write, body: str | None, media: FetchedMedia, at: datetime, zone: tzinfo
) -> PostChange:
    """Return the post as the write makes it; `body` comes from `prepare_body`. Raises NotFound and InvalidFields."""
    change = _placed(_start(session, write, at), write)
    media.stored = stored_media_of(session, _base_id(write))
    change = replace(change, **_sent(write.save, media))
    lookup = RequestLookup(session, media, _html_reader(session, write, media), zone)
    own = _own_fields(session, write, lookup)
    if own is not None:
        if own.messages:
            raise InvalidFields({f"{FIELDS}.{place}": texts for place, texts in own.by_place().items()})
        change = replace(change, fields=own.fields)
    if body is None:
        return change
    return replace(change, body=body, markdown=write.save.markdown)


def _own_fields(session: Session, write: Write, lookup: RequestLookup) -> CleanResult | None:
    """Return the fields that schema/post.yaml declares as they are to be stored; None if the write leaves them."""
    schema, base_id = load_content_schema(session), _base_id(write)
    sent = next((entry.fields.get(write.save.locale) for entry in write.entries), None)
    if not schema.post_fields or (sent is None and base_id is not None):
        return None
    current = None if base_id is None else find_fields(session, base_id)
    is_partial = base_id is not None
    return clean_fields(sent or {}, schema.post_fields, schema, lookup, partial=is_partial, current=current)


def _base_id(write: Write) -> int | None:
    """Return the id of the post that the sent fields are laid over: the post itself, or the original of a variant."""
    if write.save.copy_of is not None:
        return write.save.copy_of
    return None if write.operation is Operation.CREATE else write.entry_id


def _start(session: Session, write: Write, at: datetime) -> PostChange:
    """Return the base of the sent fields: an empty post, the original of a new variant, or the post as it is."""
    copy_of, base_id = write.save.copy_of, _base_id(write)
    if base_id is None:
        return PostChange(locale="", slug="", title="", status=Status.DRAFT)
    try:
        post = get_post_by_id(session, base_id)
    except NotFound:
        raise NotFound(_ORIGINAL_GONE if copy_of else _POST_GONE) from None
    change = change_of_post(post)
    if not copy_of:
        return replace(change, times=Times(scheduled_at=post.scheduled_at))
    status = Status.DRAFT if post.status is Status.SCHEDULED else post.status
    times = Times(created_at=at)
    return replace(change, id=None, translation_of=post.slug, status=status, aliases=(), path="", guid="", times=times)


def _placed(change: PostChange, write: Write) -> PostChange:
    """Give a new post the locale, slug and author that were chosen at acceptance."""
    if write.operation is not Operation.CREATE:
        return change
    save = write.save
    return replace(change, locale=save.locale, slug=save.slug, author=save.author or "")


def _sent(save: Save, media: FetchedMedia) -> dict[str, Any]:
    """Return the sent values except the body, as attributes of a PostChange."""
    built_in = save.built_in
    image = None if built_in.featured_image is None else built_in.featured_image.strip()
    values = {
        "title": save.title,
        "slug": save.new_slug or None,
        "author": save.author,
        "status": save.status,
        "times": Times(scheduled_at=save.scheduled_at) if save.scheduled_at else None,
        "summary": built_in.summary,
        "seo_title": built_in.seo_title,
        "meta_description": built_in.meta_description,
        "featured_image": (media.address(image) or image) if image else image,
        "featured_image_alt": built_in.featured_image_alt,
        "categories": built_in.categories,
        "tags": built_in.tags,
    }
    return {name: value for name, value in values.items() if value is not None}
