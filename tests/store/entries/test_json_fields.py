"""Filters and orders by fields of whatever type they turn out to hold: alike with each engine."""

from datetime import datetime

import pytest

from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.content.change import EntryChange, Origin, VersionChange
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import EntryKind
from sitecms.content.query import Each, EntryQuery, FieldFilter, FieldMatch, Key, Order, QueryStep, Visibility, Window
from sitecms.content.status import Status, Version
from sitecms.store.database import Database
from sitecms.store.entries.entry_queries import find_entries

VALUES: tuple[FieldValue, ...] = ("b", "A", 2, True, None, "a", 1.5, "10", "é", "Z", -3, False, "", "_")
SCOPE = Visibility("en")


@pytest.fixture
def team(store: Database, noon: datetime) -> Database:
    """Items whose `rank` is each of VALUES, and one that has none; `tags` and `parts` are lists."""
    with store.writing() as transaction:
        for number, value in enumerate((*VALUES, "absent"), 1):
            more: dict[str, FieldValue] = {"tags": [value, "x"], "parts": [{"type": "part", "fields": {"rank": value}}]}
            fields = {"seo": {"rank": value}, "rank": value, **more}
            kept = {} if value == "absent" else fields
            change = VersionChange("en", Version.LIVE, Status.PUBLISHED, kept)
            item = EntryChange(EntryKind.ITEM, number, "team", (change,))
            save_entry(SaveContext(transaction, Origin.API, noon), item)
    return store


def found(team: Database, query: EntryQuery) -> list[object]:
    """The ranks of the items that are found, in order; "absent" where there is none."""
    entries = team.read(find_entries, query, Window(100)).entries
    return [entry.fields.get("rank", "absent") for entry in entries]


@pytest.mark.parametrize("path", [("rank",), ("seo", "rank")])
def test_unset_values_sort_before_numbers_before_text(team: Database, path: tuple[str, ...]) -> None:
    """Booleans are 1 and 0; text goes by letters of any case, marks second, signs before digits. Equal ones by id."""
    upwards = [None, "absent", -3, False, True, 1.5, 2, "", "_", "10", "A", "a", "b", "é", "Z"]
    assert found(team, EntryQuery(EntryKind.ITEM, SCOPE, "team", order=Order(path))) == upwards
    downwards = ["Z", "é", "b", "A", "a", "10", "_", "", 2, 1.5, True, False, -3, None, "absent"]
    assert found(team, EntryQuery(EntryKind.ITEM, SCOPE, "team", order=Order(path, descending=True))) == downwards


@pytest.mark.parametrize(
    "steps",
    [
        (Key("rank"),),
        (Key("seo"), Key("rank")),
        (Key("tags"), Each()),
        (Key("parts"), Each("part"), Key("rank")),
    ],
)
@pytest.mark.parametrize(
    ("wanted", "ranks"),
    [
        (("a",), ["a"]), (("A", "b"), ["b", "A"]), ((10,), []), (("10",), ["10"]), ((1,), [True]), ((True,), [True]),
        ((False,), [False]), ((0,), [False]), ((1.5,), [1.5]), ((2.0,), [2]), (("",), [""]), (("a\0",), []),
        (("'",), []), ((None, 2), [2, None]), (("x" * 5000,), []), ((2**53 - 1,), []),
    ],
)  # fmt: skip
def test_values_are_compared_by_type_and_value(
    team: Database, steps: tuple[QueryStep, ...], wanted: tuple[FieldValue, ...], ranks: list[object]
) -> None:
    """Text is never a number, 1 is true; in lists, any entry counts. What has no such field has it unset."""
    query = EntryQuery(EntryKind.ITEM, SCOPE, "team", (FieldFilter((FieldMatch(steps, wanted),)),))
    is_of_list = any(isinstance(step, Each) for step in steps)
    absent = ["absent"] if None in wanted and not is_of_list else []
    assert found(team, query) == [*ranks, *absent]


def test_an_entry_matches_all_filters_by_one_path_each(team: Database) -> None:
    """The number of paths and filters does not matter."""
    either = FieldFilter((FieldMatch((Key("rank"),), ("a",)), FieldMatch((Key("seo"), Key("rank")), (2,))))
    other = FieldFilter((FieldMatch((Key("tags"), Each()), ("x",)),))
    none = FieldFilter((FieldMatch((Key("other"),), ("x",)),))
    assert found(team, EntryQuery(EntryKind.ITEM, SCOPE, "team", (either, other))) == [2, "a"]
    assert found(team, EntryQuery(EntryKind.ITEM, SCOPE, "team", (either, none))) == []
