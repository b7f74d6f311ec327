"""A store that an earlier version made is brought to the present tables, and its digests with it."""

from collections.abc import Iterator
from pathlib import Path

import cysqlite
import pytest

from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.sqlite.file import APPLICATION_ID
from sitecms.store.entries import authors, draft_queries
from sitecms.store.maintenance.integrity import schema_damage
from sitecms.store.maintenance.row_digests import damaged_rows
from sitecms.store.opening import open_database
from sitecms.store.schema import migrations
from tests.support.postgres import Databases

ROWS = (
    "INSERT INTO author VALUES (1, 'ann', 'Ann', '', '', '', '', '', '', '', '', '', '')",
    "INSERT INTO term VALUES (1, 'tag', 'moon', 'moon', 'moon')",
    "INSERT INTO page VALUES (1, '', 'about', 'About', 'file', 5, NULL, NULL, NULL)",
    "INSERT INTO page_version VALUES (1, 1, 'en', 'live', 'published', '{}', 5, 5, 5, NULL)",
    "INSERT INTO item VALUES (1, 'boats', 0, 'file', 5, NULL, NULL, NULL)",
    """INSERT INTO post VALUES (1, 1, 'en', 'calm', 'Calm', 'published', 1, '', '', '', '', '', '["/old/"]', 'file', 1,
    '', '', 5, 5, 5, NULL, NULL, NULL, '<p>Calm.</p>')""",
)


@pytest.fixture(params=["sqlite", "postgres"])
def old_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | ServiceUrl]:
    """Return the address of a store with the tables of the first version, and a row in most of them."""
    if request.param == "sqlite":
        file = tmp_path / "store.db"
        connection = cysqlite.connect(str(file))  # type: ignore[attr-defined]
        connection.executescript(migrations.STEPS[0].sqlite)
        for statement in ROWS:
            connection.execute(statement)
        connection.execute("UPDATE row_digest SET digest = x'00' WHERE name IN ('page', 'item', 'author', 'term')")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.close()
        yield file
        return
    databases: Databases = request.getfixturevalue("databases")
    name = databases.take(empty=True)
    with databases.server.admin(name) as admin:
        admin.execute(migrations.STEPS[0].postgres.encode())
        admin.execute(b"CREATE TABLE sitecms_store (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL)")
        admin.execute(b"INSERT INTO sitecms_store VALUES (1, 1)")
        for statement in ROWS:
            admin.execute(statement.encode())
    yield ServiceUrl(databases.server.url(name))
    databases.give_back(name)


def test_an_earlier_store_is_brought_to_this_version(old_store: Path | ServiceUrl) -> None:
    """Its content is as it was, and every row matches its digest."""
    if isinstance(old_store, Path):
        assert schema_damage(old_store) == ()
    for _ in range(2):
        database = open_database(old_store)
        with database.reading() as session:
            (post,), (page,) = draft_queries.all_whole_posts(session), draft_queries.all_pages(session)
            assert (post.slug, post.body, post.aliases, post.path) == ("calm", "<p>Calm.</p>", ("/old/",), "")
            assert (page.slug, page.addresses.paths, page.addresses.aliases) == ("about", {}, {})
            assert [author.slug for author in authors.find_authors(session)] == ["ann"]
            assert list(damaged_rows(session)) == []
        database.close()
        if isinstance(old_store, Path):
            assert schema_damage(old_store) == ()
