"""Values of fields as templates see them: HTML, pictures, components, and the entries that references lead to."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from markupsafe import Markup

from sitecms.actions.references import specs_of
from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.fields import type_of
from sitecms.content.item import Entry
from sitecms.content.references import Target, parse_target
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.site.template_values import ComponentView, EntryView, FieldInfo, ImageView
from sitecms.values import dataclass


class EntryViews(Protocol):
    """The views of HTML, pictures and entries that values consist of."""

    def html(self, stored: str, number: int = 1) -> Markup:
        """Return stored HTML as pages show it; `number` is that of the text on its page."""

    def image(self, address: str, alt: str = "") -> ImageView | None:
        """Return the image at a stored media address; None for ""."""

    def entry_with_fields(self, entry: Entry, fields: Mapping[str, object]) -> EntryView:
        """Return an entry that another one refers to, with these fields."""


@dataclass(frozen=True, slots=True)
class FieldValues:
    """Field values as templates see them. `targets`: the entries that references can show.

    `numbers` are those of the HTML texts with ids of one page, so that the ids of the page are unique; its Markdown
    texts are numbered on from there when they are rendered.
    """

    views: EntryViews
    schema: ContentSchema
    targets: Mapping[Target, Entry]
    numbers: Iterator[int] | None

    def html_texts(self) -> int:
        """Return how many texts were numbered, after all of them."""
        return next(self.numbers) - 1 if self.numbers else 0

    def fields(self, stored: Fields, specs: Iterable[FieldSpec], levels: int) -> dict[str, object]:
        """Return the values of a group of fields."""
        return {spec.slug: type_of(spec).to_template(stored.get(spec.slug), spec, levels, self) for spec in specs}

    def html(self, html: str) -> Markup:
        """Return stored HTML, with variants of images and the site's base path."""
        return self.views.html(html, next(self.numbers) if self.numbers and ' id="' in html else 1)

    def image(self, address: str, alt: str) -> ImageView | None:
        """Return the image at a stored media address; None for ""."""
        return self.views.image(address, alt)

    def component(self, slug: str, fields: FieldValue, levels: int) -> ComponentView | None:
        """Return a component with its fields; None where it is not declared or unset."""
        component = self.schema.components.get(slug)
        if component is None or not isinstance(fields, dict):
            return None
        values = self.fields(fields, component.fields, levels)
        return ComponentView(slug, component.name, values, declared(component.fields))

    def entry(self, uri: FieldValue, levels: int) -> EntryView | None:
        """Return the entry that a stored reference names; None where it is not shown."""
        target = parse_target(uri) if isinstance(uri, str) else None
        entry = self.targets.get(target) if target else None
        return self.entry_view(entry, levels) if entry else None

    def entry_view(self, entry: Entry, levels: int) -> EntryView:
        """Return an entry with its fields, which the last level leaves out."""
        specs = specs_of(entry, self.schema) if levels > 1 else ()
        return self.views.entry_with_fields(entry, self.fields(entry.fields, specs, levels - 1))


def declared(specs: Iterable[FieldSpec]) -> tuple[FieldInfo, ...]:
    """Return the declarations of fields, for templates that show any entry."""
    return tuple(
        FieldInfo(
            spec.slug,
            spec.name,
            type_of(spec).template_type or spec.type,
            {option.value: option.label for option in spec.options},
            declared(spec.fields),
        )
        for spec in specs
    )
