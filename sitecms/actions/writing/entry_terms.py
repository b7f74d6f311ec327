"""Terms of pages and items: their fields name them, and the store relates them to the versions."""

from collections.abc import Iterable, Mapping

from sitecms.content.field_value import Fields
from sitecms.content.fields.terms import names_in
from sitecms.content.kinds import KINDS, EntryKind, declared_fields
from sitecms.content.schema import TERMS, Collection, ContentSchema, PageType
from sitecms.content.term import TERM_FIELDS
from sitecms.errors import NotFound
from sitecms.store.database import Transaction
from sitecms.store.entries.stored_fields import StoredFields, fields_of_versions
from sitecms.store.entries.term_names import settle_new_terms
from sitecms.store.entries.terms import ensure_terms, set_terms, terms_of_versions


def save_entry_terms(transaction: Transaction, schema: ContentSchema, kind: EntryKind, entry_id: int) -> None:
    """Relate the versions of an entry to the terms that its fields name; create the missing ones."""
    _relate(transaction, schema, fields_of_versions(transaction, kind, entry_id), kind)


def save_all_terms(transaction: Transaction, schema: ContentSchema) -> None:
    """Relate all pages and items to their terms, after another schema declares which have some."""
    for kind in (each for each, properties in KINDS.items() if not properties.has_terms):
        _relate(transaction, schema, fields_of_versions(transaction, kind), kind)
    settle_new_terms(transaction)


def has_terms(schema: ContentSchema, kind: EntryKind | None = None) -> bool:
    """Return whether fields of pages or items, or of one kind, may name terms."""
    owners: Mapping[EntryKind, tuple[PageType | Collection, ...]] = {
        EntryKind.PAGE: (*schema.page_types.values(), *schema.single_pages.values()),
        EntryKind.ITEM: (*schema.collections.values(),),
    }
    return any(owner.terms for of, each in owners.items() if kind in (None, of) for owner in each)


def _relate(transaction: Transaction, schema: ContentSchema, versions: Iterable[StoredFields], kind: EntryKind) -> None:
    by_id = {each.version_id: term_names(schema, kind, (each.type, each.slug), each.fields) for each in versions}
    before = terms_of_versions(transaction, by_id)
    for version_id, names in by_id.items():
        spelt: dict[int, str] = {}
        for name, listed in names.items():
            spelt |= ensure_terms(transaction, TERM_FIELDS[name], listed)
        if [*spelt.items()] != [*before.get(version_id, {}).items()]:
            set_terms(transaction, version_id, spelt)


def term_names(
    schema: ContentSchema, kind: EntryKind, place: tuple[str, str], fields: Fields
) -> Mapping[str, list[str]]:
    """Return the names of the terms of a version by the names of their fields; `place` is its type and slug."""
    try:
        specs = declared_fields(schema, kind, *place)
    except NotFound:
        return {}
    return {spec.slug: names_in(fields, spec) for spec in specs if spec.type == TERMS}
