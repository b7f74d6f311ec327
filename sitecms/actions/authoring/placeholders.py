"""Values for fields that must be filled in: of the right type and length, so that a new file loads without fault."""

import re
from datetime import datetime

from sitecms.actions.authoring.known_names import KnownEntries
from sitecms.clock import format_timestamp
from sitecms.content.field_value import FieldValue
from sitecms.content.fields import FIELDS
from sitecms.content.schema.types import FieldSpec, FieldType

REMOTE_PICTURE = "https://example.com/picture.jpg"
COLOUR = "#808080"
_TEXTS = (FieldType.SHORT_TEXT, FieldType.LONG_TEXT, FieldType.WYSIWYG, FieldType.HTML)


class Placeholders:
    """Values at one moment; `missing` are the fields that nothing could be found for."""

    def __init__(self, known: KnownEntries, at: datetime) -> None:
        self._known = known
        self._at = at
        self.missing: list[FieldSpec] = []

    def value(self, spec: FieldSpec) -> FieldValue:
        """The declared default, else a placeholder where the field is required, else the empty value of its type.

        Of fields that hold others only references are asked here.
        """
        if spec.default is not None:
            return spec.default
        return self._filled(spec) if spec.required else FIELDS[spec.type].empty_of(spec)

    def _filled(self, spec: FieldSpec) -> FieldValue:
        match spec.type:
            case FieldType.NUMBER:
                return 0
            case FieldType.DATE:
                return format_timestamp(self._at)
            case FieldType.DROPDOWN:
                return spec.options[0].value
            case FieldType.COLOR:
                return COLOUR
            case FieldType.MEDIA:
                return {"url": self._known.picture() or REMOTE_PICTURE, "alt": ""}
            case FieldType.REFERENCE:
                return self._reference(spec)
            case kind if kind in _TEXTS:
                return _text(spec)
            case _:
                return FIELDS[spec.type].empty_of(spec)

    def _reference(self, spec: FieldSpec) -> FieldValue:
        found = self._known.reference(spec.targets)
        if found is None:
            self.missing.append(spec)
            return FIELDS[spec.type].empty_of(spec)
        return [found] * max(1, spec.min_length or 0) if spec.many else found


def _text(spec: FieldSpec) -> str:
    """The field's name in plain letters, which neither Markdown nor HTML reads as anything else."""
    text = re.sub(r"[\W_]+", " ", spec.name).strip() or "Text"
    return text.ljust(spec.min_length or 0, ".")[: spec.max_length]
