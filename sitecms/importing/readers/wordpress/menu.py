"""Menus of WordPress: items of their own type, of which each names a page, a term or an address."""

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape

from sitecms.importing.menus import MenuLink, menu_records
from sitecms.importing.readers.wordpress.wxr import WxrItem
from sitecms.importing.records import Note, NoteKind, Place, Record

TYPE = "nav_menu_item"
_MAIN = re.compile(r"(?:main|primary|header|top|haupt|principal)", re.I)
_ASIDE = re.compile(r"(?:footer|social|side|bottom|legal|mobile)", re.I)


class NavigationMenus:
    """The items of all menus; the titles of pages and the addresses of terms that they may name."""

    def __init__(self) -> None:
        self._items: list[WxrItem] = []
        self._titles: dict[str, str] = {}
        self._terms: dict[str, tuple[str, str]] = {}

    def add_item(self, item: WxrItem) -> None:
        """Remember an item of a menu, or the title of a page."""
        kind = item["wp:post_type"].strip()
        if kind == TYPE:
            self._items.append(item)
        elif kind == "page":
            self._titles[item.id] = unescape(item["title"]).strip()

    def add_term(self, number: str, name: str, url: str) -> None:
        """Remember a term by its id."""
        self._terms[number] = (name, url)

    def records(self) -> Iterator[Record]:
        """Yield the main menu: the one that is named so, or else the longest; note the others."""
        sizes = Counter(_menu_of(item) for item in self._items)
        if not sizes:
            return
        main = max(sizes, key=lambda name: (bool(_MAIN.search(name)), not _ASIDE.search(name), sizes[name], name))
        items = sorted((item for item in self._items if _menu_of(item) == main), key=_order)
        yield from menu_records([link for item in items if (link := self._link(item))], items[0].place)
        for name, count in sorted(sizes.items()):
            if name != main:
                yield Note(NoteKind.LEFT_OUT, f"the menu {name}", Place(), f"the menu of the site is {main}", count)

    def _link(self, item: WxrItem) -> MenuLink | None:
        target, kind = item.meta.get("_menu_item_object_id", "").strip(), item.meta.get("_menu_item_type", "")
        title = unescape(item["title"]).strip()
        if kind == "taxonomy":
            name, address = self._terms.get(target, ("", ""))
        elif kind == "post_type":
            name, address = self._titles.get(target, ""), f"entry:wp:{target}"
        else:
            name, address = "", item.meta.get("_menu_item_url", "").strip()
        parent = item.meta.get("_menu_item_menu_item_parent", "0").strip()
        if not (title or name) or not address:
            return None
        return MenuLink(title or name, address, item.id, "" if parent == "0" else parent)


def _menu_of(item: WxrItem) -> str:
    return next((term.slug for term in item.terms if term.domain == "nav_menu"), "")


def _order(item: WxrItem) -> int:
    number = item["wp:menu_order"].strip()
    return int(number) if number.isdigit() else 0
