"""Pages in responses (API reference, Paths and Read shapes)."""

from collections.abc import Callable
from typing import Any

import pytest
from werkzeug.test import TestResponse

from sitecms.content.status import Status
from sitecms.runtime import Runtime
from tests.api.conftest import detail, slugs
from tests.support.statements import statements

Get = Callable[..., TestResponse]
Make = Callable[..., Any]
MEDIA = "/media/" + "0123456789abcdef" * 2 + ".jpg"
HERE = "http://127.0.0.1:8000"
NO_PAGE = {"detail": "Page not found."}


def unset_member(number: int, **fields: object) -> dict[str, object]:
    """A member of the team as shown, every field unset but these."""
    empty: dict[str, object] = {
        "name": "", "bio": "", "photo": "", "born": None, "notebooks": None, "active": False, "tint": "",
        "mentor": None, "friends": [], "page": None,
    }  # fmt: skip
    return {"meta": {"id": number}, **empty, **fields}


def test_pages_have_exactly_the_specified_shape(get: Get, make_page: Make, make_item: Make) -> None:
    """Keys are in the documented order, and every field type has its documented form."""
    ann = make_item(41, {"name": "Ann", "born": "2024-03-15T14:30:00", "notebooks": 1.5, "active": True})
    topic = make_item(7, {"slug": "sea"}, collection="topics")
    make_page("about", {"body": "<p>Us</p>"}, page_type="")
    make_page(
        "start",
        {
            "summary": "Begin",
            "rank": 3,
            "hero": {"title": "Tide", "image": {"url": MEDIA, "alt": "The sea"}, "by": ann, "links": [{"label": "Go"}]},
            "body": [{"type": "quote", "fields": {"text": "*a*", "stars": 0}}, {"type": "gone", "fields": {}}],
            "steps": [{"title": "One", "who": ann}, {"title": "Two", "who": None}],
            "category": topic,
            "team": [ann],
            "next": "/v2/pages/*/about/",
            "see": [],
            "left over": "from an older schema",
        },
    )
    member = unset_member(41, name="Ann", born="2024-03-15T14:30:00", notebooks=1.5, active=True)
    about = {
        "slug": "about",
        "name": "About",
        "page_type": None,
        "published": "2026-03-01T12:00:00Z",
        "updated": "2026-03-01T12:00:00Z",
        "fields": {"body": "<p>Us</p>", "description": "", "image": ""},
    }
    expected = {
        "slug": "start",
        "name": "Start",
        "page_type": "guide",
        "published": "2026-03-01T12:00:00Z",
        "updated": "2026-03-01T12:00:00Z",
        "fields": {
            "summary": "Begin",
            "rank": 3,
            "hero": {"title": "Tide", "image": HERE + MEDIA, "by": member, "links": [{"label": "Go"}]},
            "body": [{"type": "quote", "fields": {"text": "*a*", "stars": 0}}],
            "steps": [{"title": "One", "who": member}, {"title": "Two", "who": None}],
            "category": {"meta": {"id": 7}, "slug": "sea"},
            "team": [member],
            "next": about,
            "see": [],
        },
    }
    answered = get("/v2/pages/guide/start/").get_json()
    assert answered == {"data": expected}
    assert list(answered["data"]) == list(expected)
    assert get("/v2/pages/guide/").get_json()["data"] == [expected]
    assert get("/v2/pages/*/about/").get_json() == {"data": about}


def test_unset_fields_have_one_form(get: Get, make_page: Make) -> None:
    """Text is "", a number or a reference null, a list [], a component {}, stored as unset or not at all."""
    unset: dict[str, object] = {
        "summary": "",
        "rank": None,
        "hero": {},
        "body": [],
        "steps": [],
        "category": None,
        "team": [],
    }
    make_page("bare")
    make_page("stored", {**unset, "next": None, "see": []})
    for slug in ("bare", "stored"):
        assert get(f"/v2/pages/guide/{slug}/").get_json()["data"]["fields"] == {**unset, "next": None, "see": []}


