"""The entry that a written reference means, looked up in the store."""

from sitecms.content.fields import ItemMatch, RawReference
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, ItemTarget, PageTarget, Target
from sitecms.store.database import Session
from sitecms.store.entries import items, pages


class ItemsByValues:
    """Search of items by the values of their fields: among the items of a running load first, then in the store."""

    def __init__(self) -> None:
        self._loading: dict[str, list[tuple[int, dict[str, object]]]] = {}

    def add(self, collection: str, item_id: int, fields: dict[str, object]) -> None:
        """Add an item of the running load, whose fields are not in the store yet."""
        self._loading.setdefault(collection, []).append((item_id, fields))

    def find(self, session: Session, match: ItemMatch) -> int | None:
        """Return the id of the first item that has these values in any locale, or None."""

        def fits(fields: object) -> bool:
            return isinstance(fields, dict) and all(fields.get(key) == value for key, value in match.where.items())

        for item_id, fields in self._loading.get(match.collection, ()):
            if fits(fields):
                return item_id
        loading = {item_id for item_id, _ in self._loading.get(match.collection, ())}
        for item in items.items_of(session, match.collection):
            if item.id not in loading and fits(item.fields):
                return item.id
        return None


def find_reference(
    session: Session, targets: tuple[str, ...], raw: RawReference, by_values: ItemsByValues
) -> Target | None:
    """Return the entry that the reference means, or None; the first target that has such an entry wins."""
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
            item_id = by_values.find(session, raw)
            return ItemTarget(raw.collection, item_id) if item_id else None


def page_types_of(targets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the page types among the targets of a reference; "" stands for Single Pages."""
    names = (target.removeprefix(PAGE_TARGET_PREFIX) for target in targets if target.startswith(PAGE_TARGET_PREFIX))
    return tuple("" if name == SINGLE_PAGES else name for name in names)
