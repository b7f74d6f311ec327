"""The merge of values of the store into the data of a file: values that differ change, all others stay as written."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from sitecms.actions.exporting.entry_files import DRAFT, STATUS, TIMES, Values
from sitecms.actions.loading.reading.post_front_matter import key_aliases
from sitecms.actions.post_like_keys import at_top, in_fields
from sitecms.actions.syncing.site_files import SiteFiles, is_same_moment
from sitecms.actions.syncing.written_form import in_order, time_in, time_text
from sitecms.content.entry import FIELDS
from sitecms.content.status import Status
from sitecms.content.term import TERM_FIELDS, name_key
from sitecms.documents import load_schema
from sitecms.documents.comparison import apply_changes, is_same

_EMPTY: tuple[object, ...] = (None, "", [])


class ValueMerge(Struct, frozen=True):
    """The change of the values in a file from the old ones to the new ones.

    `codes` are the locales by which values may be written, () if the entry has one. `slugs` are the declared fields,
    `lifted` those that stand at the top where all locales have the same.
    """

    site: SiteFiles
    codes: Sequence[str]
    slugs: Sequence[str]
    lifted: Sequence[str] = ()

    def merged(self, written: Mapping[str, Any], old: Values, new: Values) -> dict[str, Any]:
        """Return what is written with the values that differ."""
        at_own_top = [slug for slug in self.slugs if slug in written and slug not in load_schema("post")["properties"]]
        result = in_fields(written, (*self.lifted, *at_own_top), self.codes)
        aliases = {own: key for key, own in key_aliases().items() if key != DRAFT and written.get(key) is not None}
        for key in dict.fromkeys((*old, *new)):
            before, after, name = old.get(key, {}), new.get(key, {}), aliases.get(key, key)
            if is_same(before, after):
                continue
            if key == FIELDS:
                result[FIELDS] = self._fields(result, before, after)
            elif key == STATUS and isinstance(written.get(DRAFT), bool):
                (status,) = after.values()
                del result[DRAFT]
                result |= {STATUS: status} if status == Status.SCHEDULED else {DRAFT: status == Status.DRAFT}
            else:
                put(result, name, self._value(key, written, name, before, after))
        for slug in at_own_top:
            fields = dict(result[FIELDS])
            result |= {slug: fields.pop(slug)} if slug in fields else {}
            result[FIELDS] = fields
        result = at_top(result, self.lifted, self.codes, written)
        if FIELDS in written and not written[FIELDS] and not result[FIELDS]:
            result[FIELDS] = written[FIELDS]  # `fields:` without a value stays so
        return in_order(written, result)

    def _fields(self, result: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of each locale, plain where they are written plain and are of one locale."""
        fields, locales = result.get(FIELDS) or {}, {*old, *new}
        named = str(result.get("locale") or self.site.settings.default_locale)
        only = locales.pop() if len(locales) == 1 else named
        is_plain = not (fields and fields.keys() <= set(self.codes))
        by_locale = {only: fields} if is_plain else fields
        after = {
            locale: apply_changes(by_locale[locale], old[locale], values)
            if locale in by_locale and locale in old
            else values
            for locale, values in new.items()
        }
        return after[only] if is_plain and after.keys() == {only} else after

    def _value(
        self, key: str, written: Mapping[str, Any], name: str, old: Mapping[str, Any], new: Mapping[str, Any]
    ) -> Any:
        """Return the value of a key, which the file calls `name`, once or by locale; None if it is unset in all."""
        there = written.get(name)
        by_locale = there if isinstance(there, dict) else dict.fromkeys(old, there)

        def stated(locale: str) -> Any:
            if key in TIMES and new[locale] is not None:
                return time_text(new[locale], by_locale.get(locale) or time_in(written, name), self.site)
            return new[locale]

        def value(locale: str) -> Any:
            stays = locale in old and is_same(old[locale], new[locale])
            stays = stays or (key in TIMES and is_same_moment(by_locale.get(locale), new[locale], self.site.zone))
            stays = stays or (key in TERM_FIELDS and _spelled_alike(old.get(locale), new[locale]))
            if stays:
                return by_locale.get(locale)
            return apply_changes(by_locale.get(locale), old.get(locale), stated(locale))

        values = {locale: value(locale) for locale in new}
        if is_same(values, by_locale):
            return there
        if all(each in _EMPTY for each in values.values()):
            return None
        if not isinstance(there, dict) and len(set(map(str, values.values()))) == 1:
            return next(iter(values.values()))
        return {locale: stated(locale) if each is None else each for locale, each in values.items()}


def _spelled_alike(one: Sequence[str] | None, other: Sequence[str] | None) -> bool:
    """Return whether two lists name the same terms: the spelling of the file counts."""
    return [name_key(name) for name in one or ()] == [name_key(name) for name in other or ()]


def put(data: dict[str, Any], key: str, value: Any) -> None:
    """Set a value; what is unset has no key."""
    if value in _EMPTY:
        data.pop(key, None)
    else:
        data[key] = value
