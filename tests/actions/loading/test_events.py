"""A load records the events of what it changed, and notes that the site has to be built again."""

from typing import Any

from sitecms.store.site_state.site_builds import site_changes
from sitecms.store.writes.deliveries import find_deliveries
from sitecms.store.writes.webhooks import insert_webhook
from tests.actions.conftest import SiteFolder


def subscribe(folder: SiteFolder, *events: str) -> None:
    """Add a webhook for these events, all of them by default."""
    folder.database.write(insert_webhook, "https://hooks.example/", list(events) or ["*"], "whsec_", {}, folder.now)


def recorded(folder: SiteFolder) -> list[tuple[str, Any]]:
    """Return event and data of each message, oldest first, and remove them."""
    with folder.database.writing() as transaction:
        found = [(each.event.value, each.body["data"]) for each in find_deliveries(transaction, 1, None, 5000)]
        transaction.sql("DELETE FROM delivery")
    return found[::-1]


def changes(folder: SiteFolder) -> int:
    """Return how often the site has to have been built."""
    return folder.database.read(site_changes)


def test_posts_that_were_loaded_have_their_events(folder: SiteFolder) -> None:
    """Published, draft and scheduled posts and variants, as writes of the API have them; an equal load has none."""
    folder.post("one")
    folder.post("two", status="draft")
    folder.post("three", status="scheduled", scheduled="2027-01-01T00:00:00Z")
    folder.post("uno", locale="es", translation_of="one")
    subscribe(folder)
    assert folder.load().errors == ()
    ids = {slug: folder.find(slug).id for slug in folder.slugs()}
    assert sorted(recorded(folder), key=str) == sorted(
        [
            ("post.published", {"id": "one", "_id": ids["one"]}),
            ("post.draft", {"id": "two", "_id": ids["two"]}),
            ("post.draft", {"id": "three", "_id": ids["three"]}),
            ("post.localization.published", {"id": "uno", "_id": ids["uno"], "locale": "es"}),
        ],
        key=str,
    )
    before = changes(folder)
    assert before > 0
    folder.load()
    assert (recorded(folder), changes(folder)) == ([], before)


def test_a_file_that_changes_nothing_has_no_event(folder: SiteFolder) -> None:
    """Other bytes that say the same are loaded, no entry is updated, and nobody needs to know."""
    folder.post("one")
    folder.guide("start")
    folder.items("team", "Ann")
    folder.load()
    subscribe(folder)
    before, entries = changes(folder), (folder.find("one"), folder.page("start"), folder.all_items("team"))
    for path in ("content/posts/one.md", "content/pages/guide/start.yaml", "content/collections/team.yaml"):
        folder.write(path, (folder.folder / path).read_text("utf-8").replace("\n", "\n\n", 1))
    assert len(folder.load().loaded) == 3
    assert (recorded(folder), changes(folder)) == ([], before)
    assert (folder.find("one"), folder.page("start"), folder.all_items("team")) == entries


def test_posts_that_change_and_go(folder: SiteFolder) -> None:
    """Text, slug and status; a post whose file is gone is deleted with its event, before those that took its slug."""
    folder.post("one")
    folder.post("two")
    folder.post("three")
    folder.load()
    subscribe(folder)
    ids = {slug: folder.find(slug).id for slug in folder.slugs()}
    folder.post("one", "The tide.")
    folder.remove("content/posts/two.md")
    folder.post("three", slug="two", status="draft")
    folder.load(prune=True)
    assert recorded(folder) == [
        ("post.delete", {"id": "two", "_id": ids["two"]}),
        ("post.published", {"id": "one", "_id": ids["one"]}),
        ("post.draft", {"id": "two", "_id": ids["three"]}),
    ]


def kinds(folder: SiteFolder) -> list[tuple[str, object, object]]:
    """Return (event, locale, status) of each message, and remove them."""
    return [(kind, data["locale"], data["status"]) for kind, data in recorded(folder)]


