"""Changes of a published post that are scheduled: as its working copy has them, and as they are published.

The values of the working copy are those of the form, so that users may go on with them.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from sitecms.content.change import PostChange, Times, change_of_post
from sitecms.content.entry import FIELDS
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import BODY, FORMAT, HTML, MARKDOWN
from sitecms.content.status import Status
from sitecms.content.term import Term
from sitecms.store.entries.post_history import PostState

_TERMS = ("categories", "tags")
_TEXTS = (
    "title", "slug", "summary", "seo_title", "meta_description", "featured_image", "featured_image_alt", "author",
)  # fmt: skip


def copied_values(state: PostState, change: PostChange) -> dict[str, FieldValue]:
    """Return the values in which a change differs from the stored post, as a working copy has them."""
    post = change_of_post(state.post)
    values: dict[str, Any] = {name: getattr(change, name) for name in _TEXTS}
    values |= {name: _names(getattr(change, name)) for name in _TERMS}
    before = {name: getattr(post, name) for name in _TEXTS} | {name: _names(getattr(post, name)) for name in _TERMS}
    copied = {name: value for name, value in values.items() if value != before[name]}
    if (change.body, change.markdown) != (post.body, state.markdown):
        is_html = change.markdown is None
        copied |= {BODY: change.body if is_html else change.markdown, FORMAT: HTML if is_html else MARKDOWN}
    fields = {name: value for name, value in change.fields.items() if value != post.fields.get(name)}
    return {**copied, FIELDS: fields} if fields else copied


def with_copy(state: PostState, values: Mapping[str, Any], html: str | None) -> PostChange:
    """Return the change that publishes the values of a working copy; `html` is the body, if that changes."""
    post = replace(change_of_post(state.post), markdown=state.markdown, times=Times(), status=Status.PUBLISHED)
    sent = {name: values[name] for name in _TEXTS if name in values}
    sent |= {name: tuple(values[name]) for name in _TERMS if name in values}
    if html is not None:
        sent |= {"body": html, "markdown": values[BODY] if values.get(FORMAT) == MARKDOWN else None}
    return replace(post, **sent, fields={**post.fields, **values.get(FIELDS, {})})


def _names(terms: tuple[str | Term, ...]) -> list[str]:
    return [each if isinstance(each, str) else each.name for each in terms]