def test_media_addresses_are_absolute(get: Get, make_page: Make) -> None:
    """`alt_media_text` makes objects with `alt`, if there is one; remote addresses stay."""
    body = f'<p><img src="{MEDIA}" alt=""></p>'
    make_page("one", {"body": body, "image": {"url": MEDIA, "alt": "Sea"}}, page_type="", hours=3)
    make_page("two", {"image": {"url": "https://cdn.example/a.jpg", "alt": ""}}, page_type="", hours=2)
    make_page("three", {"image": None}, page_type="", hours=1)

    def images(query: str) -> list[object]:
        return [page["fields"]["image"] for page in get(f"/v2/pages/{query}").get_json()["data"]]

    assert images("") == images("?alt_media_text=0") == [HERE + MEDIA, "https://cdn.example/a.jpg", ""]
    assert images("?alt_media_text=1") == [
        {"url": HERE + MEDIA, "alt": "Sea"},
        {"url": "https://cdn.example/a.jpg"},
        {"url": ""},
    ]
    assert get("/v2/pages/*/one/").get_json()["data"]["fields"]["body"] == body.replace(MEDIA, HERE + MEDIA)


@pytest.mark.parametrize("path", ["/v2/pages/", "/v2/pages/*/", "/v2/pages/%2A/"])
def test_single_pages_have_their_own_list(get: Get, make_page: Make, path: str) -> None:
    """It is ordered by publication, then slug; filters and orders are ignored, even invalid ones."""
    make_page("typed")
    for slug, hours in (("old", 0), ("b", 1), ("a", 1), ("new", 2)):
        make_page(slug, page_type="", hours=hours)
    for query in ("", "?order=published", "?order=;drop", "?fields.body=x", "?fields.__proto__=x"):
        answered = get(path + query)
        assert slugs(answered) == ["new", "a", "b", "old"]
        assert answered.get_json()["meta"] == {"count": 4, "next_page": None, "previous_page": None}
    assert slugs(get(f"{path}?limit=2&offset=1")) == ["a", "b"]
    assert slugs(get(f"{path}?page_size=3&page=2")) == ["old"]


def test_page_is_found_by_type_and_slug(get: Get, make_page: Make) -> None:
    """`*` stands for any type; two matches are 403, none is 404 with its own message."""
    make_page("single", page_type="")
    make_page("twice", page_type="guide")
    make_page("twice", page_type="news")
    make_page("twice", page_type="")
    make_page("潮", page_type="news")
    for path in ("*/single", "%2A/single", "news/潮", "*/%E6%BD%AE", "guide/twice", "news/twice"):
        assert get(f"/v2/pages/{path}/").status_code == 200, path
    status, body = detail(get("/v2/pages/*/twice/"))
    assert status == 403
    assert "page type" in body["detail"]
    assert "guide, news, a Single Page" in body["detail"]
    for path in ("guide/single", "guide/nothing", "nothing/twice", "*/nothing", "single/single", "guide/Twice"):
        assert detail(get(f"/v2/pages/{path}/")) == (404, NO_PAGE), path
    assert detail(get("/v2/pages/nothing/")) == (404, {"detail": "Not found."})


def test_hidden_draft_is_no_second_match(get: Get, make_page: Make) -> None:
    """Only pages that the reader may see count."""
    make_page("plan", page_type="guide")
    make_page("plan", page_type="news", status=Status.DRAFT)
    assert get("/v2/pages/*/plan/").get_json()["data"]["page_type"] == "guide"
    assert get("/v2/pages/*/plan/?preview=1").status_code == 403
    assert detail(get("/v2/pages/news/plan/")) == (404, NO_PAGE)


