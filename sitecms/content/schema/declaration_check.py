"""What must hold within the declaration of one field, beyond what content_schema/field.schema.json can say."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from sitecms.content.fields import FIELDS, Context, RawReference
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, Target
from sitecms.content.schema.types import ContentSchema, FieldType, fields_from
from sitecms.content.text.removed_markup import ReportDropped
from sitecms.documents import Step, nearest

Place: TypeAlias = tuple[Step, ...]

_LISTS = {FieldType.REFERENCE, FieldType.COMPONENT_PICKER, FieldType.REPEATER}
_COUNTED = _LISTS | {FieldType.SHORT_TEXT, FieldType.LONG_TEXT, FieldType.WYSIWYG, FieldType.HTML}
_HOLDING_OTHERS = _LISTS | {FieldType.COMPONENT}
_KEY_OF_TYPE = {
    "options": FieldType.DROPDOWN,
    "targets": FieldType.REFERENCE,
    "component": FieldType.COMPONENT,
    "components": FieldType.COMPONENT_PICKER,
    "fields": FieldType.REPEATER,
}


class Found(NamedTuple):
    """One fault; `path` leads to it from the field's declaration."""

    path: Place
    problem: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Names:
    """What fields may name: slugs of page types and components, keys of collections."""

    page_types: Sequence[str]
    collections: Sequence[str]
    components: Sequence[str]


def field_faults(entry: Mapping[str, Any], names: Names) -> Iterator[Found]:
    """What is wrong in the declaration itself (of a repeater's own fields: nothing)."""
    kind = FieldType(entry["type"])
    yield from _key_faults(entry, kind)
    yield from _length_faults(entry, kind)
    yield from _option_faults([option["value"] for option in entry.get("options", ())])
    yield from _component_faults(entry, names)
    yield from _target_faults(entry, names)
    yield from _default_faults(entry, kind)


def choices(name: str, known: Sequence[str]) -> str:
    """The remedy for a name that is not known."""
    meant = nearest(name, known)
    return f'did you mean "{meant}"?' if meant else f"there are: {', '.join(known) or 'none'}"


def _key_faults(entry: Mapping[str, Any], kind: FieldType) -> Iterator[Found]:
    for key, owner in _KEY_OF_TYPE.items():
        if owner is kind and not entry.get(key):
            yield Found((key,), "is missing", f"a {kind} field needs it")
        elif owner is not kind and key in entry:
            yield Found((key,), f"is not for fields of type {kind}", f"only {owner} has it")
    if entry.get("many") and kind is not FieldType.REFERENCE:
        yield Found(("many",), f"is not for fields of type {kind}", "only reference has it")


def _length_faults(entry: Mapping[str, Any], kind: FieldType) -> Iterator[Found]:
    low, high = entry.get("min_length"), entry.get("max_length")
    for key, value in (("min_length", low), ("max_length", high)):
        if value is not None and kind not in _COUNTED:
            yield Found((key,), f"is not for fields of type {kind}", "only text and lists have a length")
    if low is not None and high is not None and low > high:
        yield Found(("min_length",), f"is {low}, more than max_length", f"expected {high} or less")


def _option_faults(values: Sequence[str]) -> Iterator[Found]:
    for number, value in enumerate(values):
        if value in values[:number]:
            yield Found(("options", number, "value"), f'is "{value}" once more', "each choice needs its own")


def _component_faults(entry: Mapping[str, Any], names: Names) -> Iterator[Found]:
    named: list[tuple[Place, str]] = [(("components", i), slug) for i, slug in enumerate(entry.get("components", ()))]
    if entry.get("component"):
        named.append((("component",), entry["component"]))
    for path, slug in named:
        if slug not in names.components:
            yield Found(path, f'is "{slug}", but there is no such component', choices(slug, names.components))


def _target_faults(entry: Mapping[str, Any], names: Names) -> Iterator[Found]:
    pages = [PAGE_TARGET_PREFIX + slug for slug in (*names.page_types, SINGLE_PAGES)]
    known = [*names.collections, *pages]
    for number, target in enumerate(entry.get("targets", ())):
        if target in known:
            continue
        remedy = f'did you mean "page:{target}"?' if target in names.page_types else choices(target, known)
        yield Found(("targets", number), f'is "{target}", but there is no such collection or page type', remedy)


def _default_faults(entry: Mapping[str, Any], kind: FieldType) -> Iterator[Found]:
    """A default that its own field would refuse. Fields that hold others have none: what could it name?"""
    if entry.get("default") is None:
        return
    if kind in _HOLDING_OTHERS:
        yield Found(("default",), f"is not for fields of type {kind}", "leave it out")
        return
    context = Context(ContentSchema(), _Anything())
    FIELDS[kind].clean(entry["default"], fields_from([entry])[0], context)
    for message in context.messages:
        yield Found(("default", *message.path), f"does not fit: {message.text}", "")


class _Anything:
    """The Lookup of a default: what it names is looked up where the default is used."""

    def find_reference(self, targets: tuple[str, ...], raw: RawReference) -> Target | None:  # noqa: ARG002
        return None

    def media(self, url: str) -> str | None:
        return url

    def html(self, text: str, report: ReportDropped) -> str:  # noqa: ARG002
        return text

    def markdown(self, text: str, report: Callable[[str], None]) -> str:  # noqa: ARG002
        return text
