"""`collections` of templates: published items by the key of their collection, in the locale of the page."""

from collections.abc import Mapping
from dataclasses import dataclass

from sitecms.content.schema.types import ContentSchema
from sitecms.site.template_values import EntryView
from sitecms.site.theme.theme import Theme
from sitecms.site.views.view_builder import ViewBuilder
from sitecms.site.views.view_inputs import view_inputs


@dataclass(frozen=True, slots=True)
class Shown:
    """The collections that a template names: their items, what they add to the inputs of its pages, and their media."""

    items: Mapping[str, tuple[EntryView, ...]]
    inputs: tuple[object, ...]
    media: tuple[str, ...]


class Collections:
    """The collections of one locale, composed only where a template shows them."""

    def __init__(self, views: ViewBuilder, schema: ContentSchema, theme: Theme) -> None:
        self._views = views
        self._schema = schema
        self._theme = theme
        self._of_key: dict[str, Shown] = {}
        self._of_template: dict[str, Shown] = {}

    def shown_by(self, template: str) -> Shown:
        """Those that the template names by `collections.<key>`, itself or through what it draws on."""
        if template not in self._of_template:
            used = self._theme.collections(template)
            found = [self._shown(key) for key in sorted(self._schema.collections) if used is None or key in used]
            self._of_template[template] = Shown(
                {key: items for each in found for key, items in each.items.items()},
                tuple(part for each in found for part in each.inputs),
                tuple(name for each in found for name in each.media),
            )
        return self._of_template[template]

    def _shown(self, key: str) -> Shown:
        if key not in self._of_key:
            items = self._views.collection(key)
            digest, media = view_inputs(items, self._views.images.variants)
            self._of_key[key] = Shown({key: items}, (key, digest), media)
        return self._of_key[key]
