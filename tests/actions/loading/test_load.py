"""A load stores the files that changed, and leaves everything else alone."""

from sitecms.actions.writing.trash import delete_entry
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.store.site_state import documents
from tests.actions.conftest import SiteFolder
from tests.support.reading import execute


def test_a_first_load_stores_every_file(folder: SiteFolder) -> None:
    """Authors, posts, items and pages, each with what its file says; the rest by default."""
    folder.image("media/sea.png")
    folder.items("team", "Ann")
    folder.guide("start", fields={"headline": "Start here", "team": [{"key": "team", "where": {"name": "Ann"}}]})
    folder.post(
        "low-water",
        "Look: ![The sea](media/sea.png)",
        title="Low water",
        author="bo",
        categories=["Tides"],
        tags=["moon", "harbour"],
        featured_image="media/sea.png",
        summary="Short.",
        aliases=["/old/"],
        published="2026-02-01T08:00:00Z",
        created="2026-01-20",
        updated="2026-02-03T09:30:00+01:00",
    )
    report = folder.load()
    assert report.errors == ()
    assert report.loaded == (
        "content/authors.yaml", "content/collections/team.yaml", "content/pages/guide/start.yaml",
        "content/posts/low-water.md",
    )  # fmt: skip
    post = folder.find("low-water")
    assert (post.title, post.author.slug, post.status) == ("Low water", "bo", Status.PUBLISHED)
    assert [term.slug for term in (*post.categories, *post.tags)] == ["tides", "moon", "harbour"]
    assert (post.summary, post.aliases, post.locale) == ("Short.", ("/old/",), "en")
    assert post.featured_image.startswith("/media/")
    assert post.featured_image in post.body
    assert 'width="3" height="2"' in post.body
    times = (post.published_at, post.created_at, post.updated_at)
    assert [str(moment) for moment in times] == [
        "2026-02-01 08:00:00+00:00", "2026-01-20 00:00:00+00:00", "2026-02-03 08:30:00+00:00",
    ]  # fmt: skip
    (page,) = folder.page("start")
    assert page.fields["headline"] == "Start here"
    assert page.fields["team"] == [f"/v2/content/?keys=team[_id={folder.ids('team')['Ann']}]"]


def test_a_second_load_changes_nothing(folder: SiteFolder) -> None:
    """Every file is skipped and the change number stays, whatever the clock says."""
    folder.image("media/sea.png")
    folder.items("team", "Ann", "Bo")
    folder.guide("start", fields={"headline": "x", "text": '<img src="media/sea.png" alt="">'})
    folder.post("one", "![](media/sea.png)")
    assert folder.load().errors == ()
    before = folder.change_number()
    report = folder.load()
    assert (report.loaded, report.unchanged, report.replaced) == ((), 4, {})
    assert folder.change_number() == before


def test_a_changed_file_changes_its_entry_and_keeps_its_times(folder: SiteFolder) -> None:
    """`created` and `published` stand; `updated` is the time of the load; only this file is loaded."""
    folder.post("one")
    folder.post("two")
    folder.load()
    first = folder.find("one")
    folder.post("one", "The moon.", tags=["night"])
    report = folder.load()
    assert report.loaded == ("content/posts/one.md",)
    post = folder.find("one")
    assert (post.id, post.body, post.tags[0].name) == (first.id, "<p>The moon.</p>\n", "night")
    assert (post.created_at, post.published_at) == (first.created_at, first.published_at)
    assert post.updated_at == folder.now


def test_what_a_file_no_longer_says_is_gone_from_the_entry(folder: SiteFolder) -> None:
    """Tags, summary, image, aliases and author fall back to their defaults."""
    folder.image("media/sea.png")
    folder.post("one", tags=["a"], categories=["B"], summary="s", featured_image="media/sea.png", author="bo")
    folder.load()
    folder.post("one")
    folder.load()
    post = folder.find("one")
    assert (post.tags, post.categories, post.summary, post.featured_image) == ((), (), "", "")
    assert post.author.slug == "ann-ray"


def test_a_vanished_file_is_reported_and_its_entry_kept_until_prune(folder: SiteFolder) -> None:
    """Each load reports it again; `prune` deletes the entries, and then it is forgotten."""
    folder.post("one")
    folder.items("team", "Ann")
    folder.guide("start")
    folder.load()
    paths = ("content/collections/team.yaml", "content/pages/guide/start.yaml", "content/posts/one.md")
    for path in paths:
        folder.remove(path)
    before = folder.change_number()
    for _ in range(2):
        report = folder.load()
        assert (report.vanished, report.pruned) == (paths, ())
    assert folder.change_number() == before
    assert folder.slugs() == ["one"]
    report = folder.load(prune=True)
    assert (report.vanished, report.pruned) == ((), paths)
    assert (folder.slugs(), folder.all_items("team"), folder.page("start")) == ([], (), ())
    assert folder.load(prune=True).pruned == ()


def test_a_vanished_authors_file_is_reported_too(folder: SiteFolder) -> None:
    """Its authors stay even with prune, since posts need them; then the file is forgotten."""
    folder.post("one")
    folder.load()
    folder.remove("content/authors.yaml")
    assert folder.load().vanished == ("content/authors.yaml",)
    assert folder.load(prune=True).pruned == ("content/authors.yaml",)
    assert folder.load().vanished == ()
    assert folder.find("one").author.slug == "ann-ray"


def test_a_file_that_comes_back_is_unchanged(folder: SiteFolder) -> None:
    """Switching branches to and fro loads nothing."""
    folder.post("one")
    folder.load()
    folder.move("content/posts/one.md", "one.md")
    folder.load()
    folder.move("one.md", "content/posts/one.md")
    report = folder.load()
    assert (report.loaded, report.vanished) == ((), ())


def test_a_changed_schema_checks_files_anew_but_not_what_requests_wrote(folder: SiteFolder) -> None:
    """A field that was added, dropped or became required changes or errors entries of files, and only those."""
    folder.items("team", "Ann", "Bo")
    folder.guide("start")
    folder.guide("edited")
    folder.load()
    (page,) = folder.page("edited")
    execute(folder.database, "UPDATE entry SET origin = 'api' WHERE kind = 'page' AND id = ?", page.id)
    fields: list[dict[str, object]] = [{"slug": "headline", "type": "short_text"}, {"slug": "photo", "type": "media"}]
    folder.write("schema/page_types/guide.yaml", {"fields": fields})
    report = folder.load()
    assert set(report.loaded) == {"content/collections/team.yaml", "content/pages/guide/start.yaml"}
    assert folder.page("start")[0].fields == {"headline": "start", "photo": None}
    assert folder.page("edited") == (page,)
    fields.append({"slug": "sub", "type": "short_text", "required": True})
    folder.write("schema/page_types/guide.yaml", {"fields": fields})
    report = folder.load()
    assert [error.place for error in report.errors] == ["fields.sub"]
    kept = folder.database.read(documents.load_content_schema)
    assert [spec.slug for spec in kept.page_type("guide").fields] == ["headline", "photo", "sub"]
    assert kept.collections["team"].fields[0].type == "short_text"


def test_a_deleted_entry_stays_deleted_while_its_file_is_unchanged(folder: SiteFolder) -> None:
    """A request took it away; only an edit of the file brings it back."""
    folder.post("one")
    folder.load()
    folder.database.write(delete_entry, EntryKind.POST, folder.find("one").id, folder.now)
    folder.load()
    assert folder.slugs() == []
    folder.post("one", "Again.")
    folder.load()
    assert folder.slugs() == ["one"]
