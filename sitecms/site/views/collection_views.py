"""The value `collections` of templates: published items by the key of their collection, in the locale of the page."""

from collections.abc import Mapping
from dataclasses import dataclass

from sitecms.content.schema import ContentSchema
from sitecms.site.template_values import EntryView
from sitecms.site.theme.theme import Theme
from sitecms.site.views.view_builder import ViewBuilder


@dataclass(frozen=True, slots=True)
class TemplateCollections:
    """The collections that a template names: their items, their inputs of its pages, and their media files."""

    items: Mapping[str, tuple[EntryView, ...]]
    inputs: tuple[object, ...]
    media: tuple[str, ...]


class CollectionViews:
    """Builds the collections of one locale that templates show."""

    def __init__(self, views: ViewBuilder, schema: ContentSchema, theme: Theme) -> None:
        self._views = views
        self._schema = schema
        self._theme = theme
        self._of_key: dict[str, TemplateCollections] = {}
        self._of_template: dict[str, TemplateCollections] = {}

    def shown_by(self, template: str) -> TemplateCollections:
        """Return the collections that the template, or one that it uses, names by `collections.<key>`."""
        if template not in self._of_template:
            used = self._theme.collections(template)
            shown = [self._collection(key) for key in sorted(self._schema.collections) if used is None or key in used]
            self._of_template[template] = TemplateCollections(
                {key: items for each in shown for key, items in each.items.items()},
                tuple(part for each in shown for part in each.inputs),
                tuple(name for each in shown for name in each.media),
            )
        return self._of_template[template]

    def _collection(self, key: str) -> TemplateCollections:
        if key not in self._of_key:
            items = self._views.collection(key)
            digest, media = self._views.inputs_of(items)
            self._of_key[key] = TemplateCollections({key: items}, (key, digest), media)
        return self._of_key[key]
