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
from sitecms.content.kinds import KINDS, Kind
from sitecms.content.schema import FieldSpec
from sitecms.content.status import Version
from sitecms.content.term import Term, name_key
from sitecms.content.text.block_merge import merge_texts

_MARKDOWN_TYPE = "long_text"
_BUILT_IN = (
    "status", "author", "featured_image", "featured_image_alt", "summary", "seo_title", "meta_description",
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


def merge_entry(
    former: Former,
    raw: RawEntry,
    change: EntryChange,
    stored: EntryChange,
    specs: Sequence[FieldSpec],
    render: Callable[[str], str | None],
) -> tuple[EntryChange, Merge]:
    """Return the merged change of an entry; `raw` and `change` are what its file says, without and with clean fields.

    `render` returns the HTML of a merged text, None for one with errors. Authors are slugs in all of them.
    """
    merge, of_versions = Merge(), _VersionMerge(KINDS[change.kind], specs, render)
    named = _merged_names(merge, former.entry.change(change.id), change, stored)
    versions = of_versions.versions(former, raw, change.versions, stored.versions)
    if not versions:  # an entry has at least one
        return named, merge
    merge.kept += of_versions.merge.kept
    merge.conflicts += of_versions.merge.conflicts
    return replace(named, versions=versions), merge


def _merged_names(merge: Merge, former: EntryChange, change: EntryChange, stored: EntryChange) -> EntryChange:
    """Return the change with its merged slug, titles and addresses."""
    old, new, now = map(_names_of, (former, change, stored))
    values = {name: merge.value(name, old[name] == new[name], old[name], new[name], now[name]) for name in new}
    path, aliases, guid = (values.pop(name) for name in ("path", "aliases", "guid"))
    if not KINDS[change.kind].has_locales:
        locale = change.only.locale
        path, aliases = {locale: path} if path else {}, {locale: aliases} if aliases else {}
    return replace(change, addresses=OwnAddresses(path, aliases, guid), **values)


def _names_of(change: EntryChange) -> dict[str, Any]:
    """Return slug, titles and addresses by their names in files, without the locale of an entry in one."""
    addresses = change.addresses or NO_ADDRESSES
    paths: Mapping[str, str] | str = addresses.paths
    aliases: Mapping[str, tuple[str, ...]] | tuple[str, ...] = addresses.aliases
    if not KINDS[change.kind].has_locales:
        paths, aliases = addresses.path(change.only.locale), addresses.aliases.get(change.only.locale, ())
    return {
        "slug": change.slug, "title": change.title, "titles": change.titles,
        "path": paths, "aliases": aliases, "guid": addresses.guid,
    }  # fmt: skip


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


class _LocaleSides(Struct, frozen=True):
    """The sides of a merge in one locale."""

    raw_base: RawVersion
    raw_file: RawVersion
    base: LocaleState | None
    file: LocaleState
    stored: LocaleState


class _VersionMerge:
    """Merge of the versions of one entry, each locale on its own."""

    def __init__(self, kind: Kind, specs: Sequence[FieldSpec], render: Callable[[str], str | None]) -> None:
        self._kind = kind
        self._specs = specs
        self._render = render
        self.merge = Merge()

    def versions(
        self, former: Former, raw: RawEntry, file: Sequence[VersionChange], stored: Sequence[VersionChange]
    ) -> tuple[VersionChange, ...]:
        """Return the merged versions: `file` are those of its file with clean fields."""
        raw_base, raw_file = (self._by_locale(entry.versions) for entry in (former.entry, raw))
        bases, files, stores = (self._states(each) for each in (former.versions, file, stored))
        merged: list[VersionChange] = []
        for locale in {**files, **stores}:
            old, new = raw_base.get(locale), raw_file.get(locale)
            base, of_file, of_store = bases.get(locale), files.get(locale), stores.get(locale)
            if of_file is None or new is None:  # nobody wrote it into the file, or it is gone from there
                if old is None and of_store:
                    self.merge.kept.append(locale)
                    merged += _versions(of_store)
                elif of_store and _is_edited(of_store.main, base.main if base else None):
                    self.merge.conflicts.append(Conflicting(locale, "", dict(of_store.main.fields)))
            elif of_store is None:  # new in the file, or gone from the store
                if old is None or _differ(old, new):
                    merged += _versions(of_file)
                else:
                    self.merge.kept.append(locale)
            else:
                empty = replace(new, change=replace(new.change, fields={}, times=Times()), draft=None)
                merged += self._locale(_LocaleSides(old or empty, new, base, of_file, of_store))
        return tuple(merged)

    def _by_locale(self, versions: Sequence[RawVersion]) -> dict[str, RawVersion]:
        return {self._key(each.change): each for each in versions}

    def _key(self, version: VersionChange) -> str:
        """Return the locale by which versions of the sides are compared: "" for an entry that may change its own."""
        return self._kind.locale_key(version.locale)

    def _states(self, versions: Sequence[VersionChange]) -> dict[str, LocaleState]:
        """Return the versions by locale."""
        states: dict[str, LocaleState] = {}
        for each in sorted(versions, key=lambda version: version.version is Version.DRAFT):
            main = states.get(self._key(each))
            states[self._key(each)] = LocaleState(main.main, each) if main else LocaleState(each)
        return states

    def _locale(self, sides: _LocaleSides) -> Iterable[VersionChange]:
        old, new, now = sides.raw_base.change, sides.raw_file.change, sides.stored.main
        place = self._kind.place(new.locale)
        values: dict[str, Any] = {}
        for name in _BUILT_IN:
            of_base, of_file, of_store = (getattr(each, name) for each in (old, new, now))
            values[name] = self.merge.value(f"{place}{name}", of_base == of_file, of_base, of_file, of_store)
        for name in _TERMS:
            values[name] = self._terms(name, *(getattr(each, name) for each in (old, new, now)))
        fields = FieldSides(
            old.fields, new.fields, sides.base.main.fields if sides.base else {}, sides.file.main.fields, now.fields
        )
        values["fields"] = self.merge.fields(f"{place}fields.", fields, self._specs)
        values["times"] = self.merge.times(old.times, new.times, now.times)
        values |= self._body(old, new, now)
        merged = replace(new, version=self._kind.version(values["status"]), **values)
        over = self._draft(sides, merged.fields)
        if over is None:
            return (merged,)
        if merged.version is Version.DRAFT:  # a draft lies over a published version alone
            return (over,)
        return (merged, over)

    def _terms(
        self, name: str, base: Sequence[str | Term], file: Sequence[str | Term], stored: Sequence[str | Term]
    ) -> Sequence[str | Term]:
        """Return terms, compared by name."""
        attempt, keys = Merge(), [_keys(each) for each in (base, file, stored)]
        is_kept = attempt.value(name, keys[0] == keys[1], *keys) == keys[2] != keys[1]
        self.merge.kept += attempt.kept
        self.merge.conflicts += (Conflicting(name, _names(file), _names(stored)) for _each in attempt.conflicts)
        return stored if is_kept else file

    def _body(self, base: VersionChange, file: VersionChange, stored: VersionChange) -> dict[str, str | None]:
        """Return body and Markdown: merged as Markdown where all sides have it, else as HTML."""
        of_file: dict[str, str | None] = {"body": file.body, "markdown": file.markdown}
        of_store: dict[str, str | None] = {"body": stored.body, "markdown": stored.markdown}
        if _text_of(stored) == _text_of(file):
            return of_file
        if _text_of(base) == _text_of(file):
            if stored.markdown is None and stored.body == file.body:
                return of_file
            self.merge.kept.append("body")
            return of_store
        if _text_of(base) == _text_of(stored) or (stored.markdown is None and stored.body == base.body):
            return of_file
        attempt = Merge()
        if base.markdown is not None and file.markdown is not None and stored.markdown is not None:
            text = attempt.text("body", base.markdown, file.markdown, stored.markdown, is_markdown=True)
            html = file.body if text == file.markdown else self._render(text)
            result: dict[str, str | None] = {"body": html, "markdown": text}
        else:
            html = attempt.text("body", base.body, file.body, stored.body, is_markdown=False)
            result = of_file if html == file.body else {"body": html, "markdown": None}
        if html is None:
            self.merge.conflicts.append(Conflicting("body", _text_of(file), _text_of(stored), is_markdown=True))
            return of_file
        self.merge.kept += attempt.kept
        self.merge.conflicts += attempt.conflicts
        return result

    def _draft(self, sides: _LocaleSides, live: Fields) -> VersionChange | None:
        """Return the draft over the merged version; fields that the store's draft has from its live version follow."""
        old, new, of_file = sides.raw_base, sides.raw_file, sides.file.over
        base, stored, name = sides.base.over if sides.base else None, sides.stored.over, f"{new.change.locale}.draft"
        if not _is_edited(stored, base):
            return of_file
        if stored:
            former_live = sides.stored.main.fields
            fields: dict[str, Any] = {
                key: live[key] if key in live and value == former_live.get(key, _MISSING) else value
                for key, value in stored.fields.items()
            }
            stored = replace(stored, fields=fields)
        if old.draft == new.draft:
            self.merge.kept.append(name)
            return stored
        if of_file is None and stored:
            self.merge.conflicts.append(Conflicting(name, "", dict(stored.fields)))
        if of_file is None or stored is None:
            return of_file
        before = base.fields if base else sides.base.main.fields if sides.base else {}
        raw_base, raw_file = (each.draft.fields if each.draft else {} for each in (old, new))
        both = FieldSides(raw_base, raw_file, before, of_file.fields, stored.fields)
        return replace(of_file, fields=self.merge.fields(f"{name}.fields.", both, self._specs))


def _versions(state: LocaleState) -> Iterable[VersionChange]:
    return (state.main, state.over) if state.over else (state.main,)


def _differ(old: RawVersion, new: RawVersion) -> bool:
    return replace(old, origin=None) != replace(new, origin=None)


def _is_edited(stored: VersionChange | None, base: VersionChange | None) -> bool:
    """Return whether the store has another version than the file had."""
    if stored is None or base is None:
        return stored is not base
    return (stored.status, stored.fields) != (base.status, base.fields)
