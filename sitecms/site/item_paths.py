"""The paths of items that have pages: those of collections with a `route`."""

from collections.abc import Iterable, Mapping

from sitecms.content.item import Item
from sitecms.content.permalink import entry_path
from sitecms.content.schema import Collection, ContentSchema
from sitecms.content.text.slug import slugify
from sitecms.settings.site import SiteSettings

SLUG_FIELD = "slug"


def item_paths(items: Iterable[Item], schema: ContentSchema, settings: SiteSettings) -> Mapping[tuple[int, str], str]:
    """Return the path of each item that has a page, by its id and locale.

    Of items with equal slugs the oldest has the slug; the ids of the others are added to theirs.
    """
    paths: dict[tuple[int, str], str] = {}
    taken: set[str] = set()
    for item in sorted(items, key=lambda each: each.id):
        collection = schema.collections.get(item.collection)
        if collection is None or not collection.route:
            continue
        slug = item_slug(item, collection)
        path = _path(collection, item, slug, settings)
        if path in taken:
            path = _path(collection, item, f"{slug}-{item.id}", settings)
        taken.add(path)
        paths[item.id, item.locale] = path
    return paths


def item_slug(item: Item, collection: Collection) -> str:
    """Return the slug of an item: from its field `slug`, else from its label, else its id."""
    declared = SLUG_FIELD in (spec.slug for spec in collection.fields)
    chosen = item.fields.get(SLUG_FIELD) if declared else None
    return slugify(str(chosen or item.fields.get(collection.label) or "")) or str(item.id)


def _path(collection: Collection, item: Item, slug: str, settings: SiteSettings) -> str:
    return entry_path(collection.route, item.locale, settings.default_locale, slug=slug)
