"""Filters and orders read from text, and the order of values."""

import random
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecms.api.views.content import Bracket, read_keys
from sitecms.content.field_path import bracket_filter, either, field_filter, order_by, sort_key
from sitecms.content.field_value import FieldValue
from sitecms.content.query import Each, EntryTime, FieldFilter, FieldMatch, Follow, Key, Order, Own
from sitecms.content.schema import ContentSchema
from sitecms.errors import Forbidden, InvalidRequest

SCHEMA = ContentSchema.from_json(
    {
        "collections": [
            {
                "key": "team",
                "fields": [
                    {"slug": "name", "type": "short_text"},
                    {"slug": "photo", "type": "media"},
                    {"slug": "mentor", "type": "reference", "targets": ["team"]},
                ],
            },
            *({"key": f"c{n}", "fields": [{"slug": "to", "type": "reference", "targets": [f"c{m}" for m in range(9)]}]}
              for n in range(9)),
        ],
        "components": [
            {"slug": "hero", "fields": [{"slug": "title", "type": "short_text"}, {"slug": "image", "type": "media"}]},
            {"slug": "quote", "fields": [{"slug": "stars", "type": "number"}, {"slug": "title", "type": "short_text"}]},
        ],
        "page_types": [
            {
                "slug": "guide",
                "fields": [
                    {"slug": "summary", "type": "short_text"},
                    {"slug": "rank", "type": "number"},
                    {"slug": "on", "type": "checkbox"},
                    {"slug": "day", "type": "date"},
                    {"slug": "tint", "type": "color"},
                    {"slug": "hero", "type": "component", "component": "hero"},
                    {"slug": "body", "type": "component_picker", "components": ["hero", "quote"]},
                    {"slug": "steps", "type": "repeater", "fields": [{"slug": "title", "type": "short_text"}]},
                    {"slug": "team", "type": "reference", "targets": ["team"], "many": True},
                    {"slug": "next", "type": "reference", "targets": ["page:guide", "page:*"]},
                    {"slug": "any", "type": "reference", "targets": ["team", "page:*"]},
                    {"slug": "maze", "type": "reference", "targets": [f"c{n}" for n in range(9)]},
                ],
            }
        ],
    }
)  # fmt: skip
SPECS = SCHEMA.page_fields("guide")
TO_TEAM = (Key("team"), Each(), Follow("team"))
TOKYO = ZoneInfo("Asia/Tokyo")
MEDIA = "/media/" + "0123456789abcdef" * 2 + ".jpg"


def ways(name: str, text: str = "x") -> list[tuple[object, ...]]:
    """Return each way as its steps and the wanted values."""
    return [(*match.steps, match.wanted) for match in field_filter(name, text, SPECS, SCHEMA, TOKYO).any_of]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("summary", [(Key("summary"),)]),
        ("hero.title", [(Key("hero"), Key("title"))]),
        ("hero.image", [(Key("hero"), Key("image"), Key("url"))]),
        ("steps.title", [(Key("steps"), Each(), Key("title"))]),
        ("body.title", [(Key("body"), Each("hero"), Key("title")), (Key("body"), Each("quote"), Key("title"))]),
        ("body.fields.title", [(Key("body"), Each("hero"), Key("title")), (Key("body"), Each("quote"), Key("title"))]),
        ("team.name", [(*TO_TEAM, Key("name"))]),
        ("team.mentor.name", [(*TO_TEAM, Key("mentor"), Follow("team"), Key("name"))]),
        ("team.photo", [(*TO_TEAM, Key("photo"), Key("url"))]),
        ("next.summary", [(Key("next"), Follow("page:guide"), Key("summary"))]),
        ("next.fields.summary", [(Key("next"), Follow("page:guide"), Key("summary"))]),
        ("next.slug", [(Key("next"), Follow("page:guide"), Own.SLUG), (Key("next"), Follow("page:*"), Own.SLUG)]),
        ("any.name", [(Key("any"), Follow("team"), Key("name")), (Key("any"), Follow("page:*"), Own.NAME)]),
    ],
)  # fmt: skip
def test_dotted_names_reach_components_rows_and_references(name: str, expected: list[tuple[object, ...]]) -> None:
    """There is one way for each component of a picker and each target of a reference that has the field."""
    assert ways(name) == [(*steps, ("x",)) for steps in expected]


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("summary", "a'b", ("a'b",)),
        ("summary", "", ("", None)),
        ("rank", "41", (41,)),
        ("rank", "1.50", (1.5,)),
        ("rank", "", (None,)),
        ("on", "true", (True,)),
        ("on", "1", (True,)),
        ("on", "false", (False, None)),
        ("day", "2026-03-01", ("2026-03-01T00:00:00",)),
        ("day", "2026-03-01T08:00:00+02:00", ("2026-03-01T15:00:00",)),
        ("tint", "#0B6E99", ("#0b6e99",)),
        ("hero.image", f"https://api.example{MEDIA}", (f"https://api.example{MEDIA}", MEDIA)),
        ("hero.image", MEDIA, (MEDIA,)),
        ("hero.image", "", (None,)),
    ],
)
def test_filter_text_becomes_stored_values(name: str, text: str, wanted: tuple[object, ...]) -> None:
    """A filter's text means the value that a write of it would store; None is an unset field."""
    assert [way[-1] for way in ways(name, text)] == [wanted]


