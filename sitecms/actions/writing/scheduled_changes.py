"""Changes of a published post that are scheduled: as its working copy has them, and as they are published.

The values of the working copy are those of the form, so that users may go on with them.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from sitecms.content.change import EntryChange, Times, change_of_post
from sitecms.content.entry import FIELDS
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import BODY, FORMAT, HTML, MARKDOWN
from sitecms.content.status import Status
from sitecms.content.term import Term
from sitecms.store.entries.revisions import StoredState

_TERMS = ("categories", "tags")
_NAMES = ("title", "slug")
_TEXTS = ("summary", "seo_title", "meta_description", "featured_image", "featured_image_alt", "author")


def copied_values(state: StoredState, change: EntryChange) -> dict[str, FieldValue]:
    """Return the values in which a change differs from the stored post, as a working copy has them."""
    (post,), version = state.versions, change.only
    values, before = (_values(each) for each in (change, change_of_post(post)))
    copied = {name: value for name, value in values.items() if value != before[name]}
    if (version.body, version.markdown) != (post.body, state.markdown):
        is_html = version.markdown is None
        copied |= {BODY: version.body if is_html else version.markdown, FORMAT: HTML if is_html else MARKDOWN}
    fields = {name: value for name, value in version.fields.items() if value != post.fields.get(name)}
    return {**copied, FIELDS: fields} if fields else copied


def with_copy(state: StoredState, values: Mapping[str, Any], html: str | None) -> EntryChange:
    """Return the change that publishes the values of a working copy; `html` is the body, if that changes."""
    post = change_of_post(*state.versions)
    sent = {name: values[name] for name in _TEXTS if name in values}
    sent |= {name: tuple(values[name]) for name in _TERMS if name in values}
    sent["markdown"] = state.markdown
    if html is not None:
        sent |= {"body": html, "markdown": values[BODY] if values.get(FORMAT) == MARKDOWN else None}
    fields = {**post.only.fields, **values.get(FIELDS, {})}
    named = replace(post, **{name: values[name] for name in _NAMES if name in values})
    return named.with_values(**sent, fields=fields, times=Times(), status=Status.PUBLISHED)


def _values(change: EntryChange) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(change, name) for name in _NAMES}
    values |= {name: getattr(change.only, name) for name in _TEXTS}
    return values | {name: _names(getattr(change.only, name)) for name in _TERMS}


def _names(terms: tuple[str | Term, ...]) -> list[str]:
    return [each if isinstance(each, str) else each.name for each in terms]
