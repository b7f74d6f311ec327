"""Fields whose values are HTML."""

from typing import ClassVar

from sitecms.content.field_value import FieldValue
from sitecms.content.fields.cleaning import CleanHtml, Context, check_length, read_text
from sitecms.content.fields.outputs import FileOutput, JsonOutput, SchemaOutput, TemplateOutput
from sitecms.content.fields.text import ShortTextType
from sitecms.content.json_schema import JsonSchema
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.text.alt_texts import pictures_without_alt
from sitecms.content.text.html import count_marks, plain_text, sanitize, too_many_marks


class WysiwygType(ShortTextType):
    """HTML, sanitised; the length is that of the sanitised text."""

    name: ClassVar[str] = "wysiwyg"
    input_hint: ClassVar[str] = "HTML"
    length_unit: ClassVar[str] = "long"
    is_html: ClassVar[bool] = True
    example: ClassVar[str] = "<p>HTML.</p>"

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the sanitised HTML; warn of removed markup."""
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
        return sanitize(spec.default) if isinstance(spec.default, str) else spec.default

    def search_text(self, value: str, spec: FieldSpec) -> str:
        """Return the text without markup."""
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
        self,
        value: FieldValue,
        spec: FieldSpec,
        schema: ContentSchema,
        output: FileOutput,
        *,
        is_draft: bool,
    ) -> FieldValue:
        """Return the HTML with paths in place of media addresses."""
        return output.html(value) if isinstance(value, str) else value

    def to_template(self, value: FieldValue, spec: FieldSpec, levels: int, output: TemplateOutput) -> object:
        """Return the HTML as markup."""
        return output.html(str(value or ""))


class HtmlType(WysiwygType):
    """HTML that people write as such; the same as `wysiwyg` in everything."""

    name: ClassVar[str] = "html"