@pytest.mark.parametrize(
    ("name", "text"),
    [("rank", "x"), ("rank", "1e999"), ("rank", "9" * 400), ("rank", "nan"), ("on", "yes"), ("day", "today"),
     ("day", "0001-01-01T00:00:00+05:00"), ("team", "0"), ("team", "9" * 400), ("team", "ann")],
)  # fmt: skip
def test_impossible_value_matches_nothing(name: str, text: str) -> None:
    """A text that the field's type cannot hold leaves no condition."""
    assert ways(name, text) == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("team", "41", [(*TO_TEAM, Own.ID, (41,))]),
        ("team", "/v2/content/?keys=team[_id=41]", [(*TO_TEAM, Own.ID, (41,))]),
        ("team", "/v2/content/?keys=menu[_id=41]", []),
        ("any", "41", [(Key("any"), Follow("team"), Own.ID, (41,)), (Key("any"), Follow("page:*"), Own.SLUG, ("41",))]),
        ("any", "/v2/pages/*/about/", [(Key("any"), Follow("page:*"), Own.SLUG, ("about",))]),
        ("next", "/v2/pages/guide/start/", [(Key("next"), Follow("page:guide"), Own.SLUG, ("start",))]),
    ],
)
def test_reference_is_filtered_by_id_slug_or_uri(name: str, text: str, expected: list[tuple[object, ...]]) -> None:
    """The reference is followed, so that drafts stay hidden from readers who may not see them."""
    assert ways(name, text) == expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sumary", 'There is no field "sumary". Did you mean "summary"? Fields: summary, rank, '),
        ("__proto__", 'There is no field "__proto__". Fields: summary, rank, '),
        ("", 'There is no field "". Fields: summary, '),
        ("hero", 'The field "hero" holds others, name one of them. Fields: hero.title, hero.image.'),
        ("hero.titel", 'There is no field "hero.titel". Did you mean "hero.title"? Fields: hero.title, hero.image.'),
        ("body.xyz", 'There is no field "body.xyz". Fields: body.title, body.image, body.stars.'),
        ("next.nam", 'Fields: next.summary, next.rank,'),
        ("team.nam", 'Did you mean "team.name"? Fields: team.name, team.photo, team.mentor.'),
        ("summary.x", 'There is no field "summary.x". '),
        ("hero..title", 'There is no field "hero..title". '),
        ("team" + ".mentor" * 5 + ".name", "follows more than 4 references"),
        (".".join(["mentor"] * 1200), "There is no field"),
        ("maze.to.to.to", "too many kinds of entries"),
        ("maze.to.to.nothing", "too many kinds of entries"),
        ("x" * 8000, 'There is no field "' + "x" * 100 + '". '),
    ],
)  # fmt: skip
def test_unknown_field_is_refused_with_known_fields(name: str, message: str) -> None:
    """The message lists the fields at the deepest place that was reached, as a filter writes them."""
    with pytest.raises(Forbidden) as refused:
        ways(name)
    assert message in str(refused.value)
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("published", Order(EntryTime.PUBLISHED)),
        ("-published", Order(EntryTime.PUBLISHED, descending=True)),
        ("-updated", Order(EntryTime.UPDATED, descending=True)),
        ("rank", Order(("rank",))),
        ("-fields.rank", Order(("rank",), descending=True)),
        ("-hero.title", Order(("hero", "title"), descending=True)),
    ],
)
def test_order_by_time_or_field(text: str, order: Order) -> None:
    """A list can be ordered by a time, or by a field with one comparable value."""
    assert order_by(text, SPECS, SCHEMA) == order


@pytest.mark.parametrize("text", ["-", "--rank", "team", "hero", "body.title", "hero.image", ";drop table page", "\0"])
def test_unsortable_orders_are_refused(text: str) -> None:
    """The message lists the sortable fields, which excludes lists and references."""
    with pytest.raises(Forbidden) as refused:
        order_by(text, SPECS, SCHEMA)
    assert str(refused.value).endswith("Fields: published, updated, summary, rank, on, day, tint, hero.title.")
    is_there = text in ("team", "hero", "body.title", "hero.image")
    assert str(refused.value).startswith("Entries cannot be ordered by the field" if is_there else "There is no field")


