"""A post as a write makes it: the sent built-in fields laid over the post, or over the original of a variant."""

from typing import Any

from msgspec.structs import replace

from sitecms.actions.writing.apply.application import Application
from sitecms.actions.writing.request_media import FetchedMedia, MediaSource, stored_media_of
from sitecms.actions.writing.save_entry import derived_columns
from sitecms.content.change import PostChange, Times, change_of_post
from sitecms.content.post import FIELDS
from sitecms.content.status import Status
from sitecms.content.writes import Save
from sitecms.errors import InvalidFields, NotFound
from sitecms.store.entries.posts import get_post_by_id

_POST_GONE = "The post was deleted before this write was applied."
_ORIGINAL_GONE = "The original post was deleted before this variant was made."


def prepare_body(application: Application, media: FetchedMedia) -> str | None:
    """Return the body as it is stored, None if none was sent; run before the transaction in which it is stored.

    Also derives the values that are stored beside the body, which `save_post` then has in its cache.
    """
    sent = application.save.built_in.body
    if sent is None:
        return None
    media.stored = stored_media_of(application.session, application.base_id)
    body = media.place_in(sent)
    derived_columns(body)
    return body


def changed_post(application: Application, body: str | None) -> PostChange:
    """Return the post as the write makes it; `body` comes from `prepare_body`. Raises NotFound and InvalidFields."""
    save, media = application.save, application.media
    change = _base(application)
    if application.is_creation:
        change = replace(change, locale=save.locale, slug=save.slug)
    media.stored = stored_media_of(application.session, application.base_id)
    change = replace(change, **_sent_values(save, media))
    declared = application.post_fields()
    if declared is not None:
        if declared.messages:
            raise InvalidFields({f"{FIELDS}.{place}": texts for place, texts in declared.by_place().items()})
        change = replace(change, fields=declared.fields)
    return change if body is None else replace(change, body=body, markdown=save.markdown)


def _base(application: Application) -> PostChange:
    """Return the base of the sent fields: an empty post, the original of a new variant, or the post as it is."""
    copy_of, base_id = application.save.copy_of, application.base_id
    if base_id is None:
        return PostChange(locale="", slug="", title="", status=Status.DRAFT)
    try:
        post = get_post_by_id(application.session, base_id)
    except NotFound:
        raise NotFound(_ORIGINAL_GONE if copy_of else _POST_GONE) from None
    change = change_of_post(post)
    if not copy_of:
        return replace(change, times=Times(scheduled_at=post.scheduled_at))
    status = Status.DRAFT if post.status is Status.SCHEDULED else post.status
    times = Times(created_at=application.at)
    return replace(change, id=None, translation_of=post.slug, status=status, aliases=(), path="", guid="", times=times)


def _sent_values(save: Save, media: MediaSource) -> dict[str, Any]:
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
