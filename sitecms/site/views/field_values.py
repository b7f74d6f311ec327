"""Values of fields as templates see them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.references import specs_of
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.fields import shown_type, type_of
from sitecms.content.fields.group import shown_value
from sitecms.content.references import Target, parse_target
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.term import TermKind
from sitecms.site.template_values import ComponentView, EntryView, FieldInfo, ImageView, Link


class EntryViews(Protocol):
    """The views of HTML, pictures and entries that values consist of."""

    def html(self, stored: str, number: int = 1, page_url: str = "") -> Markup:
        """Return stored HTML as pages show it; `number` is that of the text on its page.

        `page_url` is the address of its own page, below the path of the site, where another page shows the text.
        """

    def url_within_site(self, entry: Entry) -> str:
        """Return the address of the entry's page, without the path of the site; "" for an item without a page."""

    def image(self, address: str, alt: str = "") -> ImageView | None:
        """Return the image at a stored media address; None for ""."""

    def entry_with_fields(self, entry: Entry, fields: Mapping[str, object]) -> EntryView:
        """Return an entry that another one refers to, with these fields."""

    def term_named(self, kind: TermKind, name: str) -> Link:
        """Return a link to the archive of the term of that name."""


class FieldValues(Struct, frozen=True):
    """Field values as templates see them. `targets`: the entries that references can show.

    `numbers` are those of the HTML texts with ids of one page, so that the ids of the page are unique; its Markdown
    texts are numbered on from there when they are rendered. `page_url` is the address of the page of the entry whose
    values they are, where another page shows them.
    """

    views: EntryViews
    schema: ContentSchema
    targets: Mapping[Target, Entry]
    numbers: Iterator[int] | None
    page_url: str = ""

    def html_texts(self) -> int:
        """Return how many texts were numbered, after all of them."""
        return next(self.numbers) - 1 if self.numbers else 0

    def fields(self, stored: Fields, specs: Iterable[FieldSpec], levels: int) -> dict[str, object]:
        """Return the values of a group of fields."""
        return {
            spec.slug: type_of(spec).to_template(shown_value(stored.get(spec.slug), spec), spec, levels, self)
            for spec in specs
        }

    def html(self, html: str) -> Markup:
        """Return stored HTML, with variants of images and the site's base path."""
        return self.views.html(html, next(self.numbers) if self.numbers and ' id="' in html else 1, self.page_url)

    def image(self, address: str, alt: str) -> ImageView | None:
        """Return the image at a stored media address; None for ""."""
        return self.views.image(address, alt)

    def term(self, kind: TermKind, name: str) -> Link:
        """Return a link to the archive of the term of that name."""
        return self.views.term_named(kind, name)

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
        values = replace(self, page_url=self.views.url_within_site(entry))
        return self.views.entry_with_fields(entry, values.fields(entry.fields, specs, levels - 1))


def declared(specs: Iterable[FieldSpec]) -> tuple[FieldInfo, ...]:
    """Return the declarations of fields, for templates that show any entry."""
    return tuple(
        FieldInfo(
            spec.slug,
            spec.name,
            shown_type(spec),
            {option.value: option.label for option in spec.options},
            declared(spec.fields),
        )
        for spec in specs
    )
