"""Fields as lines of YAML, each below a comment that says what it takes."""

from collections.abc import Iterator, Sequence

import orjson

from sitecms.actions.authoring.placeholders import Placeholders
from sitecms.content.field_value import FieldValue
from sitecms.content.schema.types import ContentSchema, FieldSpec, FieldType
from sitecms.documents import dump_yaml

INDENT = "  "
_TAKES = {
    FieldType.SHORT_TEXT: "text",
    FieldType.LONG_TEXT: "text of any number of lines",
    FieldType.WYSIWYG: "HTML",
    FieldType.HTML: "HTML",
    FieldType.NUMBER: "a number",
    FieldType.DATE: "a time such as 2026-03-01T08:00:00Z",
    FieldType.CHECKBOX: "true or false",
    FieldType.COLOR: "a colour such as #0b6e99",
    FieldType.MEDIA: "{url: media/..., alt: what the picture shows}",
}


class FieldLines:
    """Writes groups of fields; components within them are written out."""

    def __init__(self, schema: ContentSchema, placeholders: Placeholders) -> None:
        self._schema = schema
        self._placeholders = placeholders

    def group(self, specs: Sequence[FieldSpec], indent: str) -> Iterator[str]:
        """Every field of the group at that indentation."""
        for spec in specs:
            yield from (f"{indent}# {line}" for line in _comments(spec))
            yield from self._field(spec, indent)

    def _field(self, spec: FieldSpec, indent: str) -> Iterator[str]:
        match spec.type:
            case FieldType.COMPONENT:
                yield f"{indent}{spec.slug}:"
                yield from self.group(self._schema.component(spec.component).fields, indent + INDENT)
            case FieldType.REPEATER | FieldType.COMPONENT_PICKER:
                yield from self._list(spec, indent)
            case _:
                yield from pair(spec.slug, self._placeholders.value(spec), indent)

    def _list(self, spec: FieldSpec, indent: str) -> Iterator[str]:
        """The entries that are needed, or none below an example of each kind as a comment."""
        count = max(1, spec.min_length or 0) if spec.required else 0
        if count:
            yield f"{indent}{spec.slug}:"
            for _ in range(count):
                yield from self._entries(spec, indent + INDENT)[0]
            return
        for example in self._examples(spec):
            yield from (f"{indent}# {line}" for line in example if not _is_comment(line))
        yield f"{indent}{spec.slug}: []"

    def _entries(self, spec: FieldSpec, indent: str) -> list[list[str]]:
        """One entry of each kind that the list takes."""
        if spec.type is FieldType.REPEATER:
            return [_entry(list(self.group(spec.fields, "")), indent)]
        return [self._picked(slug, indent) for slug in spec.components]

    def _picked(self, slug: str, indent: str) -> list[str]:
        fields = list(self.group(self._schema.component(slug).fields, INDENT))
        return _entry([f"type: {slug}", "fields:", *fields], indent)

    def _examples(self, spec: FieldSpec) -> list[list[str]]:
        missing = len(self._placeholders.missing)
        examples = self._entries(spec, INDENT)
        del self._placeholders.missing[missing:]  # what stands in a comment need not be there
        return examples


def pair(name: str, value: FieldValue, indent: str = "") -> Iterator[str]:
    """One key with its value as content files write it; null is shown as nothing."""
    if value is None:
        yield f"{indent}{name}:"
    elif isinstance(value, dict | list) and value:
        yield f"{indent}{name}: {_inline(value)}"
    else:
        yield from (indent + line for line in dump_yaml({name: value}).splitlines())


def comment(text: str, indent: str = "") -> str:
    """The text as a comment on one line."""
    return f"{indent}# {' '.join(text.split())}"


def _entry(lines: list[str], indent: str) -> list[str]:
    """The lines as one entry of a list: the dash goes before the first that is no comment."""
    first = next((number for number, line in enumerate(lines) if not _is_comment(line)), 0)
    dashed = [f"- {line}" if number == first else INDENT + line for number, line in enumerate(lines)]
    return [indent + line for line in dashed]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _inline(value: FieldValue) -> str:
    """A list or table on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_inline(held)}" for key, held in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return _quoted(value) if isinstance(value, str) else dump_yaml([value])[2:].strip()


def _quoted(text: str) -> str:
    """Within brackets more signs have a meaning than outside, so that only plain names stay without quotes."""
    plain = text and all(sign.isalnum() or sign in "/._-" for sign in text) and not text[0].isdigit()
    return text if plain and dump_yaml([text]).strip() == f"- {text}" else orjson.dumps(text).decode()


def _comments(spec: FieldSpec) -> Iterator[str]:
    """What the field is called, what it takes, and the hint of whoever declared it."""
    yield f"{' '.join(spec.name.split())}: {'; '.join(_facts(spec))}"
    if spec.help.strip():
        yield " ".join(spec.help.split())
    if spec.type is FieldType.DROPDOWN:
        yield from (
            f"{INDENT}{' '.join(option.value.split())}  {' '.join(option.label.split())}" for option in spec.options
        )


def _facts(spec: FieldSpec) -> Iterator[str]:
    yield _takes(spec)
    unit = "characters" if spec.type in (FieldType.SHORT_TEXT, FieldType.LONG_TEXT) else "long"
    unit = "entries" if spec.many or spec.type in (FieldType.REPEATER, FieldType.COMPONENT_PICKER) else unit
    if spec.min_length:
        yield f"at least {spec.min_length} {unit}"
    if spec.max_length is not None:
        yield f"at most {spec.max_length} {unit}"
    if spec.required:
        yield "REQUIRED"
    if not spec.translatable:
        yield "the same in all locales"


def _takes(spec: FieldSpec) -> str:
    match spec.type:
        case FieldType.DROPDOWN:
            return "one of those below"
        case FieldType.REFERENCE:
            return f"{'a list of ids or slugs' if spec.many else 'the id or slug'} from {', '.join(spec.targets)}"
        case FieldType.COMPONENT:
            return f"the component {spec.component}"
        case FieldType.COMPONENT_PICKER:
            return f"a list of components, of {', '.join(spec.components)}"
        case FieldType.REPEATER:
            return "a list"
        case kind:
            return _TAKES[kind]
