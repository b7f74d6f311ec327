"""Menus of Hugo: those of the configuration and those that pages declare in their front matter."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from sitecms.importing.menus import MenuLink, links_of, weight_of
from sitecms.importing.readers.markdown.document import Document, as_text, lowered
from sitecms.importing.readers.markdown.generators.generator import joined

_MAIN = ("main", "header", "primary", "nav", "navbar", "top", "global")
"""Names of the menu of the header, the most usual first."""


def declared_links(document: Document, address: str, locale: str) -> Iterator[tuple[str, MenuLink]]:
    """Yield the entries of menus that the front matter of a page declares, each with the name of the menu."""
    written = document.get("menus", "menu")
    names = [written] if isinstance(written, str) else written
    tables = {as_text(each): None for each in names} if isinstance(names, list) else names
    for name, facts in tables.items() if isinstance(tables, Mapping) else ():
        own = lowered(facts)
        label = as_text(own.get("name")) or document.text("linktitle", "title")
        key = as_text(own.get("identifier")) or label
        weight = weight_of(own.get("weight") or document.peek("weight"))
        if label and address:
            yield str(name), MenuLink(label, address, key, as_text(own.get("parent")), locale, weight)


def main_menu(
    menus: Mapping[str, Any], pages: Sequence[tuple[str, MenuLink]], locale: str, root: str
) -> list[MenuLink]:
    """Return the menu of the header in a locale: of the configuration, and of the pages that declare it, by weight.

    A page that the configuration names by `pageRef` is below the root of the language.
    """
    names = dict.fromkeys((*menus, *(name for name, link in pages if link.locale == locale)))
    chosen = next((name for name in _MAIN if name in names), next(iter(names), ""))
    written = menus.get(chosen)
    tables = [
        {**each, "pageref": joined(root, as_text(each["pageref"]))} if each.get("pageref") else each
        for each in (lowered(each) for each in (written if isinstance(written, list) else ()))
    ]
    links = [replace(link, locale=locale) for link in links_of(tables)]
    links += [link for name, link in pages if (name, link.locale) == (chosen, locale)]
    return sorted(links, key=lambda link: link.weight)
