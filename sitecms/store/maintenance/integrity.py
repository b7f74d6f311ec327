"""Is what keeps the store sound: its pages, its keys, and its JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cysqlite
import orjson
import peewee
from playhouse.cysqlite_ext import CySqliteDatabase

from sitecms.errors import StoreUnusable
from sitecms.store.database import Session
from sitecms.store.engines.sqlite.connection import PRAGMAS, connector
from sitecms.store.engines.sqlite.file import prepare
from sitecms.store.maintenance.rows import row_chunks, table_sums
from sitecms.store.schema.columns import ForeignKey, TableColumns, content_tables

_TOLD_AT_MOST = 100
_DEFINITION = ", ".join(f"CAST({column} AS BLOB)" for column in ("type", "name", "tbl_name", "sql"))
_JSON = "_json"


@dataclass(frozen=True, slots=True)
class DanglingKey:
    """A row that names a row which is not there."""

    table: str
    row: str
    parent: str


def damage(path: Path, *, is_quick: bool = False) -> tuple[str, ...]:
    """What SQLite finds wrong with the file, in its words; nothing for a sound one. Quick: without the indexes."""
    check = "quick_check" if is_quick else "integrity_check"
    database = connector(path, {**PRAGMAS, "query_only": 0})
    try:
        rows = database.connection().execute(f"PRAGMA {check}({_TOLD_AT_MOST})").fetchall()
    except (peewee.DatabaseError, cysqlite.DatabaseError, UnicodeDecodeError) as error:
        return (str(error),)
    finally:
        database.close()
    return tuple(str(row[0]) for row in rows if row[0] != "ok")


def schema_damage(path: Path) -> tuple[str, ...]:
    """Return which tables, indexes and triggers of the file are not defined as they should be."""
    database = connector(path, {**PRAGMAS, "query_only": 1})
    try:
        held = _definitions(database)
    except (peewee.DatabaseError, cysqlite.DatabaseError, UnicodeDecodeError) as error:
        return (str(error),)
    finally:
        database.close()
    right = _right_definitions()
    return tuple(
        f"the definition of {name} is not what it should be" for name in sorted({each[1] for each in held ^ right})
    )


@cache
def _right_definitions() -> frozenset[tuple[str, ...]]:
    database = connector(Path(":memory:"), {})
    try:
        prepare(database, Path(":memory:"), create=True)
        return _definitions(database)
    finally:
        database.close()


def _definitions(database: CySqliteDatabase) -> frozenset[tuple[str, ...]]:
    """(type, name, name of the table, statement) of each."""
    rows = database.connection().execute(f"SELECT {_DEFINITION} FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    return frozenset(tuple(_text(value) for value in row) for row in rows.fetchall())


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


def unreadable(session: Session) -> tuple[str, ...]:
    """Why a server cannot give all rows, in its words; nothing where it can. The session ends with it."""
    try:
        table_sums(session)
    except (peewee.DatabaseError, StoreUnusable) as error:
        return (str(error).splitlines()[0],)
    return ()


def dangling_keys(session: Session) -> tuple[DanglingKey, ...]:
    """Rows whose foreign keys lead nowhere."""
    return tuple(
        found for shape in content_tables() for parent in shape.parents for found in _dangling(session, shape, parent)
    )


def _dangling(session: Session, shape: TableColumns, parent: ForeignKey) -> Iterator[DanglingKey]:
    key = ", ".join(f"{shape.name}.{column}" for column in shape.key)
    named, there = f"{shape.name}.{parent.column}", f"{parent.table}.{parent.parent_column}"
    rows = session.sql(
        f"SELECT {key} FROM {shape.name} LEFT JOIN {parent.table} ON {there} = {named} "
        f"WHERE {named} IS NOT NULL AND {there} IS NULL ORDER BY {key}"
    )
    for row in rows:
        yield DanglingKey(shape.name, ", ".join(map(str, row)), parent.table)


def broken_json(session: Session) -> tuple[tuple[str, str, str], ...]:
    """(table, row, column) of every cell that should be JSON and is not."""
    return tuple(found for shape in content_tables() for found in _broken(session, shape))


def _broken(session: Session, shape: TableColumns) -> Iterator[tuple[str, str, str]]:
    places = [place for place, column in enumerate(shape.columns) if column.endswith(_JSON)]
    keys = [shape.columns.index(column) for column in shape.key]
    for rows in row_chunks(session, shape) if places else ():
        for row in rows:
            for place in places:
                if row[place] is not None and not _is_json(row[place]):
                    yield shape.name, ", ".join(str(row[key]) for key in keys), shape.columns[place]


def _is_json(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True
