"""A store that an earlier version made is brought to the present tables, and its digests with it."""

import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import cysqlite
import orjson
import pytest
from msgspec.structs import replace

from sitecms.actions.editing.history import values_of_state
from sitecms.clock import from_microseconds
from sitecms.content.account_link import LinkKind
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.content.user import Role
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.accounts.links import delete_links_of, find_link, find_open_links, insert_link
from sitecms.store.database import Session
from sitecms.store.engines.sqlite.file import APPLICATION_ID
from sitecms.store.entries import (
    authors,
    entry_state,
    items,
    revisions,
    terms,
    trash,
)
from sitecms.store.entries.bodies import find_markdown
from sitecms.store.entries.entry_rows import version_ids
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.maintenance.integrity import schema_damage
from sitecms.store.maintenance.row_digests import damaged_rows
from sitecms.store.opening import open_database
from sitecms.store.schema import migrations
from sitecms.store.schema.structure import structure, structure_of_new_store
from sitecms.store.site_state.last_ids import last_id
from tests.support.postgres import Databases

ROWS = (
    "INSERT INTO author VALUES (1, 'ann', 'Ann', '', '', '', '', '', '', '', '', '', '')",
    "INSERT INTO term VALUES (1, 'tag', 'moon', 'moon', 'moon')",
    "INSERT INTO page VALUES (1, '', 'about', 'About', 'file', 5, NULL, NULL, NULL)",
    "INSERT INTO page_version VALUES (1, 1, 'en', 'live', 'published', '{}', 5, 5, 5, NULL)",
    "INSERT INTO item VALUES (1, 'boats', 0, 'file', 5, NULL, NULL, NULL)",
    "INSERT INTO item VALUES (2, 'boats', 1, 'api', 5, 6, 1, NULL)",
    """INSERT INTO item_version VALUES (1, 1, 'en', 'live', 'published', '{"name": "Ebb"}', 5, 5, 5, NULL)""",
    "INSERT INTO item_version VALUES (2, 2, 'es', 'draft', 'draft', '{}', 5, 6, NULL, NULL)",
    "INSERT INTO item VALUES (7, 'boats', 0, 'file', 5, NULL, NULL, NULL)",
    "DELETE FROM item WHERE id = 7",
    """INSERT INTO post VALUES (1, 1, 'en', 'calm', 'Calm', 'published', 1, '', '', '', '', '', '["/old/"]', 'file', 1,
    '', '', 5, 5, 5, NULL, NULL, NULL, '<p>Calm.</p>')""",
)
BEFORE = {step.name: number for number, step in enumerate(migrations.STEPS, 1)}
"""The version of a store before each step."""


