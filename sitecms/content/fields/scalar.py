"""Numbers, dates, yes or no."""

import re
from datetime import date
from typing import ClassVar

from sitecms.clock import TIME_EXPECTED, parse_timestamp
from sitecms.content.field_value import FieldValue
from sitecms.content.fields.field import Context, Field
from sitecms.content.schema.types import FieldSpec

MAX_NUMBER = 2**53 - 1
"""The greatest magnitude of a number, whole or not: beyond it not every whole number has a float of its own.

Whether `9007199254740993`, `9007199254740993.0`, the same as text, or `1e400`: in writes, files and filters alike, such
a number is refused, since clients in JavaScript would read another one.
"""

_WHOLE = re.compile(r"[-+]?[0-9]{1,20}")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


class NumberField(Field):
    """A number, or text that is one."""

    empty: ClassVar[FieldValue] = None

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:  # noqa: ARG002
        if value is None or value == "":
            return None
        number = _number(value)
        if number is None:
            context.report("A valid number is required.")
        elif not _is_kept(number):
            context.report(f"Must be a number from -{MAX_NUMBER} to {MAX_NUMBER}.")
        else:
            return number
        return None


class CheckboxField(Field):
    """true or false; unset is false."""

    empty: ClassVar[FieldValue] = False

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:  # noqa: ARG002
        if value is None or value == "":
            return False
        if not isinstance(value, bool):
            context.report("Must be true or false.")
            return False
        return value


class DateField(Field):
    """A time in ISO 8601; stored in UTC without zone, `2026-03-01T08:00:00` (decisions, Read shapes)."""

    empty: ClassVar[FieldValue] = None

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:  # noqa: ARG002
        if value is None or value == "":
            return None
        try:
            if isinstance(value, str | date):
                return parse_timestamp(value).replace(tzinfo=None).isoformat()
        except (ValueError, OverflowError):
            pass
        context.report(f"Not a date: {TIME_EXPECTED}.")
        return None


def read_number(text: str) -> int | float | None:
    """The number that the text means for a number field, None if it means none."""
    number = _number(text)
    return number if number is not None and _is_kept(number) else None


def _is_kept(number: float) -> bool:
    return abs(number) <= MAX_NUMBER  # neither holds for NaN


def _number(value: object) -> int | float | None:
    if isinstance(value, str):
        text = value.strip()
        if _WHOLE.fullmatch(text):
            return int(text)
        return float(text) if _DECIMAL.fullmatch(text) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
