"""Fields as lines of YAML, each below a comment that describes its type."""

from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import datetime

import orjson

from sitecms.actions.authoring.known_names import KnownEntries
from sitecms.content.field_value import FieldValue
from sitecms.content.fields import type_of
from sitecms.content.fields.component import INDENT
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.documents import dump_yaml
from sitecms.values import dataclass


@dataclass(frozen=True, slots=True)
class FieldLines:
    """Writes groups of fields (`YamlOutput` of field types); components within them are written out.

    Fields that must be filled in get placeholders of the right type and length, so that a new file loads without
    error; `missing` are the fields for which none exists.
    """

    schema: ContentSchema
    known: KnownEntries
    at: datetime
    missing: list[FieldSpec] = field(default_factory=list)

    def group(self, specs: Sequence[FieldSpec], indent: str) -> Iterator[str]:
        """Yield the lines of a group of fields, each below its comment."""
        for spec in specs:
            yield from (f"{indent}# {line}" for line in _comments(spec))
            yield from type_of(spec).yaml_lines(spec, indent, self)

    def pair(self, name: str, value: FieldValue, indent: str) -> Iterator[str]:
        """Yield the lines of one key with its value."""
        return pair(name, value, indent)

    def value(self, spec: FieldSpec) -> FieldValue:
        """Return the declared default, a placeholder for a required field, or the empty value."""
        if spec.default is not None:
            return spec.default
        field_type = type_of(spec)
        return field_type.placeholder(spec, self) if spec.required else field_type.empty_of(spec)

    def example(self, spec: FieldSpec) -> list[list[str]]:
        """Return the list's entries as an example: placeholders in a comment need not exist."""
        count = len(self.missing)
        entries = type_of(spec).yaml_entries(spec, INDENT, self)
        del self.missing[count:]
        return entries

    def picture(self) -> str:
        """Return the first picture in media/; "" if there is none."""
        return self.known.picture()

    def reference(self, spec: FieldSpec) -> FieldValue:
        """Return the first entry among the field's targets; None if there is none, which is noted."""
        entry = self.known.reference(spec.targets)
        if entry is None:
            self.missing.append(spec)
        return entry


def pair(name: str, value: FieldValue, indent: str = "") -> Iterator[str]:
    """Yield one key with its value as content files write it; null is left empty."""
    if value is None:
        yield f"{indent}{name}:"
    elif isinstance(value, dict | list) and value:
        yield f"{indent}{name}: {_inline(value)}"
    else:
        yield from (indent + line for line in dump_yaml({name: value}).splitlines())


def comment(text: str) -> str:
    """Return the text as a comment on one line."""
    return f"# {' '.join(text.split())}"


def _inline(value: FieldValue) -> str:
    """Return a list or table on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_inline(held)}" for key, held in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return _quoted(value) if isinstance(value, str) else dump_yaml([value])[2:].strip()


def _quoted(text: str) -> str:
    """Return the text as it stands within brackets, where only plain names need no quotes."""
    plain = text and all(sign.isalnum() or sign in "/._-" for sign in text) and not text[0].isdigit()
    return text if plain and dump_yaml([text]).strip() == f"- {text}" else orjson.dumps(text).decode()


def _comments(spec: FieldSpec) -> Iterator[str]:
    """Yield the field's name, what it takes, and its declared hint."""
    yield f"{' '.join(spec.name.split())}: {'; '.join(_facts(spec))}"
    if spec.help.strip():
        yield " ".join(spec.help.split())
    yield from (f"{INDENT}{choice}" for choice in type_of(spec).choices(spec))


def _facts(spec: FieldSpec) -> Iterator[str]:
    field_type = type_of(spec)
    yield field_type.takes(spec)
    unit = "entries" if spec.many else field_type.length_unit
    if spec.min_length:
        yield f"at least {spec.min_length} {unit}"
    if spec.max_length is not None:
        yield f"at most {spec.max_length} {unit}"
    if spec.required:
        yield "REQUIRED"
    if not spec.translatable:
        yield "the same in all locales"