def test_drafts_and_locales(get: Get, make_page: Make) -> None:
    """`preview` shows the draft version; locales never mix; `updated` is always there, `published` if ever."""
    make_page("both", {"summary": "live"}, draft={"summary": "draft"}, es={"summary": "vivo"}, hours=1)
    make_page("never", {"summary": "hidden"}, status=Status.DRAFT, hours=2)
    make_page("solo", None, es={"summary": "solo"}, hours=3)

    def shown(query: str) -> list[tuple[str, str]]:
        data = get(f"/v2/pages/guide/{query}").get_json()["data"]
        return [(page["slug"], page["fields"]["summary"]) for page in data]

    assert shown("") == shown("?locale=en") == shown("?preview=0") == [("both", "live")]
    assert shown("?preview=1") == shown("?test=1") == [("never", "hidden"), ("both", "draft")]
    assert shown("?locale=es") == shown("?locale=es&preview=1") == [("solo", "solo"), ("both", "vivo")]
    assert get("/v2/pages/guide/").get_json()["meta"]["count"] == 1
    assert detail(get("/v2/pages/guide/never/")) == detail(get("/v2/pages/guide/solo/")) == (404, NO_PAGE)
    draft = get("/v2/pages/guide/never/?preview=1")
    assert (draft.get_json()["data"]["published"], draft.headers["Cache-Control"]) == (
        "2026-03-01T14:00:00Z",
        "no-store",
    )
    assert draft.get_json()["data"]["updated"] == "2026-03-01T14:00:00Z"
    assert get("/v2/pages/guide/both/?preview=1").get_json()["data"]["published"] == "2026-03-01T13:00:00Z"


def test_levels_limit_how_deep_references_are_followed(get: Get, make_page: Make, make_item: Make) -> None:
    """Level 1 shows URIs; cycles end at the level; the maximum is 5."""
    make_item(1, {"name": "Ann", "mentor": "/v2/content/?keys=team[_id=2]"})
    make_item(2, {"name": "Bo", "mentor": "/v2/content/?keys=team[_id=1]", "page": "/v2/pages/guide/start/"})
    make_page("start", {"team": ["/v2/content/?keys=team[_id=1]"], "next": "/v2/pages/guide/start/"})

    def fields(query: str) -> Any:
        return get(f"/v2/pages/guide/start/{query}").get_json()["data"]["fields"]

    one = fields("?levels=1")
    assert one["team"] == ["/v2/content/?keys=team[_id=1]"]
    assert one["next"] == "/v2/pages/guide/start/"
    assert fields("") == fields("?levels=2")
    two = fields("?levels=2")
    assert two["team"] == [unset_member(1, name="Ann", mentor="/v2/content/?keys=team[_id=2]")]
    assert two["next"]["slug"] == "start"
    assert two["next"]["fields"] == one
    for levels in (2, 3, 4, 5):
        assert fields(f"?levels={levels}")["next"]["fields"] == fields(f"?levels={levels - 1}")
    three = fields("?levels=3")["team"][0]["mentor"]
    assert three["page"] == "/v2/pages/guide/start/"
    assert three["mentor"] == "/v2/content/?keys=team[_id=1]"
    assert fields("?levels=4")["team"][0]["mentor"]["page"]["fields"] == one
    assert fields("?levels=99") == fields("?levels=5")
    assert fields("?levels=0") == one


@pytest.mark.parametrize("levels", [1, 2, 3, 5])
def test_references_to_hidden_entries_are_left_out(get: Get, make_page: Make, make_item: Make, levels: int) -> None:
    """Drafts outside previews, other locales, deleted and unknown entries are omitted at every level, as URIs too."""
    seen = make_item(1, {"name": "seen"})
    hidden = make_item(2, {"name": "hidden"}, status=Status.DRAFT)
    spanish = make_item(3, None, es={"name": "otro"})
    make_page("secret", status=Status.DRAFT)
    targets = [hidden, seen, spanish, "/v2/content/?keys=team[_id=9]", "/v2/content/?keys=topics[_id=1]"]
    make_page("list", {"team": targets, "next": "/v2/pages/guide/secret/", "hero": {"title": "x", "by": hidden}})

    def names(query: str) -> list[object]:
        fields = get(f"/v2/pages/guide/list/?levels={levels}{query}").get_json()["data"]["fields"]
        found = [*fields["team"], fields["next"], fields["hero"]["by"]]
        return [each.get("name") if isinstance(each, dict) else each for each in found]

    if levels == 1:
        assert names("") == [seen, None, None]
        assert names("&preview=1") == [hidden, seen, "/v2/pages/guide/secret/", hidden]
    else:
        assert names("") == ["seen", None, None]
        assert names("&preview=1") == ["hidden", "seen", "Secret", "hidden"]
    assert "secret" not in get(f"/v2/pages/guide/list/?levels={levels}").text


