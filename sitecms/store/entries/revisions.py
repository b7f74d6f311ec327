"""Revisions of entries: kept in the transaction of the change that replaces them, listed, found by token, and pruned.

What a change replaces is kept, so that a new entry costs nothing. The state is JSON (`content.revision`), compressed.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zlib import compress, decompress

import orjson

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.change import EntryKind, Origin
from sitecms.content.media import MEDIA_NAME
from sitecms.content.query import Results, Window
from sitecms.content.revision import Change, ChangeKind, ChangeSource, Revision, state_token
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.sql import JSON_NUMBERS

_LEVEL = 1  # a write waits for it, and higher levels save little more
_PLACE = "FROM revision WHERE kind = ? AND entry_id = ? AND locale = ?"
_LAST = f"SELECT ended_json {_PLACE} ORDER BY id DESC LIMIT 1"
_COLUMNS = "SELECT id, token, made_json, ended_json, was_public"
_INSERT = """
INSERT INTO revision (kind, entry_id, locale, token, was_public, made_json, ended_json, media, packed)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_OLD = """
SELECT id FROM (
 SELECT id, was_public, row_number() OVER place AS place, sum(was_public) OVER place AS public_place FROM revision
 WINDOW place AS (PARTITION BY kind, entry_id, locale ORDER BY id DESC)) AS placed
WHERE place > ? AND NOT (was_public = 1 AND public_place <= ?) ORDER BY id"""
_DELETE = "DELETE FROM revision WHERE id IN " + JSON_NUMBERS


def keep_revision(
    transaction: Transaction,
    kind: EntryKind,
    entry_id: int,
    locale: str,
    state: bytes,
    first: tuple[datetime, Origin],
    ended: Change,
    *,
    was_public: bool,
) -> None:
    """Keep the state that a change replaces. `first`: time and origin of a state that no recorded change has made."""
    row = transaction.sql_row(_LAST, kind.value, entry_id, locale)
    at, origin = first
    is_loaded = origin is Origin.FILE
    kind_of_first = ChangeKind.LOAD if is_loaded else ChangeKind.SAVE
    source = ChangeSource.FILE if is_loaded else ChangeSource.UNKNOWN
    made = str(row[0]) if row else _json(Change(at, kind_of_first, source, ""))
    media = " ".join(dict.fromkeys(f"/media/{name}" for name in MEDIA_NAME.findall(state.decode())))
    packed = b64encode(compress(state, _LEVEL)).decode()
    transaction.sql(
        _INSERT, kind.value, entry_id, locale, state_token(state), int(was_public), made, _json(ended), media, packed
    )


def last_change(session: Session, kind: EntryKind, entry_id: int, locale: str) -> Change | None:
    """Return the last recorded change of an entry in a locale; None if it was never changed since it was created."""
    row = session.sql_row(_LAST, kind.value, entry_id, locale)
    return _change(row[0]) if row else None


def find_revisions(session: Session, kind: EntryKind, entry_id: int, locale: str, window: Window) -> Results[Revision]:
    """Return the revisions of an entry in a locale, the newest first."""
    place = kind.value, entry_id, locale
    count = int(session.sql(f"SELECT count(*) {_PLACE}", *place)[0][0])
    rows = session.sql(f"{_COLUMNS} {_PLACE} ORDER BY id DESC LIMIT ? OFFSET ?", *place, window.limit, window.offset)
    return Results(count, tuple(map(_revision, rows)))


def get_revision(
    session: Session, kind: EntryKind, entry_id: int, locale: str, revision_id: int
) -> tuple[Revision, dict[str, Any]]:
    """Return a revision of an entry in a locale with its state. Raises NotFound."""
    row = session.sql_row(f"{_COLUMNS}, packed {_PLACE} AND id = ?", kind.value, entry_id, locale, revision_id)
    if row is None:
        raise NotFound("There is no such version any more.")
    return _revision(row), unpacked(row[5])


def find_before(
    session: Session, kind: EntryKind, entry_id: int, locale: str, revision_id: int
) -> tuple[Revision, dict[str, Any]] | None:
    """Return the next older revision with its state, or None."""
    row = session.sql_row(
        f"{_COLUMNS}, packed {_PLACE} AND id < ? ORDER BY id DESC LIMIT 1", kind.value, entry_id, locale, revision_id
    )
    return (_revision(row), unpacked(row[5])) if row else None


def find_state(session: Session, kind: EntryKind, entry_id: int, locale: str, token: str) -> dict[str, Any] | None:
    """Return the former state of that token, or None if it is not kept."""
    row = session.sql_row(
        f"SELECT packed {_PLACE} AND token = ? ORDER BY id DESC LIMIT 1", kind.value, entry_id, locale, token
    )
    return unpacked(row[0]) if row else None


def find_old(session: Session, keep: int, keep_public: int) -> tuple[int, ...]:
    """Return the ids of all revisions but the newest `keep` of each entry and locale.

    Of those that readers saw, the newest `keep_public` are left out too.
    """
    return tuple(row[0] for row in session.sql(_OLD, keep, keep_public))


def delete_revisions(transaction: Transaction, ids: Sequence[int]) -> None:
    """Remove revisions."""
    transaction.sql(_DELETE, orjson.dumps(ids).decode())


def unpacked(packed: str) -> dict[str, Any]:
    """Return the state in a row."""
    state: dict[str, Any] = orjson.loads(decompress(b64decode(packed)))
    return state


def _json(change: Change) -> str:
    text: Mapping[str, object] = {
        "at": to_microseconds(change.at), "kind": change.kind, "source": change.source, "name": change.name
    }  # fmt: skip
    return orjson.dumps(text).decode()


def _change(text: str) -> Change:
    values = orjson.loads(text)
    return Change(
        from_microseconds(values["at"]), ChangeKind(values["kind"]), ChangeSource(values["source"]), values["name"]
    )


def _revision(row: tuple[Any, ...]) -> Revision:
    return Revision(row[0], row[1], _change(row[2]), _change(row[3]), bool(row[4]))