EARLIER = Path(__file__).parent / "earlier"
FORMER_POST = {
    "locale": "es", "slug": "calma", "title": "Antes", "status": "published", "id": 2, "translation_of": "",
    "author": "ann", "categories": ["Sea"], "tags": ["MOON"], "featured_image": "/media/a.png",
    "featured_image_alt": "Mar", "body": "", "summary": "S", "seo_title": "", "meta_description": "",
    "aliases": ["/viejo/"], "path": "", "guid": "tag:1", "markdown": "La *calma*.", "fields": {"mood": "calm", "at": 1},
    "times": {
        "created_at": "2026-01-01T00:00:00+00:00", "updated_at": "2026-01-02T00:00:00+00:00",
        "published_at": "2026-01-03T00:00:00+00:00", "scheduled_at": None,
    },
}  # fmt: skip
FORMER_COPY = {
    "values": {"title": "La calma", "body": "<p>x</p>", "format": "html", "fields": {"mood": "wild"}},
    "user_name": "mira",
    "saved_at": "2026-01-04T00:00:00+00:00",
}
FORMER_STATE = orjson.dumps({"post": FORMER_POST, "copy": FORMER_COPY})
"""A state in the history of a post, as it was kept before all kinds had one form of it."""
POSTS = (EARLIER / "posts.sql").read_text().replace("$state", b64encode(zlib.compress(FORMER_STATE)).decode())
"""Posts, and all that belongs to them, of a store just before they came into the tables of all entries."""
FORMER = """
UPDATE entry SET origin = 'api' WHERE kind = 'post';
INSERT INTO former_name (kind, place, slug, entry_id, was_shown) VALUES
  ('post', 'en', 'ebb', 1, 1), ('post', 'es', 'marea', 1, 1), ('post', 'en', 'unseen', 1, 0), ('page', '', 'us', 1, 1);
INSERT INTO former_address (kind, place, locale, path, slug, published_at, entry_id) VALUES
  ('post', '', 'en', '', 'ebb', 4, 1), ('page', 'guide', 'en', '', 'about-us', 3, 1),
  ('item', '', 'en', '/ebb/', '', 5, 1);
"""
"""Former names and addresses of a store just before they came into one table."""
LINK = "INSERT INTO account_link VALUES ('d', 'invitation', 'Wren', 'writer', 'ann', NULL, NULL, 5, 7, NULL)"
Address = Path | ServiceUrl
MakeEarlier = Callable[[str, str], Address]
EARLIER_VERSIONS = range(1, migrations.LATEST)
STRUCTURE = (
    """SELECT table_name, column_name, ordinal_position, data_type, collation_name, is_nullable, column_default,
     generation_expression FROM information_schema.columns WHERE table_schema = 'public'""",
    """SELECT tables.relname, index.indisunique, index.indisprimary, pg_get_expr(index.indpred, index.indrelid),
     array(SELECT pg_get_indexdef(index.indexrelid, place, true) || coalesce(pg_index_column_has_property(
      index.indexrelid, place, 'desc')::text, '') FROM generate_series(1, index.indnatts) AS place),
     CASE WHEN index.indisunique THEN '' ELSE names.relname END
    FROM pg_index AS index JOIN pg_class AS tables ON tables.oid = index.indrelid
    JOIN pg_class AS names ON names.oid = index.indexrelid WHERE tables.relnamespace = 'public'::regnamespace""",
    """SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f')""",
    """SELECT pg_get_triggerdef(pg_trigger.oid), tgenabled, prosrc FROM pg_trigger
    JOIN pg_proc ON pg_proc.oid = tgfoid WHERE NOT tgisinternal""",
)
"""What the tables of PostgreSQL guarantee; that of a unique index is no matter, a constraint makes one of any name."""


UNBOUND = """
DROP TABLE reservation;
CREATE TABLE reservation (
  kind TEXT NOT NULL, name TEXT NOT NULL, write_id TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
CREATE INDEX reservation_write ON reservation (write_id)"""


def sqlite_store(file: Path, version: int) -> Path:
    """Make a file with the tables of an earlier version, and a row in most of them."""
    connection = cysqlite.connect(str(file))  # type: ignore[attr-defined]
    connection.executescript((EARLIER / "first_sqlite.sql").read_text())
    for statement in ROWS:
        connection.execute(statement)
    connection.execute("UPDATE row_digest SET digest = x'00' WHERE name IN ('page', 'item', 'author', 'term')")
    for step in migrations.STEPS[: version - 1]:
        connection.executescript(step.sqlite)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    return file


def postgres_store(databases: Databases, name: str, version: int) -> ServiceUrl:
    """Make the tables of an earlier version in a database, and a row in most of them."""
    with databases.server.admin(name) as admin:
        admin.execute((EARLIER / "first_postgres.sql").read_bytes())
        admin.execute(b"CREATE TABLE sitecms_store (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL)")
        admin.execute(f"INSERT INTO sitecms_store VALUES (1, {version})".encode())
        for statement in ROWS:
            admin.execute(statement.encode())
        for step in migrations.STEPS[: version - 1]:
            admin.execute(step.postgres.encode())
    return ServiceUrl(databases.server.url(name))


@pytest.fixture(params=["file", "database"])
def make_earlier(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeEarlier]:
    """Make a store as it was before a step, with more rows, in a file or in a database."""
    if request.param == "file":

        def make_file(step: str, rows: str) -> Address:
            file = sqlite_store(tmp_path / "store.db", BEFORE[step])
            connection = cysqlite.connect(str(file))  # type: ignore[attr-defined]
            connection.execute("PRAGMA foreign_keys = 1")
            connection.executescript(rows)
            connection.close()
            return file

        yield make_file
        return
    databases: Databases = request.getfixturevalue("databases")
    name = databases.take(empty=True)

    def make_database(step: str, rows: str) -> Address:
        address = postgres_store(databases, name, BEFORE[step])
        with databases.server.admin(name) as admin:
            admin.execute(rows.encode())
        return address

    yield make_database
    databases.give_back(name)


def structure_of(databases: Databases, name: str) -> list[list[tuple[object, ...]]]:
    """Return what the tables of a database guarantee."""
    with databases.server.admin(name) as admin:
        return [sorted(admin.execute(text.encode()).fetchall(), key=repr) for text in STRUCTURE]


