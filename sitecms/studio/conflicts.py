"""Conflicts of a form with what was stored since it was opened: merged by field, or chosen where both changed it.

`base` is what the form began with, `theirs` what is stored now, `mine` what the form holds. A form with a conflict
carries the names of the fields that both changed (`conflict`) and a choice for each (`choose.title`). Texts are merged
by block: `choose.body:0` is the choice for the first part that both changed, and `parts.body` holds the merged text.
Values have the names of their controls here: a declared field is `fields.rating`, and each is merged by itself.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.content.fields import shown_type
from sitecms.content.kinds import AUTHOR, BODY, FORMAT, MARKDOWN
from sitecms.content.revision import Change
from sitecms.content.schema import FieldSpec
from sitecms.content.text.block_merge import MergedText, decided_text, merge_texts
from sitecms.messages import N_
from sitecms.studio.entry_form import Typed, flat_values, nested_values, shown_values
from sitecms.studio.entry_place import EntryPlace
from sitecms.studio.field_controls import control_name
from sitecms.studio.field_form import AREAS
from sitecms.studio.sent_form import Form
from sitecms.studio.text_comparison import ComparedField, TextComparison
from sitecms.studio.texts import _
from sitecms.studio.value_texts import FORMATS, FieldText, Texts, label_of, text_of, texts_of_field

CONFLICT, CHOOSE, MINE, THEIRS, PARTS, BLOCK = "conflict", "choose.", "mine", "theirs", "parts.", ":"
NOT_CHOSEN = N_("Both of you changed it: choose yours or the stored one.")
Values = Mapping[str, Any]


class MergedForm(Struct, frozen=True):
    """The values of both, the fields that only they changed, and those for which the person has to choose.

    `parts` are the texts that were merged by block, `before` what the form held of them, `format` is that of its body.
    """

    values: dict[str, Any]
    taken: tuple[str, ...]
    conflicts: tuple[str, ...]
    parts: Mapping[str, MergedText] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)
    format: str = ""


class Choice(Struct, frozen=True):
    """A field that both changed, compared with the base on each side."""

    name: str
    mine: ComparedField
    theirs: ComparedField


class ConflictPage(Struct, frozen=True):
    """A conflict as the form shows it. `last` is the last recorded change, None if there is none."""

    last: Change | None
    is_own: bool
    taken: Sequence[ComparedField]
    choices: Sequence[Choice]
    parts: Mapping[str, str] = field(default_factory=dict)


def merge(
    base: Values | None, theirs: Values, mine: Values, names: Sequence[str], texts: Mapping[str, bool] | None = None
) -> MergedForm:
    """Merge by field; without a base, each field that differs has to be chosen.

    `texts` are the fields that are merged by block, and whether each is Markdown or else HTML.
    """
    values, taken, conflicts = dict(mine), [], []
    parts, before, texts = {}, {}, texts or {}
    for name in names:
        my, their = mine.get(name), theirs.get(name)
        if my == their:
            continue
        if base is not None and my == base.get(name):
            values[name] = their
            taken.append(name)
        elif base is not None and (text := _merged_text(base.get(name), my, their, texts.get(name))):
            parts[name], before[name], values[name] = text, str(my), text.text()
            conflicts += [f"{name}{BLOCK}{number}" for number in range(len(text.conflicts))]
            taken += [name] if values[name] != my else []
        elif base is None or their != base.get(name):
            conflicts.append(name)
    return MergedForm(values, tuple(taken), tuple(conflicts), parts, before)


def _merged_text(base: object, mine: object, theirs: object, is_markdown: bool | None) -> MergedText | None:
    """Return texts that both sides changed, merged by block; None for other values."""
    if is_markdown is None or base == theirs:
        return None
    if not (isinstance(base, str) and isinstance(mine, str) and isinstance(theirs, str)):
        return None
    return merge_texts(base, mine, theirs, is_markdown=is_markdown)


def choose(
    form: Form, seen: Values, mine: Values, texts: Mapping[str, bool] | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the values with the choices in the form, and the fields that still need one.

    `seen` are the stored values that the person has chosen between, `texts` those fields that are merged by block.
    """
    values, open_names = dict(mine), []
    parts = parts_in(form, texts or {})
    for name, merged in parts.items():
        names = [f"{name}{BLOCK}{number}" for number in range(len(merged.conflicts))]
        answers = [form.get(CHOOSE + each) for each in names]
        if all(each in (MINE, THEIRS) for each in answers):
            choices = {number: each == THEIRS for number, each in enumerate(answers)}
            values[name] = decided_text(merged, str(mine[name]), choices, is_markdown=(texts or {})[name])
        else:
            open_names += names
    for name in form.getlist(CONFLICT):
        if name.partition(BLOCK)[0] in parts:
            continue
        side = form.get(CHOOSE + name)
        if side == THEIRS and name in seen:
            values[name] = seen[name]
        elif side != MINE and name in seen:
            open_names.append(name)
    return values, tuple(open_names)


def parts_in(form: Form, texts: Mapping[str, bool]) -> dict[str, MergedText]:
    """Return the texts merged by block that the form carries because parts of them have to be chosen."""
    sent_texts = {name: form[PARTS + name] for name in texts if form.get(PARTS + name)}
    return {name: merged for name, text in sent_texts.items() if (merged := MergedText.from_json(text)).conflicts}


