"""Fields whose values are text or HTML: short and long text, a choice of several, a colour, and formatted text.

The sanitiser is imported when HTML is cleaned: most commands read values that are clean.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import Any, ClassVar

from sitecms.content.field_value import FieldValue
from sitecms.content.fields.cleaning import CleanHtml, Context, check_length, read_text
from sitecms.content.fields.field_type import DeclarationError, FieldType, Names
from sitecms.content.fields.outputs import FileOutput, JsonOutput, SchemaOutput, TemplateOutput, YamlOutput
from sitecms.content.json_schema import JsonSchema
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.text.alt_texts import markdown_lacks_alt, pictures_without_alt
from sitecms.documents import nearest
from sitecms.messages import N_, Text

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_GREY = "#808080"
NO_CHOICE = N_('"%(value)s" is not a valid choice. Choices: %(choices)s.')
NEAR_CHOICE = N_('"%(value)s" is not a valid choice. Did you mean "%(meant)s"? Choices: %(choices)s.')


class ShortTextType(FieldType):
    """Text, kept letter by letter."""

    name: ClassVar[str] = "short_text"
    empty: ClassVar[FieldValue] = ""
    input_hint: ClassVar[str] = "text"
    template_hint: ClassVar[str] = "text"
    length_unit: ClassVar[str] = "characters"
    example: ClassVar[str] = "A few words"

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the text; check its length."""
        text = read_text(value, context)
        check_length(text, spec, context)
        return text

    def search_text(self, value: str, spec: FieldSpec) -> str:
        """Return the text."""
        return value

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return text; lengths bind what is written, and an older entry may not keep to them."""
        return {"type": "string", "examples": [self.example]}

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return text of the declared length."""
        return {"type": "string", **({} if spec.max_length is None else {"maxLength": spec.max_length})}

    def write_example(self, spec: FieldSpec, schema: ContentSchema) -> Any:
        """Return a text within the declared lengths."""
        text = self.example
        if spec.max_length is not None and len(text) > spec.max_length:
            text = "Word"[: spec.max_length]
        return text + "." * ((spec.min_length or 0) - len(text))

    def placeholder(self, spec: FieldSpec, output: YamlOutput) -> FieldValue:
        """Return the field's name in plain letters, which neither Markdown nor HTML reads as anything else."""
        text = re.sub(r"[\W_]+", " ", spec.name).strip() or "Text"
        return text.ljust(spec.min_length or 0, ".")[: spec.max_length]


class LongTextType(ShortTextType):
    """Text that may hold Markdown, whose media addresses are resolved."""

    name: ClassVar[str] = "long_text"
    input_hint: ClassVar[str] = "text of any number of lines"
    template_hint: ClassVar[str] = "text, shown with the filter markdown"
    example: ClassVar[str] = "Text, or *Markdown*."

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the Markdown with its media resolved; check its length."""
        text = context.lookup.markdown(read_text(value, context), context.report)
        check_length(text, spec, context)
        return text

    def lacks_alt_text(self, value: FieldValue) -> bool:
        """Return whether an image has an empty description."""
        return markdown_lacks_alt(str(value or ""))

    def to_file(
        self, value: FieldValue, spec: FieldSpec, schema: ContentSchema, output: FileOutput, *, is_draft: bool
    ) -> FieldValue:
        """Return the Markdown with paths in place of media addresses."""
        return output.markdown(value) if isinstance(value, str) else value


class DropdownType(FieldType):
    """One of the declared values."""

    name: ClassVar[str] = "dropdown"
    empty: ClassVar[FieldValue] = ""
    input_hint: ClassVar[str] = "one of those below"
    template_hint: ClassVar[str] = "text: the value; its label is in FieldInfo.labels"
    own_key: ClassVar[str] = "options"

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the value if it is declared."""
        text = read_text(value, context)
        choices = [option.value for option in spec.options]
        if text and text not in choices:
            meant, values = nearest(text, choices), {"value": text[:40], "choices": ", ".join(choices)}
            if meant:
                context.report(Text(NEAR_CHOICE, meant=meant, **values))
            else:
                context.report(Text(NO_CHOICE, **values))
            return self.empty
        return text

    def declaration_errors(self, entry: Mapping[str, Any], names: Names) -> Iterator[DeclarationError]:
        """Yield each value that is declared twice."""
        values = [option["value"] for option in entry.get("options", ())]
        for number, value in enumerate(values):
            if value in values[:number]:
                path = ("options", number, "value")
                yield DeclarationError(path, f'is "{value}", as that of another choice', "give each choice its own")

    def search_text(self, value: str, spec: FieldSpec) -> str:
        """Return the label of the value."""
        return next((option.label for option in spec.options if option.value == value), value)

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return text; the choices are examples, since an older entry may have another."""
        return {"type": "string", "examples": [option.value for option in spec.options]}

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return the declared values and ""."""
        return {"type": "string", "enum": [*dict.fromkeys(("", *(option.value for option in spec.options)))]}

    def write_example(self, spec: FieldSpec, schema: ContentSchema) -> Any:
        """Return the first value."""
        return spec.options[0].value if spec.options else None

    def choices(self, spec: FieldSpec) -> Iterator[str]:
        """Yield each value with its label."""
        for option in spec.options:
            yield f"{' '.join(option.value.split())}  {' '.join(option.label.split())}"

    def placeholder(self, spec: FieldSpec, output: YamlOutput) -> FieldValue:
        """Return the first value."""
        return spec.options[0].value


