"""Many references looked up at once, and what a filter may follow."""

from collections.abc import Callable
from datetime import UTC
from typing import Any

import pytest

from sitecms.content.field_path import field_filter
from sitecms.content.kinds import EntryKind
from sitecms.content.query import EntryQuery, FieldFilter, FieldMatch, Key, Order, Own, Visibility, Window
from sitecms.content.references import ItemTarget, PageTarget, Target
from sitecms.content.response_size import SizeLimit
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.errors import InvalidRequest
from sitecms.store.database import Database
from sitecms.store.entries.entry_queries import find_entries
from sitecms.store.entries.references import find_targets, visible_targets
from sitecms.store.site_state.documents import load_content_schema

Make = Callable[..., Any]
EN, PREVIEW = Visibility("en"), Visibility("en", preview=True)
ANN, BO, GONE = ItemTarget("team", 1), ItemTarget("team", 2), ItemTarget("team", 9)
START, ABOUT, PLAN = PageTarget("guide", "start"), PageTarget("", "about"), PageTarget("guide", "plan")


@pytest.fixture
def filled(make_item: Make, make_page: Make) -> None:
    """Two items and three pages, one of each a draft."""
    make_item(1, {"name": "Ann"}, draft={"name": "Anna"})
    make_item(2, {"name": "Bo"}, status=Status.DRAFT)
    make_page("start", {"summary": "Begin"})
    make_page("plan", {"summary": "Secret"}, status=Status.DRAFT)
    make_page("about", {"body": "Us"}, page_type="")


@pytest.mark.usefixtures("filled")
def test_targets_are_found_by_kind_and_name(store: Database) -> None:
    """Only visible entries of exactly that name."""
    asked: set[Target] = {ANN, BO, GONE, START, ABOUT, PLAN, ItemTarget("topics", 1), PageTarget("news", "start")}
    with store.reading() as session:
        found = find_targets(session, asked, EN, SizeLimit())
        assert {target: entry.id for target, entry in found.items()}.keys() == {ANN, START, ABOUT}
        assert found.keys() == visible_targets(session, asked, EN)
        latest = find_targets(session, asked, PREVIEW, SizeLimit())
        assert latest.keys() == {ANN, BO, START, ABOUT, PLAN} == visible_targets(session, asked, PREVIEW)
        assert (found[ANN].fields, latest[ANN].fields) == ({"name": "Ann"}, {"name": "Anna"})
        assert find_targets(session, asked, Visibility("es"), SizeLimit()) == {}
        assert find_targets(session, (), EN, SizeLimit()) == {}


@pytest.mark.usefixtures("filled")
def test_tens_of_thousands_of_targets_are_one_query(store: Database) -> None:
    """More than a statement may have variables."""
    many = {ItemTarget("team", number) for number in range(1, 50_000)}
    assert store.read(visible_targets, many | {START}, EN) == {ANN, START}


@pytest.mark.usefixtures("filled")
def test_reading_stops_at_the_limit(store: Database) -> None:
    """With the message of the answer's limit."""
    with store.reading() as session, pytest.raises(InvalidRequest, match="10 MB"):
        find_targets(session, {ANN, START}, EN, SizeLimit(20))


def found(store: Database, *filters: FieldFilter, scope: Visibility = EN, order: Order | None = None) -> list[int]:
    """The ids of the team's members that pass the filters."""
    with store.reading() as session:
        result = find_entries(session, EntryQuery(EntryKind.ITEM, scope, "team", filters, order), Window())
        assert (
            find_entries(session, EntryQuery(EntryKind.ITEM, scope, "team", filters, order), None).entries
            == result.entries
        )
        assert result.count == len(result.entries)
        return [item.id for item in result.entries]


def by_name(*wanted: str) -> FieldFilter:
    """Members of any of these names."""
    return FieldFilter((FieldMatch((Key("name"),), wanted),))


def test_a_preview_has_one_version_of_each_entry(store: Database, make_item: Make) -> None:
    """The draft if there is one; its live version is neither shown nor counted nor matched."""
    make_item(1, {"name": "live"}, draft={"name": "draft"})
    make_item(2, {"name": "live"})
    assert found(store, scope=PREVIEW) == [1, 2]
    assert found(store, by_name("live"), scope=PREVIEW) == [2]
    assert found(store, by_name("live")) == [1, 2]
    assert found(store, by_name("draft")) == []


def test_a_filter_without_paths_matches_nothing(store: Database, make_item: Make) -> None:
    """Instead of everything."""
    make_item(1)
    assert found(store, FieldFilter(())) == []
    assert found(store) == [1]


def test_many_filters_and_values_are_within_sqlites_limits(store: Database, make_item: Make) -> None:
    """Conditions are flat lists, not nested pairs."""
    make_item(1, {"name": "Ann"})
    values = tuple(f"{number}" for number in range(2000))
    ways = tuple(FieldMatch((Key(f"f{number}"),), ("x",)) for number in range(900))
    assert found(store, by_name(*values, "Ann"), FieldFilter((*ways, FieldMatch((Own.ID,), (1,))))) == [1]
    assert found(store, *(by_name("Ann") for _ in range(100))) == [1]


def test_values_of_another_type_do_not_break_a_filter(store: Database, make_item: Make) -> None:
    """A schema may have changed since an entry was stored: text instead of rows, or rows instead of text."""
    make_item(1, {"name": [{"a": "x"}], "friends": "no list", "mentor": {"no": "uri"}, "page": 7})
    make_item(2, {"name": 5, "friends": [5, None, {"a": 1}, "plain"], "mentor": "/v2/content/?keys=team[_id=x]"})
    schema = store.read(load_content_schema)
    from_text = [("name", "x"), ("friends.name", "x"), ("mentor.name", "x"), ("page.slug", "x"), ("friends", "5")]
    for name, text in from_text:
        assert found(store, _filter(name, text, schema)) == [], name


def _filter(name: str, text: str, schema: ContentSchema) -> FieldFilter:
    return field_filter(name, text, schema.collection("team").fields, schema, UTC)


def test_the_schema_is_parsed_once_for_each_text(store: Database, team_schema: ContentSchema) -> None:
    """Every request needs it."""
    with store.reading() as session:
        assert load_content_schema(session) is load_content_schema(session)
        assert load_content_schema(session) == team_schema
