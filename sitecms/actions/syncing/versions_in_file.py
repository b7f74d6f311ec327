"""Versions of a page or item as one form by locale, and what is written in a file brought to such a form."""

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from sitecms.actions.exporting.entry_files import EntryWriter, times_of
from sitecms.actions.post_like_keys import at_top, in_fields
from sitecms.actions.syncing.site_files import TIMES, SiteFiles, is_same_moment
from sitecms.actions.syncing.written_form import in_order, time_in, time_text
from sitecms.content.change import VersionChange
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS
from sitecms.content.schema import FieldSpec
from sitecms.content.status import Version
from sitecms.documents.comparison import apply_changes, is_same

FIELDS, DRAFT, TITLE = "fields", "draft", "title"
_WORDS = (TITLE, "status", *TIMES)
Forms = dict[str, dict[str, Any]]
"""Values by key and locale."""


def of_file(shape: Entry, changes: Sequence[VersionChange], moment: datetime) -> tuple[Entry, ...]:
    """Return the versions that a load at that moment makes of a file; `shape` is any version of the entry.

    A version whose file says no time of publication has none.
    """
    return tuple(
        replace(
            shape,
            locale=each.locale,
            version=each.version,
            status=each.status,
            fields=each.fields,
            created_at=each.times.created_at or each.times.published_at or moment,
            updated_at=each.times.updated_at or each.times.published_at or moment,
            published_at=each.times.published_at,
            scheduled_at=each.times.scheduled_at,
        )
        for each in changes
    )


def main_versions(versions: Sequence[Entry], locales: Sequence[str]) -> dict[str, Entry]:
    """Return for each locale of the site the live version, without one the draft."""
    drafts = {each.locale: each for each in versions if each.version is Version.DRAFT}
    live = {each.locale: each for each in versions if each.version is Version.LIVE}
    return {code: {**drafts, **live}[code] for code in locales if code in drafts or code in live}


def drafts_over(versions: Sequence[Entry], locales: Sequence[str]) -> dict[str, Entry]:
    """Return for each locale the draft over a live version."""
    main = main_versions(versions, locales)
    return {each.locale: each for each in versions if each.locale in main and each is not main[each.locale]}


def forms_of(
    versions: Mapping[str, Entry], specs: Sequence[FieldSpec], writer: EntryWriter, *, is_over: bool = False
) -> Forms:
    """Return status, times, fields and titles of one version in each locale, as files write them."""
    forms: Forms = {name: {} for name in (*_WORDS, FIELDS)}
    for locale, each in versions.items():
        if KINDS[each.kind].has_slug:
            forms[TITLE][locale] = each.title
        forms["status"][locale] = each.status.value
        times = times_of(each.created_at, each.updated_at, each.published_at, each.scheduled_at)
        for name in TIMES:
            forms[name][locale] = times.get(name)
        forms[FIELDS][locale] = writer.fields(each.fields, specs, is_over=is_over)
    return forms


def merged(
    written: Mapping[str, Any], old: Forms, new: Forms, site: SiteFiles, keys: Sequence[str] = ()
) -> dict[str, Any]:
    """Return an entry of a file with what differs between the two forms; all else stays as it is written.

    `keys` are fields that may stand at its top.
    """
    codes = site.settings.locales
    result = at_top(_merged(in_fields(written, keys, codes), old, new, site), keys, codes, written)
    return in_order(written, result)


def _merged(written: Mapping[str, Any], old: Forms, new: Forms, site: SiteFiles) -> dict[str, Any]:
    result = dict(written)
    locales = {*old[FIELDS], *new[FIELDS]}
    plain_locale = locales.pop() if len(locales) == 1 else str(written.get("locale") or site.settings.default_locale)
    for name in _WORDS:
        if not is_same(old[name], new[name]):
            _merge_word(result, name, old[name], new[name], site)
    if not is_same(old[FIELDS], new[FIELDS]):
        fields = written.get(FIELDS) or {}
        is_plain = not (fields and fields.keys() <= set(site.settings.locales))
        by_locale = {plain_locale: fields} if is_plain else fields
        after = {
            locale: apply_changes(by_locale[locale], old[FIELDS][locale], values)
            if locale in by_locale and locale in old[FIELDS]
            else values
            for locale, values in new[FIELDS].items()
        }
        result[FIELDS] = after[plain_locale] if is_plain and after.keys() == {plain_locale} else after
    return result


def _merge_word(
    result: dict[str, Any], name: str, old: Mapping[str, Any], new: Mapping[str, Any], site: SiteFiles
) -> None:
    """Change a value that a file writes once, or by locale."""
    there = result.get(name)
    by_locale = there if isinstance(there, dict) else dict.fromkeys(old, there)

    def text_of(locale: str) -> Any:
        if name not in TIMES or new[locale] is None:
            return new[locale]
        return time_text(new[locale], by_locale.get(locale) or time_in(result, name), site)

    def value(locale: str) -> Any:
        stays = locale in old and is_same(old[locale], new[locale])
        stays = stays or (name in TIMES and is_same_moment(by_locale.get(locale), new[locale], site.zone))
        return by_locale.get(locale) if stays else text_of(locale)

    after = {locale: value(locale) for locale in new}
    if is_same(after, by_locale):
        return
    texts = set(map(str, after.values()))
    if set(after.values()) <= {None}:
        result.pop(name, None)
    elif len(texts) == 1 and not isinstance(there, dict):
        result[name] = next(iter(after.values()))
    else:
        result[name] = {locale: text_of(locale) if text is None else text for locale, text in after.items()}


def without_draft(written: Mapping[str, Any], locales: Set[str]) -> dict[str, Any]:
    """Return an entry of a file whose draft is gone from all locales but these."""
    if locales or DRAFT not in written:
        return dict(written)
    return {key: value for key, value in written.items() if key != DRAFT}
