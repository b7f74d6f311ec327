"""Rows that are not what they were when they were written."""

from collections.abc import Iterator
from dataclasses import dataclass

from sitecms.errors import StoreUnusable
from sitecms.store.database import Session
from sitecms.store.engines.sqlite.digests import as_bytes, digest_of
from sitecms.store.engines.sqlite.session import SqliteSession
from sitecms.store.schema.declarations import KEYS, SEPARATOR
from sitecms.store.schema.postgres import key_text

CHANGED = "holds other values than were written"
UNKNOWN = "was not written by anybody"
LOST = "is lost"
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class DamagedRow:
    """A row by its table and key, and what is wrong with it."""

    table: str
    row: str
    problem: str


def damaged_rows(session: Session) -> Iterator[DamagedRow]:
    """Every row that does not go with its digest, table by table."""
    find = _in_file if isinstance(session, SqliteSession) else _on_server
    for table in KEYS:
        yield from find(session, table)


def check_rows(session: Session, place: object) -> None:
    """Raise StoreUnusable at the first damaged row: a copy would get digests that fit the damage."""
    found = next(damaged_rows(session), None)
    if found is not None:
        raise StoreUnusable(
            f"The store {place} is damaged ({found.table} row {found.row} {found.problem}), so it was not copied. "
            "`sitecms verify` names all damage."
        )


def _in_file(session: Session, table: str) -> Iterator[DamagedRow]:
    rows = session.sql("SELECT CAST(key AS BLOB), digest FROM row_digest WHERE name = ?", table)
    digests = dict(rows)
    key = f" || char({ord(SEPARATOR)}) || ".join(f"{table}.{column}" for column in KEYS[table])
    order = ", ".join(KEYS[table])
    start = 0
    statement = f"SELECT CAST({key} AS BLOB), {as_bytes(table)} FROM {table} ORDER BY {order} LIMIT {_CHUNK} OFFSET ?"
    while found := session.sql(statement, start):
        start += len(found)
        for name, *values in found:
            digest = digests.pop(name, _ABSENT)
            if digest == _ABSENT:
                yield DamagedRow(table, _shown(name), UNKNOWN)
            elif digest is not None and digest != digest_of(values):
                yield DamagedRow(table, _shown(name), CHANGED)
    for name in digests:
        yield DamagedRow(table, _shown(name), LOST)


_ABSENT = b"absent"


def _on_server(session: Session, table: str) -> Iterator[DamagedRow]:
    """The server compares; `row_digest` has a row for each of the table's, kept by triggers."""
    statement = f"""SELECT coalesce(known.key, {key_text("it", KEYS[table])}),
     known.key IS NULL, it IS NOT DISTINCT FROM NULL
    FROM {table} AS it FULL JOIN (SELECT key, digest FROM row_digest WHERE name = '{table}') AS known
     ON known.key = {key_text("it", KEYS[table])}
    WHERE known.digest IS DISTINCT FROM md5(it::text) ORDER BY 1"""
    for key, is_unknown, is_lost in session.sql(statement):
        problem = UNKNOWN if is_unknown else LOST if is_lost else CHANGED
        yield DamagedRow(table, _shown(str(key).encode()), problem)


def _shown(key: bytes | None) -> str:
    """The key for people; of a damaged one what can be read of it."""
    return (key or b"").decode("utf-8", "replace").replace(SEPARATOR, ", ")
