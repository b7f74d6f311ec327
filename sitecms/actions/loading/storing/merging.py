"""Merge of one entry: what its file says now, what it said at the last load, and what the store has.

A field that one side changed is taken from that side, and texts merge by block. Where both changed the same, the file
wins. Fields of a file are compared as they are written, so that a value that only means the same is no change.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.loading.reading.raw import RawEntry, RawVersion
from sitecms.content.addresses import NO_ADDRESSES, OwnAddresses
from sitecms.content.change import EntryChange, Times, VersionChange
from sitecms.content.field_value import Fields
from sitecms.content.fields import type_of
from sitecms.content.schema import FieldSpec
from sitecms.content.status import Status, Version
from sitecms.content.term import Term, name_key
from sitecms.content.text.block_merge import merge_texts

_MARKDOWN_TYPE = "long_text"
_OF_POST = (
    "slug", "title", "status", "author", "featured_image", "featured_image_alt", "summary", "seo_title",
    "meta_description", "aliases", "path", "guid",
)  # fmt: skip
_TERMS = ("categories", "tags")
_TIMES = ("created_at", "published_at", "scheduled_at")
_MISSING = object()


class Conflicting(Struct, frozen=True):
    """A field that both changed.

    Of a part of a text, `texts` are the whole one with the part of the file, and with the former part.
    """

    field: str
    value: object
    former: object
    texts: tuple[str, str] | None = None
    is_markdown: bool = False


class Merge:
    """Result of one merge: fields that stay as the store has them, and those that both sides changed."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.conflicts: list[Conflicting] = []

    def value(self, name: str, is_same: bool, base: Any, file: Any, stored: Any) -> Any:
        """Return one value; `is_same`: the file has not changed it."""
        if stored == file:
            return file
        if is_same:
            self.kept.append(name)
            return stored
        if stored != base:
            self.conflicts.append(Conflicting(name, file, stored))
        return file

    def text(self, name: str, base: str, file: str, stored: str, *, is_markdown: bool) -> str:
        """Return a text that both sides changed, merged by block."""
        merged = merge_texts(base, file, stored, is_markdown=is_markdown)
        text, parts = merged.text(), merged.conflicts
        for number, part in enumerate(parts):
            former = merged.text([number == each for each in range(len(parts))])
            self.conflicts.append(Conflicting(name, part.mine, part.theirs, (text, former), is_markdown))
        if text != file:
            self.kept.append(name)
        return text

    def fields(self, place: str, sides: "FieldSides", specs: Sequence[FieldSpec]) -> Fields:
        """Return the fields of a version. Those that only the store has stay."""
        by_slug, result = {spec.slug: spec for spec in specs}, dict[str, Any]()
        for name in {**sides.file, **sides.stored}:
            is_same = sides.raw_base.get(name, _MISSING) == sides.raw_file.get(name, _MISSING)
            base, file, stored = (side.get(name, _MISSING) for side in (sides.base, sides.file, sides.stored))
            if file is _MISSING or stored is _MISSING:
                result[name] = stored if file is _MISSING else file
                continue
            label, spec = f"{place}{name}", by_slug.get(name)
            is_text = spec and _is_text(spec) and all(isinstance(each, str) for each in (base, file, stored))
            if spec and is_text and not is_same and len({str(each) for each in (base, file, stored)}) == 3:
                attempt = Merge()
                text = attempt.text(label, str(base), str(file), str(stored), is_markdown=not type_of(spec).is_html)
                if spec.max_length is None or len(text) <= spec.max_length:
                    self.kept += attempt.kept
                    self.conflicts += attempt.conflicts
                    result[name] = text
                    continue
            result[name] = self.value(label, is_same, base, file, stored)
        return result

    def times(self, base: Times, file: Times, stored: Times) -> Times:
        """Return the times; those that no file states are the ones of the store."""
        found: dict[str, Any] = {}
        for name in _TIMES:
            of_base, of_file, of_stored = (getattr(each, name) for each in (base, file, stored))
            found[name] = of_stored if of_base == of_file else of_file
            if of_base == of_file is not None and of_stored != of_file:
                self.kept.append(name)
            elif of_base is not None and of_base not in (of_file, of_stored) and of_stored != of_file:
                self.conflicts.append(Conflicting(name, of_file, of_stored))
        updated = [each for each in (file.updated_at, stored.updated_at) if each]
        found["updated_at"] = max(updated, default=None) if base.updated_at == file.updated_at else file.updated_at
        return Times(**found)


class FieldSides(Struct, frozen=True):
    """The fields of a version: as the file has and had them, as written and as they are stored, and those stored."""

    raw_base: Mapping[str, object]
    raw_file: Mapping[str, object]
    base: Fields
    file: Fields
    stored: Fields


class Former(Struct, frozen=True):
    """An entry as its file had it at the last load, and its versions with clean fields."""

    entry: RawEntry
    versions: Sequence[VersionChange]


def _is_text(spec: FieldSpec) -> bool:
    return type_of(spec).is_html or spec.type == _MARKDOWN_TYPE


