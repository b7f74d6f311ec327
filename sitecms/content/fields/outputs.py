"""Interfaces of the layers above, which a field type uses to write a value in their form."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from sitecms.content.field_value import Fields, FieldValue, JsonObject
from sitecms.content.json_schema import JsonSchema
from sitecms.content.response_size import SizeLimit
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.term import TermKind


class JsonOutput(Protocol):
    """An API answer that values are written to. `size` counts its bytes, at least."""

    @property
    def schema(self) -> ContentSchema:
        """The content schema."""

    @property
    def size(self) -> SizeLimit:
        """The counter of the answer's size."""

    @property
    def alt_media_text(self) -> bool:
        """True if media are shown with their alt text."""

    def text(self, text: str) -> str:
        """Count the text, and return it."""

    def html(self, html: str) -> str:
        """Return the HTML with absolute media addresses, counted."""

    def media(self, address: str) -> str:
        """Return a media address as clients reach it, counted."""

    def reference(self, uri: str, levels: int) -> object:
        """Return what stands for a stored reference; None if it is left out."""

    def term(self, kind: TermKind, name: str) -> object:
        """Return the term of that name."""

    def fields(self, stored: Fields, specs: Sequence[FieldSpec], levels: int) -> JsonObject:
        """Return a group of fields as JSON."""


class SchemaOutput(Protocol):
    """Component schemas of the OpenAPI document, of reads or of writes, and of files."""

    @property
    def has_short_forms(self) -> bool:
        """True if values may also be written as people write them in files."""

    def component(self, slug: str) -> JsonSchema | None:
        """Return the schema of a component's fields; None where the content schema has no such component."""

    def fields(self, specs: Sequence[FieldSpec]) -> JsonSchema:
        """Return the schema of an object of these fields."""

    def targets(self, targets: Sequence[str]) -> Sequence[JsonSchema]:
        """Return the schemas of the entries that a reference to these targets can lead to."""


class YamlOutput(Protocol):
    """A new content file that a person fills in."""

    @property
    def schema(self) -> ContentSchema:
        """The content schema."""

    @property
    def at(self) -> datetime:
        """The time at which the file is written, in the time zone of the site."""

    def pair(self, name: str, value: FieldValue, indent: str) -> Iterator[str]:
        """Yield the lines of one key with its value."""

    def value(self, spec: FieldSpec) -> FieldValue:
        """Return the declared default, a placeholder for a required field, or the empty value."""

    def group(self, specs: Sequence[FieldSpec], indent: str) -> Iterator[str]:
        """Yield the lines of a group of fields, each below its comment."""

    def example(self, spec: FieldSpec) -> list[list[str]]:
        """Return the list's entries (`FieldType.yaml_entries`) as an example, whose placeholders need not exist."""

    def picture(self) -> str:
        """Return a media address to begin with."""

    def reference(self, spec: FieldSpec) -> FieldValue:
        """Return an entry that the field can refer to; None if there is none, which is noted."""


class FileOutput(Protocol):
    """Media addresses of an export: paths in the exported folder in place of library addresses."""

    def address(self, stored: str) -> str:
        """Return the path of a stored media address."""

    def html(self, text: str) -> str:
        """Return the HTML with paths in place of addresses."""

    def markdown(self, text: str) -> str:
        """Return the Markdown with paths in place of addresses."""


class TemplateOutput(Protocol):
    """The values that templates of the site receive."""

    def html(self, html: str) -> object:
        """Return stored HTML, with responsive pictures and the site's base path."""

    def image(self, address: str, alt: str) -> object:
        """Return the image at a stored media address; None for ""."""

    def entry(self, uri: FieldValue, levels: int) -> object:
        """Return the entry that a stored reference names; None where it is not shown."""

    def term(self, kind: TermKind, name: str) -> object:
        """Return a link to the archive of the term of that name."""

    def component(self, slug: str, fields: FieldValue, levels: int) -> object:
        """Return a component with its fields; None where it is not declared or unset."""

    def fields(self, stored: Fields, specs: Sequence[FieldSpec], levels: int) -> dict[str, object]:
        """Return the values of a group of fields."""