def texts_to_merge(place: EntryPlace, *versions: Typed | None) -> dict[str, bool]:
    """Return the texts that are merged by block, and whether each is Markdown or else HTML.

    The body is one of them if all its versions have the same format.
    """
    types = {control_name(spec.slug): shown_type(spec) for spec in place.specs}
    texts = {name: shown == "long_text" for name, shown in types.items() if shown in AREAS}
    formats = {typed[FORMAT] for typed in versions if typed is not None} if place.properties.has_body else set()
    return {**texts, BODY: formats.pop() == MARKDOWN} if len(formats) == 1 else texts


def choose_typed(form: Form, place: EntryPlace, seen: Typed, typed: Typed) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the typed values with the choices in the form, and the controls that still need one."""
    flat, not_chosen = choose(form, flat_values(seen), flat_values(typed), texts_to_merge(place, typed))
    decided = nested_values(flat, typed)
    if form.get(f"{CHOOSE}{BODY}") == THEIRS and FORMAT in seen:
        decided[FORMAT] = seen[FORMAT]
    return decided, not_chosen


def merge_typed(place: EntryPlace, base: Typed | None, typed: Typed) -> tuple[dict[str, Any], MergedForm]:
    """Return the typed values of a form merged with what is stored, and how they were merged."""
    theirs, mine = shown_values(place), flat_values(typed)
    texts = {} if base is None else texts_to_merge(place, base, theirs, typed)
    flat = flat_values(theirs)
    merged = merge(None if base is None else flat_values(base), flat, mine, [*dict.fromkeys((*mine, *flat))], texts)
    values = nested_values(merged.values, typed)
    if BODY in merged.taken and BODY not in merged.parts:
        values[FORMAT] = theirs[FORMAT]
    return values, replace(merged, format=typed.get(FORMAT, ""))


def open_conflict(form: Form, place: EntryPlace, typed: Typed, names: tuple[str, ...]) -> MergedForm:
    """Return the conflict of a form in which these controls were not chosen."""
    parts = parts_in(form, texts_to_merge(place, typed))
    return MergedForm(flat_values(typed), (), names, parts, format=typed.get(FORMAT, ""))


def conflict_page(
    merged: MergedForm,
    base: Typed | None,
    place: EntryPlace,
    last: Change | None,
    comparison: TextComparison,
    user: str,
) -> ConflictPage:
    """Return the conflict for people; `user` is who fills the form in."""
    sides = _Sides(place, comparison, merged, base, shown_values(place))
    parts = {name: text.to_json() for name, text in merged.parts.items() if text.conflicts}
    taken, choices = [*map(sides.taken, merged.taken)], [*map(sides.choice, merged.conflicts)]
    return ConflictPage(last, last is not None and last.name == user, taken, choices, parts)


class _Sides(Struct, frozen=True):
    """Both sides of a conflict and what they began with, as people read them."""

    place: EntryPlace
    comparison: TextComparison
    merged: MergedForm
    base: Typed | None
    theirs: Typed

    def taken(self, name: str) -> ComparedField:
        """Return a value that was taken from what is stored, compared with that of the form."""
        if name not in self.merged.before:
            return self._compared(name, flat_values(self.theirs), self.theirs.get(FORMAT, ""))
        text = partial(self._part, name)
        return self._label_and(name, text(self.merged.before[name]), text(str(self.merged.values[name])))

    def choice(self, name: str) -> Choice:
        """Return a value, or the part of a text, that both changed."""
        text, _separator, number = name.partition(BLOCK)
        if text not in self.merged.parts:
            mine = self._compared(name, self.merged.values, self.merged.format)
            return Choice(name, mine, self._compared(name, flat_values(self.theirs), self.theirs.get(FORMAT, "")))
        conflicts = self.merged.parts[text].conflicts
        part, label = conflicts[int(number)], self._label(text)
        if len(conflicts) > 1:
            label = _(
                "%(field)s, part %(number)s of %(count)s", field=label, number=int(number) + 1, count=len(conflicts)
            )
        base, mine_text, theirs_text = (self._part(text, each or "") for each in (part.base, part.mine, part.theirs))
        compare = self.comparison.compare
        return Choice(name, compare(label, base, mine_text), compare(label, base, theirs_text))

    def _compared(self, name: str, values: Values, text_format: str) -> ComparedField:
        after = self._texts(name, values.get(name), text_format)
        if self.base is None:
            return self._label_and(name, after, after)
        before = flat_values(self.base).get(name)
        return self._label_and(name, self._texts(name, before, self.base.get(FORMAT, "")), after)

    def _label_and(self, name: str, before: Texts, after: Texts) -> ComparedField:
        return self.comparison.compare(self._label(name), before, after)

    def _part(self, name: str, text: str) -> Texts:
        """Return a part of a text that was merged by block: all its versions have one format."""
        spec = self._declared(name)
        return {"": FieldText(text, FORMATS[shown_type(spec)] if spec else self.merged.format)}

    def _declared(self, name: str) -> FieldSpec | None:
        return next((spec for spec in self.place.specs if control_name(spec.slug) == name), None)

    def _texts(self, name: str, value: Any, text_format: str) -> Texts:
        if spec := self._declared(name):
            return texts_of_field(value, spec, self.place.schema)
        if name == AUTHOR:
            return {"": FieldText(self.comparison.authors.get(str(value), str(value)))}
        return {"": FieldText(text_of(value), text_format if name == BODY else "")}

    def _label(self, name: str) -> str:
        spec = self._declared(name)
        return spec.name or spec.slug if spec else label_of(name)
