"""The site's menu: the collection `menu`, or what there is where nobody made one."""

from collections.abc import Callable

from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import MenuEntry
from sitecms.site.views.view_builder import ViewBuilder

MENU_COLLECTION = "menu"


def site_menu(
    snapshot: Snapshot, views: ViewBuilder, routes: Routes, text: Callable[[str], str]
) -> tuple[MenuEntry, ...]:
    """The entries of the collection, the top ones those that stand under no other; else the blog and Single Pages."""
    entries = {
        item.id: item for item in snapshot.items if (item.collection, item.locale) == (MENU_COLLECTION, views.locale)
    }
    if not entries:
        blog = MenuEntry(text("All posts"), routes.url(routes.blog(views.locale)))
        single = [page for page in views.pages if page.page_type is None]
        ordered = sorted(single, key=lambda page: page.id)
        return (blog, *(MenuEntry(page.title, routes.url(routes.page(page))) for page in ordered))
    below = views.children_of(MENU_COLLECTION)
    inner = {child for children in below.values() for child in children}

    def entry(item_id: int, above: frozenset[int]) -> MenuEntry:
        fields = entries[item_id].fields
        children = [child for child in below.get(item_id, ()) if child in entries and child not in above]
        made = tuple(entry(child, above | {child}) for child in children)
        return MenuEntry(str(fields.get("label") or ""), views.address(str(fields.get("url") or "")), made)

    return tuple(entry(item_id, frozenset({item_id})) for item_id in entries if item_id not in inner)
