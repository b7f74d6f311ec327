"""Conflicts of loads in the form of an entry: what the file says now, what was here before, and who had written that.

A former value is taken back into the form, where it is saved like everything that is typed.
"""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup
from msgspec import Struct

from sitecms.actions.editing.values import Values
from sitecms.content.entry import FIELDS
from sitecms.content.fields import shown_type
from sitecms.content.kinds import AUTHOR, BODY, FORMAT, MARKDOWN
from sitecms.content.revision import Change
from sitecms.content.schema import FieldSpec
from sitecms.content.text.block_merge import merge_texts
from sitecms.store.entries.load_conflicts import LoadConflict
from sitecms.studio.entry_form import Typed
from sitecms.studio.entry_place import EntryPlace
from sitecms.studio.field_form import AREAS, is_editable, typed_value
from sitecms.studio.formatted_diff import Side
from sitecms.studio.text_comparison import TextComparison
from sitecms.studio.texts import _
from sitecms.studio.value_texts import FieldText, Texts, label_of, text_of, texts_of_field, texts_of_fields

TAKE_BACK, KEEP = "take-back:", "keep-file:"
"""The beginnings of buttons' values; the id of the conflict follows."""
_DRAFT = "draft"


class ShownConflict(Struct, frozen=True):
    """A conflict as people read it: the label of the field, the two values, and what can be done.

    `is_in_form`: the form has the former value. With neither, the value cannot be changed in a form.
    """

    id: int
    label: str
    value: Markup
    former: Markup
    written: Change | None
    path: str
    can_take_back: bool
    is_in_form: bool


def shown_conflict(
    place: EntryPlace, typed: Typed, conflict: LoadConflict, comparison: TextComparison
) -> ShownConflict:
    """Return a conflict beside the form with these typed values."""
    taken, label = with_former(place, typed, conflict), _label(place, conflict.field)
    authors = comparison.authors
    value, former = (_texts(place, conflict.field, each, authors) for each in (conflict.value, conflict.former))
    now, before = (comparison.compare(label, former, value, side).html for side in (Side.AFTER, Side.BEFORE))
    return ShownConflict(
        conflict.id, label, now, before, conflict.written, conflict.path,
        can_take_back=taken is not None and taken != typed, is_in_form=taken == typed,
    )  # fmt: skip


def with_former(place: EntryPlace, typed: Typed, conflict: LoadConflict) -> Typed | None:
    """Return the typed values with the former value of a conflict; None for one that the form does not show."""
    name, former = conflict.field.removeprefix(f"{_DRAFT}."), conflict.former
    if name in ("", _DRAFT):
        return _with_fields(place, typed, former)
    if (slug := name.removeprefix(f"{FIELDS}.")) != name:
        return _with_field(place, typed, slug, conflict)
    if name == BODY and place.properties.has_body:
        return _with_body(typed, conflict.value, former)
    return {**typed, name: former} if name in place.properties.names and name in typed else None


def _with_fields(place: EntryPlace, typed: Typed, former: Values) -> Typed:
    fields = {
        spec.slug: typed_value(former[spec.slug], spec, place.schema)
        for spec in place.specs
        if spec.slug in former and is_editable(spec, place.schema)
    }
    return {**typed, FIELDS: {**typed[FIELDS], **fields}}


def _with_field(place: EntryPlace, typed: Typed, slug: str, conflict: LoadConflict) -> Typed | None:
    spec = _declared(place, slug)
    if spec is None or not is_editable(spec, place.schema):
        return None
    value, former = (typed_value(each, spec, place.schema) for each in (conflict.value, conflict.former))
    if shown_type(spec) in AREAS:
        former = _changed_back(value, typed[FIELDS][slug], former, is_markdown=shown_type(spec) == "long_text")
    return {**typed, FIELDS: {**typed[FIELDS], slug: former}}


def _with_body(typed: Typed, value: Mapping[str, str], former: Mapping[str, str]) -> Typed:
    if typed[FORMAT] != former[FORMAT]:
        return {**typed, BODY: former["text"], FORMAT: former[FORMAT]}
    is_markdown = former[FORMAT] == MARKDOWN
    return {**typed, BODY: _changed_back(value["text"], typed[BODY], former["text"], is_markdown=is_markdown)}


def _changed_back(value: str, typed: str, former: str, *, is_markdown: bool) -> str:
    """Return a typed text in which the part that the file replaced is as it was; the rest of it stays."""
    merged = merge_texts(value, typed, former, is_markdown=is_markdown)
    return merged.text([True] * len(merged.conflicts))


def _declared(place: EntryPlace, slug: str) -> FieldSpec | None:
    return next((spec for spec in place.specs if spec.slug == slug), None)


def _label(place: EntryPlace, field: str) -> str:
    """Return the label of a field in a conflict."""
    name = field.removeprefix(f"{_DRAFT}.")
    if name in ("", _DRAFT):
        return _("The draft") if name else _("The whole text in this language")
    spec = _declared(place, name.removeprefix(f"{FIELDS}."))
    label = (spec.name or spec.slug) if spec and name.startswith(f"{FIELDS}.") else label_of(name)
    return _("%(field)s in the draft", field=label) if name != field else label


def _texts(place: EntryPlace, field: str, value: Any, authors: Mapping[str, str]) -> Texts:
    """Return one of the two values as people read it."""
    name = field.removeprefix(f"{_DRAFT}.")
    if name in ("", _DRAFT):
        typed = _with_fields(place, {FIELDS: {}}, value or {})[FIELDS]
        texts = texts_of_fields(typed, [spec for spec in place.specs if spec.slug in typed], place.schema)
        return {label: text for label, text in texts if text.text}
    if name == BODY and isinstance(value, dict):
        return {"": FieldText(str(value["text"]), str(value[FORMAT]))}
    spec = _declared(place, name.removeprefix(f"{FIELDS}."))
    if spec and name.startswith(f"{FIELDS}.") and is_editable(spec, place.schema):
        return texts_of_field(typed_value(value, spec, place.schema), spec, place.schema)
    return {"": FieldText(authors.get(value, value) if name == AUTHOR else text_of(value))}
