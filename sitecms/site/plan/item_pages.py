"""The pages of items: of collections with a `route`, in one locale."""

from collections.abc import Iterator
from functools import partial

from sitecms.content.item import Item
from sitecms.content.schema.types import Collection
from sitecms.site.plan.page_job import Bodies, OnePage, Planned
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import CollectionView, ImageView, LocaleLink, PageView
from sitecms.site.theme.theme import Theme
from sitecms.site.views.alternates import Alternates
from sitecms.site.views.page_metadata import Heads, described
from sitecms.site.views.view_builder import ViewBuilder
from sitecms.site.views.view_inputs import view_inputs


class ItemPages:
    """Plans them."""

    def __init__(
        self, snapshot: Snapshot, views: ViewBuilder, theme: Theme, alternates: Alternates, heads: Heads
    ) -> None:
        self._snapshot = snapshot
        self._views = views
        self._theme = theme
        self._alternates = alternates
        self._heads = heads

    def pages(self) -> Iterator[Planned]:
        """Yield the pages of all items that have one, in the order of collections."""
        paths = self._views.item_paths
        for item in self._snapshot.items:
            if path := paths.get((item.id, item.locale)):
                yield self._item(item, self._snapshot.schema.collections[item.collection], path)

    def _item(self, item: Item, collection: Collection, path: str) -> Planned:
        view = self._views.item(item)
        shown, media = view_inputs(view, self._views.images.variants)
        translations = self._alternates.links(("item", item.id), item.locale)
        image = self._views.images.of_fields(item.fields)
        about = CollectionView(collection.key, collection.name)
        return Planned(
            path=path,
            template=self._theme.choose(f"collection/{item.collection}.html", "collection/_default.html"),
            inputs=(shown, about, image, translations),
            pages=OnePage(
                f"item {item.collection}/{item.id} ({item.locale})",
                partial(self._context, path, view, about, image, translations),
            ),
            media=media,
            updated_at=item.updated_at,
            translations=translations,
        )

    def _context(
        self,
        path: str,
        view: PageView,
        about: CollectionView,
        image: ImageView | None,
        translations: tuple[LocaleLink, ...],
        _bodies: Bodies,
    ) -> dict[str, object]:
        head = self._heads.head(view.title, described(view), path, "page", translations, image)
        return {"head": head, "page": view, "collection": about}
