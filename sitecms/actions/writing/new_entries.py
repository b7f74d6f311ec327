"""Storage of new entries, one or many in a transaction: rows are inserted by the hundred, in the order of the entries.

Authors and terms are looked up once.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import orjson

from sitecms.actions.writing.entry_terms import has_terms, term_names
from sitecms.actions.writing.save_context import (
    SaveContext,
    author_id_of,
    columns_of,
    derived_columns,
    group_of,
    own_columns,
)
from sitecms.actions.writing.search_rows import is_searched, text_of_version
from sitecms.content.change import Applied, EntryChange, VersionChange
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.content.search_text import indexed_text
from sitecms.content.status import Status
from sitecms.content.term import TERM_FIELDS, Term, TermKind
from sitecms.content.text.html import plain_text
from sitecms.store.database import IndexRow
from sitecms.store.entries import entry_rows, terms
from sitecms.store.entries.entry_rows import NewVersion
from sitecms.store.search import index
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.site_state.last_ids import last_id

ROWS_AT_ONCE = 512
MOST_CHARACTERS = 8_000_000
_UNSET: Mapping[str, object] = {"title": "", "titles": {}, "addresses": {}, "group_id": None, "locale": None}


class DerivedTexts(NamedTuple):
    """Texts that are derived from a version: columns of its row, and title and body as the search index holds them."""

    columns: tuple[tuple[str, object], ...]
    title: str
    body: str


class _Pending(NamedTuple):
    """A version that waits to be inserted; `searched` are its title and text in the search index, if it is there."""

    kind: EntryKind
    entry_id: int
    version: NewVersion
    searched: tuple[str, str] | None


def derived_texts(change: EntryChange) -> DerivedTexts:
    """Derive the texts of a post; those of the search index are empty for a post that is not published."""
    version = change.only
    columns = tuple(derived_columns(version.body).items())
    if version.status is not Status.PUBLISHED:
        return DerivedTexts(columns, "", "")
    return DerivedTexts(columns, indexed_text(change.title or ""), indexed_text(plain_text(version.body)))


def new_version(
    change: EntryChange, entry_id: int, version: VersionChange, columns: Mapping[str, Any], spelt: Mapping[int, str]
) -> NewVersion:
    """Return a version to insert; `columns` are those of `columns_of` and more."""
    place = {"kind": change.kind.value, "entry_id": entry_id, "version": version.version.value}
    own = {name: value for name, value in columns.items() if name != "body"}
    body = (version.body, version.markdown) if "body" in columns else None
    return NewVersion({**place, "slug": change.slug or None, "deleted_at": None, **own}, body, spelt)


class NewEntries:
    """New entries that are not stored yet. Call `flush` before anything reads them, and at the end."""

    def __init__(self, context: SaveContext) -> None:
        self._context = context
        self._transaction = context.transaction
        self._next_ids: dict[EntryKind, int] = {}
        self._authors: dict[str, int] = {}
        self._terms: dict[tuple[TermKind, str | Term], tuple[int, str] | None] = {}
        self._forget()

    def _forget(self) -> None:
        self._rows: list[dict[str, object]] = []
        self._pending: list[_Pending] = []
        self._ids: dict[str, int] = {}
        self._variants: set[tuple[int, str]] = set()
        self._characters = 0

    def find(self, slug: str) -> int | None:
        """Return the id of the post of that slug among those that are not stored yet."""
        return self._ids.get(slug)

    def has_id(self, post_id: int) -> bool:
        """Return whether a post that is not stored yet has the id."""
        return post_id in self._ids.values()

    def add(self, change: EntryChange, derived: DerivedTexts | None = None, *, is_named: bool = False) -> Applied:
        """Take an entry whose slug and id, if it has one, no other entry has; `is_named`: its own row is stored.

        Raises InvalidFields as `save_entry`.
        """
        kind = KINDS[change.kind]
        if kind.has_body and derived is None:
            derived = derived_texts(change)
        group_id = self._group(change)
        entry_id = change.id if is_named else self._give_id(change.kind, change.id)
        versions = [self._new_version(change, entry_id, version, derived) for version in change.versions]
        if not is_named:
            self._rows.append(self._row(change, entry_id, group_id or entry_id, versions))
            self._ids[change.slug] = entry_id
            self._variants |= {(group_id or entry_id, each.locale) for each in change.versions}
        self._pending += versions
        if len(self._pending) >= ROWS_AT_ONCE or self._characters >= MOST_CHARACTERS:
            self.flush()
        places = (f"{each.locale}.{each.version}" for each in change.versions)
        return Applied(entry_id, created=True, replaced=dict.fromkeys(places, "new"))

    def _row(
        self, change: EntryChange, entry_id: int, group_id: int, versions: Sequence[_Pending]
    ) -> dict[str, object]:
        """Return the row of the entry."""
        begun = (each.version.columns["created_at"] for each in versions)
        return {
            **_UNSET,
            **own_columns(change, group_id),
            "kind": change.kind.value,
            "id": entry_id,
            "origin": self._context.origin.value,
            "created_at": next(begun, self._context.at),
            "deleted_at": None,
        }

    def _new_version(
        self, change: EntryChange, entry_id: int, version: VersionChange, derived: DerivedTexts | None
    ) -> _Pending:
        columns = columns_of(change, version, self._context.at)
        if KINDS[change.kind].has_author:
            columns["author_id"] = self._author_id(version.author)
        columns |= derived.columns if derived else ()
        spelt: dict[int, str] = {}
        for key, names in self._named_terms(change, version).items():
            spelt |= self._spelt(TERM_FIELDS[key], names)
        searched = self._searched(change, version, derived)
        self._characters += len(version.body) + len(searched[1] if searched else "")
        self._characters += len(orjson.dumps(version.fields)) if version.fields else 0
        return _Pending(change.kind, entry_id, new_version(change, entry_id, version, columns, spelt), searched)

    def _named_terms(self, change: EntryChange, version: VersionChange) -> Mapping[str, Sequence[str | Term]]:
        """Return the terms of a version: its own, and those that its fields name."""
        named: dict[str, Sequence[str | Term]] = {name: getattr(version, name) for name in TERM_FIELDS}
        if has_terms(self._schema, change.kind):
            named |= term_names(self._schema, change.kind, (change.type, change.slug), version.fields)
        return named

    @cached_property
    def _schema(self) -> ContentSchema:
        return self._context.schema or load_content_schema(self._transaction)

    def _searched(
        self, change: EntryChange, version: VersionChange, derived: DerivedTexts | None
    ) -> tuple[str, str] | None:
        """Return title and text as the search index holds them; None for what search does not find.

        Fields are not clean yet when texts are derived.
        """
        if not is_searched(change.kind, version.version, version.status):
            return None
        if derived and not version.fields:
            return derived.title, derived.body
        title = change.titles.get(version.locale) or change.title or ""
        return indexed_text(title), indexed_text(text_of_version(change, version, self._schema))

    def flush(self) -> None:
        """Insert the rows. Those of the index come last: each statement on a table before them would flush it."""
        if not self._pending and not self._rows:
            return
        entry_rows.insert_entries(self._transaction, self._rows)
        ids = entry_rows.insert_versions(self._transaction, [each.version for each in self._pending])
        searched: dict[EntryKind, list[IndexRow]] = {}
        for each, version_id in zip(self._pending, ids, strict=True):
            if each.searched:
                searched.setdefault(each.kind, []).append((version_id, *each.searched))
        for kind, rows in searched.items():
            index.add_rows(self._transaction, kind, rows)
        self._forget()

    def _give_id(self, kind: EntryKind, given: int) -> int:
        following = self._next_ids.get(kind) or last_id(self._transaction, kind.value) + 1
        entry_id = given or following
        self._next_ids[kind] = max(following, entry_id + 1)
        return entry_id

    def _author_id(self, named: str) -> int:
        if named not in self._authors:
            self._authors[named] = author_id_of(self._transaction, named, self._context.owner)
        return self._authors[named]

    def _spelt(self, kind: TermKind, names: Sequence[str | Term]) -> dict[int, str]:
        """Return the spelling of each of these terms by id, without repeats; create the missing ones."""
        if unknown := [name for name in names if (kind, name) not in self._terms]:
            found = terms.ensure_each(self._transaction, kind, unknown)
            self._terms |= {(kind, name): found.get(name) for name in unknown}
        spelt: dict[int, str] = {}
        for name in names:
            if (term := self._terms[kind, name]) is not None:
                spelt.setdefault(*term)
        return spelt

    def _group(self, change: EntryChange) -> int:
        """Return the locale group of a translation, 0 for an entry that begins its own."""
        if not change.translation_of:
            return 0
        if change.translation_of in self._ids:
            self.flush()
        group_id = group_of(self._transaction, change, (), self._context.origin)
        if (group_id, change.only.locale) in self._variants:
            self.flush()
            group_of(self._transaction, change, (), self._context.origin)  # raises the error that names the other
        return group_id