def merge_post(
    former: Former,
    raw: EntryChange,
    change: EntryChange,
    stored: EntryChange,
    specs: Sequence[FieldSpec],
    render: Callable[[str], str | None],
) -> tuple[EntryChange, Merge]:
    """Return the merged change of a post; `raw` and `change` are what its file says, without and with clean fields.

    `render` returns the HTML of a merged text, None for one with errors. Authors are slugs in all of them.
    """
    merge, base = Merge(), former.entry.post or change
    values: dict[str, Any] = {}
    sides_of_post = [_values_of_post(side) for side in (base, raw, stored)]
    for name in _OF_POST:
        old, new, now = (side[name] for side in sides_of_post)
        values[name] = merge.value(name, old == new, old, new, now)
    for name in _TERMS:
        old, new, now = (getattr(side.only, name) for side in (base, raw, stored))
        attempt = Merge()
        value = attempt.value(name, _keys(old) == _keys(new), _keys(old), _keys(new), _keys(now))
        values[name] = now if value == _keys(now) and value != _keys(new) else new
        merge.kept += attempt.kept
        merge.conflicts += (Conflicting(name, _names(new), _names(now)) for _each in attempt.conflicts)
    fields = former.versions[0].fields if former.versions else {}
    sides = FieldSides(base.only.fields, raw.only.fields, fields, change.only.fields, stored.only.fields)
    values["fields"] = merge.fields("fields.", sides, specs)
    values["times"] = merge.times(base.only.times, raw.only.times, stored.only.times)
    locale, path, aliases = change.only.locale, values.pop("path"), values.pop("aliases")
    addresses = OwnAddresses({locale: path} if path else {}, {locale: aliases} if aliases else {}, values.pop("guid"))
    named = replace(change, slug=values.pop("slug"), title=values.pop("title"), addresses=addresses)
    body = _merged_body(merge, base.only, raw.only, stored.only, render)
    return named.with_values(**values, **body), merge


def _values_of_post(change: EntryChange) -> dict[str, Any]:
    """Return the values of a post by their names in files, without terms, fields, times and text."""
    version, addresses = change.only, change.addresses or NO_ADDRESSES
    return {
        **{name: getattr(version, name) for name in _OF_POST if name in version.__struct_fields__},
        "slug": change.slug,
        "title": change.title,
        "path": addresses.path(version.locale),
        "aliases": addresses.aliases.get(version.locale, ()),
        "guid": addresses.guid,
    }


def _merged_body(
    merge: Merge, base: VersionChange, file: VersionChange, stored: VersionChange, render: Callable[[str], str | None]
) -> dict[str, str | None]:
    """Return body and Markdown: merged as Markdown where all sides have it, else as HTML."""
    of_file: dict[str, str | None] = {"body": file.body, "markdown": file.markdown}
    of_store: dict[str, str | None] = {"body": stored.body, "markdown": stored.markdown}
    if _text_of(stored) == _text_of(file):
        return of_file
    if _text_of(base) == _text_of(file):
        if stored.markdown is None and stored.body == file.body:
            return of_file
        merge.kept.append("body")
        return of_store
    if _text_of(base) == _text_of(stored) or (stored.markdown is None and stored.body == base.body):
        return of_file
    attempt = Merge()
    if base.markdown is not None and file.markdown is not None and stored.markdown is not None:
        text = attempt.text("body", base.markdown, file.markdown, stored.markdown, is_markdown=True)
        html = file.body if text == file.markdown else render(text)
        result: dict[str, str | None] = {"body": html, "markdown": text}
    else:
        html = attempt.text("body", base.body, file.body, stored.body, is_markdown=False)
        result = of_file if html == file.body else {"body": html, "markdown": None}
    if html is None:
        merge.conflicts.append(Conflicting("body", _text_of(file), _text_of(stored), is_markdown=True))
        return of_file
    merge.kept += attempt.kept
    merge.conflicts += attempt.conflicts
    return result


def _text_of(post: VersionChange) -> str:
    """Return the text without the empty lines around it, which are no change."""
    return (post.body if post.markdown is None else post.markdown).strip()


def _names(terms: Iterable[str | Term]) -> list[str]:
    return [term.name if isinstance(term, Term) else term for term in terms]


def _keys(terms: Iterable[str | Term]) -> list[str]:
    return sorted(map(name_key, _names(terms)))


class LocaleState(Struct, frozen=True):
    """The version of an entry in one locale that counts, and the draft over it."""

    main: VersionChange
    over: VersionChange | None = None