def test_preview_shows_drafts_of_referenced_entries(get: Get, make_page: Make, make_item: Make) -> None:
    """Each entry has its own draft or published version, in the requested locale."""
    ann = make_item(1, {"name": "Ann"}, draft={"name": "Anna"}, es={"name": "Ana"})
    make_page("list", {"team": [ann]}, es={"team": [ann]})
    for query, name in (("", "Ann"), ("?preview=1", "Anna"), ("?locale=es", "Ana"), ("?locale=es&preview=1", "Ana")):
        assert get(f"/v2/pages/guide/list/{query}").get_json()["data"]["fields"]["team"][0]["name"] == name


@pytest.fixture
def filled(make_page: Make, make_item: Make) -> None:
    """Three guides that differ in every field, a draft, and what they refer to."""
    ann, bo = (
        make_item(1, {"name": "Ann", "page": "/v2/pages/guide/b/"}),
        make_item(2, {"name": "Bo's", "mentor": None}),
    )
    ghost = make_item(3, {"name": "Ghost"}, status=Status.DRAFT)
    sea = make_item(7, {"slug": "sea"}, collection="topics")
    fog = make_item(8, {"slug": "fog"}, collection="topics")
    quote = {"type": "quote", "fields": {"text": "said", "stars": 5}}
    make_page("a", {"summary": "first", "rank": 10, "category": sea, "team": [ann, bo], "body": [quote]}, hours=1)
    make_page(
        "b",
        {"summary": "Second", "rank": 9, "category": fog, "team": [bo, ghost], "hero": {"title": "Tide"},
         "steps": [{"title": "One", "who": ann}, {"title": "Two", "who": ghost}]},
        draft={"summary": "drafted", "rank": 1, "category": sea},
        hours=2,
    )  # fmt: skip
    make_page("c", {"summary": "third", "rank": None, "category": sea, "next": "/v2/pages/guide/a/"}, hours=3)
    make_page("d", {"summary": "first", "rank": 10, "category": sea}, status=Status.DRAFT, hours=4)


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("fields.summary=first", ["a"]),
        ("fields.summary=first&preview=1", ["d", "a"]),
        ("fields.summary=First", []),
        ("fields.summary=drafted", []),
        ("fields.summary=drafted&preview=1", ["b"]),
        ("fields.summary=Second&preview=1", []),
        ("fields.summary=x&fields.summary=first", ["a"]),
        ("fields.rank=10", ["a"]),
        ("fields.rank=10.0", ["a"]),
        ("fields.rank=ten", []),
        ("fields.rank=", ["c"]),
        ("fields.rank=" + "9" * 4000, []),
        ("fields.hero.title=Tide", ["b"]),
        ("fields.body.text=said", ["a"]),
        ("fields.body.stars=5", ["a"]),
        ("fields.body.title=said", []),
        ("fields.steps.title=Two", ["b"]),
        ("fields.steps.who.name=Ann", ["b"]),
        ("fields.steps.who.name=Ghost", []),
        ("fields.steps.who.name=Ghost&preview=1", []),
        ("fields.category.slug=sea", ["c", "a"]),
        ("fields.category=7", ["c", "a"]),
        ("fields.category=8", ["b"]),
        ("fields.category=/v2/content/?keys=topics[_id=8]", ["b"]),
        ("fields.team.name=Ann", ["a"]),
        ("fields.team.name=Bo%27s", ["b", "a"]),
        ("fields.team.name=Ghost", []),
        ("fields.team=3", []),
        ("fields.team=2", ["b", "a"]),
        ("fields.team.page.summary=Second", ["a"]),
        ("fields.team.page.fields.summary=Second", ["a"]),
        ("fields.next.slug=a", ["c"]),
        ("fields.next.name=A", ["c"]),
        ("fields.next=a", ["c"]),
        ("fields.next.category.slug=sea", ["c"]),
        ("fields.category.slug=sea&fields.rank=10", ["a"]),
        ("fields.category.slug=sea&locale=es", []),
        ("fields.summary=%00", []),
        ("fields.summary=' OR 1=1 --", []),
    ],
)  # fmt: skip
def test_filters_compare_fields(get: Get, query: str, expected: list[str]) -> None:
    """All must hold; they reach through components, rows and references, never through drafts."""
    answered = get(f"/v2/pages/guide/?{query}")
    assert slugs(answered) == expected
    assert answered.get_json()["meta"]["count"] == len(expected)
    for slug in "abc" if "preview" not in query and "locale" not in query else "":
        assert get(f"/v2/pages/guide/{slug}/?{query}").status_code == (200 if slug in expected else 404)
        assert get(f"/v2/pages/*/{slug}/?{query}").status_code == (200 if slug in expected else 404)


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("", "cba"), ("published", "abc"), ("-published", "cba"), ("updated", "abc"), ("-updated", "cba"),
        ("rank", "cba"), ("-rank", "abc"), ("summary", "abc"), ("-summary", "cba"), ("fields.summary", "abc"),
        ("hero.title", "acb"), ("-hero.title", "bac"),
        ("summary&preview=1", "badc"), ("-published&preview=1", "dcba"), ("rank&preview=1", "cbad"),
    ],
)  # fmt: skip
def test_orders_are_total(get: Get, order: str, expected: str) -> None:
    """Numbers are ordered as numbers, text without case; ties by slug; unset values first."""
    assert "".join(slugs(get(f"/v2/pages/guide/?order={order}"))) == expected
    one_by_one = [slugs(get(f"/v2/pages/guide/?order={order}&limit=1&offset={n}")) for n in range(len(expected))]
    assert one_by_one == [[slug] for slug in expected]


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("fields.sumary=x", 'There is no field "sumary". Did you mean "summary"? Fields: summary, rank, hero, body, '),
        ("fields.__proto__=x", 'There is no field "__proto__". Fields: summary, rank, hero, '),
        ("fields.=x", 'There is no field "". Fields: '),
        ("fields.team.nam=x", 'Did you mean "team.name"? Fields: team.name, '),
        ("fields.hero=x", 'The field "hero" holds others'),
        ("fields.summary') OR 1=1 --=x", "There is no field"),
        ('fields.$."a"=x', "There is no field"),
        ("order=;drop", 'There is no field ";drop". Fields: published, updated, summary, rank, '),
        ("order=team", 'Entries cannot be ordered by the field "team". Fields: published, updated, '),
        ("order=summary,rank", "There is no field"),
        ("order=-", "There is no field"),
    ],
)
def test_unknown_fields_are_403(get: Get, query: str, message: str) -> None:
    """The message names the field and the known ones."""
    status, body = detail(get(f"/v2/pages/guide/?{query}"))
    assert (status, list(body)) == (403, ["detail"])
    assert message in body["detail"]
    if query.startswith("fields"):
        assert get(f"/v2/pages/guide/a/?{query}").status_code == 403


