"""What a link may lead to: entries with a page, files and headings, found by their titles as far as a user may know."""

import pytest

from sitecms.actions.entry_paths import item_paths, paths_among
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.runtime import Runtime
from sitecms.store.entries.versions import VERSIONS
from tests.support.entries import MakeItem, MakePage, MakePost, give_team_pages

from .conftest import Browser

pytestmark = pytest.mark.both_engines


def found(browser: Browser, text: str = "") -> list[tuple[str, str, str, bool]]:
    """Return what a text finds."""
    rows = browser.get(f"/studio/find/links/?text={text}").get_json()["found"]
    return [(row["title"], row["kind"], row["address"], row["is_public"]) for row in rows]


def target(browser: Browser, address: str) -> dict[str, object]:
    """Return what stands at an address."""
    answered: dict[str, object] = browser.get(f"/studio/find/link-target/?address={address}").get_json()
    return answered


def test_entries_are_found_with_their_addresses(
    editor: Browser, writer: Browser, make_post: MakePost, make_page: MakePage
) -> None:
    """As they stand on the site; what readers cannot open says so, and only those who may read it find it."""
    make_post("neap-tides", title="Neap tides")
    make_post("spring-tides", title="Spring tides", status=Status.DRAFT, author="bo-lind")
    make_page("tides", {"summary": "Tides"})
    public = ("Neap tides", "Post", "/blog/neap-tides/", True)
    assert public in found(editor, "tides")
    assert ("Spring tides", "Post", "/blog/spring-tides/", False) in found(editor, "tides")
    assert public in found(writer, "tides")
    assert all(is_public for *_, is_public in found(writer, "tides"))
    pages = [address for _, kind, address, _ in found(writer, "tides") if kind == "Page"]
    assert [address.rstrip("/").rsplit("/", 1)[1] for address in pages] == ["tides"]
    assert found(editor, "nothing-has-this") == []


def test_an_address_leads_to_an_entry_with_its_headings(editor: Browser, make_post: MakePost) -> None:
    """With the ids that they have on the site; an address of nothing, of a draft or of another site leads to none."""
    make_post("neap", title="Neap", body='<h2>Low & high</h2><p>x</p><h3 id="own">More</h3>')
    make_post("draft", status=Status.DRAFT)
    assert target(editor, "/blog/neap/%23own") == {
        "target": {"title": "Neap", "kind": "Post", "address": "/blog/neap/", "is_public": True},
        "headings": [{"id": "low-high", "title": "Low & high"}, {"id": "own", "title": "More"}],
    }
    for address in ("/blog/draft/", "/nowhere/", "https://a.example/", "", "/media/none.jpg"):
        assert target(editor, address) == {"target": None, "headings": []}


def test_address_of_every_kind_leads_to_its_entry(
    runtime: Runtime, editor: Browser, make_page: MakePage, make_item: MakeItem
) -> None:
    """Also of the home page, and of an item whose collection has pages; their fields have the headings."""
    make_page("knots", {"text": "<h2>Bowline</h2>"})
    make_item(1, {"name": "Ann", "bio": "<h2>At sea</h2>"})
    team = give_team_pages(runtime.database).collections["team"]
    (page,) = [address for title, kind, address, _ in found(editor, "knots") if kind == "Page"]
    for address, title, kind, heading in (
        (page, "Knots", "Page", "Bowline"), ("/people/ann/", "Ann", team.name, "At sea"),
    ):  # fmt: skip
        assert target(editor, address) == {
            "target": {"title": title, "kind": kind, "address": address, "is_public": True},
            "headings": [{"id": heading.lower().replace(" ", "-"), "title": heading}],
        }


@pytest.mark.parametrize(
    ("text", "text_format"), [("<h2>One</h2><h2>One</h2>", "html"), ("## One\n\n## One", "markdown")]
)
def test_headings_of_a_text_that_is_written(writer: Browser, text: str, text_format: str) -> None:
    """In both formats, with ids that differ; a text with errors has none."""
    for sent, ids in ((text, ["one", "one-2"]), ("::: note\n## One" if text_format == "markdown" else "", [])):
        writer.get("/studio/media/")
        answered = writer.send("/studio/find/headings/", text=sent, format=text_format).get_json()
        assert [each["id"] for each in answered["headings"]] == ids


def test_items_are_found_by_their_labels_with_their_paths(
    runtime: Runtime, editor: Browser, make_item: MakeItem
) -> None:
    """Without accents and case, six of a collection; of items with one slug each has the path that it has on the site.

    Those of other slugs are not read, however many there are.
    """
    names = ["Zoé", "zoe", "ZOE!", "Zoe 2", "", "Zo", "Moe", "Zoé.", *(f"Guest {number}" for number in range(20))]
    for number, name in enumerate(names, 1):
        make_item(number, {"name": name})
    schema = give_team_pages(runtime.database)
    unnamed = schema.collections["team"].name
    with runtime.database.reading() as session:
        paths = item_paths(VERSIONS[EntryKind.ITEM].published(session), schema, runtime.settings)
        for item in VERSIONS[EntryKind.ITEM].published(session):  # each by itself, as the form of an item asks
            place = item.id, item.locale
            assert paths_among(session, [item], schema, runtime.settings)[place] == paths[place]
        expected = {
            (item.fields["name"] or unnamed, paths[item.id, "en"])
            for item in VERSIONS[EntryKind.ITEM].published(session)
        }

    def places(text: str) -> list[tuple[str, str]]:
        return [(title, address) for title, _, address, _ in found(editor, text)]

    assert places("zoe") == [
        ("Zoé", "/people/zoé/"), ("zoe", "/people/zoe/"), ("ZOE!", "/people/zoe-2/"), ("Zoe 2", "/people/zoe-2-2/"),
        ("Zoé.", "/people/zoé-2/"),
    ]  # fmt: skip
    assert len(places("guest")) == 6
    assert {*places("zo"), *places("guest")} <= expected
