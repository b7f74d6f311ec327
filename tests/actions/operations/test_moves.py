"""A store that moves is the same in its new place, and at no moment can two of them be written to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from sitecms.actions.operations.moves import cancel_move, move_store
from sitecms.content.author import Author
from sitecms.content.change import Origin
from sitecms.content.kinds import EntryKind
from sitecms.content.query import Window
from sitecms.content.token import Scope
from sitecms.content.writes import Delete, Operation, Save, Write, WriteStatus
from sitecms.errors import ConfigurationError, StoreMoved, StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.entries.authors import save_author
from sitecms.store.entries.entry_rows import insert_entry
from sitecms.store.maintenance.readiness import look_at_store
from sitecms.store.maintenance.rows import numbers, table_sums
from sitecms.store.opening import open_database
from sitecms.store.schema.columns import CONTENT_TABLES
from sitecms.store.site_state.relocation_state import set_move
from sitecms.store.writes.tokens import NO_LIMITS, insert_token
from sitecms.store.writes.writes import insert_write
from tests.support.engines import ENGINES, Stores
from tests.support.postgres import Databases
from tests.support.reading import found_entries
from tests.support.sites import ExampleSite

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOOK = "INSERT INTO webhook VALUES (3, 'http://127.0.0.1/', '[]', '[\"s\"]', '{}', 1, NULL)"
DELIVERY = (
    "INSERT INTO delivery (id, webhook_id, event, payload_json, status, attempt, failures, due_at, created_at) "
    "VALUES (?, 3, 'post.published', '{}', 'waiting', 1, 0, 1, 1)"
)


@dataclass(frozen=True, slots=True)
class Places:
    """Two stores of one site: the one that it has, and an empty place of the other engine."""

    here: SiteSettings
    there: SiteSettings


@pytest.fixture
def places(example: ExampleSite, engine: Stores, databases: Databases) -> Iterator[Places]:
    """Of a site in which everything there is waits."""
    example.load()
    fill(example.database)
    here = example.settings
    name = databases.take()
    url = ServiceUrl("") if engine.engine != ENGINES[0] else ServiceUrl(databases.server.url(name))
    yield Places(here, replace(here, store_url=url))
    databases.give_back(name)


def fill(database: Database) -> None:
    """Writes, names kept for them, messages, tokens; numbers whose entries are gone; names that were given up."""
    with database.writing() as transaction:
        for number in range(3):
            insert_write(
                transaction,
                Write(
                    id=f"w{number}", sequence=0, kind=EntryKind.POST, operation=Operation.CREATE,
                    entry_key=f"post/x{number}", entry_id=0, payload=Save(title="Ñandú ☃ \U0001f30a"),
                    status=WriteStatus.ACCEPTED, attempt=0, errors={}, accepted_at=AT,
                ),
            )  # fmt: skip
        insert_token(transaction, "reader", Scope.READ, "digest", AT, AT + timedelta(days=1), NO_LIMITS)
        for statement in (
            "DELETE FROM write WHERE id = 'w2'",
            "INSERT INTO reservation VALUES ('post', 'x0', 'w0')",
            HOOK,
            "INSERT INTO delivery_attempt VALUES ('b', 1, 1, 2, 200, 'ok')",
            "UPDATE entry SET slug = 'flood' WHERE slug = 'ebb'",
        ):
            if "delivery_attempt" in statement:
                for each in ("b", "a"):
                    transaction.sql(DELIVERY, each)
            transaction.sql(statement)


def opened(settings: SiteSettings) -> Database:
    return open_database(settings.store)


def everything(database: Database) -> object:
    """All rows as sums, and what is counted on from."""
    with database.reading() as session:
        return table_sums(session), numbers(session)


def found(database: Database) -> object:
    """What some words find."""
    window = Window(50)
    with database.reading() as session:
        posts = [found_entries(session, text, window) for text in ("sea", "t", "e")]
        pages = [found_entries(session, text, window, EntryKind.PAGE) for text in ("a", "t")]
    assert any(one.count for one in posts)
    return [{each.entry.id for each in one.entries} for one in posts], [
        {each.entry.id for each in one.entries} for one in pages
    ]


def test_a_store_that_moved_is_equal_and_comes_back(example: ExampleSite, places: Places) -> None:
    """Every row of every table, what is counted on from, and what is found; there, and here again with what is new."""
    before, finds = everything(example.database), found(example.database)
    report = move_store(places.here, places.there.store)
    assert report.rows > 60
    assert report.sums["write"].rows == 2
    there = opened(places.there)
    assert everything(there) == before
    assert found(there) == finds
    with there.writing() as transaction:
        save_author(transaction, Author("new"))
        transaction.sql("DELETE FROM delivery WHERE id = 'a'")
    after = everything(there)
    assert after != before
    there.close()
    move_store(places.there, places.here.store)
    here = opened(places.here)
    assert everything(here) == after
    assert found(here) == finds
    here.close()


def test_the_next_ids_are_those_that_would_have_come(example: ExampleSite, places: Places) -> None:
    """An id that an entry had is not given out again, nor the sequence of a write that is gone."""
    with example.database.writing() as transaction:
        last = insert_entry(transaction, EntryKind.ITEM, {"type": "menu"}, (Origin.API, AT))
        assert insert_entry(transaction, EntryKind.ITEM, {"type": "menu"}, (Origin.API, AT)) == last + 1
        transaction.sql("DELETE FROM entry WHERE kind = 'item' AND id >= ?", last)
    move_store(places.here, places.there.store)
    there = opened(places.there)
    with there.writing() as transaction:
        assert insert_entry(transaction, EntryKind.ITEM, {"type": "menu"}, (Origin.API, AT)) == last + 2
        insert_write(
            transaction,
            Write(
                id="w9", sequence=0, kind=EntryKind.POST, operation=Operation.DELETE, entry_key="post/1", entry_id=1,
                payload=Delete(), status=WriteStatus.ACCEPTED, attempt=0, errors={}, accepted_at=AT,
            ),
        )  # fmt: skip
        assert transaction.sql("SELECT sequence FROM write WHERE id = 'w9'") == [(4,)]
    there.close()


def test_who_still_runs_on_the_old_store_only_reads(example: ExampleSite, places: Places) -> None:
    """Its writes are refused with where the content went, and nobody opens it any more."""
    with example.database.reading() as session:
        count = session.sql("SELECT count(*) FROM entry WHERE kind = 'post'")
    move_store(places.here, places.there.store)
    place = re.escape(str(places.there.store))
    with pytest.raises(StoreMoved, match=f"has moved to {place}"), example.database.writing() as transaction:
        save_author(transaction, Author("lost"))
    with example.database.reading() as session:
        assert session.sql("SELECT count(*) FROM entry WHERE kind = 'post'") == count
    with pytest.raises(StoreMoved, match=f"has moved to {place}: set url"):
        opened(places.here)
    with pytest.raises(StoreMoved, match="has moved to"):
        move_store(places.here, places.there.store)
    assert look_at_store(places.here.store).problems == ("The store has moved.",)
    assert look_at_store(places.there.store).problems == ()


def test_nothing_is_written_while_the_store_moves(example: ExampleSite, places: Places) -> None:
    """Readers of the old place go on, and the new one is open to nobody until it is whole."""
    told: list[str] = []

    def look(phase: str, _done: int, _total: int) -> None:
        if told:
            return
        told.append(phase)
        with pytest.raises(StoreMoved, match="is being moved to"), example.database.writing() as transaction:
            save_author(transaction, Author("lost"))
        with example.database.reading() as session:
            assert session.sql("SELECT count(*) FROM author") != [(0,)]
        with pytest.raises(StoreMoved, match="is incomplete"):
            opened(places.there)
        assert look_at_store(places.here.store).problems == ()
        with pytest.raises(ConfigurationError, match="by another process"):
            move_store(places.here, places.there.store)

    move_store(places.here, places.there.store, look)
    assert told


def test_a_move_that_fails_leaves_the_old_store_open(example: ExampleSite, places: Places) -> None:
    """It is written to as before, and the next move takes along what was written since."""

    class Stop(Exception):
        pass

    def stop(phase: str, _done: int, _total: int) -> None:
        if phase == "Comparing":
            raise Stop

    with pytest.raises(Stop):
        move_store(places.here, places.there.store, stop)
    with pytest.raises(StoreMoved, match="is incomplete"):
        opened(places.there)
    with example.database.writing() as transaction:
        save_author(transaction, Author("since"))
        transaction.sql("DELETE FROM delivery WHERE id = 'a'")
    before = everything(example.database)
    move_store(places.here, places.there.store)
    there = opened(places.there)
    assert everything(there) == before
    there.close()


def test_a_cancelled_move_does_not_end(example: ExampleSite, places: Places) -> None:
    """Later writes are in the old store alone, which stays open."""

    def call_off(phase: str, _done: int, _total: int) -> None:
        if phase != "Comparing":
            return
        with pytest.raises(ConfigurationError, match="by another process"):
            cancel_move(places.here)
        source = open_database(places.here.store, moving=True)  # as who lost the lock with the way to its server
        with source.writing(counts_as_change=False) as transaction:
            set_move(transaction, None)
        source.close()
        with example.database.writing() as transaction:
            save_author(transaction, Author("since"))

    with pytest.raises(ConfigurationError, match="was cancelled meanwhile"):
        move_store(places.here, places.there.store, call_off)
    with example.database.writing() as transaction:
        save_author(transaction, Author("later"))
        assert transaction.sql("SELECT count(*) FROM author WHERE slug IN ('since', 'later')") == [(2,)]
    with pytest.raises(StoreMoved, match="is incomplete"):
        opened(places.there)


def test_a_store_that_is_there_already_is_left_alone(example: ExampleSite, places: Places) -> None:
    """One that holds anything, and one that came from somewhere else."""
    there = open_database(places.there.store, create=True)
    with there.writing() as transaction:
        save_author(transaction, Author("mine"))
    before = everything(there)
    with pytest.raises(ConfigurationError, match=r"There is a store at .* already"):
        move_store(places.here, places.there.store)
    assert everything(there) == before
    with example.database.writing() as transaction:
        save_author(transaction, Author("still-open"))
    there.close()


def test_a_move_to_the_same_place_is_refused(example: ExampleSite, places: Places) -> None:
    """The error comes before anything is opened."""
    with pytest.raises(ConfigurationError, match=r"is at .* already"):
        move_store(places.here, places.here.store)


def test_a_finished_move_can_be_cancelled(example: ExampleSite, places: Places) -> None:
    """The old store can be written to again; a store that is in no move is an error."""
    with pytest.raises(ConfigurationError, match="is not being moved"):
        cancel_move(places.here)
    move_store(places.here, places.there.store)
    with pytest.raises(ConfigurationError, match="is not being moved"):
        cancel_move(places.there)
    assert cancel_move(places.here).state == "gone"
    with example.database.writing() as transaction:
        save_author(transaction, Author("back"))


def test_a_row_that_cannot_be_kept_is_named(example: ExampleSite, places: Places, engine: Stores) -> None:
    """PostgreSQL keeps no NUL; nothing is lost, and the old store is open again."""
    if engine.engine != ENGINES[0]:
        pytest.skip("SQLite keeps whatever PostgreSQL does")
    with example.database.writing() as transaction:
        transaction.sql("UPDATE author SET bio = 'a' || char(0) || 'b' WHERE slug = 'ann-ray'")
    with pytest.raises(StoreUnusable, match=r"A row of author .* cannot be kept there"):
        move_store(places.here, places.there.store)
    with example.database.writing() as transaction:
        save_author(transaction, Author("still-open"))


def test_every_table_is_copied_or_made_anew(places: Places) -> None:
    """A table that only one engine has, or that nobody thought of, would be seen here."""
    url = places.there.store if isinstance(places.there.store, ServiceUrl) else places.here.store
    database = open_database(url, create=True)
    with database.reading() as session:
        rows = session.sql(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
        )
    database.close()
    worked_out = {"post_search", "page_search", "row_digest", "own_path"}
    worked_out |= {"change_number", "move", "last_id", "sitecms_store", "presence", "sign_in_step"}
    columns = {(table, column) for table, column in rows if table not in worked_out and column != "fields_indexed"}
    assert columns == {(shape.name, column) for shape in CONTENT_TABLES for column in shape.columns}
