"""`sitecms reindex`: rebuild the search index."""

import re
from collections.abc import Callable

from sitecms.content.query import Window
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from tests.support.command_line import run
from tests.support.reading import found_entries

Make = Callable[..., int]


def found(store: Database, text: str) -> list[str]:
    """The slugs of the posts that a search finds."""
    return [ranked.entry.slug for ranked in store.read(found_entries, text, Window()).entries]


def test_a_lost_index_is_rebuilt(runtime: Runtime, make_post: Make) -> None:
    """One line has the counts; a pipe gets nothing else."""
    make_post("moon", title="Moon")
    make_post("sun", title="Sun")
    with runtime.database.writing() as transaction:
        transaction.sql("INSERT INTO post_search (post_search) VALUES ('delete-all')")
        transaction.sql("INSERT INTO post_search (rowid, title, body) VALUES (1, 'sun', '')")
    assert (found(runtime.database, "moon"), len(found(runtime.database, "sun"))) == ([], 1)
    result = run("reindex", runtime.settings.folder)
    assert (result.exit_code, result.stderr) == (0, "")
    assert re.fullmatch(r"Indexed 2 posts and 0 pages in \d+\.\d\d s\n", result.stdout)
    assert (found(runtime.database, "moon"), found(runtime.database, "sun")) == (["moon"], ["sun"])
