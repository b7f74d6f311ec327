"""References: to an item or a page, one or many."""

from collections.abc import Mapping
from typing import ClassVar

from sitecms.content.field_value import FieldValue
from sitecms.content.fields.field import Context, Field, ItemMatch, RawReference, as_table, check_length
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, ItemTarget, PageTarget, parse_target
from sitecms.content.schema.types import FieldSpec

MAX_ID = 2**53 - 1


class ReferenceField(Field):
    """Stored as the target's URI, None if unset; a list of them if the field is `many`.

    Written as a page's slug, an item's id, a URI, `{key, where}`, `{key, id}`, or an object as reads give it
    (`{"meta": {"id": 41}, ...}`, `{"slug": ..., "page_type": ...}`).
    """

    empty: ClassVar[FieldValue] = None

    def empty_of(self, spec: FieldSpec) -> FieldValue:
        return [] if spec.many else None

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        if value is None or value == "":
            return self.empty_of(spec)
        if not spec.many:
            return self._uri(value, spec, context)
        if not isinstance(value, list):
            context.report("Must be a list of page slugs or item ids.")
            return []
        uris = [self._uri(entry, spec, context.at(number)) for number, entry in enumerate(value)]
        found: list[FieldValue] = [uri for uri in uris if uri is not None]
        check_length(found, spec, context)
        return found

    def _uri(self, value: object, spec: FieldSpec, context: Context) -> str | None:
        for raw in _readings(value):
            if _fits(raw, spec.targets) and (target := context.lookup.find_reference(spec.targets, raw)):
                return target.uri
        context.report(f"{_shown(value)} is not found among {', '.join(spec.targets)}.")
        return None


def _readings(value: object) -> list[RawReference]:
    """What the value may mean, most likely first; none if it is no reference at all."""
    if isinstance(value, str) and value:
        if target := parse_target(value):
            return [target]
        return [int(value), value] if value.isascii() and value.isdigit() and len(value) < 16 else [value]
    if isinstance(value, int) and not isinstance(value, bool):
        return [value] if 0 < value <= MAX_ID else []
    return _table_readings(as_table(value) or {})


def _table_readings(table: Mapping[str, object]) -> list[RawReference]:
    key, where, slug = table.get("key"), as_table(table.get("where")), table.get("slug")
    if isinstance(key, str) and where:
        return [ItemMatch(key, {name: _plain(wanted) for name, wanted in where.items()})]
    meta = as_table(table.get("meta")) or {}
    number = meta.get("id", table.get("id"))
    if isinstance(number, int) and not isinstance(number, bool):
        return [ItemTarget(key, number) if isinstance(key, str) else number]
    if isinstance(slug, str) and "page_type" in table:
        page_type = table["page_type"]
        return [PageTarget(page_type if isinstance(page_type, str) and page_type != SINGLE_PAGES else None, slug)]
    return [slug] if isinstance(slug, str) and slug else []


def _plain(value: object) -> FieldValue:
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _fits(raw: RawReference, targets: tuple[str, ...]) -> bool:
    """Whether what is meant could be among the targets at all."""
    if isinstance(raw, PageTarget):
        return PAGE_TARGET_PREFIX + (raw.page_type or SINGLE_PAGES) in targets
    if isinstance(raw, ItemTarget | ItemMatch):
        return raw.collection in targets
    return any(target.startswith(PAGE_TARGET_PREFIX) == isinstance(raw, str) for target in targets)


def _shown(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else "null" if value is None else str(value)
    return text if len(text) <= 60 else text[:60] + "…"
