"""Costs of reads that can be counted, on SQLite: statements, and tables that are read whole. They must not grow."""

import re
from collections.abc import Callable
from datetime import datetime

import pytest
from werkzeug.test import TestResponse

from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.api.app import create_api
from sitecms.content.change import EntryChange, Origin, VersionChange
from sitecms.content.kinds import EntryKind
from sitecms.content.references import ItemTarget
from sitecms.content.schema import Collection, ContentSchema, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.runtime import Runtime
from sitecms.store.schema.columns import CONTENT_TABLES
from sitecms.store.site_state.documents import save_content_schema
from tests.support.reading import select
from tests.support.statements import statements

SCHEMA = ContentSchema(
    collections={
        "part": Collection(
            "part",
            "Part",
            "name",
            (FieldSpec("name", "short_text"), FieldSpec("next", "reference", targets=("part",))),
        )
    }
)


@pytest.fixture
def content(runtime: Runtime, make_post: Callable[..., int], noon: datetime) -> Runtime:
    """A store with 80 posts and 40 items."""
    for number in range(80):
        make_post(f"p{number}", title="Moon", body="<p>tide and sea</p>", tags=("Tide",), hours=number)
    with runtime.database.writing() as transaction:
        save_content_schema(transaction, SCHEMA)
        for number in range(1, 41):
            fields = {"name": f"part {number}", "next": ItemTarget("part", 41 - number).uri}
            version = VersionChange("en", Version.LIVE, Status.PUBLISHED, fields)
            item = EntryChange(EntryKind.ITEM, number, "part", (version,))
            save_entry(SaveContext(transaction, Origin.API, noon), item)
    return runtime


_ALIASES = re.compile(r'"?(\w+)"? AS "?(\w+)"?')


def whole_tables(runtime: Runtime, texts: list[str]) -> set[str]:
    """Return the tables that these statements read from first to last row, or from first to last of a kind."""
    found: set[str] = set()
    with runtime.database.reading() as session:
        for text in texts:
            names = {alias: table for table, alias in _ALIASES.findall(text)}
            plan = session.sql("EXPLAIN QUERY PLAN " + text, *(None,) * _values(text))
            lines = [str(row[-1]).split() for row in plan if "VIRTUAL" not in row[-1]]
            found |= {names.get(line[1], line[1]) for line in lines if line[0] == "SCAN" or line[-1] == "(kind=?)"}
    return found & {table.name for table in CONTENT_TABLES}


def _values(text: str) -> int:
    """Return the number of values that a statement takes: `?`, or the highest of `?1`, `?2` and so on."""
    numbers = [int(part[0]) for part in text.split("?")[1:] if part[:1].isdigit()]
    return max(numbers) if numbers else text.count("?")


@pytest.fixture
def read(content: Runtime, make_token: Callable[..., str]) -> Callable[[str], TestResponse]:
    """Read a path with a token; no response is cached."""
    client = create_api(content, cache_bytes=0).app.test_client()
    headers = {"Authorization": f"Token {make_token('costs')}"}
    client.get("/v2/posts/none/", headers=headers)  # the token is known from now on
    return lambda path: client.get(path, headers=headers)


@pytest.mark.parametrize(
    ("path", "first", "later"),
    [
        ("/v2/posts/p5/", 4, 1),
        ("/v2/posts/?limit=10&offset=30", 5, 0),
        ("/v2/posts/?tag_slug=tide&limit=10&offset=40", 5, 0),
        ("/v2/posts/search/?query=moon", 6, 0),
        ("/v2/content/part/?page=2", 5, 4),
        ("/v2/content/part/?fields.name=part 7", 5, 4),
        ("/v2/content/part/?fields.next.name=part 7", 5, 4),
        ("/v2/content/part/1/", 4, 4),
        ("/v2/content/part/?order=-updated", 5, 4),
        ("/v2/content/part/?preview=1", 5, 4),
    ],
)
def test_reads_take_few_statements(
    content: Runtime, read: Callable[[str], TestResponse], path: str, first: int, later: int
) -> None:
    """A read sends so many statements the first time and later, and none of them reads a table of content whole."""
    sent = []
    for _ in range(2):
        with statements(content) as seen:
            assert read(path).status_code == 200
        sent.append(seen)
        assert whole_tables(content, seen) <= {"author", "term"}, "\n".join(seen)  # of which thousands are cached
    assert [len(each) for each in sent] == [first, later], "\n\n".join(map("\n".join, sent))


@pytest.mark.parametrize("query", ["", "preview=1"])
def test_a_page_is_found_by_its_name(content: Runtime, read: Callable[[str], TestResponse], query: str) -> None:
    """SQLite looks it up in the index of names, not among all pages of the locale."""
    with statements(content) as seen:
        assert read(f"/v2/pages/*/none/?{query}").status_code == 404
    (lookup,) = (text for text in seen if "version AS shown" in text)
    plan = [row[-1] for row in select(content.database, "EXPLAIN QUERY PLAN " + lookup, None, None)]
    assert any("entry_slug" in line for line in plan), plan
    assert not any("version_newest" in line for line in plan), plan
