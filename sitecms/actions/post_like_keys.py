"""Keys of page files and items that stand at the top, as in files of posts: categories, tags and a featured picture.

They are fields that the page type or collection declares by their names alone. A value at the top is that of each
locale in the file; a locale with one of its own has it among its fields.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from sitecms.content.entry import FIELDS
from sitecms.content.fields.group import is_empty
from sitecms.content.schema import FieldSpec, is_post_like


def post_like_keys(specs: Iterable[FieldSpec]) -> tuple[str, ...]:
    """Return the keys that entries with these fields may have at the top."""
    return tuple(spec.slug for spec in specs if is_post_like(spec))


def doubled_keys(data: Mapping[str, Any], keys: Iterable[str], locales: Collection[str]) -> Iterator[str]:
    """Yield the keys that stand at the top, and among the fields too."""
    groups = _by_locale(data.get(FIELDS), locales).values()
    yield from (key for key in keys if key in data and any(key in group for group in groups))


def in_fields(data: Mapping[str, Any], keys: Iterable[str], locales: Collection[str]) -> dict[str, Any]:
    """Return an entry of a file with the keys at its top among the fields of each locale."""
    at_top = {key: data[key] for key in keys if key in data}
    if not at_top:
        return dict(data)
    fields = data.get(FIELDS)
    by_locale = _by_locale(fields, locales)
    lowered = {locale: {**at_top, **group} for locale, group in by_locale.items()}
    rest = {key: value for key, value in data.items() if key not in at_top}
    return {**rest, FIELDS: lowered.get("", lowered)}


def at_top(
    data: Mapping[str, Any], keys: Iterable[str], locales: Collection[str], written: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return an entry of a file with the keys at its top that have one value in all locales; unset ones are left out.

    Those that `written`, the entry as it was, has among its fields stay there.
    """
    top: dict[str, Any] = {}
    former = {name for group in _by_locale((written or {}).get(FIELDS), locales).values() for name in group}
    by_locale = {locale: dict(group) for locale, group in _by_locale(data.get(FIELDS), locales).items()}
    for key in keys:
        values = [group[key] for group in by_locale.values() if key in group]
        is_one = len(values) == len(by_locale) and all(value == values[0] for value in values)
        if key in former or not is_one:
            continue
        for group in by_locale.values():
            del group[key]
        if not is_empty(values[0]):
            top[key] = values[0]
    fields = by_locale.get("", by_locale)
    names = [*data]
    place = names.index(FIELDS) if FIELDS in data else len(names)
    before, after = ({name: data[name] for name in part if name != FIELDS} for part in (names[:place], names[place:]))
    own = {FIELDS: fields} if fields or FIELDS in (data if written is None else written) else {}
    return {**before, **top, **own, **after}


def _by_locale(fields: Any, locales: Collection[str]) -> dict[str, Mapping[str, Any]]:
    """Return fields by locale; "" where they are not written by locale."""
    written = fields if isinstance(fields, dict) else {}
    is_localized = bool(written) and written.keys() <= set(locales)
    return {key: group or {} for key, group in written.items()} if is_localized else {"": written}
