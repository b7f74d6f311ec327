"""Transactions and concurrent writers on both engines; files that are not a store."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import peewee
import pytest

from sitecms.content.author import Author
from sitecms.errors import StoreUnusable
from sitecms.store.database import Database
from sitecms.store.engines.sqlite.database import open_sqlite
from sitecms.store.engines.sqlite.file import APPLICATION_ID
from sitecms.store.entries.authors import find_authors, save_author
from sitecms.store.opening import open_database
from sitecms.store.schema import migrations
from tests.support.engines import Stores
from tests.support.reading import execute, select


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Path of a store that does not exist."""
    return tmp_path / ".sitecms" / "store.db"


@pytest.fixture
def database(path: Path, engine: Stores) -> Database:
    """Return a new, empty store."""
    return open_database(engine.address(path.parent.parent), create=True)


def change_number(database: Database) -> int:
    with database.reading() as session:
        return session.change_number()


def add(database: Database, slug: str) -> None:
    database.write(save_author, Author(slug))


def slugs(database: Database) -> set[str]:
    return {author.slug for author in database.read(find_authors)}


def test_change_number_counts_committed_transactions(database: Database) -> None:
    """A transaction that changed any rows counts one; one that read, or wrote equal values, counts none."""
    assert change_number(database) == 0
    with database.writing() as transaction:
        save_author(transaction, Author("ann"))
        save_author(transaction, Author("bo"))
    assert change_number(database) == 1
    with database.writing() as transaction:
        find_authors(transaction)
        save_author(transaction, Author("ann"))
    assert change_number(database) == 1


def test_transaction_that_raises_is_undone(database: Database) -> None:
    """Its rows and its change number are undone; the next transaction works."""
    with pytest.raises(ZeroDivisionError), database.writing() as transaction:  # noqa: PT012
        save_author(transaction, Author("ann"))
        raise ZeroDivisionError
    assert (change_number(database), slugs(database)) == (0, set())
    add(database, "bo")
    assert (change_number(database), slugs(database)) == (1, {"bo"})


def test_savepoint_is_undone_alone(database: Database) -> None:
    """A transaction whose changes were all undone counts none; nested savepoints work."""

    class Undo(Exception):
        pass

    with database.writing() as transaction, pytest.raises(Undo), transaction.savepoint():  # noqa: PT012
        save_author(transaction, Author("ann"))
        with pytest.raises(Undo), transaction.savepoint():  # noqa: PT012
            save_author(transaction, Author("bo"))
            raise Undo
        raise Undo
    assert (change_number(database), slugs(database)) == (0, set())
    with database.writing() as transaction:
        with pytest.raises(Undo), transaction.savepoint():  # noqa: PT012
            save_author(transaction, Author("ann"))
            raise Undo
        with transaction.savepoint():
            save_author(transaction, Author("cy"))
    assert (change_number(database), slugs(database)) == (1, {"cy"})


def test_read_transaction_sees_one_snapshot(database: Database) -> None:
    """Commits of others are invisible from its first read to its end."""
    add(database, "ann")
    with database.reading() as session:
        before = (session.change_number(), find_authors(session))
        with ThreadPoolExecutor() as pool:
            pool.submit(add, database, "bo").result(10)
        assert (session.change_number(), find_authors(session)) == before
    assert (change_number(database), slugs(database)) == (2, {"ann", "bo"})


def test_read_transaction_cannot_write(database: Database) -> None:
    """A statement that writes fails on a connection for reading."""
    with pytest.raises((StoreUnusable, peewee.DatabaseError)), database.reading() as session:
        session.sql("INSERT INTO term (kind, slug, name, name_key) VALUES ('tag', 'x', 'x', 'x')")
    assert select(database, "SELECT count(*) FROM term") == [(0,)]


