"""Every row has a digest, and a row that does not match its digest is found."""

from functools import partial

import cysqlite
import orjson
import pytest

from sitecms.errors import StoreUnusable
from sitecms.runtime import Runtime
from sitecms.store.database import Database, Transaction
from sitecms.store.maintenance.row_digests import DamagedRow, check_rows, damaged_rows
from sitecms.store.schema.columns import CONTENT_TABLES, KEYS
from tests.support.processor_time import best_seconds
from tests.support.reading import select

UPDATES = 500
TERMS = "INSERT INTO term (id, kind, slug, name, name_key) SELECT 1 + key, 'tag', value, value, value FROM json_each(?)"
DOCUMENT = "INSERT INTO document VALUES ('a', '{}')"
FORMER = "INSERT INTO former_archive (kind, slug, owner_id) VALUES ('tag', 'ebb', 1)"


def found(store: Database) -> list[DamagedRow]:
    """Return all damaged rows."""
    with store.reading() as session:
        return list(damaged_rows(session))


def change(store: Database, *statements: str) -> None:
    """Run statements in one transaction."""
    with store.writing() as transaction:
        for statement in statements:
            transaction.sql(statement)


def test_every_table_of_content_has_digests() -> None:
    """A new table must be added to the digests."""
    assert {shape.name: shape.key for shape in CONTENT_TABLES} == dict(KEYS)


def test_rows_match_their_digests(store: Database) -> None:
    """This holds after inserts, updates, changes of the key and deletes."""
    change(store, DOCUMENT, FORMER, "INSERT INTO document VALUES ('b', '[]')")
    change(store, "UPDATE document SET value_json = '[1]'", "UPDATE former_archive SET slug = 'flow'")
    change(store, "DELETE FROM document WHERE name = 'b'")
    assert found(store) == []
    keys = select(store, "SELECT name, key FROM row_digest ORDER BY name")
    assert keys == [("document", "a"), ("former_archive", "tag\x1fflow")]


def test_rows_of_one_statement_match_their_digests(store: Database) -> None:
    """Also where a statement inserts some rows and changes others, exchanges keys, or deletes rows with others."""
    term = "INSERT INTO term (id, kind, slug, name, name_key) VALUES "
    change(store, term + "(1, 'tag', 'a', 'A', 'a'), (2, 'tag', 'b', 'B', 'b')")
    upsert = " ON CONFLICT (id) DO UPDATE SET name = excluded.name"
    change(store, term + "(2, 'tag', 'b', 'New', 'b'), (3, 'tag', 'c', 'C', 'c')" + upsert)
    assert found(store) == []
    change(store, "UPDATE term SET id = id + 10, name = name || '!'")
    change(store, "INSERT INTO term (id, kind, slug, name, name_key) SELECT 20, 'tag', 'd', 'D', 'd' WHERE 1 = 0")
    assert found(store) == []
    change(store, "DELETE FROM term WHERE id > 11")
    assert found(store) == []
    assert select(store, "SELECT name FROM row_digest") == [("term",)]


@pytest.mark.sqlite_only("is about its triggers")
def test_a_change_costs_the_same_however_many_rows_there_are(store: Database) -> None:
    """The digest of a row is found by its key."""

    def update(transaction: Transaction) -> None:
        for number in range(UPDATES):
            transaction.sql("UPDATE term SET name = name || 'x' WHERE id = 1 + ?", number)

    seconds = []
    for rows in (UPDATES, 40_000):
        with store.writing() as transaction:
            transaction.sql("DELETE FROM term")
            names = orjson.dumps([f"{number:06}" for number in range(rows)]).decode()
            transaction.sql(TERMS, names)
        with store.writing() as transaction:
            seconds.append(best_seconds(partial(update, transaction)))
    assert seconds[1] < 16 * seconds[0]  # 80 times the rows


def test_damage_names_table_and_row(store: Database) -> None:
    """Damage is a changed value, an unknown row, or a missing one."""
    change(store, DOCUMENT, FORMER)
    change(store, "UPDATE row_digest SET digest = '00' WHERE name = 'document'")
    assert found(store) == [DamagedRow("document", "a", "holds other values than were written")]
    change(store, "DELETE FROM row_digest WHERE name = 'document'")
    assert found(store) == [DamagedRow("document", "a", "was not written by anybody")]
    change(store, "DELETE FROM document", "INSERT INTO row_digest VALUES ('document', 'z', 'x')")
    assert found(store) == [DamagedRow("document", "z", "is lost")]


@pytest.mark.sqlite_only("on PostgreSQL the trigger itself works the digest out")
def test_a_change_by_other_programs_counts_as_written(runtime: Runtime) -> None:
    """A change in SQLite's shell leaves an open digest, which the next transaction of sitecms completes."""
    change(runtime.database, DOCUMENT)
    shell = cysqlite.connect(str(runtime.settings.store_path))  # type: ignore[attr-defined]
    shell.execute("UPDATE document SET value_json = '[2]'")
    shell.close()
    assert found(runtime.database) == []
    change(runtime.database, FORMER)
    assert found(runtime.database) == []
    assert select(runtime.database, "SELECT count(*) FROM row_digest WHERE digest IS NULL") == [(0,)]


def test_a_damaged_row_is_not_copied(store: Database) -> None:
    """Backups and relocations fail and name table and row."""
    change(store, DOCUMENT)
    change(store, "UPDATE row_digest SET digest = '00' WHERE name = 'document'")
    with store.reading() as session, pytest.raises(StoreUnusable, match="document row a holds other values"):
        check_rows(session, "here")
