"""The entry that a written reference means, looked up in the store."""

from collections.abc import Callable

from sitecms.content.fields import ItemMatch, RawReference
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, ItemTarget, PageTarget, Target
from sitecms.store import items, pages
from sitecms.store.database import Session
from sitecms.store.former_names import find_renamed_page

FindByValues = Callable[[Session, ItemMatch], int | None]


def find_reference(
    session: Session, targets: tuple[str, ...], raw: RawReference, by_values: FindByValues
) -> Target | None:
    """The entry meant, the first target that has it winning; `by_values` finds the item of an ItemMatch."""
    match raw:
        case int():
            collections = tuple(target for target in targets if not target.startswith(PAGE_TARGET_PREFIX))
            collection = items.item_exists(session, raw, collections)
            return ItemTarget(collection, raw) if collection else None
        case str():
            found = pages.find_page_by_slug(session, raw, page_types_of(targets))
            return PageTarget(found[0] or None, found[1]) if found else _renamed(session, raw, page_types_of(targets))
        case ItemTarget():
            return raw if items.item_exists(session, raw.id, (raw.collection,)) else None
        case PageTarget():
            is_there = pages.find_page_id(session, raw.page_type, raw.slug)
            return raw if is_there else _renamed(session, raw.slug, (raw.page_type or "",))
        case ItemMatch():
            item_id = by_values(session, raw)
            return ItemTarget(raw.collection, item_id) if item_id else None


def _renamed(session: Session, slug: str, page_types: tuple[str, ...]) -> PageTarget | None:
    """Return the page that had the slug before it was renamed, of the first of these types that has one."""
    for page_type in page_types:
        if found := find_renamed_page(session, page_type, slug):
            return PageTarget(page_type or None, found)
    return None


def page_types_of(targets: tuple[str, ...]) -> tuple[str, ...]:
    """The page types among the targets of a reference; "" for Single Pages."""
    names = (target.removeprefix(PAGE_TARGET_PREFIX) for target in targets if target.startswith(PAGE_TARGET_PREFIX))
    return tuple("" if name == SINGLE_PAGES else name for name in names)