def check_content(address: Address) -> None:
    """Check that the content is as it was, and that every row matches its digest."""
    for _ in range(2):
        database = open_database(address)
        with database.reading() as session:
            (post,), (page,) = (
                VERSIONS[EntryKind.POST].all(session, with_body=True),
                VERSIONS[EntryKind.PAGE].all(session),
            )
            assert (post.slug, post.body, post.aliases, post.path) == ("calm", "<p>Calm.</p>", ("/old/",), "")
            assert (page.slug, page.addresses.paths, page.addresses.aliases) == ("about", {}, {})
            assert [author.slug for author in authors.find_authors(session)] == ["ann"]
            assert version_ids(session, EntryKind.PAGE, 1) == (1,)  # as the search index names it
            assert [(item.id, item.fields) for item in VERSIONS[EntryKind.ITEM].all(session)] == [(1, {"name": "Ebb"})]
            (part,) = trash.find_trash(session)
            assert (part.kind, part.id, part.name) == (EntryKind.ITEM, 2, "boats 1 (es)")
            assert (items.next_item_id(session, ()), last_id(session, "page")) == (8, 1)
            assert list(damaged_rows(session)) == []
        database.close()


@pytest.mark.parametrize("version", EARLIER_VERSIONS)
def test_earlier_file_is_brought_to_this_version(tmp_path: Path, version: int) -> None:
    """It has the tables of a new store, and they are right before and after."""
    file = sqlite_store(tmp_path / "store.db", version)
    assert schema_damage(file) == ()
    check_content(file)
    assert schema_damage(file) == ()
    connection = cysqlite.connect(str(file))  # type: ignore[attr-defined]
    assert structure(connection) == structure_of_new_store()
    connection.close()


def test_posts_of_an_earlier_store_are_kept(make_earlier: MakeEarlier) -> None:
    """In the tables of all entries, with their working copies, terms, history, former names and trash."""
    database = open_database(make_earlier("posts", POSTS))
    with database.reading() as session:
        calm, calma = VERSIONS[EntryKind.POST].all(session, with_body=True)
        assert (calm.id, calm.group_id, calm.path, calm.guid, calm.fields, calm.tags) == (1, 1, "", "", {}, ())
        assert (calma.id, calma.group_id, calma.locale, calma.slug) == (2, 1, "es", "calma-chicha")
        assert (calma.title, calma.status, calma.author.slug) == ("Calma", Status.SCHEDULED, "ann")
        assert (calma.featured_image, calma.featured_image_alt) == ("/media/a.png", "Mar")
        assert (calma.summary, calma.seo_title, calma.meta_description) == ("Resumen", "SEO", "Meta")
        assert (calma.aliases, calma.path, calma.guid) == (("/viejo/", '/"/'), '/es/"calma"/', "tag:1")
        assert (calma.reading_minutes, calma.body_digest, calma.body_media) == (3, "d", ("a.png", "b.png"))
        times = calma.created_at, calma.updated_at, calma.published_at, calma.scheduled_at
        assert times == tuple(map(from_microseconds, (6, 7, 8, 9)))
        assert calma.body == "<p>La <em>calma</em>.</p>"
        assert calma.fields == {"mood": "calm", "next": {"uri": "/v2/pages/*/about/"}}
        assert ([term.slug for term in calma.categories], [term.slug for term in calma.tags]) == (["sea"], ["moon"])
        (version_id,) = version_ids(session, EntryKind.POST, 2)
        assert [*terms.terms_of_versions(session, (version_id,))[version_id].items()] == [(2, "Sea"), (1, "MOON")]
        assert (find_markdown(session, 1), find_markdown(session, 2)) == (None, "La *calma*.")
        assert len(entry_state.versions_of(session, EntryKind.POST, 1)) == 1
        copy = entry_state.versions_of(session, EntryKind.POST, 2)[0]
        assert (copy.title, [term.name for term in copy.tags]) == ("La calma", ["moon"])
        assert (copy.saved_by, copy.updated_at) == ("mira", from_microseconds(11))
        former, part = trash.find_trash(session)
        assert (former.kind, former.id, former.name, former.former_of) == (EntryKind.POST, 3, "calma", 2)
        assert part.kind is EntryKind.ITEM
        assert VERSIONS[EntryKind.POST].get(session, 3, in_trash=True).guid == "tag:2"
        assert [(each.path, each.slug) for each in entry_state.find_former_addresses(session)] == [
            (calma.path, "calma")
        ]
        check_state(session)
        assert [last_id(session, kind) for kind in ("post", "page", "item")] == [9, 1, 7]
        assert list(damaged_rows(session)) == []
    database.close()


