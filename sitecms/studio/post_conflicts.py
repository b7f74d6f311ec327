"""Conflicts of the form of a post: choices in the form, and merging with what is stored, each declared field by itself.

Declared fields have their control's name here: `fields.rating`.
"""

from collections.abc import Mapping
from typing import Any

from sitecms.actions.editing.post_values import FORMAT, HTML, MARKDOWN, NAMES, PostValues, fields_in, is_markdown
from sitecms.actions.editing.posts import EditedPost
from sitecms.content.field_value import FieldValue
from sitecms.content.post import FIELDS
from sitecms.content.revision import Change
from sitecms.content.schema import ContentSchema
from sitecms.studio.conflicts import CHOOSE, THEIRS, ConflictPage, Merged, choose, conflict_page, merge, parts_in
from sitecms.studio.field_form import laid_over, typed_group
from sitecms.studio.post_form import Form
from sitecms.studio.value_texts import label_of, text_of, texts_of_fields

_PREFIX = f"{FIELDS}."
BODY = "body"


def choose_values(
    form: Form, seen: PostValues, values: PostValues, edited: EditedPost, schema: ContentSchema
) -> tuple[dict[str, FieldValue], tuple[str, ...]]:
    """Return the values with the choices in the form, and the fields that still need one."""
    is_text = is_markdown({FORMAT: form[FORMAT]} if FORMAT in form else seen, default=edited.is_markdown)
    flat, open_names = choose(form, _flat(seen, schema), _flat(values, schema), {BODY: is_text})
    chosen = _unflat(flat, values, edited, schema)
    if form.get(FORMAT) in (MARKDOWN, HTML):
        chosen[FORMAT] = form[FORMAT]
    if form.get(f"{CHOOSE}{BODY}") == THEIRS:
        chosen[FORMAT] = MARKDOWN if is_markdown(seen, default=edited.is_markdown) else HTML
    return chosen, open_names


def merge_values(
    base: PostValues | None, edited: EditedPost, values: PostValues, schema: ContentSchema
) -> tuple[dict[str, FieldValue], Merged]:
    """Return the merged values, and how they were merged."""
    flat_base = None if base is None else _flat(base, schema)
    theirs, mine = _flat(edited.values, schema), _flat(values, schema)
    texts = {} if base is None else _texts(base, edited, values)
    merged = merge(flat_base, theirs, mine, [*dict.fromkeys((*mine, *theirs))], texts)
    found = _unflat(merged.values, values, edited, schema)
    if BODY in merged.taken and BODY not in merged.parts:
        found[FORMAT] = MARKDOWN if edited.is_markdown else HTML
    return found, merged


def _texts(base: PostValues, edited: EditedPost, values: PostValues) -> dict[str, bool]:
    """Return the body as a text that is merged by block if all three versions have the same format."""
    is_stored = edited.state.markdown is not None
    typed = is_markdown(values, default=edited.is_markdown)
    formats = {is_markdown(base, default=is_stored), edited.is_markdown, typed}
    return {BODY: formats.pop()} if len(formats) == 1 else {}


def open_conflict(form: Form, values: PostValues, names: tuple[str, ...], schema: ContentSchema) -> Merged:
    """Return the conflict of a form in which these fields were not chosen."""
    return Merged(_flat(values, schema), (), names, parts_in(form, {BODY: True}))


def post_conflict_page(
    merged: Merged,
    base: PostValues | None,
    edited: EditedPost,
    schema: ContentSchema,
    *,
    last: Change | None,
    user_name: str,
    authors: Mapping[str, str],
) -> ConflictPage:
    """Return the conflict for people; `authors` are the names of authors by slug."""
    specs = {f"{_PREFIX}{spec.slug}": spec for spec in schema.post_fields}

    def text(name: str, value: Any) -> str:
        if name not in specs:
            return authors.get(str(value), str(value)) if name == "author" else text_of(value)
        found = texts_of_fields({specs[name].slug: value}, [specs[name]], schema)
        return "\n".join(part if label == label_of(name) else f"{label}: {part}" for label, part in found if part)

    def label(name: str) -> str:
        return specs[name].name or specs[name].slug if name in specs else label_of(name)

    flat_base = None if base is None else _flat(base, schema)
    return conflict_page(
        merged, flat_base, _flat(edited.values, schema), last=last, user_name=user_name, text_of=text, label_of=label
    )


def _flat(values: PostValues, schema: ContentSchema) -> dict[str, Any]:
    typed = typed_group(fields_in(values), schema.post_fields, schema)
    plain = {name: values[name] for name in NAMES if name in values and name != FIELDS}
    return {**plain, **{f"{_PREFIX}{slug}": value for slug, value in typed.items()}}


def _unflat(
    flat: Mapping[str, Any], values: PostValues, edited: EditedPost, schema: ContentSchema
) -> dict[str, FieldValue]:
    """Return values in the form of a post; of its fields, what is equal to the stored post stays as stored."""
    typed = {name.removeprefix(_PREFIX): value for name, value in flat.items() if name.startswith(_PREFIX)}
    fields = laid_over(fields_in(edited.live), typed, schema.post_fields, schema)
    plain = {name: value for name, value in flat.items() if not name.startswith(_PREFIX)}
    return {**values, **plain, FIELDS: fields}