def test_number_of_queries_is_bounded(get: Get, make_page: Make, make_item: Make, runtime: Runtime) -> None:
    """There are at most two for each level, whatever the number of entries; responses of previews are never cached."""
    uris = [f"/v2/content/?keys=team[_id={number}]" for number in range(1, 31)]
    for number in range(1, 31):
        make_item(number, {"mentor": uris[number % 30], "friends": uris[:2], "page": "/v2/pages/guide/p0/"})
    for number in range(20):
        make_page(f"p{number}", {"team": uris[number : number + 3], "next": f"/v2/pages/guide/p{number + 1}/"})

    def count(query: str) -> int:
        get("/v2/categories/")  # the token is looked up once a second
        with statements(runtime) as seen:
            assert get(f"/v2/pages/guide/{query}").status_code == 200
        return len(seen)

    count("?preview=1")  # the ids of the list are cached from now on
    assert count("?preview=1&levels=1&page_size=1") == count("?preview=1&levels=1&page_size=20") == 4
    assert count("?preview=1&levels=5&page_size=20&fields.team.mentor.active=false") <= 12


def test_exponential_references_are_refused(get: Get, make_page: Make, make_item: Make) -> None:
    """Sixty references of sixty items each would give millions of entries."""
    uris = [f"/v2/content/?keys=team[_id={number}]" for number in range(1, 61)]
    for number in range(1, 61):
        make_item(number, {"name": "x" * 100, "friends": uris})
    make_page("all", {"team": uris})
    assert get("/v2/pages/guide/all/?levels=3").status_code == 200
    for levels in (4, 5):
        assert detail(get(f"/v2/pages/guide/all/?levels={levels}")) == (
            400,
            {"detail": "The response would be larger than 10 MB; ask for fewer items or fewer levels."},
        )


