"""Own and former addresses, and ids in feeds, through load, export and load again."""

from pathlib import Path

from sitecms.actions.exporting.export import export_site
from sitecms.content.addresses import ANY_LOCALE, OwnAddresses
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.store.entries.versions import VERSIONS
from tests.support.reading import get_post
from tests.support.sites import ExampleSite

KINDS = (EntryKind.POST, EntryKind.PAGE, EntryKind.ITEM)
PATHS = {"en": "/people/", "es": "/gente/"}


def fill(example: ExampleSite) -> None:
    example.post(
        "calm", published="2026-02-01T08:00:00Z", path="/2019/old.html", aliases=["/caf%C3%A9"], guid="urn:x:1"
    )
    example.write("content/pages/_single/crew.yaml", {
        "title": "Crew", "status": "published", "path": "/about/us", "aliases": ["/team.php", "/people"],
        "fields": {"body": "<p>We.</p>"},
    })  # fmt: skip
    example.write("schema/collections/boats.yaml", {
        "key": "boats", "label": "name", "route": "/boats/{slug}/", "fields": [{"slug": "name", "type": "short_text"}],
    })  # fmt: skip
    items = [{"id": 91, "path": PATHS, "aliases": {"es": ["/es/barco/"]}, "fields": {"name": "Ann"}}]
    example.write("content/collections/boats.yaml", items)


def stored(example: ExampleSite) -> tuple[Entry, Entry, Entry]:
    with example.database.reading() as session:
        post = get_post(session, "calm")
        page = next(each for each in VERSIONS[EntryKind.PAGE].all(session) if each.slug == "crew")
        item = next(each for each in VERSIONS[EntryKind.ITEM].all(session) if each.id == 91)
    return post, page, item


def test_addresses_are_stored_exported_and_loaded_again(example: ExampleSite, tmp_path: Path) -> None:
    """One text as the path of a page counts for every locale of the site."""
    fill(example)
    example.load()
    post, page, item = stored(example)
    assert (post.path, post.guid, post.aliases) == ("/2019/old.html", "urn:x:1", ("/caf%C3%A9",))
    paths = {"en": "/about/us/", "es": "/es/about/us/"}
    assert page.addresses == OwnAddresses(paths, {ANY_LOCALE: ("/team.php", "/people/")})
    assert item.addresses == OwnAddresses(PATHS, {"es": ("/es/barco/",)})
    export_site(example.database, example.settings, tmp_path / "files", force=False)
    again = ExampleSite(tmp_path / "files")
    again.load()
    assert [each.addresses for each in stored(again)[1:]] == [page.addresses, item.addresses]
    assert (stored(again)[0].path, stored(again)[0].guid) == (post.path, post.guid)
    assert "path: /about/us/\n" in (again.folder / "content/pages/_single/crew.yaml").read_text()
    assert again.load().loaded == ()
    again.database.close()
