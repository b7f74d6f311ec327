"""Collections and items in responses (API reference, Paths and Parameters)."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from werkzeug.test import TestResponse

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.store.database import Database
from sitecms.store.entries import trash
from tests.api.conftest import detail

Get = Callable[..., TestResponse]
Make = Callable[..., Any]
NOT_FOUND = {"detail": "Not found."}


def ids(response: TestResponse, key: str = "team") -> list[int]:
    """The ids of the answered items, in order."""
    return [item["meta"]["id"] for item in response.get_json()["data"][key]]


def names(response: TestResponse) -> list[str]:
    """The names of the answered members of the team."""
    return [item["name"] for item in response.get_json()["data"]["team"]]


@pytest.fixture
def filled(make_item: Make) -> None:
    """Four members of the team, one of them a draft, one Spanish too; three topics."""
    make_item(4, {"name": "Ann", "notebooks": 9, "active": True, "friends": ["/v2/content/?keys=team[_id=9]"]}, hours=1)
    make_item(
        2,
        {"name": "bo", "notebooks": 10, "mentor": "/v2/content/?keys=team[_id=4]"},
        draft={"name": "Bo 2", "notebooks": 1},
        es={"name": "Bo (es)"},
        hours=3,
    )
    make_item(7, {"name": "Cy, [the] 'best'", "notebooks": None, "mentor": "/v2/content/?keys=team[_id=9]"}, hours=2)
    make_item(9, {"name": "Ghost", "notebooks": 10, "active": True}, status=Status.DRAFT, hours=4)
    for number, slug in ((11, "sea"), (12, "fog"), (13, "frost")):
        make_item(number, {"slug": slug}, collection="topics")


def test_collection_is_in_order_of_creation(get: Get, make_item: Make) -> None:
    """An item is its fields and `meta`, without a status."""
    make_item(12, {"slug": "fog"}, collection="topics", hours=2)
    make_item(5, {"slug": "sea"}, collection="topics", hours=1)
    assert get("/v2/content/topics/").get_json() == {
        "meta": {"count": 2, "next_page": None, "previous_page": None},
        "data": {"topics": [{"meta": {"id": 5}, "slug": "sea"}, {"meta": {"id": 12}, "slug": "fog"}]},
    }
    assert get("/v2/content/team/").get_json() == {
        "meta": {"count": 0, "next_page": None, "previous_page": None},
        "data": {"team": []},
    }


@pytest.mark.usefixtures("filled")
def test_item_is_found_by_its_id(get: Get) -> None:
    """Hidden items, items of other collections and invalid ids are 404."""
    assert get("/v2/content/topics/11/").get_json() == {"data": {"meta": {"id": 11}, "slug": "sea"}}
    assert get("/v2/content/team/2/").get_json()["data"]["mentor"]["name"] == "Ann"
    assert get("/v2/content/team/2/?levels=1").get_json()["data"]["mentor"] == "/v2/content/?keys=team[_id=4]"
    assert get("/v2/content/team/2/?preview=1").get_json()["data"]["name"] == "Bo 2"
    assert get("/v2/content/team/2/?locale=es").get_json()["data"]["name"] == "Bo (es)"
    assert get("/v2/content/team/9/?preview=1").status_code == 200
    for path in ("team/9", "team/11", "team/x", "team/-1", "team/0", "team/4.0", "team/²", "team/" + "9" * 400):
        assert detail(get(f"/v2/content/{path}/")) == (404, NOT_FOUND), path
    assert detail(get("/v2/content/team/4/?locale=es")) == (404, NOT_FOUND)
    assert detail(get("/v2/content/nothing/4/")) == (404, {"detail": "Not found."})


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [2, 4, 7]),
        ("preview=1", [2, 4, 7, 9]),
        ("locale=es", [2]),
        ("page_size=2", [2, 4]),
        ("page_size=2&page=2", [7]),
        ("limit=1&offset=1", [4]),
        ("order=name", [4, 2, 7]),
        ("order=-name", [7, 2, 4]),
        ("order=notebooks", [7, 4, 2]),
        ("order=-notebooks", [2, 4, 7]),
        ("order=-notebooks&preview=1", [9, 4, 2, 7]),
        ("order=active", [2, 7, 4]),
        ("order=published", [4, 7, 2]),
        ("order=-published", [2, 7, 4]),
        ("order=updated", [4, 7, 2]),
        ("fields.active=true", [4]),
        ("fields.active=false", [2, 7]),
        ("fields.active=true&preview=1", [4, 9]),
        ("fields.active=maybe", []),
        ("fields.notebooks=10", [2]),
        ("fields.notebooks=10&preview=1", [9]),
        ("fields.name=Bo 2", []),
        ("fields.name=bo&fields.notebooks=10", [2]),
        ("fields.name=bo&fields.notebooks=9", []),
        ("fields.mentor.name=Ann", [2]),
        ("fields.mentor=4", [2]),
        ("fields.mentor.name=Ghost", []),
        ("fields.mentor=9", []),
        ("fields.mentor=9&preview=1", [7]),
        ("fields.friends.name=Ghost&preview=1", [4]),
        ("fields.friends=9", []),
    ],
)
def test_filters_and_orders(get: Get, query: str, expected: list[int]) -> None:
    """The path and `keys` with one collection give the same result."""
    answered = get(f"/v2/content/team/?{query}")
    assert ids(answered) == expected
    assert answered.get_json() == get(f"/v2/content/?keys=team&{query}").get_json()
    if "page" not in query and "limit" not in query:
        assert answered.get_json()["meta"]["count"] == len(expected)


@pytest.mark.usefixtures("filled")
def test_several_collections_in_the_path_are_paginated_together(get: Get) -> None:
    """`count` is the sum; the longest collection decides the next page."""
    answered = get("/v2/content/topics,team/?page_size=2")
    assert answered.get_json()["meta"] == {"count": 6, "next_page": 2, "previous_page": None}
    assert list(answered.get_json()["data"]) == ["topics", "team"]
    assert (ids(answered, "topics"), ids(answered)) == ([11, 12], [2, 4])
    after = get("/v2/content/topics,team/?page_size=2&page=2")
    assert after.get_json()["meta"] == {"count": 6, "next_page": None, "previous_page": 1}
    assert (ids(after, "topics"), ids(after)) == ([13], [7])
    assert get("/v2/content/team,,team/").get_json() == get("/v2/content/team/").get_json()
    assert detail(get("/v2/content/team,nothing/")) == (404, {"detail": "Not found."})
    assert detail(get("/v2/content/,/")) == (404, NOT_FOUND)


@pytest.mark.usefixtures("filled")
def test_keys_select_collections(get: Get) -> None:
    """No key gives {}, one the result of its path, several all items without meta."""
    for query in ("", "?keys=", "?keys=,", "?keys=%20"):
        assert detail(get(f"/v2/content/{query}")) == (200, {})
    assert get("/v2/content/?keys=team&page_size=1").get_json() == get("/v2/content/team/?page_size=1").get_json()
    both = get("/v2/content/?keys=topics,team&page_size=1&page=2").get_json()
    assert list(both) == ["data"]
    assert [item["meta"]["id"] for item in both["data"]["team"]] == [2, 4, 7]
    assert [item["slug"] for item in both["data"]["topics"]] == ["sea", "fog", "frost"]
    assert detail(get("/v2/content/?keys=team,x")) == (404, {"detail": "Content key x not found"})


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("team[_id=4]", [4]),
        ("team[_id=9]", []),
        ("team[_id=11]", []),
        ("team[_id=x]", []),
        ("team[_id=]", []),
        ("team[_id=" + "9" * 400 + "]", []),
        ("team[name=Ann]", [4]),
        ("team[name=Cy, [the] 'best']", [7]),
        ("team[fields.name=Ann]", None),
        ("team[notebooks=10]", [2]),
        ("team[mentor.name=Ann]", [2]),
        ("team[_id=7],team[_id=2],team[name=Ann]", [2, 4, 7]),
        ("team[_id=7],team", [2, 4, 7]),
        ("team[nam=Ann]", None),
    ],
)
def test_keys_may_have_bracket_filters(get: Get, keys: str, expected: list[int] | None) -> None:
    """URIs of references are such filters; an unknown field is 403."""
    answered = get("/v2/content/?" + urlencode({"keys": keys}))
    if expected is None:
        assert answered.status_code == 403
        assert "Fields: name, bio," in answered.get_json()["detail"]
    else:
        assert ids(answered) == expected
        assert answered.get_json()["meta"]["count"] == len(expected)


@pytest.mark.usefixtures("filled")
def test_uri_of_a_reference_can_be_requested(get: Get) -> None:
    """The URI that `levels=1` shows answers the target."""
    uri = get("/v2/content/team/2/?levels=1").get_json()["data"]["mentor"]
    assert names(get(uri)) == ["Ann"]


@pytest.mark.usefixtures("filled")
def test_unknown_keys_are_404_and_unknown_fields_403(get: Get) -> None:
    """The message of a filter or order lists the known fields."""
    assert detail(get("/v2/content/x/")) == (404, {"detail": "Not found."})
    assert detail(get("/v2/content/?keys=x")) == (404, {"detail": "Content key x not found"})
    assert detail(get("/v2/content/team/?fields.nmae=x")) == (
        403,
        {
            "detail": 'There is no field "nmae". Did you mean "name"? Fields: name, bio, photo, born, notebooks, '
            "active, tint, mentor, friends, page."
        },
    )
    assert detail(get("/v2/content/topics/?order=;drop")) == (
        403,
        {"detail": 'There is no field ";drop". Fields: published, updated, slug.'},
    )
    assert get("/v2/content/team,topics/?order=name").status_code == 403


@pytest.mark.usefixtures("filled")
def test_deleted_item_is_gone_everywhere(get: Get, store: Database, noon: Any) -> None:
    """Lists, counts, references, filters and previews omit it."""
    store.write(trash.move_to_trash, EntryKind.ITEM, 4, noon)
    for query in ("", "?preview=1"):
        assert 4 not in ids(get(f"/v2/content/team/{query}"))
        assert get(f"/v2/content/team/4/{query}").status_code == 404
    assert get("/v2/content/team/2/").get_json()["data"]["mentor"] is None
    assert ids(get("/v2/content/team/?fields.mentor.name=Ann")) == []


def test_unpaginated_items_obey_the_size_limit(get: Get, make_item: Make) -> None:
    """Several collections in `keys` that are too large are refused."""
    for number in range(1, 12):
        make_item(number, {"name": "x" * 1_000_000})
    assert get("/v2/content/?keys=team,topics").status_code == 400
    assert get("/v2/content/?keys=team&page_size=5").status_code == 200


HOSTILE_KEYS = [
    "team[", "team]", "team[]", "team[=]", "[_id=1]", "team[_id=1", "team[[_id=1]]", "team[_id=1]]", "a" * 8000,
    "team[name=" + "[" * 4000, "," * 4000, "team[" * 1000, "team[name=\0]", "\0", "team'--", "team[name=' OR 1=1 --]",
    "team[__proto__=1]", "team[name.name=1]", ",".join(f"team[_id={n}]" for n in range(99)),
    ",".join(f"team[name={n}]" for n in range(99)), ",".join(f"k{n}" for n in range(300)), "𝕥𝕖𝕒𝕞", "\u202eteam",
    ",".join(f"team[{'mentor.' * 4}name={n}]" for n in range(90)),
]  # fmt: skip


@pytest.mark.usefixtures("filled")
def test_hostile_keys_cause_no_server_error(get: Get) -> None:
    """Query and path get a response below 500."""
    for keys in HOSTILE_KEYS:
        assert get("/v2/content/?" + urlencode({"keys": keys})).status_code in (200, 400, 403, 404), keys[:60]
    assert get("/v2/content/team%5B_id=1%5D/").status_code == 200
    for keys in ("team[", "%00", "%FF", "'", "team%5B_id=1", "x" * 8000, "team,%00", "%E2%80%AE"):
        assert get(f"/v2/content/{keys}/").status_code == 404, keys[:60]
    assert get(f"/v2/content/team/?offset={10**19}").status_code == 400
    assert get(f"/v2/content/team/?page={2**31}&page_size=100").get_json()["data"] == {"team": []}
    for query in ("fields.notebooks=" + "9" * 4000, "fields.born=9999-99-99", "fields.born=-", "fields.tint=%00"):
        assert ids(get(f"/v2/content/team/?{query}")) == []