class ColorType(FieldType):
    """`#rrggbb`, stored in small letters."""

    name: ClassVar[str] = "color"
    empty: ClassVar[FieldValue] = ""
    input_hint: ClassVar[str] = "a colour such as #0b6e99"
    template_hint: ClassVar[str] = "text"

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the colour in small letters."""
        text = read_text(value, context)
        if text and not _COLOR.fullmatch(text):
            context.report(N_("Must be a colour written as # and six hexadecimal digits, such as #0b6e99."))
            return self.empty
        return text.lower()

    def wanted(self, spec: FieldSpec, text: str, zone: tzinfo) -> tuple[FieldValue, ...]:
        """Return the colour in small letters."""
        return super().wanted(spec, text.lower(), zone)

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return text."""
        return {"type": "string", "examples": ["#2d6a4f"]}

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return text of that pattern, or ""."""
        return {"type": "string", "pattern": "^(#[0-9a-fA-F]{6})?$", "examples": ["#2d6a4f"]}

    def write_example(self, spec: FieldSpec, schema: ContentSchema) -> Any:
        """Return a colour."""
        return "#2d6a4f"

    def placeholder(self, spec: FieldSpec, output: YamlOutput) -> FieldValue:
        """Return grey."""
        return _GREY


class WysiwygType(ShortTextType):
    """HTML, sanitised; the length is that of the sanitised text."""

    name: ClassVar[str] = "wysiwyg"
    input_hint: ClassVar[str] = "HTML"
    template_hint: ClassVar[str] = "safe HTML"
    length_unit: ClassVar[str] = "long"
    is_html: ClassVar[bool] = True
    example: ClassVar[str] = "<p>HTML.</p>"

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the sanitised HTML; warn of removed markup."""
        from sitecms.content.text.html import count_marks, too_many_marks

        raw = read_text(value, context)
        if message := too_many_marks(count_marks(raw)):
            context.report(message)
            return self.empty
        text = context.lookup.html(raw, context.warn)
        if text != raw:
            context.html.append(CleanHtml(context.path, text))
        check_length(text, spec, context)
        return text

    def default_of(self, spec: FieldSpec) -> FieldValue:
        """Return the declared default, sanitised."""
        from sitecms.content.text.html import sanitize

        return sanitize(spec.default) if isinstance(spec.default, str) else spec.default

    def search_text(self, value: str, spec: FieldSpec) -> str:
        """Return the text without markup."""
        from sitecms.content.text.html import plain_text

        return plain_text(value)

    def lacks_alt_text(self, value: FieldValue) -> bool:
        """Return whether an image has no alt text."""
        return bool(pictures_without_alt(str(value or "")))

    def to_json(self, value: FieldValue, spec: FieldSpec, levels: int, output: JsonOutput) -> object:
        """Return the HTML with absolute media addresses."""
        return output.html(str(value or ""))

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return text of any length: only sanitised HTML is measured."""
        return {"type": "string"}

    def to_file(
        self, value: FieldValue, spec: FieldSpec, schema: ContentSchema, output: FileOutput, *, is_draft: bool
    ) -> FieldValue:
        """Return the HTML with paths in place of media addresses."""
        return output.html(value) if isinstance(value, str) else value

    def to_template(self, value: FieldValue, spec: FieldSpec, levels: int, output: TemplateOutput) -> object:
        """Return the HTML as markup."""
        return output.html(str(value or ""))


class HtmlType(WysiwygType):
    """HTML that people write as such; the same as `wysiwyg` in everything."""

    name: ClassVar[str] = "html"
