"""The menu of the old site, which becomes the collection `menu` of the new one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sitecms.documents import read_yaml
from sitecms.importing.records import Address, Declaration, EntryRecord, Kind, Note, NoteKind, Place, Record
from sitecms.resources import resource_dir

MENU = "menu"
_SCHEMA = f"schema/collections/{MENU}.yaml"
_MAX_LABEL = 100
_MAX_TOP = 12
"""Most entries at the top of a menu."""
_LABELS = ("label", "name", "title", "text", "identifier", "pagename")
_ADDRESSES = ("url", "pageref", "href", "link", "path", "address")


class MenuLink(Struct, frozen=True):
    """An entry of a menu: its label, its address on the old site, its own key, and the key of the entry above it.

    `locale` is that of the menu, "" for the default one; entries of a menu stand in the order of their `weight`.
    """

    label: str
    address: str
    key: str = ""
    parent: str = ""
    locale: str = ""
    weight: float = float("inf")


def menu_records(links: Sequence[MenuLink], place: Place) -> Iterator[Record]:
    """Yield the declaration of the collection, and an item for each entry at the top of a menu.

    The entries below it, however deep, are its rows: a menu has two levels.
    """
    if not links:
        return
    yield _declaration()
    items = [item for locale in dict.fromkeys(each.locale for each in links) for item in _menu_items(links, locale)]
    if count := len(links) - sum(1 + len(below) for _, below in items):
        remedy = f"add them to content/collections/{MENU}.yaml if the menu shall be that long"
        yield Note(NoteKind.LEFT_OUT, f"entries of a menu after its first {_MAX_TOP}", place, remedy, count)
    for number, (link, below) in enumerate(items, 1):
        rows = {"children": [_facts(each) for each in below]} if below else {}
        yield EntryRecord(
            f"{MENU}:{number}",
            Kind.ITEM,
            link.label,
            place,
            MENU,
            item_id=number,
            fields={**_facts(link), **rows},
            base="/",
            locale=link.locale,
        )


def _menu_items(links: Sequence[MenuLink], locale: str) -> Iterator[tuple[MenuLink, list[MenuLink]]]:
    """Yield the entries of the menu of a locale that a header has room for, each with those below it."""
    local = [link for link in links if link.locale == locale]
    keys, children = {link.key for link in local if link.key}, _children(local)
    top = [link for link in local if link.parent not in keys or link.parent == link.key]
    yield from ((link, list(_all_below(link, children))) for link in top[:_MAX_TOP])


def _facts(link: MenuLink) -> dict[str, Any]:
    label = link.label if len(link.label) <= _MAX_LABEL else f"{link.label[: _MAX_LABEL - 1].rstrip()}…"
    return {"label": label, "url": Address(link.address)}


def _children(links: Iterable[MenuLink]) -> Mapping[tuple[str, str], list[MenuLink]]:
    """Return the entries by locale and the key of the entry above them."""
    children: defaultdict[tuple[str, str], list[MenuLink]] = defaultdict(list)
    for link in links:
        children[link.locale, link.parent].append(link)
    return children


def _below(link: MenuLink, children: Mapping[tuple[str, str], list[MenuLink]]) -> list[MenuLink]:
    """Return the entries right below one."""
    return [each for each in children.get((link.locale, link.key), ()) if each is not link] if link.key else []


def _all_below(link: MenuLink, children: Mapping[tuple[str, str], list[MenuLink]]) -> Iterator[MenuLink]:
    """Yield the entries below one, each before those below it, each once."""
    waiting, seen = [link], set[int]()
    while waiting:
        here = waiting.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        if here is not link:
            yield here
        waiting += reversed(_below(here, children))


def _declaration() -> Declaration:
    data: Any = read_yaml(resource_dir("starters") / "common" / _SCHEMA)
    return Declaration("collections", MENU, data)


def links_of(written: Any) -> list[MenuLink]:
    """Return a menu as configurations write it: tables with label and address, pairs of them, or a table of both."""
    if isinstance(written, Mapping):
        written = [(label, address) for label, address in written.items() if isinstance(address, str)]
    entries = [_lowered(each) for each in written] if isinstance(written, list | tuple) else []
    parents = {_first(each, ("parent",)) for each in entries if isinstance(each, dict)}
    links = []
    for entry in entries:
        if isinstance(entry, dict):
            label, parent = _first(entry, _LABELS), _first(entry, ("parent",))
            key, weight = _first(entry, ("identifier",)) or label, weight_of(entry.get("weight"))
            link = MenuLink(label, _first(entry, _ADDRESSES), key, parent, weight=weight)
        elif isinstance(entry, list | tuple) and len(entry) == 2:
            link = MenuLink(str(entry[0]), str(entry[1]).partition("||")[0].strip(), str(entry[0]))
        else:
            continue
        if link.label and (link.address or link.key in parents):
            links.append(link if link.address else replace(link, address="#"))
    return links


def weight_of(value: Any) -> float:
    """Return the weight of an entry of a menu; those without one come last."""
    try:
        weight = float(value)
    except (OverflowError, TypeError, ValueError):
        return float("inf")
    return weight if weight and weight > float("-inf") else float("inf")


def _lowered(entry: Any) -> Any:
    """Return a table with its keys in lower case, and any other value as it is."""
    return {str(name).lower(): value for name, value in entry.items()} if isinstance(entry, Mapping) else entry


def _first(facts: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((str(facts[name]).strip() for name in names if isinstance(facts.get(name), str) and facts[name]), "")


def is_menu_entry(entry: EntryRecord) -> bool:
    """Return whether an entry is one that `menu_records` made."""
    return entry.key.startswith(f"{MENU}:")


def without_menu(records: Iterable[Record], folder: Path, written: Set[str]) -> Iterator[Record]:
    """Yield the records but those of a menu, where the site has one that no import wrote."""
    if not (folder / _SCHEMA).is_file() or _SCHEMA in written:
        yield from records
        return
    count, declaration = 0, _declaration()
    for record in records:
        if isinstance(record, EntryRecord) and is_menu_entry(record):
            count += 1
        elif not isinstance(record, Declaration) or record != declaration:
            yield record
    if count:
        remedy = f"the site has its own in content/collections/{MENU}.yaml"
        yield Note(NoteKind.LEFT_OUT, "entries of the old menu", remedy=remedy, count=count)
