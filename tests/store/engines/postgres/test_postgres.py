"""A store on a PostgreSQL server: opening it, lost connections, locks, and equality with SQLite files."""

import multiprocessing
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import peewee
import pytest

from sitecms.content.author import Author
from sitecms.content.kinds import EntryKind
from sitecms.content.query import FieldFilter, FieldMatch, Key, Visibility
from sitecms.errors import StoreMissing, StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.database import CHANGE_MARK, CHANGE_NUMBER, Database
from sitecms.store.engines.postgres.connection import connect
from sitecms.store.engines.postgres.database import PostgresDatabase, open_postgres
from sitecms.store.engines.postgres.dialect import Options, number_placeholders
from sitecms.store.engines.postgres.locks import PostgresLocks
from sitecms.store.entries.authors import find_authors, save_author
from sitecms.store.entries.entry_tables import ITEMS
from sitecms.store.entries.field_filter import holds_all
from sitecms.store.maintenance.readiness import look_at_store
from sitecms.store.maintenance.row_digests import damaged_rows
from sitecms.store.models.entries import EntryRow, TermRow, VersionRow
from sitecms.store.opening import find_database, open_database
from sitecms.store.schema import migrations
from sitecms.store.site_state.last_ids import last_id
from tests.support.durable_postgres import DurablePostgres
from tests.support.postgres import Databases
from tests.support.waiting import PATIENCE_SECONDS, until

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def url(databases: Databases) -> Iterator[ServiceUrl]:
    """Return the address of a new database without tables."""
    name = databases.take(empty=True)
    yield ServiceUrl(databases.server.url(name))
    databases.give_back(name)


@pytest.fixture
def database(url: ServiceUrl) -> Iterator[PostgresDatabase]:
    """Return a new store."""
    opened = open_database(url, create=True)
    assert isinstance(opened, PostgresDatabase)
    yield opened
    opened.close()


def add(database: Database, slug: str) -> None:
    with database.writing() as transaction:
        save_author(transaction, Author(slug))


def slugs(database: Database) -> set[str]:
    with database.reading() as session:
        return {author.slug for author in find_authors(session)}


def steps_with(script: str) -> migrations.Steps:
    """Return the steps of this version and one more."""
    return (*migrations.STEPS, migrations.MigrationStep("more", sqlite=script, postgres=script))


def cut_off(databases: Databases, url: ServiceUrl) -> int:
    """End every connection to the database; return their number."""
    name = url.reveal().rpartition("/")[2]
    with databases.server.admin() as admin:
        ended = admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        return len(ended.fetchall())


# --- opening


_OPEN = """
import sys
from sitecms.content.author import Author
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.entries.authors import save_author
from sitecms.store.opening import open_database
print("ready", flush=True)
sys.stdin.readline()
database = open_database(ServiceUrl(sys.argv[1]), create=True)
for turn in range(int(sys.argv[3])):
    with database.writing() as transaction:
        for part in ("x", "y"):
            save_author(transaction, Author(f"{sys.argv[2]}-{turn}-{part}"))
    print(turn, flush=True)
"""


