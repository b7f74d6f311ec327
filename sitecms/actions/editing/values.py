"""Values of entries as forms of the studio show and send them: the built-in fields of the kind, and declared `fields`.

Names are those of the API. An author is a slug, terms are lists of names. `body` is the Markdown of an entry that has
one, else HTML; `format` says which of them a changed body is.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from sitecms.content.author import Author
from sitecms.content.entry import FIELDS, Entry
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import BODY, FORMAT, KINDS, MARKDOWN, EntryKind

Values: TypeAlias = Mapping[str, FieldValue]
_UNSET: tuple[object, ...] = (None, "", [], {}, {"url": "", "alt": ""})


def empty_values(kind: EntryKind) -> dict[str, FieldValue]:
    """Return the values of a new entry without declared fields."""
    values: dict[str, FieldValue] = {spec.slug: [] if spec.many else "" for spec in KINDS[kind].built_in}
    return {**values, FIELDS: {}}


def values_of(entry: Entry) -> dict[str, FieldValue]:
    """Return the values of a stored entry."""
    values = {name: _value(getattr(entry, name)) for name in KINDS[entry.kind].names}
    if entry.markdown is not None:
        values[BODY] = entry.markdown
    return {**values, FIELDS: dict(entry.fields)}


def _value(stored: Any) -> FieldValue:
    """Return a built-in value of an entry; of an author and of terms the names."""
    if isinstance(stored, Author):
        return stored.slug
    return [term.name for term in stored] if isinstance(stored, tuple) else stored


def is_markdown(values: Values, *, default: bool) -> bool:
    """Return whether the body is Markdown; values that do not say it have the `default` format."""
    return values[FORMAT] == MARKDOWN if FORMAT in values else default


def differing(before: Values, after: Values) -> dict[str, FieldValue]:
    """Return the values of `after` that differ from `before`, the format aside; of `fields` only those that differ."""
    changed = {name: value for name, value in after.items() if name != FORMAT and value != before.get(name)}
    fields, stored = fields_in({FIELDS: changed.pop(FIELDS, {})}), fields_in(before)
    differing_fields = {slug: value for slug, value in fields.items() if value != stored.get(slug)}
    return {**changed, FIELDS: differing_fields} if differing_fields else changed


def fields_in(values: Values) -> dict[str, FieldValue]:
    """Return the declared fields among the values of an entry."""
    fields = values.get(FIELDS)
    return fields if isinstance(fields, dict) else {}


def without_unset(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a new entry is created with: those that are not empty."""
    return {name: value for name, value in values.items() if value not in _UNSET}
