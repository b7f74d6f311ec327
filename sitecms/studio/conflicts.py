"""Conflicts of a form with what was stored since it was opened: merged by field, or chosen where both changed it.

`base` is what the form began with, `theirs` what is stored now, `mine` what the form holds. A form with a conflict
carries the names of the fields that both changed (`conflict`) and a choice for each (`choose.title`). Texts are merged
by block: `choose.body:0` is the choice for the first part that both changed, and `parts.body` holds the merged text.
The declared fields of a post have their control's name here, `fields.rating`, and each is merged by itself.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from sitecms.actions.editing.post_values import FORMAT, HTML, MARKDOWN, NAMES, PostValues, fields_in, is_markdown
from sitecms.actions.editing.posts import EditedPost
from sitecms.content.field_value import FieldValue
from sitecms.content.post import FIELDS
from sitecms.content.revision import Change
from sitecms.content.schema import ContentSchema
from sitecms.content.text.block_merge import MergedText, decided_text, merge_texts
from sitecms.studio.field_form import laid_over, typed_group
from sitecms.studio.post_form import Form
from sitecms.studio.text_diff import compare_texts
from sitecms.studio.value_texts import ComparedField, label_of, text_of, texts_of_fields

CONFLICT, CHOOSE, MINE, THEIRS, PARTS, BLOCK = "conflict", "choose.", "mine", "theirs", "parts.", ":"
NOT_CHOSEN = "Both of you changed it: choose yours or the stored one."
BODY = "body"
_PREFIX = f"{FIELDS}."
Values = Mapping[str, Any]


class MergedForm(Struct, frozen=True):
    """The values of both, the fields that only they changed, and those for which the person has to choose.

    `parts` are the texts that were merged by block, `before` what the form held of them.
    """

    values: dict[str, Any]
    taken: tuple[str, ...]
    conflicts: tuple[str, ...]
    parts: Mapping[str, MergedText] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)


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
    base: Values | None,
    theirs: Values,
    mine: Values,
    names: Sequence[str],
    texts: Mapping[str, bool] | None = None,
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


def conflict_page(
    merged: MergedForm,
    base: Values | None,
    theirs: Values,
    *,
    last: Change | None,
    user_name: str,
    text_of: Callable[[str, Any], str],
    label_of: Callable[[str], str],
) -> ConflictPage:
    """Return the conflict for people; `text_of` returns the text of a field's value."""

    def compared(name: str, values: Values) -> ComparedField:
        before = text_of(name, base.get(name)) if base is not None else text_of(name, values.get(name))
        return ComparedField(label_of(name), compare_texts(before, text_of(name, values.get(name))))

    def choice(name: str) -> Choice:
        text, _, number = name.partition(BLOCK)
        if text not in merged.parts:
            return Choice(name, compared(name, merged.values), compared(name, theirs))
        conflicts = merged.parts[text].conflicts
        part, label = conflicts[int(number)], label_of(text)
        if len(conflicts) > 1:
            label = f"{label}, part {int(number) + 1} of {len(conflicts)}"
        mine = ComparedField(label, compare_texts(part.base, part.mine))
        return Choice(name, mine, ComparedField(label, compare_texts(part.base, part.theirs or "")))

    def taken(name: str) -> ComparedField:
        if name not in merged.before:
            return compared(name, theirs)
        return ComparedField(label_of(name), compare_texts(merged.before[name], str(merged.values[name])))

    is_own = last is not None and last.name == user_name
    parts = {name: text.to_json() for name, text in merged.parts.items() if text.conflicts}
    return ConflictPage(last, is_own, [*map(taken, merged.taken)], [*map(choice, merged.conflicts)], parts)


def choose_post_values(
    form: Form, seen: PostValues, values: PostValues, edited: EditedPost, schema: ContentSchema
) -> tuple[dict[str, FieldValue], tuple[str, ...]]:
    """Return the values with the choices in the form, and the fields that still need one."""
    is_text = is_markdown({FORMAT: form[FORMAT]} if FORMAT in form else seen, default=edited.is_markdown)
    flat, open_names = choose(form, _flat(seen, schema), _flat(values, schema), {BODY: is_text})
    decided = _unflat(flat, values, edited, schema)
    if form.get(FORMAT) in (MARKDOWN, HTML):
        decided[FORMAT] = form[FORMAT]
    if form.get(f"{CHOOSE}{BODY}") == THEIRS:
        decided[FORMAT] = MARKDOWN if is_markdown(seen, default=edited.is_markdown) else HTML
    return decided, open_names


def merge_post_values(
    base: PostValues | None, edited: EditedPost, values: PostValues, schema: ContentSchema
) -> tuple[dict[str, FieldValue], MergedForm]:
    """Return the merged values, and how they were merged."""
    flat_base = None if base is None else _flat(base, schema)
    theirs, mine = _flat(edited.values, schema), _flat(values, schema)
    texts = {} if base is None else _texts(base, edited, values)
    merged = merge(flat_base, theirs, mine, [*dict.fromkeys((*mine, *theirs))], texts)
    merged_values = _unflat(merged.values, values, edited, schema)
    if BODY in merged.taken and BODY not in merged.parts:
        merged_values[FORMAT] = MARKDOWN if edited.is_markdown else HTML
    return merged_values, merged


def _texts(base: PostValues, edited: EditedPost, values: PostValues) -> dict[str, bool]:
    """Return the body as a text that is merged by block if all three versions have the same format."""
    is_stored = edited.state.markdown is not None
    typed = is_markdown(values, default=edited.is_markdown)
    formats = {is_markdown(base, default=is_stored), edited.is_markdown, typed}
    return {BODY: formats.pop()} if len(formats) == 1 else {}


def open_post_conflict(form: Form, values: PostValues, names: tuple[str, ...], schema: ContentSchema) -> MergedForm:
    """Return the conflict of a form in which these fields were not chosen."""
    return MergedForm(_flat(values, schema), (), names, parts_in(form, {BODY: True}))


def post_conflict_page(
    merged: MergedForm,
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
        field_texts = texts_of_fields({specs[name].slug: value}, [specs[name]], schema)
        return "\n".join(part if label == label_of(name) else f"{label}: {part}" for label, part in field_texts if part)

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