@pytest.mark.sqlite_only("test_postgres has the other")
def test_connections_have_safe_settings(database: Database) -> None:
    """WAL, synchronous FULL (2), foreign keys enforced, schemas not trusted, for reading and writing."""
    for opened, query_only in ((database.reading, 1), (database.writing, 0)):
        with opened() as session:
            for name, value in (
                ("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("trusted_schema", 0),
                ("query_only", query_only),
            ):  # fmt: skip
                assert session.sql(f"PRAGMA {name}") == [(value,)], name
            assert tuple(map(int, session.sql("SELECT sqlite_version()")[0][0].split("."))) > (3, 51, 2)


def test_broken_constraint_raises_integrity_error(database: Database) -> None:
    """A broken foreign key is not reported as damage of the store."""
    with pytest.raises(peewee.IntegrityError), database.writing() as transaction:
        transaction.sql("INSERT INTO version_term (version_id, term_id, position) VALUES (1, 1, 0)")
    assert change_number(database) == 0


@pytest.mark.sqlite_only("test_postgres compares them with the other's")
def test_store_has_all_tables_and_indexes(database: Database) -> None:
    """The tables of all entries, of writes, of webhooks, and of search exist."""
    with database.reading() as session:
        names = {row[0] for row in session.sql("SELECT name FROM sqlite_schema")}
        assert session.sql("PRAGMA integrity_check") == [("ok",)]
    assert names >= {
        "entry", "version", "version_body", "version_term", "last_id", "author", "term", "media_file", "write",
        "webhook", "delivery", "delivery_attempt", "token", "post_search", "page_search", "change_number", "document",
        "loaded_file", "reservation", "entry_slug", "entry_group", "post_newest",
    }  # fmt: skip


@pytest.mark.sqlite_only("is about FTS5")
def test_search_table_finds_rows_by_words(database: Database) -> None:
    """A row is found by its words until it is deleted."""
    execute(database, "INSERT INTO post_search (rowid, title, body) VALUES (7, 'cafe', 'by the sea')")
    find = "SELECT rowid FROM post_search WHERE post_search MATCH ?"
    assert select(database, find, '"cafe" "sea"') == [(7,)]
    execute(database, "DELETE FROM post_search WHERE rowid = 7")
    assert select(database, find, '"cafe"') == []


# --- concurrent writers


def test_threads_write_concurrently(database: Database) -> None:
    """Each change counts once, and no writer gets an error about a locked database, while others read."""
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            with database.reading() as session:
                assert session.change_number() == session.sql("SELECT count(*) FROM author")[0][0]

    def write(number: int) -> None:
        for turn in range(10):
            add(database, f"a-{number}-{turn}")

    with ThreadPoolExecutor(12) as pool:
        reading = [pool.submit(read) for _ in range(2)]
        writing = [pool.submit(write, number) for number in range(8)]
        for future in writing:
            future.result(60)
        stop.set()
        for future in reading:
            future.result(60)
    assert change_number(database) == len(slugs(database)) == 80


_WRITE = """
import sys
from pathlib import Path
from sitecms.content.author import Author
from sitecms.store.entries.authors import save_author
from sitecms.store.opening import open_database
database = open_database(Path(sys.argv[1]), create=True)
print("ready", flush=True)
sys.stdin.readline()
for turn in range(int(sys.argv[3])):
    with database.writing() as transaction:
        number = transaction.change_number()
        for part in ("x", "y"):
            save_author(transaction, Author(f"{sys.argv[2]}-{turn}-{part}"))
    print(turn, flush=True)
"""


def start_writer(path: Path, name: str, turns: int) -> "subprocess.Popen[str]":
    """Start a process that opens or creates the store and, after a line of input, writes two authors a transaction."""
    command = [sys.executable, "-c", _WRITE, str(path), name, str(turns)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )  # fmt: skip


def test_processes_create_and_write_one_store(path: Path) -> None:
    """All of them open a store that does not exist yet; every change is kept and counted."""
    processes = [start_writer(path, f"p{number}", 20) for number in range(5)]
    answers = [process.communicate("\n", timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0] * 5, answers
    database = open_database(path)
    assert change_number(database) == 100
    assert len(slugs(database)) == 200


def test_killed_writer_leaves_a_sound_store(path: Path) -> None:
    """After `kill -9` all reported changes exist, each is complete, and others can write at once."""
    database = open_database(path, create=True)
    rng = random.Random(3)
    reported = 0
    for number in range(6):
        process = start_writer(path, f"k{number}", 10_000)
        assert process.stdin
        assert process.stdout
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ready\n"
        time.sleep(rng.uniform(0, 0.15))
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate()
        reported += len(output.split())
        with database.reading() as session:
            assert session.sql("PRAGMA integrity_check") == [("ok",)]
            assert session.change_number() >= reported
            assert session.sql("SELECT count(*) FROM author") == [(2 * session.change_number(),)]
            reported = session.change_number()
    assert reported > 0
    add(database, "after")
    assert change_number(database) == reported + 1


# --- files that are not a store


def test_opening_again_changes_nothing(path: Path) -> None:
    """Migrations are applied once."""
    database = open_database(path, create=True)
    add(database, "ann")
    database.close()
    for create in (True, False):
        again = open_database(path, create=create)
        assert slugs(again) == {"ann"}
        assert change_number(again) == 1
        with again.reading() as session:
            assert session.sql("PRAGMA user_version") == [(migrations.LATEST,)]
            assert session.sql("PRAGMA application_id") == [(APPLICATION_ID,)]
        again.close()


def test_older_store_is_migrated(path: Path) -> None:
    """Only steps after its version are applied, and its content stays."""
    database = open_database(path, create=True)
    add(database, "ann")
    database.close()
    more = "CREATE TABLE extra (x INTEGER);\nINSERT INTO extra VALUES (1);\n"
    step = migrations.MigrationStep("more", sqlite=more, postgres=more)
    for _ in range(2):
        database = open_sqlite(path, steps=(*migrations.STEPS, step))
        assert select(database, "SELECT x FROM extra") == [(1,)]
        assert slugs(database) == {"ann"}
        database.close()


def test_failed_migration_is_undone(path: Path) -> None:
    """Neither tables nor the version number change."""
    open_database(path, create=True).close()
    bad = "CREATE TABLE extra (x INTEGER);\nCREATE NONSENSE;\n"
    with pytest.raises(peewee.OperationalError):
        open_sqlite(path, steps=(*migrations.STEPS, migrations.MigrationStep("bad", sqlite=bad, postgres=bad)))
    database = open_database(path)
    with database.reading() as session:
        assert session.sql("PRAGMA user_version") == [(migrations.LATEST,)]
        assert session.sql("SELECT name FROM sqlite_schema WHERE name = 'extra'") == []


def newer(path: Path) -> None:
    database = open_database(path, create=True)
    execute(database, "PRAGMA user_version = 99")
    database.close()


def text(path: Path) -> None:
    path.write_text("This is no database.\n" * 400)


def other_program(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()


def other_program_of_same_version(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA application_id = 252006673")
    connection.close()


def store(path: Path) -> None:
    database = open_database(path, create=True)
    with database.writing() as transaction:
        for number in range(400):
            save_author(transaction, Author(f"a-{number}", bio="x" * 200))
    database.close()


def truncated(path: Path) -> None:
    store(path)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2 // 4096 * 4096)


def cut_in_its_header(path: Path) -> None:
    store(path)
    with path.open("r+b") as file:
        file.truncate(50)


def garbled(path: Path) -> None:
    store(path)
    data = bytearray(path.read_bytes())
    data[100:4096] = random.Random(1).randbytes(3996)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (newer, "created by a newer version of sitecms (store version 99"),
        (text, "is not a store of sitecms"),
        (other_program, "belongs to another program"),
        (other_program_of_same_version, "belongs to another program"),
        (truncated, "is damaged"),
        (cut_in_its_header, "is damaged"),
        (garbled, "is damaged"),
    ],
)
@pytest.mark.parametrize("create", [False, True])
def test_file_that_is_not_a_store_is_refused_unchanged(
    path: Path, make: Callable[[Path], None], message: str, create: bool
) -> None:
    """The error names the file and the problem; no byte of the file changes."""
    path.parent.mkdir()
    make(path)
    before = path.read_bytes()
    with pytest.raises(StoreUnusable, match=str(path).replace(".", r"\.")) as caught:
        open_database(path, create=create)
    assert message in str(caught.value)
    assert path.read_bytes() == before


def test_empty_file_counts_as_missing(path: Path) -> None:
    """An empty file becomes a new store only on request."""
    path.parent.mkdir()
    path.touch()
    with pytest.raises(StoreUnusable, match="There is no store"):
        open_database(path)
    assert path.read_bytes() == b""
    assert change_number(open_database(path, create=True)) == 0


def test_damage_is_reported_when_it_is_read(path: Path) -> None:
    """An overwritten page in the file is noticed when it is read, and the file stays unchanged."""
    path.parent.mkdir()
    store(path)
    data = bytearray(path.read_bytes())
    data[-20 * 4096 :] = b"\xff" * 20 * 4096
    path.write_bytes(data)
    database = open_database(path)
    with pytest.raises(StoreUnusable, match="is damaged"), database.reading() as session:  # noqa: PT012
        session.sql("SELECT * FROM author")
        session.sql("SELECT sum(length(bio)) FROM author NOT INDEXED")
        session.sql("SELECT count(*) FROM author INDEXED BY author_email")
    database.close()
    assert path.read_bytes() == data


def test_missing_store_is_created_only_on_request(path: Path) -> None:
    """A refusal leaves no file behind."""
    with pytest.raises(StoreUnusable, match=r"There is no store at .* yet: `sitecms load` creates it"):
        open_database(path)
    assert not path.parent.exists()
    open_database(path, create=True)
    assert path.is_file()


def test_path_that_cannot_be_a_store_is_refused(tmp_path: Path) -> None:
    """A missing folder, a folder in place of the file, a file in place of the folder."""
    with pytest.raises(StoreUnusable, match="does not exist"):
        open_database(tmp_path / "none" / ".sitecms" / "store.db", create=True)
    assert not (tmp_path / "none").exists()
    (tmp_path / "site" / "store.db").mkdir(parents=True)
    for create in (False, True):
        with pytest.raises(StoreUnusable, match="is a folder"):
            open_database(tmp_path / "site" / "store.db", create=create)
    (tmp_path / ".sitecms").write_text("x")
    for create in (False, True):
        with pytest.raises(StoreUnusable):
            open_database(tmp_path / ".sitecms" / "store.db", create=create)


_OPEN = """
import sys
from pathlib import Path
from sitecms.errors import StoreUnusable
from sitecms.store.opening import open_database
import sitecms.store.engines.sqlite.database  # noqa: F401 - the other user may not read the standard library
if len(sys.argv) > 2:
    import os
    os.setgid(65534)
    os.setuid(65534)
try:
    open_database(Path(sys.argv[1]), create=True)
except StoreUnusable as error:
    print(error)
else:
    print("opened")
"""


@pytest.mark.parametrize("locked", ["file", "folder", "place"])
def test_path_without_permission_is_named(tmp_path: Path, locked: str) -> None:
    """A file or folder without permission gives an error that names it."""
    place = Path("/tmp") / f"sitecms-test-{os.getpid()}-{locked}"  # where another user can go
    shutil.rmtree(place, ignore_errors=True)
    path = place / ".sitecms" / "store.db"
    place.mkdir(mode=0o755)
    try:
        if locked != "place":
            open_database(path, create=True).close()
            path.chmod(0o000 if locked == "file" else 0o600)
            path.parent.chmod(0o755 if locked == "file" else 0o000)
        elif os.geteuid():
            place.chmod(0o555)
        arguments = ["as nobody"] if os.geteuid() == 0 else []
        command = [sys.executable, "-c", _OPEN, str(path), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert str(path) in done.stdout
        assert "cannot be used" in done.stdout
    finally:
        for folder in (place, path.parent):
            if folder.is_dir():
                folder.chmod(0o755)
        shutil.rmtree(place)
