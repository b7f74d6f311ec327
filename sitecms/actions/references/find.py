"""The entry that a written reference means, looked up in the store."""

from collections.abc import Callable

from sitecms.content.fields import ItemMatch, RawReference
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, ItemTarget, PageTarget, Target
from sitecms.store.database import Session
from sitecms.store.entries import items, pages

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
            return PageTarget(found[0] or None, found[1]) if found else None
        case ItemTarget():
            return raw if items.item_exists(session, raw.id, (raw.collection,)) else None
        case PageTarget():
            return raw if pages.find_page_id(session, raw.page_type, raw.slug) else None
        case ItemMatch():
            item_id = by_values(session, raw)
            return ItemTarget(raw.collection, item_id) if item_id else None


def page_types_of(targets: tuple[str, ...]) -> tuple[str, ...]:
    """The page types among the targets of a reference; "" for Single Pages."""
    names = (target.removeprefix(PAGE_TARGET_PREFIX) for target in targets if target.startswith(PAGE_TARGET_PREFIX))
    return tuple("" if name == SINGLE_PAGES else name for name in names)
