"""Text: plain, Markdown, HTML; and the choices and colours that are stored as text."""

import re
from typing import ClassVar

from sitecms.content.field_value import FieldValue
from sitecms.content.fields.field import Context, Field, check_length
from sitecms.content.schema.types import FieldSpec, FieldType
from sitecms.content.text.html import count_marks, too_many_marks
from sitecms.documents import nearest, unfit_character

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")


class TextField(Field):
    """short_text and long_text: kept letter by letter, but for media in the Markdown that long_text may hold."""

    empty: ClassVar[FieldValue] = ""

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        text = read_text(value, context)
        if spec.type is FieldType.LONG_TEXT:
            text = context.lookup.markdown(text, context.report)
        check_length(text, spec, context)
        return text


class HtmlField(Field):
    """wysiwyg and html: sanitised; the length is that of what is stored."""

    empty: ClassVar[FieldValue] = ""

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        raw = read_text(value, context)
        if message := too_many_marks(count_marks(raw)):
            context.report(message)
            return self.empty
        text = context.lookup.html(raw, context.warn)
        check_length(text, spec, context)
        return text


class DropdownField(Field):
    """One of the declared values."""

    empty: ClassVar[FieldValue] = ""

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        text = read_text(value, context)
        choices = [option.value for option in spec.options]
        if text and text not in choices:
            meant = nearest(text, choices)
            hint = f' Did you mean "{meant}"?' if meant else ""
            context.report(f'"{text[:40]}" is not a valid choice.{hint} Choices: {", ".join(choices)}.')
            return self.empty
        return text


class ColorField(Field):
    """`#rrggbb`, stored in small letters."""

    empty: ClassVar[FieldValue] = ""

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:  # noqa: ARG002
        text = read_text(value, context)
        if text and not _COLOR.fullmatch(text):
            context.report("Must be a colour written as # and six hexadecimal digits, such as #0b6e99.")
            return self.empty
        return text.lower()


def read_text(value: object, context: Context) -> str:
    """The text, "" if unset; reports what is no text, and unfit characters (documents.characters)."""
    if value is None:
        return ""
    if not isinstance(value, str):
        context.report("Must be text.")
        return ""
    if found := unfit_character(value):
        context.report(f"Must not hold the control character {found}.")
        return ""
    return value