def check_state(session: Session) -> None:
    """Check that the former state of a post has the form of all states, with a whole draft, under its token."""
    state = revisions.find_state(session, EntryKind.POST, 2, "es", "t")
    assert state is not None
    live, draft = state["live"], state["draft"]
    assert (state["slug"], state["title"], live["status"]) == ("calma", "Antes", "published")
    kept = FORMER_POST.keys() - {"slug", "title", "locale", "id", "translation_of", "times"}
    assert {name: live[name] for name in kept} == {name: FORMER_POST[name] for name in kept}
    assert (live["created_at"], live["scheduled_at"]) == ("2026-01-01T00:00:00+00:00", None)
    assert (draft["status"], draft["updated_at"], draft["saved_by"]) == ("draft", FORMER_COPY["saved_at"], "mira")
    assert values_of_state({**state, "draft": None})["body"] == "La *calma*."
    values = values_of_state(state)
    assert (values["title"], values["body"], values["format"]) == ("La calma", "<p>x</p>", "html")
    assert (values["fields"], values["summary"]) == ({"mood": "wild", "at": 1}, "S")


def test_former_names_of_an_earlier_store_become_addresses(make_earlier: MakeEarlier) -> None:
    """Those of the last holders come first; names that nobody saw are kept to find originals."""
    database = open_database(make_earlier("former_addresses", FORMER))
    with database.reading() as session:
        former = [
            (each.kind.value, each.type, each.locale, each.path or each.slug, each.entry_id)
            for each in entry_state.find_former_addresses(session)
        ]
        assert former == [
            ("page", "", "en", "us", 1),
            ("post", "", "en", "ebb", 1),
            ("post", "", "es", "marea", 1),
            ("item", "boats", "en", "/ebb/", 1),
            ("page", "guide", "en", "about-us", 1),
        ]
        assert entry_state.find_renamed_original(session, "unseen", "es") == 1
        assert list(damaged_rows(session)) == []
    database.close()


def test_links_of_an_earlier_store_are_kept(make_earlier: MakeEarlier) -> None:
    """In a table made again, which takes links of one kind more; its triggers keep the digests."""
    database = open_database(make_earlier("first_link", LINK))
    with database.writing() as transaction:
        (link,) = find_open_links(transaction, LinkKind.INVITATION, from_microseconds(6))
        assert (link.digest, link.label, link.role, link.author) == ("d", "Wren", Role.WRITER, "ann")
        assert (link.created_at, link.expires_at) == (from_microseconds(5), from_microseconds(7))
        insert_link(transaction, replace(link, digest="e", kind=LinkKind.FIRST))
    with database.reading() as session:
        assert find_link(session, "e", LinkKind.FIRST) is not None
        assert list(damaged_rows(session)) == []
    database.write(delete_links_of, LinkKind.INVITATION)
    with database.reading() as session:
        assert list(damaged_rows(session)) == []
    database.close()


@pytest.mark.parametrize("version", EARLIER_VERSIONS)
def test_earlier_database_is_brought_to_this_version(databases: Databases, version: int) -> None:
    """It has the tables of a new store."""
    earlier, new = databases.take(empty=True), databases.take(empty=True)
    check_content(postgres_store(databases, earlier, version))
    open_database(ServiceUrl(databases.server.url(new)), create=True).close()
    for of_earlier, of_new in zip(structure_of(databases, earlier), structure_of(databases, new), strict=True):
        assert of_earlier == of_new
    databases.give_back(earlier)
    databases.give_back(new)


@pytest.mark.parametrize(
    "change",
    [
        "DROP INDEX post_by_author",
        "DROP TRIGGER author_updated",
        "ALTER TABLE author ADD COLUMN extra TEXT",
        "ALTER TABLE term RENAME COLUMN name TO label",
        UNBOUND,
    ],
)
@pytest.mark.parametrize("version", [1, migrations.LATEST])
def test_changed_definition_is_reported(tmp_path: Path, version: int, change: str) -> None:
    """In a store of this version and of an earlier one: an index, a trigger, a column, a foreign key."""
    file = sqlite_store(tmp_path / "store.db", version)
    connection = cysqlite.connect(str(file))  # type: ignore[attr-defined]
    connection.executescript(change)
    connection.close()
    assert schema_damage(file) != ()
