"""The entries that references in forms may name."""

from collections.abc import Iterable, Iterator
from typing import Any

from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, ItemTarget, PageTarget, parse_target
from sitecms.content.schema import ContentSchema, FieldSpec, readable
from sitecms.store.database import Session
from sitecms.store.entries.items import item_versions
from sitecms.store.entries.pages import find_page_id, find_page_title
from sitecms.store.listings.entries import find_targets, label_of
from sitecms.studio.field_controls import Choices


def reference_choices(session: Session, schema: ContentSchema, locale: str) -> Choices:
    """Return the function that returns the entries which a reference may name; each target is read once.

    A list of very many entries is cut; those that the value names are in it all the same, if they exist.
    """
    found: dict[str, dict[str, str]] = {}

    def choices(spec: FieldSpec, value: Any) -> list[tuple[str, str]]:
        for target in spec.targets:
            if target not in found:
                found[target] = dict(_targets(session, schema, locale, target))
        listed = [each for target in spec.targets for each in found[target].items()]
        named = [uri for uri in (value if isinstance(value, list) else [value]) if uri]
        cut = [uri for uri in named if not any(uri in found[target] for target in spec.targets)]
        return [*listed, *((uri, label) for uri in cut if (label := _label(session, schema, uri)))]

    return choices


def _label(session: Session, schema: ContentSchema, uri: str) -> str:
    """Return the label of an entry that lists leave out; "" if it does not exist."""
    match parse_target(uri):
        case PageTarget(page_type, slug):
            page_id = find_page_id(session, page_type, slug)
            named = find_page_title(session, page_id) if page_id is not None else None
            return (named[2] or slug) if named else ""
        case ItemTarget(key, item_id):
            stored = [each for each in item_versions(session, (item_id,)) if each.collection == key]
            named_by = schema.collections.get(key)
            return (label_of(stored[0].fields, named_by) or str(item_id)) if stored and named_by else ""
    return ""


def creations(targets: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return name and address of the form of a new entry for each target of a reference."""
    made = []
    for target in targets:
        page_type = target.removeprefix(PAGE_TARGET_PREFIX)
        if page_type == target:
            made.append((readable(target), f"/studio/collections/{target}/new/"))
        elif page_type == SINGLE_PAGES:
            made.append(("Single Page", "/studio/pages/new/single/"))
        else:
            made.append((readable(page_type), f"/studio/pages/new/{page_type}/"))
    return tuple(made)


def _targets(session: Session, schema: ContentSchema, locale: str, target: str) -> Iterator[tuple[str, str]]:
    """Yield URI and label of each entry of one target of a reference."""
    page_type = target.removeprefix("page:")
    if page_type != target:
        own_type = None if page_type == "*" else page_type
        for _id, slug, label in find_targets(session, own_type or "", None, locale):
            yield PageTarget(own_type, slug).uri, label
    elif target in schema.collections:
        for item_id, _slug, label in find_targets(session, "", schema.collections[target], locale):
            yield ItemTarget(target, item_id).uri, label