def test_filters_through_too_many_references_state_the_limit() -> None:
    """The field exists; four references are followed."""
    boss = {"slug": "boss", "type": "reference", "targets": ["staff"]}
    name = {"slug": "name", "type": "short_text"}
    schema = ContentSchema.from_json({"collections": [{"key": "staff", "fields": [name, boss]}]})
    specs = schema.collection("staff").fields
    assert field_filter("boss.boss.boss.boss.name", "Ann", specs, schema, UTC).any_of
    with pytest.raises(Forbidden, match="follows more than 4 references"):
        field_filter("boss.boss.boss.boss.boss.name", "Ann", specs, schema, UTC)
    with pytest.raises(Forbidden, match="There is no field"):
        field_filter("boss.boss.boss.boss.nothing", "Ann", specs, schema, UTC)
    with pytest.raises(Forbidden, match="There is no field"):
        field_filter("name.first", "Ann", specs, schema, UTC)


def test_an_empty_filter_finds_unset_references() -> None:
    """As it finds unset values of other types."""
    spec = {"slug": "boss", "type": "reference", "targets": ["staff"]}
    schema = ContentSchema.from_json({"collections": [{"key": "staff", "fields": [spec]}]})
    found = field_filter("boss", "", schema.collection("staff").fields, schema, UTC)
    assert found == FieldFilter((FieldMatch((Key("boss"),), (None,)),))


def test_brackets_accept_ids_and_combine() -> None:
    """`team[_id=1],team[_id=2],team[name=Ann]` requests all three; ids share one condition."""
    specs = SCHEMA.collection("team").fields
    asked = [bracket_filter("_id", "1", specs, SCHEMA, UTC), bracket_filter("_id", "2", specs, SCHEMA, UTC)]
    named = bracket_filter("name", "Ann", specs, SCHEMA, UTC)
    by_id, by_name = FieldMatch((Own.ID,), (1, 2)), FieldMatch((Key("name"),), ("Ann",))
    assert either([*asked, named]) == FieldFilter((by_id, by_name))
    assert bracket_filter("_id", "x", specs, SCHEMA, UTC) == FieldFilter(())


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("", {}),
        (" , ,", {}),
        ("team", {"team": ()}),
        ("b, a,b", {"b": (), "a": ()}),
        ("team[_id=1]", {"team": (Bracket("_id", "1"),)}),
        ("team[name=Ray, Ann],b", {"team": (Bracket("name", "Ray, Ann"),), "b": ()}),
        ("team[name=a=b]", {"team": (Bracket("name", "a=b"),)}),
        ("team[name=]", {"team": (Bracket("name", ""),)}),
        ("a[_id=1],a[_id=2]", {"a": (Bracket("_id", "1"), Bracket("_id", "2"))}),
        ("a[_id=1],a", {"a": ()}),
        ("a[", {"a[": ()}),
        ("a[b]", {"a[b]": ()}),
        ("[b=c]", {"[b=c]": ()}),
        ("a],b", {"a]": (), "b": ()}),
        ("a[x=]]", {"a": (Bracket("x", "]"),)}),
        ("a[b=c,d", {"a[b=c,d": ()}),
    ],
)
def test_keys_with_brackets_are_read(text: str, keys: dict[str, tuple[Bracket, ...]]) -> None:
    """A comma within brackets belongs to the value; malformed brackets stay part of the key."""
    assert read_keys(text) == keys


def test_more_than_a_hundred_keys_are_refused() -> None:
    """Each key costs a look-up."""
    with pytest.raises(InvalidRequest, match="at most 100"):
        read_keys(",".join(f"a{number}" for number in range(101)))


IN_ORDER: tuple[FieldValue, ...] = (
    None, -2.5, False, 0.5, True, 3, "", " a", "_", "-1", "“quoted”", "1", "10", "9", "a", "Æbler", "ale", "Ärger",
    "ÄRGER 2", "argument", "Łódź", "log", "Øl", "old", "straße", "strasser", "zebra", "Zed", "ωμέγα", "Яблоко", "日本",
)  # fmt: skip


def test_values_are_sorted_as_people_expect() -> None:
    """Unset, numbers, then text: signs, digits, letters of any alphabet, marks and case aside."""
    mixed = list(IN_ORDER)
    random.Random(7).shuffle(mixed)
    assert sorted(mixed, key=sort_key) == list(IN_ORDER)


def test_case_is_ignored_and_marks_count_last() -> None:
    """Texts that differ in case only are equal; of texts with equal letters, those without marks come first."""
    assert sort_key("ÄRGER") == sort_key("ärger")
    assert sort_key("arger") < sort_key("Ärger") < sort_key("argerx")


@given(st.lists(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text()))
def test_any_values_can_be_sorted(values: list[FieldValue]) -> None:
    """Sort keys of any two values can be compared."""
    assert sorted(map(sort_key, values)) == sorted(map(sort_key, reversed(values)))