def start(url: ServiceUrl, name: str, turns: int) -> "subprocess.Popen[str]":
    """Start a process that opens or creates the store and, after a line of input, writes two authors a transaction."""
    command = [sys.executable, "-c", _OPEN, url.reveal(), name, str(turns)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.slow
def test_processes_create_and_write_one_store(url: ServiceUrl) -> None:
    """Each process opens or creates the store, and every change of each is counted."""
    processes = [start(url, f"p{number}", 10) for number in range(4)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.wait(PATIENCE_SECONDS) for process in processes] == [0] * 4
    for process in processes:
        process.communicate()
    database = open_database(url)
    assert (database.change_number(), len(slugs(database))) == (40, 80)
    database.close()


def test_missing_store_is_created_only_on_request(url: ServiceUrl) -> None:
    """Opening it without the request creates no table."""
    with pytest.raises(StoreMissing, match=r"There is no store at .* yet: `sitecms load` creates it"):
        open_database(url)
    assert find_database(url) is None
    open_database(url, create=True).close()
    found = find_database(url)
    assert found is not None
    assert found.engine.startswith("PostgreSQL 1")
    assert found.size_bytes() > 1_000_000
    found.close()


@pytest.mark.parametrize("create", [False, True])
def test_database_that_is_not_a_store_is_refused_unchanged(databases: Databases, url: ServiceUrl, create: bool) -> None:
    """Tables of another program, a store of a newer version, an encoding other than UTF-8."""
    name = url.reveal().rpartition("/")[2]
    with databases.server.admin(name) as admin:
        admin.execute("CREATE TABLE notes (text TEXT)")
    with pytest.raises(StoreUnusable, match=r"belongs to another program\. Nothing was changed"):
        open_database(url, create=create)
    with databases.server.admin(name) as admin:
        assert admin.execute("SELECT relname FROM pg_class WHERE relname = 'post'").fetchall() == []
        admin.execute("DROP TABLE notes")
    open_database(url, create=True).close()
    with databases.server.admin(name) as admin:
        admin.execute("UPDATE sitecms_store SET version = 99")
    with pytest.raises(StoreUnusable, match="created by a newer version of sitecms"):
        open_database(url, create=create)
    with databases.server.admin() as admin:
        admin.execute(f"CREATE DATABASE ascii_{name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'".encode())
    with pytest.raises(StoreUnusable, match="keeps text as LATIN1"):
        open_database(ServiceUrl(databases.server.url(f"ascii_{name}")), create=create)
    databases.ruin(f"ascii_{name}")


def test_failed_migration_is_undone(url: ServiceUrl) -> None:
    """No part of the step stays; a valid step is applied once."""
    open_database(url, create=True).close()
    bad, good = steps_with("CREATE TABLE extra (x INTEGER); CREATE NONSENSE"), steps_with("CREATE TABLE extra ()")
    with pytest.raises(peewee.ProgrammingError):
        open_postgres(url, steps=bad)
    for _ in range(2):
        open_postgres(url, steps=good).close()


def test_migration_waits_for_writers(database: PostgresDatabase) -> None:
    """A migration acquires the lock of the writers before it changes tables."""
    steps = steps_with("CREATE TABLE extra AS SELECT slug FROM author")
    waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    with ThreadPoolExecutor() as pool:
        with database.writing() as transaction:
            opening = pool.submit(open_postgres, database.url, steps=steps)
            assert until(lambda: bool(transaction.sql(waiting)))
            save_author(transaction, Author("ann"))
        opening.result(PATIENCE_SECONDS).close()
    with database.reading() as session:
        assert session.sql("SELECT slug FROM extra") == [("ann",)]


def test_unreachable_server_is_named_without_the_password(databases: Databases) -> None:
    """The error names host, port and database, if the host refuses or has no such database."""
    for place in ("127.0.0.1:1/tide", f"127.0.0.1:{databases.server.port}/none"):
        address = ServiceUrl(f"postgresql://postgres:hush-hush@{place}")
        with pytest.raises(StoreUnusable, match=place) as caught:
            open_database(address, create=True)
        assert "hush" not in f"{caught.value!r} {caught.value} {caught.value.__cause__} {address!r}"
        look = look_at_store(address)
        assert (look.engine, look.problems) == ("PostgreSQL", ("The store's server cannot be reached.",))


def test_invalid_address_is_not_disclosed(databases: Databases) -> None:
    """Neither the error nor its cause contains the address."""
    with pytest.raises(StoreUnusable, match="cannot be understood") as caught:
        open_database(ServiceUrl("postgresql://postgres:hush%zz@127.0.0.1/tide"))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_readiness_reports_problems(url: ServiceUrl) -> None:
    """A missing store and another version are problems; a store of this version is none."""
    assert look_at_store(url).problems == ("The store is missing.",)
    database = open_database(url, create=True)
    look = look_at_store(url)
    assert (look.engine, look.problems) == (database.engine, ())
    for version, said in ((migrations.LATEST + 1, "newer"), (migrations.LATEST - 1, "brings it"), (0, "missing")):
        with database.writing() as transaction:
            transaction.sql("UPDATE sitecms_store SET version = ?", version)
        (problem,) = look_at_store(url).problems
        assert said in problem
    database.close()


# --- tables


def test_both_engines_have_the_same_tables_and_columns(database: PostgresDatabase, tmp_path: Path) -> None:
    """Except tables and columns that one engine needs for itself."""
    of_files = {"post_search", "page_search"}
    own = {"sitecms_store", *of_files}
    columns = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
    with database.reading() as session:
        ours = {row for row in session.sql(columns) if row[0] not in own}
    file = open_database(tmp_path / "state" / "store.db", create=True)
    with file.reading() as session:
        tables = [row[0] for row in session.sql("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        theirs = {(table, row[1]) for table in tables for row in session.sql(f"PRAGMA table_info ({table})")}
    file.close()
    theirs = {row for row in theirs if not row[0].startswith(("sqlite_", *of_files))}
    generated = {("version", "fields_indexed"), ("delivery", "rowid")}
    assert ours - theirs == generated
    assert theirs - ours == set()


def test_connections_have_safe_settings(database: PostgresDatabase) -> None:
    """Reads are read-only snapshots; hosts that are cut off are given up within fifteen seconds."""
    settings = {
        "transaction_isolation": "repeatable read", "transaction_read_only": "on", "tcp_user_timeout": "15000",
        "tcp_keepalives_idle": "5", "jit": "off",
    }  # fmt: skip
    with database.reading() as session:
        assert {name: session.sql(f"SHOW {name}")[0][0] for name in settings} == settings
    writing = {"transaction_isolation": "read committed", "transaction_read_only": "off", "synchronous_commit": "off"}
    with database.writing(is_durable=False) as transaction:
        assert {name: transaction.sql(f"SHOW {name}")[0][0] for name in writing} == writing
        assert transaction.sql("SHOW idle_in_transaction_session_timeout") == [("2min",)]


def test_settings_of_the_database_are_overridden(databases: Databases, url: ServiceUrl) -> None:
    """Isolation, backslashes in strings, read-only transactions and dates of a database have no effect."""
    name = url.reveal().rpartition("/")[2]
    with databases.server.admin() as admin:
        for setting in ("default_transaction_isolation = 'serializable'", "default_transaction_read_only = on",
                        "standard_conforming_strings = off", "DateStyle = 'German'"):  # fmt: skip
            admin.execute(f"ALTER DATABASE {name} SET {setting}".encode())
    database = open_database(url, create=True)
    with database.writing() as transaction:
        assert transaction.sql("SHOW transaction_isolation") == [("read committed",)]
    with database.reading() as session:
        assert session.sql("SHOW transaction_isolation") == [("repeatable read",)]
        assert session.sql("SHOW standard_conforming_strings") == [("on",)]
    add(database, "ann")
    assert slugs(database) == {"ann"}
    database.close()


def test_pooler_that_drops_settings_is_refused(url: ServiceUrl) -> None:
    """Without its settings a connection would not read snapshots."""
    with pytest.raises(StoreUnusable, match="as poolers do not: name the PostgreSQL server itself"):
        connect(url, {"unheard.of": "1", "default_transaction_read_only": "yes"})


def test_change_number_of_a_loaded_store_is_read_by_its_index(database: PostgresDatabase) -> None:
    """A load leaves a former row of the counter for each post, in pages that no read looks at."""
    with database.writing() as transaction:
        for _ in range(1_000):
            transaction.sql("UPDATE change_number SET is_search_stale = 1 - is_search_stale")
    with database.reading() as session:
        plans = [session.sql(f"EXPLAIN {statement}") for statement in (CHANGE_NUMBER, CHANGE_MARK)]
    assert all("Index Scan using change_number_pkey" in plan[0][0] for plan in plans), plans


def test_field_filters_use_an_index(database: PostgresDatabase) -> None:
    """Filters on any field use the index of all fields."""
    wanted = holds_all((FieldFilter((FieldMatch((Key("name"),), ("Ann",)),)),), ITEMS, Visibility("en"))
    context: Any = Options(None).get_sql_context()
    query = VersionRow.select(VersionRow.id).join(EntryRow, on=ITEMS.joined).where(wanted)
    text, values = context.sql(query).query()
    with database.writing() as transaction:
        transaction.sql(
            "INSERT INTO entry (kind, id, type, origin, created_at) "
            "SELECT 'item', number, 'team', 'api', 1 FROM generate_series(1, 500) AS number"
        )
        transaction.sql(
            "INSERT INTO version (id, kind, entry_id, locale, version, status, fields_json, created_at, "
            "updated_at) SELECT id, kind, id, 'en', 'live', 'published', '{\"name\": \"' || id || '\"}', 1, 1 "
            "FROM entry"
        )
        transaction.sql("ANALYZE entry, version")
        transaction.sql("SET LOCAL enable_seqscan = off")
        plan = transaction.sql(f"EXPLAIN {text}", *values)
    assert any("version_fields" in row[0] for row in plan), plan


@pytest.mark.parametrize(
    ("text", "native"),
    [
        ("a = ? AND b = ?", "a = $1 AND b = $2"),
        ("a = ?2 OR b = ?1 OR c = ?2", "a = $2 OR b = $1 OR c = $2"),
        ("a = '?' AND b = ? AND c = 'it''s ?'", "a = '?' AND b = $1 AND c = 'it''s ?'"),
    ],
)
def test_placeholders_are_numbered(text: str, native: str) -> None:
    """Question marks in quotes stay."""
    assert number_placeholders(text) == native


def test_text_with_a_nul_matches_nothing(database: PostgresDatabase) -> None:
    """A search for it finds nothing, and it cannot be stored."""
    add(database, "ann")
    with database.reading() as session:
        assert session.sql("SELECT slug FROM author WHERE slug = ?", "an\0n") == []
    with pytest.raises(peewee.DataError), database.writing() as transaction:
        save_author(transaction, Author("b\0"))
    assert slugs(database) == {"ann"}


# --- lost connections


def test_reads_and_writes_reconnect(database: PostgresDatabase, databases: Databases) -> None:
    """Transactions begun after connections were lost work; those that were open raise and are undone."""
    add(database, "ann")
    gate = threading.Barrier(3)

    def read() -> set[str]:
        with database.reading() as session:
            gate.wait(PATIENCE_SECONDS)
            return {author.slug for author in find_authors(session)}

    with ThreadPoolExecutor() as pool:
        assert [future.result() for future in [pool.submit(read) for _ in range(3)]] == [{"ann"}] * 3
        assert cut_off(databases, database.url) == 4
        assert [future.result() for future in [pool.submit(read) for _ in range(3)]] == [{"ann"}] * 3
    add(database, "bo")
    cut_off(databases, database.url)
    add(database, "cy")
    assert database.change_number() == 3
    with pytest.raises(StoreUnusable), database.reading() as session:  # noqa: PT012
        assert session.change_number() == 3
        cut_off(databases, database.url)
        find_authors(session)
    for counts_as_change in (False, True):
        with (  # noqa: PT012
            pytest.raises(StoreUnusable, match="it is unknown whether"),
            database.writing(counts_as_change=counts_as_change) as transaction,
        ):
            save_author(transaction, Author("lost"))
            cut_off(databases, database.url)
    with pytest.raises(StoreUnusable), database.writing() as transaction:  # noqa: PT012
        save_author(transaction, Author("lost"))
        cut_off(databases, database.url)
    assert slugs(database) == {"ann", "bo", "cy"}


def test_statements_are_prepared_again_after_tables_changed(database: PostgresDatabase, databases: Databases) -> None:
    """A connection whose prepared statements do not fit the tables is not used again."""
    name = database.url.reveal().rpartition("/")[2]
    add(database, "ann")
    for change in ("ALTER COLUMN slug TYPE VARCHAR(300)", "ADD COLUMN extra TEXT", "ALTER COLUMN slug TYPE TEXT"):
        for _ in range(4):
            assert slugs(database) == {"ann"}
        with databases.server.admin(name) as admin:
            admin.execute(f"ALTER TABLE author {change}".encode())
        assert slugs(database) == {"ann"}


def test_forked_process_has_its_own_connection(database: PostgresDatabase) -> None:
    """A process forked within a read does not touch its parent's connection."""
    add(database, "ann")
    with database.reading() as session:
        context = multiprocessing.get_context("fork")
        child = context.Process(target=_read_apart, args=(database, session.sql("SELECT pg_backend_pid()")))
        child.start()
        child.join(PATIENCE_SECONDS)
        assert child.exitcode == 0
        assert len(find_authors(session)) == 1
    assert slugs(database) == {"ann"}


def _read_apart(database: Database, parents: list[tuple[int]]) -> None:
    with database.reading() as session:
        assert session.sql("SELECT pg_backend_pid()") != parents
        assert len(find_authors(session)) == 1


def test_restarted_server_is_used_without_opening_again(durable_postgres: DurablePostgres) -> None:
    """Everything raises while the server is down; committed changes exist afterwards."""
    database = open_database(ServiceUrl(durable_postgres.new_database()), create=True)
    add(database, "ann")
    durable_postgres.fall()
    assert slugs(database) == {"ann"}
    durable_postgres.stop()
    try:
        for act in (lambda: slugs(database), lambda: add(database, "lost"), database.change_number):
            with pytest.raises(StoreUnusable, match="cannot be reached"):
                act()
    finally:
        durable_postgres.start()
    add(database, "bo")
    assert slugs(database) == {"ann", "bo"}
    database.close()


def test_commit_after_a_failed_statement_raises(database: PostgresDatabase) -> None:
    """A statement that fails within a savepoint does not affect the transaction."""
    insert = "INSERT INTO term (kind, slug, name, name_key) VALUES"

    def repeat(slug: str) -> None:
        with pytest.raises(peewee.IntegrityError):
            transaction.sql(f"{insert} ('tag', ?, '', ''), ('tag', ?, '', 'x')", slug, slug)

    with pytest.raises(StoreUnusable, match="undid a change"), database.writing(counts_as_change=False) as transaction:  # noqa: PT012
        save_author(transaction, Author("ann"))
        repeat("x")
    assert slugs(database) == set()
    with database.writing() as transaction:
        save_author(transaction, Author("ann"))
        with pytest.raises(peewee.IntegrityError), transaction.savepoint():
            transaction.sql(f"{insert} ('tag', 'x', '', ''), ('tag', 'x', '', 'x')")
        save_author(transaction, Author("bo"))
    assert slugs(database) == {"ann", "bo"}


def test_canceled_wait_for_the_writer_lock_raises(database: PostgresDatabase, databases: Databases) -> None:
    """The write raises when the server cancels its statement, and its connection can be used again."""
    name = database.url.reveal().rpartition("/")[2]
    other = open_database(database.url)
    cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'"
    with databases.server.admin() as admin, ThreadPoolExecutor() as pool, other.writing() as transaction:
        save_author(transaction, Author("ann"))
        waiting = pool.submit(add, database, "lost")
        assert until(lambda: bool(admin.execute(cancel, (name,)).fetchall()))
        with pytest.raises(StoreUnusable, match="canceling statement"):
            waiting.result(PATIENCE_SECONDS)
    add(database, "bo")
    assert slugs(other) == {"ann", "bo"}
    other.close()


def test_close_leaves_open_transactions_alone(database: PostgresDatabase) -> None:
    """A thread that closes the store does not end transactions of other threads."""
    with database.reading() as session, database.writing() as transaction, ThreadPoolExecutor() as pool:
        save_author(transaction, Author("ann"))
        pool.submit(database.close).result(PATIENCE_SECONDS)
        assert find_authors(session) == ()
    database.close()
    assert slugs(database) == {"ann"}


def test_killed_writer_blocks_nobody(url: ServiceUrl) -> None:
    """All changes that it reported exist, each complete."""
    database = open_database(url, create=True)
    reported = 0
    for number in range(4):
        process = start(url, f"k{number}", 10_000)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        for _ in range(5 * number + 1):
            process.stdout.readline()
            reported += 1
        process.send_signal(signal.SIGKILL)
        process.communicate()
        add(database, f"after-{number}")
        with database.reading() as session:
            count = int(session.sql("SELECT count(*) FROM author")[0][0])
            assert count == 2 * (session.change_number() - number - 1) + number + 1
            assert session.change_number() >= reported + number + 1
    database.close()


def test_streamed_rows_can_be_abandoned(database: PostgresDatabase) -> None:
    """The connection works for the next read."""
    for number in range(50):
        add(database, f"a{number}")
    for _ in range(3):
        with database.reading() as session:
            rows = session.stream_sql("SELECT slug FROM author ORDER BY id")
            assert next(iter(rows)) == ("a0",)
            del rows
        with database.reading() as session:
            assert len(find_authors(session)) == 50


# --- locks


_TAKE = """
import sys
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.locks import PostgresLocks
locks = PostgresLocks(ServiceUrl(sys.argv[1]))
print(locks.acquire("sweep") is not None, flush=True)
sys.stdin.readline()
"""


def test_lock_ends_with_its_process_or_its_connection(url: ServiceUrl, databases: Databases) -> None:
    """A lost lock is reported to its holder; each name has one holder at a time, this process included."""
    locks = PostgresLocks(url)
    command = [sys.executable, "-c", _TAKE, url.reveal()]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    assert locks.acquire("sweep") is None
    assert locks.is_held("sweep")
    assert not locks.is_held("other")
    process.kill()
    process.communicate()
    assert until(lambda: not locks.is_held("sweep"))
    lock = locks.acquire("sweep")
    assert lock is not None
    assert locks.acquire("sweep") is None
    assert lock.is_held()
    cut_off(databases, url)
    assert not lock.is_held()
    again = locks.acquire("sweep")
    assert again is not None
    again.release()
    assert not locks.is_held("sweep")
    locks.close()


@pytest.mark.slow
def test_frozen_server_ends_reads(durable_postgres: DurablePostgres) -> None:
    """A read on an idle connection and one that has none raise; reads work again when the server does."""
    database = open_database(ServiceUrl(durable_postgres.new_database()), create=True)
    add(database, "ann")
    assert slugs(database) == {"ann"}
    durable_postgres.freeze()
    try:
        for _ in range(2):
            with pytest.raises(StoreUnusable):
                slugs(database)
        database.close()
        with pytest.raises(StoreUnusable):
            slugs(database)
    finally:
        durable_postgres.thaw()
    assert until(lambda: reads(database))
    assert slugs(database) == {"ann"}
    database.close()


def reads(database: Database) -> bool:
    try:
        slugs(database)
    except StoreUnusable:
        return False
    return True


def test_more_threads_than_connections_wait(database: PostgresDatabase) -> None:
    """Each read gets a connection in the end, and the pool keeps no more than its limit."""
    add(database, "ann")
    with ThreadPoolExecutor(100) as pool:
        assert list(pool.map(lambda _number: slugs(database), range(400))) == [{"ann"}] * 400


def test_rows_are_inserted_many_at_once(database: PostgresDatabase) -> None:
    """In their order, with digests, and the highest id is known; triggers do not run for each row."""
    rows = 120
    names = [f"n{number}" for number in range(rows)]
    values = {"kind": EntryKind.ITEM, "type": "boats", "origin": "api", "created_at": AT}
    with database.writing() as transaction:
        transaction.sql("SET LOCAL track_functions = 'pl'")
        transaction.insert_many(TermRow, [])
        before = transaction.total_changes()
        transaction.insert_many(
            TermRow, [{"kind": "tag", "slug": name, "name": name, "name_key": name} for name in names]
        )
        transaction.insert_many(EntryRow, [{**values, "id": number} for number in range(1, 1 + rows)])
        assert transaction.total_changes() == before + 2 * rows
        calls = transaction.sql(
            "SELECT proname, pg_stat_get_xact_function_calls(oid) FROM pg_proc "
            "WHERE proname IN ('term_digested', 'entry_digested', 'entry_made') ORDER BY 1"
        )
        assert calls == [("entry_digested", 3), ("entry_made", 3), ("term_digested", 3)]
    with database.reading() as session:
        assert session.sql("SELECT id, name FROM term ORDER BY id") == [*enumerate(names, 1)]
        assert last_id(session, "item") == rows
        assert list(damaged_rows(session)) == []
