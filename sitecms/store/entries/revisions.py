"""States of entries in one locale, and revisions: former states, kept in the transaction of the change that ends them.

What a change replaces is kept, so that a new entry costs nothing. A state is compressed JSON: slug and title of an
entry that has them, and its `live` and `draft` version.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zlib import compress, decompress

import orjson
import peewee
from msgspec import Struct
from peewee import fn

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.change import Origin, change_of_version
from sitecms.content.entry import Entry
from sitecms.content.kinds import BODY, KINDS, MARKDOWN, EntryKind
from sitecms.content.media import MEDIA_NAME
from sitecms.content.query import Results, Window
from sitecms.content.revision import Change, ChangeCause, ChangeKind, ChangeSource, Revision, state_token
from sitecms.content.status import Status, Version
from sitecms.errors import NotFound
from sitecms.messages import N_
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_state import origin_of
from sitecms.store.models.entries import RevisionRow
from sitecms.store.prepared import prepared
from sitecms.store.sql import number_list

_LEVEL = 1  # a write waits for it, and higher levels save little more
_KEPT = ("status", "fields", "created_at", "updated_at", "published_at", "scheduled_at")
_NAMES = ("title", "slug")
_ADDRESSES = ("path", "aliases", "guid")
_COLUMNS = (RevisionRow.id, RevisionRow.token, RevisionRow.made, RevisionRow.ended, RevisionRow.was_public)


class StoredState(Struct, frozen=True):
    """The state of an entry in one locale: its versions there, the draft before the live one.

    `origin` is that of its last change, "" if it is to be looked up.
    """

    versions: tuple[Entry, ...]
    origin: str = ""

    def in_locale(self, locale: str) -> "StoredState":
        """Return the state of an entry that is in several locales, in one of them."""
        return StoredState(tuple(each for each in self.versions if each.locale == locale), self.origin)

    @property
    def json(self) -> bytes:
        """The state as a revision keeps it. The HTML of Markdown is left out."""
        state: dict[str, Any] = {Version.LIVE.value: None, Version.DRAFT.value: None}
        main = self.versions[-1] if self.versions else None
        if main and KINDS[main.kind].has_slug:
            state = {**{name: getattr(main, name) for name in _NAMES}, **state}
        for entry in self.versions:
            names = {name: getattr(entry, name) for name in _NAMES if getattr(entry, name) != getattr(main, name)}
            state[entry.version.value] = {**_values_of(entry), **names}
        return orjson.dumps(state)

    @property
    def token(self) -> str:
        """The token of the state; "" for that of an entry that is not in the locale."""
        return state_token(self.json) if self.versions else ""


def _values_of(entry: Entry) -> dict[str, Any]:
    """Return a version as states have it, without its names."""
    values = {name: getattr(entry, name) for name in _KEPT}
    if KINDS[entry.kind].has_body:
        change = change_of_version(entry)
        values |= {name: getattr(change, name) for name in KINDS[entry.kind].names if name not in _NAMES}
        values |= {name: getattr(entry, name) for name in _ADDRESSES}
        values |= {BODY: entry.body if entry.markdown is None else "", MARKDOWN: entry.markdown}
    return {**values, "saved_by": entry.saved_by} if entry.saved_by else values


def _of_entry(*columns: Any, kind: EntryKind, entry_id: int, locale: str) -> Any:
    """Return the query of the revisions of an entry in a locale."""
    is_entry = (RevisionRow.kind == kind) & (RevisionRow.entry_id == entry_id) & (RevisionRow.locale == locale)
    return RevisionRow.select(*columns).where(is_entry)


@prepared
def _last(kind: EntryKind, entry_id: int, locale: str) -> Any:
    query = _of_entry(RevisionRow.ended, kind=kind, entry_id=entry_id, locale=locale)
    return query.order_by(RevisionRow.id.desc()).limit(1)


def keep_state(
    transaction: Transaction,
    state: StoredState,
    cause: ChangeCause,
    change: tuple[Version, Status | None],
    at: datetime,
) -> None:
    """Keep a state that a change replaces: `change` is the version that changes, with its status afterwards."""
    version, after = change
    entry = state.versions[0]
    before = next((each.status for each in state.versions if each.version is version), None)
    row, packed = transaction.row(_last(entry.kind, entry.id, entry.locale)), state.json
    ended = Change(at, cause.kind_of(before, after), cause.source, cause.name)
    revision = {
        "kind": entry.kind, "entry_id": entry.id, "locale": entry.locale, "token": state_token(packed),
        "was_public": version is Version.LIVE and before is Status.PUBLISHED,
        "made": row[0] if row else json_of_change(_first_change(transaction, state)),
        "ended": json_of_change(ended),
        "media": " ".join(dict.fromkeys(f"/media/{name}" for name in MEDIA_NAME.findall(packed.decode()))),
        "packed": b64encode(compress(packed, _LEVEL)).decode(),
    }  # fmt: skip
    transaction.insert(RevisionRow, revision)


def _first_change(session: Session, state: StoredState) -> Change:
    """Return the change that made a state which no recorded change has made."""
    entry = state.versions[0]
    is_loaded = (state.origin or origin_of(session, entry.kind, entry.id, in_trash=True)) == Origin.FILE
    kind = ChangeKind.LOAD if is_loaded else ChangeKind.SAVE
    source = ChangeSource.FILE if is_loaded else ChangeSource.UNKNOWN
    return Change(max(each.updated_at for each in state.versions), kind, source, "")


def last_change(session: Session, kind: EntryKind, entry_id: int, locale: str) -> Change | None:
    """Return the last recorded change of an entry in a locale; None if it was never changed since it was created."""
    row = session.row(_last(kind, entry_id, locale))
    return change_of_json(row[0]) if row else None


def last_revision(session: Session, kind: EntryKind, entry_id: int) -> tuple[Revision, dict[str, Any]] | None:
    """Return the newest revision of an entry in any locale, with its state; None if it has no history."""
    is_entry = (RevisionRow.kind == kind) & (RevisionRow.entry_id == entry_id)
    query = RevisionRow.select(*_COLUMNS, RevisionRow.packed).where(is_entry).order_by(RevisionRow.id.desc()).limit(1)
    row = session.row(query)
    return (_revision(row[:-1]), unpacked(row[-1])) if row else None


def last_scheduling(session: Session, kind: EntryKind, entry_id: int) -> Change | None:
    """Return the last change that set a time to publish an entry at, in any locale."""
    is_entry = (RevisionRow.kind == kind) & (RevisionRow.entry_id == entry_id)
    rows = session.rows(RevisionRow.select(RevisionRow.ended).where(is_entry).order_by(RevisionRow.id.desc()))
    changes = (change_of_json(row[0]) for row in rows)
    return next((each for each in changes if each.kind is ChangeKind.SCHEDULE), None)


def find_revisions(session: Session, kind: EntryKind, entry_id: int, locale: str, window: Window) -> Results[Revision]:
    """Return the revisions of an entry in a locale, the newest first."""
    revisions = _of_entry(*_COLUMNS, kind=kind, entry_id=entry_id, locale=locale)
    newest = revisions.order_by(RevisionRow.id.desc()).limit(window.limit).offset(window.offset)
    return Results(session.count(revisions), tuple(map(_revision, session.rows(newest))))


def get_revision(
    session: Session, kind: EntryKind, entry_id: int, locale: str, revision_id: int
) -> tuple[Revision, dict[str, Any]]:
    """Return a revision of an entry in a locale with its state. Raises NotFound."""
    revisions = _of_entry(*_COLUMNS, RevisionRow.packed, kind=kind, entry_id=entry_id, locale=locale)
    row = session.row(revisions.where(RevisionRow.id == revision_id))
    if row is None:
        raise NotFound(N_("There is no such version any more."))
    return _revision(row[:-1]), unpacked(row[-1])


def find_before(
    session: Session, kind: EntryKind, entry_id: int, locale: str, revision_id: int
) -> tuple[Revision, dict[str, Any]] | None:
    """Return the next older revision with its state, or None."""
    revisions = _of_entry(*_COLUMNS, RevisionRow.packed, kind=kind, entry_id=entry_id, locale=locale)
    row = session.row(revisions.where(RevisionRow.id < revision_id).order_by(RevisionRow.id.desc()))
    return (_revision(row[:-1]), unpacked(row[-1])) if row else None


def find_state(session: Session, kind: EntryKind, entry_id: int, locale: str, token: str) -> dict[str, Any] | None:
    """Return the former state of that token, or None if it is not kept."""
    revisions = _of_entry(RevisionRow.packed, kind=kind, entry_id=entry_id, locale=locale)
    row = session.row(revisions.where(RevisionRow.token == token).order_by(RevisionRow.id.desc()))
    return unpacked(row[0]) if row else None


def find_old(session: Session, keep: int, keep_public: int) -> tuple[int, ...]:
    """Return the ids of all revisions but the newest `keep` of each entry and locale.

    Of those that readers saw, the newest `keep_public` are left out too.
    """
    entry = [RevisionRow.kind, RevisionRow.entry_id, RevisionRow.locale]
    newest_first = peewee.Window(partition_by=entry, order_by=[RevisionRow.id.desc()])
    place = fn.ROW_NUMBER().over(newest_first).alias("place")
    public_place = fn.SUM(RevisionRow.was_public).over(newest_first).coerce(False).alias("public_place")
    placed = RevisionRow.select(RevisionRow.id, RevisionRow.was_public, place, public_place).window(newest_first)
    is_kept_as_public = (placed.c.was_public == 1) & (placed.c.public_place <= keep_public)
    old = placed.select_from(placed.c.id).where(placed.c.place > keep, ~is_kept_as_public).order_by(placed.c.id)
    return tuple(row[0] for row in session.rows(old))


def delete_revisions(transaction: Transaction, ids: Sequence[int]) -> None:
    """Remove revisions."""
    transaction.run(RevisionRow.delete().where(RevisionRow.id.in_(number_list(ids))))


def unpacked(packed: str) -> dict[str, Any]:
    """Return the state in a row."""
    state: dict[str, Any] = orjson.loads(decompress(b64decode(packed)))
    return state


def json_of_change(change: Change) -> Mapping[str, object]:
    """Return a change as a column of JSON keeps it."""
    return {"at": to_microseconds(change.at), "kind": change.kind, "source": change.source, "name": change.name}


def change_of_json(values: Mapping[str, Any]) -> Change:
    """Return the change that a column of JSON keeps."""
    return Change(
        from_microseconds(values["at"]), ChangeKind(values["kind"]), ChangeSource(values["source"]), values["name"]
    )


def _revision(row: tuple[Any, ...]) -> Revision:
    return Revision(row[0], row[1], change_of_json(row[2]), change_of_json(row[3]), row[4])