def merge_versions(
    former: Former,
    raw: RawEntry,
    file: Sequence[VersionChange],
    stored: Sequence[VersionChange],
    specs: Sequence[FieldSpec],
) -> tuple[tuple[VersionChange, ...], Merge]:
    """Return the merged versions of a page or item: `file` are those of its file with clean fields."""
    merge = Merge()
    raw_base, raw_file = ({each.locale: each for each in entry.versions} for entry in (former.entry, raw))
    bases, files, stores = (_states(each) for each in (former.versions, file, stored))
    merged: list[VersionChange] = []
    for locale in {**files, **stores}:
        old, new = raw_base.get(locale), raw_file.get(locale)
        base, of_file, of_store = bases.get(locale), files.get(locale), stores.get(locale)
        if of_file is None or new is None:  # nobody wrote it into the file, or it is gone from there
            if old is None and of_store:
                merge.kept.append(locale)
                merged += _versions(of_store)
            elif of_store and _is_edited(of_store.main, base.main if base else None):
                merge.conflicts.append(Conflicting(locale, "", dict(of_store.main.fields)))
        elif of_store is None:  # new in the file, or gone from the store
            if old is None or _differ(old, new):
                merged += _versions(of_file)
            else:
                merge.kept.append(locale)
        else:
            sides = _LocaleSides(
                old or replace(new, fields={}, draft=None, times=Times()), new, base, of_file, of_store
            )
            merged += _merged_locale(merge, sides, specs)
    return (tuple(merged), merge) if merged else (tuple(file), Merge())


def merge_name(former: RawEntry, change: EntryChange, stored: EntryChange, merge: Merge) -> EntryChange:
    """Return the change of a page or item with its merged addresses, and title."""
    old, new, now = former.addresses, change.addresses or NO_ADDRESSES, stored.addresses or NO_ADDRESSES
    paths = merge.value("path", old.paths == new.paths, old.paths, new.paths, now.paths)
    aliases = merge.value("aliases", old.aliases == new.aliases, old.aliases, new.aliases, now.aliases)
    addresses = OwnAddresses(paths, aliases)
    if change.title is None or stored.title is None:
        return replace(change, addresses=addresses)
    title = merge.value("title", former.title == change.title, former.title, change.title, stored.title)
    titles = merge.value("titles", former.titles == change.titles, former.titles, change.titles, stored.titles)
    return replace(change, title=title, titles=titles, addresses=addresses)


class _LocaleSides(Struct, frozen=True):
    """The sides of a merge in one locale."""

    raw_base: RawVersion
    raw_file: RawVersion
    base: LocaleState | None
    file: LocaleState
    stored: LocaleState


def _states(versions: Sequence[VersionChange]) -> dict[str, LocaleState]:
    """Return the versions by locale."""
    states: dict[str, LocaleState] = {}
    for each in sorted(versions, key=lambda version: version.version is Version.DRAFT):
        main = states.get(each.locale)
        states[each.locale] = LocaleState(main.main, each) if main else LocaleState(each)
    return states


def _versions(state: LocaleState) -> Iterable[VersionChange]:
    return (state.main, state.over) if state.over else (state.main,)


def _differ(old: RawVersion, new: RawVersion) -> bool:
    return replace(old, origin=None) != replace(new, origin=None)


def _merged_locale(merge: Merge, sides: _LocaleSides, specs: Sequence[FieldSpec]) -> Iterable[VersionChange]:
    old, new, stored, place = sides.raw_base, sides.raw_file, sides.stored, f"{sides.raw_file.locale}."
    base = sides.base.main.fields if sides.base else {}
    status = merge.value(f"{place}status", old.status is new.status, old.status, new.status, stored.main.status)
    fields = FieldSides(old.fields, new.fields, base, sides.file.main.fields, stored.main.fields)
    merged = VersionChange(
        new.locale,
        Version.LIVE if status is Status.PUBLISHED else Version.DRAFT,
        status,
        merge.fields(f"{place}fields.", fields, specs),
        merge.times(old.times, new.times, stored.main.times),
    )
    over = _merged_draft(merge, sides, merged.fields, specs)
    if over is None:
        return (merged,)
    if merged.version is Version.DRAFT:  # a draft lies over a published version alone
        return (over,)
    return (merged, over)


def _merged_draft(merge: Merge, sides: _LocaleSides, live: Fields, specs: Sequence[FieldSpec]) -> VersionChange | None:
    """Return the draft over the merged version. Fields that the store's draft has from its live version follow it."""
    old, new, of_file = sides.raw_base, sides.raw_file, sides.file.over
    base, stored, name = sides.base.over if sides.base else None, sides.stored.over, f"{new.locale}.draft"
    if not _is_edited(stored, base):
        return of_file
    if stored:
        former_live = sides.stored.main.fields
        fields: dict[str, Any] = {
            key: live[key] if key in live and value == former_live.get(key, _MISSING) else value
            for key, value in stored.fields.items()
        }
        stored = replace(stored, fields=fields)
    if (old.draft, old.draft_status, old.draft_times) == (new.draft, new.draft_status, new.draft_times):
        merge.kept.append(name)
        return stored
    if of_file is None and stored:
        merge.conflicts.append(Conflicting(name, "", dict(stored.fields)))
    if of_file is None or stored is None:
        return of_file
    before = base.fields if base else sides.base.main.fields if sides.base else {}
    both = FieldSides(old.draft or {}, new.draft or {}, before, of_file.fields, stored.fields)
    return replace(of_file, fields=merge.fields(f"{name}.fields.", both, specs))


def _is_edited(stored: VersionChange | None, base: VersionChange | None) -> bool:
    """Return whether the store has another version than the file had."""
    if stored is None or base is None:
        return stored is not base
    return (stored.status, stored.fields) != (base.status, base.fields)