def test_pages_have_events_by_locale_and_version(folder: SiteFolder) -> None:
    """Only changed versions have events; a live version that is removed is `unpublished`."""
    subscribe(folder)
    both = {"en": {"headline": "Tide"}, "es": {"headline": "Marea"}}
    folder.guide("start", fields=both)
    folder.load()
    assert kinds(folder) == [("page.published", "en", "published"), ("page.published", "es", "published")]
    folder.guide("start", fields={**both, "es": {"headline": "Mareas"}})
    folder.load()
    assert kinds(folder) == [("page.published", "es", "published")]
    folder.guide("start", fields=both, status={"en": "published", "es": "draft"})
    folder.load()
    assert kinds(folder) == [("page.unpublished", "es", "draft")]
    folder.guide("start", fields=both, status={"en": "draft", "es": "draft"})
    folder.load()
    assert kinds(folder) == [("page.unpublished", "en", "draft")]
    folder.guide("start", fields=both)
    folder.load()
    assert kinds(folder) == [("page.published", "en", "published"), ("page.published", "es", "published")]
    folder.guide("start", fields={"en": both["en"]})
    folder.load()
    assert kinds(folder) == [("page.unpublished", "es", "draft")]
    folder.guide("start", fields={"en": both["en"]}, draft={"fields": {"headline": "Ebb"}})
    folder.load()
    assert kinds(folder) == [("page.draft", "en", "draft")]


def test_pages_with_another_name(folder: SiteFolder) -> None:
    """A new slug or title is an event in every locale in which the page is published."""
    folder.guide("start")
    folder.load()
    subscribe(folder)
    folder.guide("start", slug="begin")
    folder.load()
    assert [(kind, data["id"]) for kind, data in recorded(folder)] == [("page.published", "begin")]
    folder.guide("start", slug="begin", title="Begin")
    folder.load()
    assert [(kind, data["name"]) for kind, data in recorded(folder)] == [("page.published", "Begin")]
    folder.remove("content/pages/guide/start.yaml")
    folder.load(prune=True)
    assert [(kind, data["id"], data["status"]) for kind, data in recorded(folder)] == [
        ("page.delete", "begin", "deleted")
    ]


def test_items_have_events(folder: SiteFolder) -> None:
    """Made, changed, taken off in one locale, removed from the list, and back out of the trash."""
    subscribe(folder)
    folder.items("team", "Ann", "Bo")
    folder.load()
    ids = folder.ids("team")
    assert [(kind, data["label"]) for kind, data in recorded(folder)] == [
        ("collectionitem.published", "Ann"),
        ("collectionitem.published", "Bo"),
    ]
    folder.items("team", "Ann", {"id": ids["Bo"], "fields": {"en": {"name": "Bo"}, "es": {"name": "Beo"}}})
    folder.load()
    assert kinds(folder) == [("collectionitem.published", "es", "published")]
    folder.items("team", "Ann", {"id": ids["Bo"], "fields": {"en": {"name": "Bo"}}})
    folder.load()
    assert [(kind, data["label"], data["locale"]) for kind, data in recorded(folder)] == [
        ("collectionitem.unpublished", "Beo", "es")
    ]
    folder.items("team", "Ann")
    folder.load(prune=True)
    assert [(kind, data["label"]) for kind, data in recorded(folder)] == [("collectionitem.delete", "Bo")]
    folder.items("team", "Ann", "Bo")
    folder.load()
    assert [(kind, data["label"]) for kind, data in recorded(folder)] == [("collectionitem.published", "Bo")]


def test_faulty_files_have_no_events(folder: SiteFolder) -> None:
    """Nothing of a file with an error is stored; the others have each event once."""
    subscribe(folder)
    folder.guide("start", fields={"headline": "Tide", "next": "nowhere"})
    folder.guide("other")
    folder.items("team", "Ann", {"fields": {"name": "Bo", "friend": {"key": "team", "where": {"name": "Nobody"}}}})
    folder.post("one")
    assert len(folder.load().errors) == 2
    assert [kind for kind, _ in recorded(folder)] == ["post.published", "page.published"]


def test_authors_and_terms_build_the_site_again(folder: SiteFolder) -> None:
    """They have no events, but readers see them; so it is with the content schema."""
    folder.post("one")
    folder.load()
    subscribe(folder)
    before = changes(folder)
    folder.write("content/authors.yaml", [{"slug": "ann-ray", "first_name": "Anne"}])
    folder.load()
    folder.write("content/tags.yaml", [{"slug": "moon", "name": "Moon"}])
    folder.load()
    folder.write("schema/page_types/other.yaml", {"slug": "other", "fields": [{"slug": "text", "type": "short_text"}]})
    folder.load()
    assert (recorded(folder), changes(folder)) == ([], before + 3)


def test_many_events_of_a_load(folder: SiteFolder) -> None:
    """Each of hundreds of entries has its message once, for the events that were asked for."""
    for number in range(250):
        folder.post(f"post-{number}", status="published" if number % 2 else "draft")
    folder.items("team", *(f"Member {number}" for number in range(250)))
    subscribe(folder, "post.published", "collectionitem.*")
    folder.load()
    found = recorded(folder)
    assert len(found) == len({(kind, str(data)) for kind, data in found}) == 125 + 250
