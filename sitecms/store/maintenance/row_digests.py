"""Check of rows against the digests that were stored when they were written.

Its SQL is written by hand: each engine stores digests of rows in its own way, as `store.schema` declares.
"""

from collections.abc import Iterator

from msgspec import Struct

from sitecms.errors import StoreUnusable
from sitecms.store.database import Session
from sitecms.store.engines.sqlite.digests import as_bytes, digest_of
from sitecms.store.engines.sqlite.session import SqliteSession
from sitecms.store.schema.columns import KEYS, SEPARATOR
from sitecms.store.schema.postgres import key_text

CHANGED = "holds other values than were written"
UNKNOWN = "was not written by anybody"
LOST = "is lost"
_CHUNK = 500
_ABSENT = b"absent"


class DamagedRow(Struct, frozen=True):
    """Row that does not match its digest, by its table and key."""

    table: str
    row: str
    problem: str


def damaged_rows(session: Session) -> Iterator[DamagedRow]:
    """Yield each row that does not match its digest, table by table."""
    find = _in_file if isinstance(session, SqliteSession) else _on_server
    for table in KEYS:
        yield from find(session, table)


def check_rows(session: Session, place: object) -> None:
    """Raise StoreUnusable for the first damaged row, since a copy would get digests that match the damage."""
    damaged = next(damaged_rows(session), None)
    if damaged is not None:
        raise StoreUnusable(
            f"The store {place} is damaged ({damaged.table} row {damaged.row} {damaged.problem}), so it was not "
            "copied. `sitecms verify` names all damage."
        )


def _in_file(session: Session, table: str) -> Iterator[DamagedRow]:
    digests = dict(session.sql("SELECT CAST(key AS BLOB), digest FROM row_digest WHERE name = ?", table))
    key = f" || char({ord(SEPARATOR)}) || ".join(f"{table}.{column}" for column in KEYS[table])
    order = ", ".join(KEYS[table])
    start = 0  # pages are counted: after a damaged key, a walk by keys could skip rows or never end
    statement = f"SELECT CAST({key} AS BLOB), {as_bytes(table)} FROM {table} ORDER BY {order} LIMIT {_CHUNK} OFFSET ?"
    while rows := session.sql(statement, start):
        start += len(rows)
        for name, *values in rows:
            digest = digests.pop(name, _ABSENT)
            if digest == _ABSENT:
                yield DamagedRow(table, _shown(name), UNKNOWN)
            elif digest is not None and digest != digest_of(values):
                yield DamagedRow(table, _shown(name), CHANGED)
    for name in digests:
        yield DamagedRow(table, _shown(name), LOST)


def _on_server(session: Session, table: str) -> Iterator[DamagedRow]:
    """Compare on the server. Triggers keep one row of `row_digest` for each row of the table."""
    statement = f"""SELECT coalesce(known.key, {key_text("it", KEYS[table])}),
     known.key IS NULL, it IS NOT DISTINCT FROM NULL
    FROM {table} AS it FULL JOIN (SELECT key, digest FROM row_digest WHERE name = '{table}') AS known
     ON known.key = {key_text("it", KEYS[table])}
    WHERE known.digest IS DISTINCT FROM md5(it::text) ORDER BY 1"""
    for key, is_unknown, is_lost in session.sql(statement):
        problem = UNKNOWN if is_unknown else LOST if is_lost else CHANGED
        yield DamagedRow(table, _shown(str(key).encode()), problem)


def _shown(key: bytes | None) -> str:
    """Return the readable part of a key, which may be damaged."""
    return (key or b"").decode("utf-8", "replace").replace(SEPARATOR, ", ")