def test_content_beyond_the_size_limit_is_not_read(get: Get, make_page: Make) -> None:
    """The request is refused before all content is in memory."""
    for number in range(9):
        make_page(f"p{number}", {"summary": "x" * 4_000_000})
    assert get("/v2/pages/guide/").status_code == 400
    assert get("/v2/pages/guide/?page_size=2").status_code == 200


HOSTILE = [
    "fields.__proto__=1", "fields.summary=" + "x" * 8000, "fields." + "a." * 2000 + "b=1", "order=;drop", "order=-",
    "order=" + "9" * 8000, "levels=-1", "offset=-5", "limit=0&offset=x", "page=x", "page_size=x", "preview=maybe",
    "fields.rank=1e999", "fields.rank=NaN", "fields.rank=-0", "fields.rank=%F0%9F%98%80", "fields.team=%00",
    "fields.team=9999999999999999999", "fields.team=/v2/content/?keys=team[_id=99999999999999999999]",
    "fields.next=/v2/pages/guide/a%0A/", "fields.summary=%FF%FE", "fields.summary=\"'`;--", "fields.summary=%", "=",
    "fields.summary[]=1", "fields=1", "fields.fields.fields=1", "fields.team.team.team=1", "fields..=1",
    "&".join(f"fields.x{number}=1" for number in range(30)), "fields.team.mentor.mentor.friends.name=Ann",
    "fields.see.see.see.see.slug=a", "fields.steps.who.friends.page.summary=x", "alt_media_text=%00", "levels=5",
]  # fmt: skip


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("path", ["/v2/pages/guide/", "/v2/pages/guide/a/", "/v2/pages/", "/v2/pages/*/a/"])
def test_hostile_queries_cause_no_server_error(get: Get, path: str) -> None:
    """Any value of a parameter gets a response below 500."""
    for query in HOSTILE:
        assert get(f"{path}?{query}").status_code in (200, 400, 403, 404), query
    for query, status in (("levels=x", 400), ("offset=10000000000000000000", 400 if "a/" not in path else 200)):
        assert get(f"{path}?{query}").status_code == status, query


@pytest.mark.parametrize("slug", ["%00", "%FF", "x" * 8000, "'", '"', "a%0Ab", "%2A", "..%2F", "%E2%80%AE", "*"])
def test_hostile_paths_are_404(get: Get, make_page: Make, slug: str) -> None:
    """Types and slugs are included."""
    make_page("a")
    for path in (f"/v2/pages/guide/{slug}/", f"/v2/pages/*/{slug}/", f"/v2/pages/{slug}/nothing/"):
        assert get(path).status_code == 404, path
    assert get(f"/v2/pages/{slug}/").status_code == (200 if slug in ("*", "%2A") else 404)
