"""Fields whose values are numbers, dates, or true and false."""

import re
from datetime import date, datetime, tzinfo
from typing import Any, ClassVar

from sitecms.clock import TIME_EXPECTED, parse_wall_clock
from sitecms.content.field_value import FieldValue
from sitecms.content.fields.cleaning import Context
from sitecms.content.fields.field_type import FieldType
from sitecms.content.fields.outputs import JsonOutput, SchemaOutput, TemplateOutput, YamlOutput
from sitecms.content.json_schema import JsonSchema
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.messages import N_, Text

MAX_NUMBER = 2**53 - 1
"""The greatest magnitude of a number, whole or not: beyond it not every whole number has a float of its own.

Whether `9007199254740993`, `9007199254740993.0`, the same as text, or `1e400`: in writes, files and filters alike, such
a number is refused, since clients in JavaScript would read another one.
"""

_WHOLE = re.compile(r"[-+]?[0-9]{1,20}")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_BOOLEANS = {"true": True, "True": True, "1": True, "false": False, "False": False, "0": False}


class NumberType(FieldType):
    """A number, or text that is one."""

    name: ClassVar[str] = "number"
    empty: ClassVar[FieldValue] = None
    input_hint: ClassVar[str] = "a number"
    template_hint: ClassVar[str] = "number, or None"
    stored_types: ClassVar[tuple[type, ...]] = (int, float)

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the number."""
        if value is None or value == "":
            return None
        number = _number(value)
        if number is None:
            context.report(N_("A valid number is required."))
        elif not _is_in_range(number):
            context.report(Text("Must be a number from -%(limit)s to %(limit)s.", limit=MAX_NUMBER))
        else:
            return number
        return None

    def wanted(self, spec: FieldSpec, text: str, zone: tzinfo) -> tuple[FieldValue, ...]:
        """Return the number that the text means."""
        number = _number(text)
        if number is not None and _is_in_range(number):
            return (number,)
        return () if text else (None,)

    def to_json(self, value: FieldValue, spec: FieldSpec, levels: int, output: JsonOutput) -> object:
        """Return the number or None."""
        return value

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return a number or null."""
        return {"type": ["number", "null"], "examples": [3]}

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return a number, text or null."""
        return {"type": ["number", "string", "null"], "examples": [3]}

    def write_example(self, spec: FieldSpec, schema: ContentSchema) -> Any:
        """Return a number."""
        return 3

    def placeholder(self, spec: FieldSpec, output: YamlOutput) -> FieldValue:
        """Return 0."""
        return 0


class DateType(FieldType):
    """A time as a clock on the wall shows it, `2026-03-01T08:00:00`: it has no zone, and nothing converts it.

    A value with a zone is brought to the time zone of the site when it is cleaned (API reference, Read shapes).
    """

    name: ClassVar[str] = "date"
    empty: ClassVar[FieldValue] = None
    input_hint: ClassVar[str] = "a day or time such as 2026-03-01 or 2026-03-01T08:00:00, shown as written"
    template_hint: ClassVar[str] = "datetime, or None"

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the time without a zone."""
        if value is None or value == "":
            return None
        if not isinstance(value, str | date):
            context.report(Text("Not a date: %(problem)s.", problem=TIME_EXPECTED))
            return None
        try:
            return parse_wall_clock(value, context.lookup.zone).isoformat()
        except ValueError as error:
            context.report(Text("Not a date: %(problem)s.", problem=str(error)))
            return None

    def fits(self, value: FieldValue, spec: FieldSpec) -> bool:
        """Return whether the value is a time without a zone."""
        return _stored_time(value) is not None

    def wanted(self, spec: FieldSpec, text: str, zone: tzinfo) -> tuple[FieldValue, ...]:
        """Return the time without a zone."""
        try:
            return (parse_wall_clock(text, zone).isoformat(),) if text else (None,)
        except ValueError:
            return ()

    def to_json(self, value: FieldValue, spec: FieldSpec, levels: int, output: JsonOutput) -> object:
        """Return the time or None, also for a text of a field that was of another type."""
        return value if self.fits(value, spec) else None

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return text or null."""
        return {"type": ["string", "null"], "examples": ["2026-03-01T08:00:00"]}

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return text or null."""
        return {"type": ["string", "null"], "examples": ["2026-03-01T08:00:00"]}

    def write_example(self, spec: FieldSpec, schema: ContentSchema) -> Any:
        """Return a time."""
        return "2026-03-01T08:00:00"

    def placeholder(self, spec: FieldSpec, output: YamlOutput) -> FieldValue:
        """Return the time at which the file is written, in the time zone of the site."""
        return output.at.replace(tzinfo=None).isoformat()

    def to_template(self, value: FieldValue, spec: FieldSpec, levels: int, output: TemplateOutput) -> object:
        """Return a datetime or None, also for a text of a field that was of another type."""
        return _stored_time(value)


class CheckboxType(FieldType):
    """true or false; unset is false."""

    name: ClassVar[str] = "checkbox"
    empty: ClassVar[FieldValue] = False
    input_hint: ClassVar[str] = "true or false"
    template_hint: ClassVar[str] = "true or false"
    stored_types: ClassVar[tuple[type, ...]] = (bool,)
    is_always_set: ClassVar[bool] = True

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the boolean."""
        if value is None or value == "":
            return False
        if not isinstance(value, bool):
            context.report(N_("Must be true or false."))
            return False
        return value

    def wanted(self, spec: FieldSpec, text: str, zone: tzinfo) -> tuple[FieldValue, ...]:
        """Return the boolean; an unset field counts as false."""
        boolean = _BOOLEANS.get(text)
        return (False, None) if boolean is False else (boolean,) if boolean else ()

    def to_json(self, value: FieldValue, spec: FieldSpec, levels: int, output: JsonOutput) -> object:
        """Return the boolean."""
        return bool(value)

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return a boolean."""
        return {"type": "boolean"}

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return a boolean."""
        return {"type": "boolean"}

    def write_example(self, spec: FieldSpec, schema: ContentSchema) -> Any:
        """Return true."""
        return True


def _stored_time(value: FieldValue) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo is None else None


def _is_in_range(number: float) -> bool:
    return abs(number) <= MAX_NUMBER  # neither holds for NaN


def _number(value: object) -> int | float | None:
    if isinstance(value, str):
        text = value.strip()
        if _WHOLE.fullmatch(text):
            return int(text)
        return float(text) if _DECIMAL.fullmatch(text) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
