"""Notes about stored values that are hidden since the schema or the locales of the site changed."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sitecms.content.fields.hidden_values import HiddenReason, HiddenValue, hidden_values
from sitecms.content.kinds import KINDS, EntryKind, declared_fields
from sitecms.content.references import SINGLE_PAGES
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.errors import NotFound
from sitecms.store.database import Session
from sitecms.store.entries.entry_state import count_by_locale
from sitecms.store.entries.stored_fields import StoredFields, fields_of_versions

_UNSEEN = "nobody sees; put it back to show them"


def hidden_by_schema(session: Session, schema: ContentSchema) -> Iterator[str]:
    """Make a note for each field, page type and collection that is gone or changed its type, if entries have values.

    Entries in the trash count as well.
    """
    for kind, properties in KINDS.items():
        folder = properties.schema_place
        gone: dict[str, dict[int, bool]] = defaultdict(dict)
        hidden: dict[tuple[str, HiddenValue], dict[int, bool]] = defaultdict(dict)
        for stored in fields_of_versions(session, kind):
            specs, group = _specs(schema, kind, stored), stored.type
            if properties.type_key and not group:
                group = f"{SINGLE_PAGES}/{stored.slug}"
            if specs is None:
                gone[group][stored.entry_id] = stored.is_in_trash
            for found in hidden_values(stored.fields, specs or (), schema) if specs is not None else ():
                hidden[group, found][stored.entry_id] = stored.is_in_trash
        for group, holders in sorted(gone.items()):
            count = _count(kind, holders)
            yield f'{folder}: "{group}" is gone; still stored of it: {count}, whose fields {_UNSEEN}'
        for (group, value), holders in sorted(hidden.items(), key=lambda each: (each[0][0], each[0][1].place)):
            owner = f'"{group}"' if group else "posts"
            yield f'{folder}: the field "{value.place}" of {owner} {_description(value, _count(kind, holders))}'


def hidden_by_locales(session: Session, locales: Sequence[str]) -> Iterator[str]:
    """Make a note for each locale that entries are written in and the site does not have."""
    counts: dict[str, list[str]] = defaultdict(list)
    for kind in EntryKind:
        for locale, count, in_trash in count_by_locale(session, kind):
            if locale not in locales:
                counts[locale].append(_shown_count(kind, count, in_trash))
    for locale, shown in sorted(counts.items()):
        yield f'site.toml: "{locale}" is not among locales; still stored in it: {", ".join(shown)}, which {_UNSEEN}'


def _specs(schema: ContentSchema, kind: EntryKind, stored: StoredFields) -> Sequence[FieldSpec] | None:
    """Return the fields of posts, a page type, Single Page or collection; None if the schema does not have it."""
    try:
        return declared_fields(schema, kind, stored.type, stored.slug)
    except NotFound:
        return None


def _description(value: HiddenValue, count: str) -> str:
    """Return the change of a field, and how its values can be shown again."""
    replaced = f'; a write that sends "{value.list_place}" removes it' if value.list_place else ""
    if value.reason is HiddenReason.GONE:
        return f"is gone; {count} still hold a value for it, which nobody sees; put the field back to show it{replaced}"
    return f"has another type now; {count} hold a value that does not fit; change it back to show it{replaced}"


def _count(kind: EntryKind, holders: dict[int, bool]) -> str:
    return _shown_count(kind, len(holders), sum(holders.values()))


def _shown_count(kind: EntryKind, count: int, in_trash: int) -> str:
    """Return `3 pages (1 in the trash)`."""
    trash = f" ({in_trash} in the trash)" if in_trash else ""
    return f"{count} {kind}{'' if count == 1 else 's'}{trash}"
