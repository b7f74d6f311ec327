"""Files become entries: each change of a file reaches the store once, and nothing of an invalid file does."""

import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from sitecms.actions.writing.delete_entry import delete_entry
from sitecms.content.change import EntryKind, ItemChange, Origin, VersionChange
from sitecms.content.post import Post
from sitecms.content.status import Status, Version
from sitecms.errors import FileError, InvalidFiles
from sitecms.store.entries import items, posts
from sitecms.store.site_state import documents
from tests.support.engines import indexed, is_sound

if TYPE_CHECKING:
    from tests.actions.conftest import SiteFolder


def faults_of(errors: tuple[FileError, ...]) -> list[str]:
    return [str(error) for error in errors]


def edit_item(folder: "SiteFolder", item_id: int, **fields: str) -> None:
    """Change an item as a request does."""
    stored = next(item for item in folder.all_items("team") if item.id == item_id)
    version = VersionChange(stored.locale, Version.LIVE, stored.status, {**stored.fields, **fields})
    with folder.database.writing() as transaction:
        items.save_item(transaction, ItemChange(item_id, "team", (version,)), Origin.API, folder.now)


# --- loading and skipping


def test_a_first_load_stores_every_file(folder: "SiteFolder") -> None:
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


def test_a_second_load_changes_nothing(folder: "SiteFolder") -> None:
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


def test_loading_everything_anew_leaves_equal_entries_alone(folder: "SiteFolder") -> None:
    """A file whose bytes changed and whose content did not counts as loaded, but no entry was updated."""
    folder.items("team", "Ann")
    folder.guide("start")
    folder.post("one")
    folder.load()
    kept, pages = folder.find("one"), folder.page("start")
    for path in ("content/posts/one.md", "content/pages/guide/start.yaml", "content/collections/team.yaml"):
        file = folder.folder / path
        text = file.read_text()
        file.write_text(text + "\n" if path.endswith("yaml") else text.replace("status:", "status:  "))
    report = folder.load()
    assert len(report.loaded) == 3
    assert folder.find("one") == kept
    assert folder.page("start") == pages


def test_a_changed_file_changes_its_entry_and_keeps_its_times(folder: "SiteFolder") -> None:
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


def test_what_a_file_no_longer_says_is_gone_from_the_entry(folder: "SiteFolder") -> None:
    """Tags, summary, image, aliases and author fall back to their defaults."""
    folder.image("media/sea.png")
    folder.post("one", tags=["a"], categories=["B"], summary="s", featured_image="media/sea.png", author="bo")
    folder.load()
    folder.post("one")
    folder.load()
    post = folder.find("one")
    assert (post.tags, post.categories, post.summary, post.featured_image) == ((), (), "", "")
    assert post.author.slug == "ann-ray"


# --- edits through the API


def test_an_unchanged_file_leaves_an_edited_entry_alone(folder: "SiteFolder") -> None:
    """What a request wrote stays until someone touches the file."""
    folder.post("one")
    folder.load()
    folder.edit("one", title="Edited")
    report = folder.load()
    assert (report.loaded, report.replaced) == ((), {})
    assert folder.find("one").title == "Edited"


def test_a_changed_file_wins_over_an_edit_and_says_what_it_replaced(folder: "SiteFolder") -> None:
    """The report names the file, the fields and their old values; a second change replaces nothing of an editor's."""
    folder.post("one", tags=["sea"])
    folder.load()
    folder.edit("one", title="Edited", tags=("land",))
    folder.post("one", "New.", tags=["sea"])
    report = folder.load()
    assert report.replaced.keys() == {"content/posts/one.md"}
    replaced = report.replaced["content/posts/one.md"]
    assert replaced.keys() >= {"title", "terms", "body"}
    assert (replaced["title"], replaced["terms"]) == ("Edited", "land")
    assert folder.find("one").title == "One"
    folder.post("one", "Newer.", tags=["sea"])
    assert folder.load().replaced == {}


def test_only_what_a_request_wrote_is_reported_as_replaced(folder: "SiteFolder") -> None:
    """Of two items that a file changes, the one that was edited; one that the file drops stays as it is."""
    folder.items("team", {"id": 1, "fields": {"name": "Ann"}}, {"id": 2, "fields": {"name": "Bo"}})
    folder.load()
    edit_item(folder, 1, name="Edited")
    folder.items("team", {"id": 1, "fields": {"name": "Anna"}}, {"id": 2, "fields": {"name": "Bob"}})
    assert folder.load().replaced == {"content/collections/team.yaml": {"1.en.live.fields.name": "Edited"}}
    edit_item(folder, 2, name="Edited")
    folder.items("team", {"id": 1, "fields": {"name": "Anna"}})
    report = folder.load()
    assert (report.replaced, [item.label for item in report.vanished_items]) == ({}, ["Edited"])


# --- files that vanish and move


def test_a_vanished_file_is_reported_and_its_entry_kept_until_prune(folder: "SiteFolder") -> None:
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


def test_a_vanished_authors_file_is_reported_too(folder: "SiteFolder") -> None:
    """Its authors stay even with prune, since posts need them; then the file is forgotten."""
    folder.post("one")
    folder.load()
    folder.remove("content/authors.yaml")
    assert folder.load().vanished == ("content/authors.yaml",)
    assert folder.load(prune=True).pruned == ("content/authors.yaml",)
    assert folder.load().vanished == ()
    assert folder.find("one").author.slug == "ann-ray"


def test_a_file_that_comes_back_is_unchanged(folder: "SiteFolder") -> None:
    """Switching branches to and fro loads nothing."""
    folder.post("one")
    folder.load()
    folder.move("content/posts/one.md", "one.md")
    folder.load()
    folder.move("one.md", "content/posts/one.md")
    report = folder.load()
    assert (report.loaded, report.vanished) == ((), ())


def test_a_pruned_file_that_comes_back_is_loaded_anew(folder: "SiteFolder") -> None:
    """The entry in the trash stays there; the slug is free."""
    folder.post("one")
    folder.load()
    first = folder.find("one").id
    folder.move("content/posts/one.md", "one.md")
    folder.load(prune=True)
    folder.move("one.md", "content/posts/one.md")
    assert folder.load().loaded == ("content/posts/one.md",)
    assert folder.find("one").id != first


def test_a_moved_file_keeps_its_entry(folder: "SiteFolder") -> None:
    """Even with prune: nothing vanished, the id is the same."""
    folder.post("one", slug="one")
    folder.guide("start")
    folder.load()
    post_id, page_id = folder.find("one").id, folder.page("start")[0].id
    folder.move("content/posts/one.md", "content/posts/2026/renamed.md")
    folder.guide("start", slug="start")
    folder.move("content/pages/guide/start.yaml", "content/pages/guide/begin.yaml")
    report = folder.load(prune=True)
    assert (report.errors, report.vanished, report.pruned) == ((), (), ())
    assert (folder.find("one").id, folder.page("start")[0].id) == (post_id, page_id)


def test_a_moved_collection_file_keeps_the_ids_of_its_items(folder: "SiteFolder") -> None:
    """An item without id in the file is the one of the same label that a vanished file of the collection left."""
    folder.items("team", "Ann", "Bo")
    folder.load()
    before = folder.ids("team")
    folder.move("content/collections/team.yaml", "content/collections/team.yml")
    report = folder.load(prune=True)
    assert (report.vanished, report.pruned) == ((), ())
    assert folder.ids("team") == before


# --- slugs


def test_a_changed_slug_keeps_the_id(folder: "SiteFolder") -> None:
    """The file is the post's identity, not its slug."""
    folder.post("one", slug="first")
    folder.guide("start", slug="start")
    folder.load()
    post_id, page_id = folder.find("first").id, folder.page("start")[0].id
    folder.post("one", slug="second")
    folder.guide("start", slug="begin")
    assert folder.load().errors == ()
    assert folder.find("second").id == post_id
    assert folder.page("begin")[0].id == page_id
    assert folder.slugs() == ["second"]
    assert folder.page("start") == ()


def test_two_files_can_trade_slugs_in_one_load(folder: "SiteFolder") -> None:
    """Posts and pages alike, in a circle of three too, each keeping its id."""
    names = ("a", "b", "c")
    for name in names:
        folder.post(name, slug=f"slug-{name}")
        folder.guide(name, slug=f"slug-{name}")
    folder.load()
    before = {name: (folder.find(f"slug-{name}").id, folder.page(f"slug-{name}")[0].id) for name in names}
    for name, other in zip(names, ("b", "c", "a"), strict=True):
        folder.post(name, slug=f"slug-{other}")
        folder.guide(name, slug=f"slug-{other}")
    report = folder.load()
    assert report.errors == ()
    after = {
        name: (folder.find(f"slug-{other}").id, folder.page(f"slug-{other}")[0].id)
        for name, other in zip(names, ("b", "c", "a"), strict=True)
    }
    assert after == before


def test_a_slug_given_up_is_free_for_a_new_file(folder: "SiteFolder") -> None:
    """In the same load, whichever file comes first."""
    for kind in (folder.post, folder.guide):
        kind("m", slug="wanted")
    folder.load()
    post_id, page_id = folder.find("wanted").id, folder.page("wanted")[0].id
    for kind in (folder.post, folder.guide):
        kind("m", slug="other")
        kind("a", slug="wanted")
    assert folder.load().errors == ()
    assert (folder.find("other").id, folder.page("other")[0].id) == (post_id, page_id)
    assert folder.find("wanted").id != post_id
    assert folder.page("wanted")[0].id != page_id


def test_a_trade_with_a_faulty_file_leaves_it_as_it_was(folder: "SiteFolder") -> None:
    """The invalid post keeps its slug, and the other is told that it is taken."""
    folder.post("a", slug="one")
    folder.post("b", slug="two")
    folder.load()
    folder.post("a", slug="two")
    folder.post("b", slug="one", author="nobody")
    report = folder.load()
    assert {error.file for error in report.errors} == {"content/posts/a.md", "content/posts/b.md"}
    assert folder.find("one").title == "A"
    assert folder.find("two").title == "B"


@pytest.mark.parametrize("known", ["neither", "first", "second", "both"])
def test_two_files_with_one_slug_name_each_other(folder: "SiteFolder", known: str) -> None:
    """New or loaded before, the error stands at the file that wants a slug which the other one has."""
    for kind in (folder.post, folder.guide):
        if known in ("first", "both"):
            kind("a", slug="one" if known == "first" else "two")
        if known in ("second", "both"):
            kind("b", slug="one")
    folder.load()
    for kind in (folder.post, folder.guide):
        kind("a", slug="one")
        kind("b", slug="one")
    report = folder.load()
    for folder_name, suffix in (("posts", "md"), ("pages/guide", "yaml")):
        mine = [error for error in report.errors if error.file.startswith(f"content/{folder_name}/")]
        assert len(mine) == 1, mine
        names = (f"content/{folder_name}/a.{suffix}", f"content/{folder_name}/b.{suffix}")
        assert all(name in str(mine[0]) for name in names)
        assert mine[0].place == "slug"
        assert mine[0].line
        assert mine[0].remedy


def test_a_slug_that_a_request_took_is_a_fault(folder: "SiteFolder") -> None:
    """A post made through the API is not overwritten by a file that was another post before."""
    folder.post("one", slug="one")
    folder.post("two", slug="two")
    folder.load()
    folder.edit("two", slug="taken")
    folder.post("one", slug="taken")
    report = folder.load()
    assert [error.file for error in report.errors] == ["content/posts/one.md"]
    assert folder.find("taken").title == "Two"


# --- errors


def test_all_faults_come_at_once_and_nothing_of_their_files_is_stored(folder: "SiteFolder") -> None:
    """Each names file, line and place and says what would be right; sound files are loaded all the same."""
    folder.post("good")
    folder.post("typo", titel="x")
    folder.post("when", published="yesterday")
    folder.post("who", author="nobody")
    folder.post("where", locale="fr")
    folder.post("image", "Text.\n\n![](media/none.png)")
    folder.post("of", locale="es", translation_of="nothing")
    folder.write("content/posts/plain.md", "no front matter")
    folder.items("team", "Ann", {"fields": {"nmae": "Bo"}})
    folder.guide("page", fields={"headline": 7, "team": [99]})
    report = folder.load()
    assert report.loaded == ("content/authors.yaml", "content/posts/good.md")
    assert folder.slugs() == ["good"]
    assert (folder.all_items("team"), folder.page("page")) == ((), ())
    with folder.database.reading() as session:
        assert session.sql("SELECT (SELECT count(*) FROM item), (SELECT count(*) FROM page)") == [(0, 0)]
    assert faults_of(report.errors) == [
        "content/collections/team.yaml:8 [1].fields.name: This field is required.",
        (
            'content/collections/team.yaml:9 [1].fields.nmae: There is no field "nmae". Did you mean "name"? '
            "Fields: name, age, friend."
        ),
        "content/pages/guide/page.yaml:5 fields.headline: Must be text.",
        "content/pages/guide/page.yaml:7 fields.team[0]: 99 is not found among team.",
        (
            "content/posts/image.md:7: media/none.png does not exist in the site folder "
            "(name a file in media/, as media/sea.jpg)"
        ),
        "content/posts/of.md:5 translation_of: There is no post with the slug 'nothing'.",
        "content/posts/plain.md:1: has no front matter (begin with a line ---, keys such as title:, and a line ---)",
        'content/posts/typo.md:4 titel: is not a known key (did you mean "title"?)',
        'content/posts/when.md:4 published: is "yesterday" (expected an ISO 8601 time such as 2026-03-01T08:00:00Z)',
        'content/posts/where.md:4 locale: is "fr" (locales: en, es)',
        (
            "content/posts/who.md:4 author: There is no author 'nobody'. "
            "Authors there are: ann-ray, bo (content/authors.yaml)."
        ),
    ]


def test_a_faulty_load_does_not_count_as_a_change(folder: "SiteFolder") -> None:
    """Loading the same errors again changes nothing, and so no page goes stale."""
    folder.post("who", author="nobody", tags=["new"])
    folder.items("team", "Ann", {"fields": {}})
    folder.guide("page", fields={"headline": 7})
    folder.load()
    before = folder.change_number()
    assert len(folder.load().errors) == 3
    assert folder.change_number() == before
    with folder.database.reading() as session:
        assert session.sql("SELECT count(*) FROM term") == [(0,)]


def test_a_file_that_turned_faulty_keeps_its_entry_as_it_was(folder: "SiteFolder") -> None:
    """Every load reports it until it is mended, even if it is mended to what it was."""
    folder.post("one")
    folder.guide("start")
    folder.load()
    page = folder.page("start")
    text = (folder.folder / "content/posts/one.md").read_text()
    folder.post("one", "Other.", author="nobody")
    folder.guide("start", fields={"headline": "Other", "image": "media/none.png"})
    for _ in range(2):
        assert {error.file for error in folder.load(prune=True).errors} == {
            "content/posts/one.md", "content/pages/guide/start.yaml",
        }  # fmt: skip
    assert folder.find("one").body == "<p>The sea.</p>\n"
    assert folder.page("start") == page
    folder.write("content/posts/one.md", text)
    folder.guide("start")
    report = folder.load()
    assert (report.errors, report.loaded) == ((), ())


def test_a_faulty_item_leaves_the_rest_of_its_file_out(folder: "SiteFolder") -> None:
    """A file is loaded whole or not at all; the mended file is."""
    folder.items("team", "Ann", {"fields": {"name": ""}}, "Cy")
    assert len(folder.load().errors) == 1
    assert folder.all_items("team") == ()
    folder.items("team", "Ann", "Bo", "Cy")
    assert folder.load().errors == ()
    assert list(folder.ids("team")) == ["Ann", "Bo", "Cy"]


def test_what_refers_to_a_faulty_file_waits_for_it(folder: "SiteFolder") -> None:
    """Else it would keep a reference to an entry that was taken back."""
    folder.items("pets", {"fields": {"name": "Rex", "owner": {"key": "team", "where": {"name": "Ann"}}}})
    folder.items("team", "Ann", {"fields": {}})
    folder.guide("start", fields={"headline": "x", "team": [{"key": "team", "where": {"name": "Ann"}}]})
    assert {error.file.rsplit("/", 1)[1] for error in folder.load().errors} == {
        "team.yaml", "pets.yaml", "start.yaml",
    }  # fmt: skip
    folder.items("team", "Ann")
    assert folder.load().errors == ()
    uri = f"/v2/content/?keys=team[_id={folder.ids('team')['Ann']}]"
    assert folder.all_items("pets")[0].fields["owner"] == uri
    assert folder.page("start")[0].fields["team"] == [uri]


def test_schema_faults_refuse_the_whole_load(folder: "SiteFolder") -> None:
    """Without the schema no entry can be read: nothing is stored, every error is told."""
    folder.post("one")
    folder.write("schema/page_types/bad.yaml", {"fields": [{"slug": "x", "type": "shorttext"}]})
    folder.write("schema/collections/bad.yaml", {"fields": [{"slug": "x", "type": "reference", "targets": ["teams"]}]})
    before = folder.change_number()
    with pytest.raises(InvalidFiles) as caught:
        folder.load()
    assert {error.file for error in caught.value.errors} >= {"schema/page_types/bad.yaml"}
    assert all(error.line and error.remedy for error in caught.value.errors)
    assert folder.change_number() == before
    assert folder.slugs() == []


def test_stray_files_are_faults(folder: "SiteFolder") -> None:
    """A file that nothing reads is told, with the place it may have been meant for; hidden files are not."""
    folder.write("content/pages/guides/x.yaml", {"title": "x"})
    folder.write("content/pages/loose.yaml", {"title": "x"})
    folder.write("content/pages/guide/note.txt", "x")
    folder.write("content/collections/teams.yaml", [])
    folder.write("content/collections/team.json", "[]")
    folder.write("content/pages/.DS_Store", "x")
    folder.write("content/posts/.draft.md", "x")
    assert {error.file: error.remedy for error in folder.load().errors} == {
        "content/pages/guides/x.yaml": 'did you mean "guide"?',
        "content/pages/loose.yaml": "move it to content/pages/<page type>/ or _single/",
        "content/pages/guide/note.txt": "rename or move it",
        "content/collections/teams.yaml": 'did you mean "team"?',
        "content/collections/team.json": "rename or move it",
    }


def test_scheduled_needs_a_time(folder: "SiteFolder") -> None:
    """An entry that is scheduled for no time would never be published, and nobody would know."""
    folder.post("one", status="scheduled")
    folder.guide("start", status="scheduled")
    folder.items("team", {"status": {"en": "scheduled"}, "fields": {"en": {"name": "Ann"}}})
    errors = folder.load().errors
    assert len(errors) == 3
    assert all("scheduled" in str(error) and error.line and error.remedy for error in errors)


@pytest.mark.parametrize("fields", [[1], "text", 7])
def test_fields_of_the_wrong_shape_are_a_fault(folder: "SiteFolder", fields: object) -> None:
    """In a Markdown page as in a YAML page or a collection."""
    folder.write("content/pages/guide/y.yaml", {"title": "y", "fields": fields})
    folder.write("content/collections/team.yaml", [{"fields": fields}])
    text = f"---\ntitle: m\nfields: {fields!r}\n---\nbody"
    folder.write("content/pages/_single/m.md", text)
    assert [error.line for error in folder.load().errors] == [3, 3, 3]


# --- media


def test_a_missing_image_anywhere_is_a_fault(folder: "SiteFolder") -> None:
    """In a body, in front matter, in a media field and inside the HTML of a field, in raw HTML and as a link."""
    folder.post("body", "![](media/a.png)")
    folder.post("raw", '<img src="media/a.png"> and [a file](media/b.pdf)')
    folder.post("front", featured_image="media/a.png")
    folder.guide("field", fields={"headline": "x", "image": "media/a.png"})
    folder.guide("html", fields={"headline": "x", "text": '<p><img src="media/a.png" alt=""></p>'})
    errors = folder.load().errors
    assert sorted({error.file.rsplit("/", 1)[1] for error in errors}) == [
        "body.md", "field.yaml", "front.md", "html.yaml", "raw.md",
    ]  # fmt: skip
    assert all(error.line for error in errors)
    assert folder.slugs() == []


def test_changed_image_bytes_load_the_entries_that_show_it(folder: "SiteFolder") -> None:
    """Under the new digest and size; touching the file alone loads nothing."""
    folder.image("media/sea.png")
    folder.post("one", "![](media/sea.png)")
    folder.guide("start", fields={"headline": "x", "text": '<img src="media/sea.png" alt="">'})
    folder.post("two")
    folder.load()
    first = folder.find("one").body
    (folder.folder / "media/sea.png").touch()
    assert folder.load().loaded == ()
    folder.image("media/sea.png", size=(5, 4))
    assert folder.load().loaded == ("content/pages/guide/start.yaml", "content/posts/one.md")
    assert 'width="5" height="4"' in folder.find("one").body
    assert folder.find("one").body != first


def test_an_image_that_vanished_is_a_fault_of_those_that_show_it(folder: "SiteFolder") -> None:
    """The post keeps the picture it has, until the file says otherwise."""
    folder.image("media/sea.png")
    folder.post("one", "![](media/sea.png)")
    folder.load()
    before = folder.find("one")
    folder.remove("media/sea.png")
    assert [error.file for error in folder.load().errors] == ["content/posts/one.md"]
    assert folder.find("one") == before


# --- posts and translations


def test_a_translation_may_stand_before_its_original(folder: "SiteFolder") -> None:
    """In the order of files; both are in one locale group."""
    folder.post("a-spanish", locale="es", translation_of="z-english")
    folder.post("z-english")
    assert folder.load().errors == ()
    assert folder.find("a-spanish").group_id == folder.find("z-english").group_id


def test_a_post_that_is_no_longer_a_translation_stands_alone(folder: "SiteFolder") -> None:
    """Dropping `translation_of` takes it out of the group; the original stays in its own."""
    folder.post("english")
    folder.post("spanish", locale="es", translation_of="english")
    folder.load()
    folder.post("spanish", locale="es")
    folder.load()
    assert folder.find("spanish").group_id != folder.find("english").group_id
    folder.post("spanish", locale="es", translation_of="english")
    folder.post("english", "Changed.")
    assert folder.load().errors == ()
    assert folder.find("spanish").group_id == folder.find("english").group_id


def test_a_group_has_one_post_in_each_locale(folder: "SiteFolder") -> None:
    """A second Spanish variant is an error that names the first; so is a variant in the locale of its original."""
    folder.post("english")
    folder.post("es-1", locale="es", translation_of="english")
    folder.post("es-2", locale="es", translation_of="english")
    folder.post("same", translation_of="english")
    errors = faults_of(folder.load().errors)
    assert len(errors) == 2
    assert "es-1" in errors[0]
    assert "english" in errors[1]


def test_an_author_may_be_named_by_email_and_defaults_to_the_owner(folder: "SiteFolder") -> None:
    """The slug comes first where both would fit."""
    folder.post("by-email", author="ann@tide.example")
    folder.post("by-slug", author="bo")
    folder.post("by-owner")
    assert folder.load().errors == ()
    assert [folder.find(slug).author.slug for slug in ("by-email", "by-slug", "by-owner")] == [
        "ann-ray", "bo", "ann-ray",
    ]  # fmt: skip


def test_terms_are_made_once_however_their_names_are_written(folder: "SiteFolder") -> None:
    """The first spelling stays; a term that a file declares keeps its slug, and is found by its name alone."""
    folder.write("content/categories.yaml", [{"slug": "nights", "name": "Night sky"}])
    folder.post("a", categories=["Night sky"], tags=["Moon", "moon"])
    folder.post("b", categories=["night sky"], tags=["MOON", "Café"])
    folder.post("c", categories=["nights"], tags=["Cafe\u0301"])
    assert folder.load().errors == ()
    assert [folder.find(slug).categories[0].slug for slug in "abc"] == ["nights", "nights", "nights-2"]
    assert [[tag.name for tag in folder.find(slug).tags] for slug in "abc"] == [["Moon"], ["Moon", "Café"], ["Café"]]


def test_settings_that_change_the_html_render_every_post_anew(folder: "SiteFolder") -> None:
    """The typographer sets quotes; posts that a request edited stay as they are."""
    folder.post("one", '"Sea"...')
    folder.post("two", '"Sea"...')
    folder.load()
    folder.edit("two", title="Edited")
    with (folder.folder / "site.toml").open("a") as file:
        file.write("[markdown]\ntypographer = true\n")
    report = folder.load()
    assert report.loaded == ("content/posts/one.md",)
    assert folder.find("one").body == "<p>“Sea”…</p>\n"
    assert folder.find("two").title == "Edited"
    assert folder.load().loaded == ()


def test_html_bodies_are_kept_but_for_what_could_harm(folder: "SiteFolder") -> None:
    """`format: html`, for posts and Markdown pages."""
    folder.post("one", '<p>Safe</p><script>alert("x")</script>', format="html")
    folder.write("content/pages/_single/about.md", "---\ntitle: x\nformat: html\n---\n<p>*as is*</p><script></script>")
    assert folder.load().errors == ()
    assert folder.find("one").body.strip() == "<p>Safe</p>"
    assert str(folder.page("about", None)[0].fields["body"]).strip() == "<p>*as is*</p>"


def test_a_post_that_is_scheduled_again_waits_again(folder: "SiteFolder") -> None:
    """Status and time come from the file; a draft has neither a time of publication nor one to come."""
    folder.post("one", status="scheduled", scheduled="2026-06-01T08:00:00Z")
    folder.post("two", status="draft")
    folder.load()
    post = folder.find("one")
    assert (post.status, str(post.scheduled_at)) == (Status.SCHEDULED, "2026-06-01 08:00:00+00:00")
    assert folder.find("two").published_at is None
    folder.post("one")
    folder.load()
    post = folder.find("one")
    assert (post.status, post.scheduled_at, post.published_at) == (Status.PUBLISHED, None, folder.now)


# --- items


def test_items_keep_their_ids_when_they_are_reordered(folder: "SiteFolder") -> None:
    """An item without id is known by its label, equal labels in their order."""
    folder.items("team", "Ann", "Bo", "Bo", "Cy")
    folder.load()
    ann, bo, other, cy = (item.id for item in folder.all_items("team"))
    folder.items("team", "Cy", "Bo", "Ann", "Bo")
    folder.load()
    assert [item.id for item in folder.all_items("team")] == [cy, bo, ann, other]


def test_items_keep_their_ids_when_one_is_put_between(folder: "SiteFolder") -> None:
    """Only the new one gets a new id."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    before = folder.ids("team")
    folder.items("team", "New", "Ann", "Newer", "Bo", "Cy")
    folder.load()
    after = folder.ids("team")
    assert {name: after[name] for name in before} == before
    assert len(set(after.values())) == 5


def test_an_item_keeps_its_id_when_its_label_is_edited(folder: "SiteFolder") -> None:
    """It is the one at the same place that no label claims."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    before = folder.ids("team")
    folder.items("team", "Ann", "Bob", "Cy")
    folder.load()
    assert folder.ids("team") == {"Ann": before["Ann"], "Bob": before["Bo"], "Cy": before["Cy"]}


def test_an_item_no_longer_in_the_file_is_reported_and_kept_until_prune(folder: "SiteFolder") -> None:
    """Each load names it, also if no file changed; `prune` moves it to the trash, and its id is not used again."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    before = folder.ids("team")
    folder.items("team", "Ann", "Cy")
    for _ in range(2):
        report = folder.load()
        lost = [(item.path, item.id, item.label) for item in report.vanished_items]
        assert lost == [("content/collections/team.yaml", before["Bo"], "Bo")]
        assert folder.ids("team") == before
    number = folder.change_number()
    folder.load()
    assert folder.change_number() == number
    report = folder.load(prune=True)
    assert ([item.label for item in report.pruned_items], report.vanished_items) == (["Bo"], ())
    assert folder.ids("team") == {"Ann": before["Ann"], "Cy": before["Cy"]}
    report = folder.load(prune=True)
    assert (report.pruned_items, report.vanished_items) == ((), ())
    folder.items("team", "Ann", "Cy", "Di")
    folder.load()
    assert folder.ids("team")["Di"] > before["Cy"]


def test_an_item_that_a_file_dropped_is_not_taken_for_a_new_one(folder: "SiteFolder") -> None:
    """A new item at its place gets an id of its own; the dropped item comes back by its label, to any file."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    before = folder.ids("team")
    folder.items("team", "Ann", "Cy")
    folder.load()
    folder.items("team", "Ann", "Cy", "Di")
    assert folder.load().vanished_items[0].id == before["Bo"]
    assert folder.ids("team")["Di"] > before["Cy"]
    assert folder.ids("team")["Bo"] == before["Bo"]
    folder.items("team", "Ann", "Bo", "Cy", "Di")
    assert folder.load().vanished_items == ()
    assert folder.ids("team")["Bo"] == before["Bo"]
    folder.items("team", "Ann")
    folder.load()
    folder.items("more/team", {"id": before["Bo"], "fields": {"name": "Bo"}})
    report = folder.load(prune=True)
    assert (report.errors, [item.label for item in report.pruned_items]) == ((), ["Cy", "Di"])
    assert folder.ids("team") == {"Ann": before["Ann"], "Bo": before["Bo"]}


def test_items_that_a_faulty_file_may_list_again_are_not_pruned(folder: "SiteFolder") -> None:
    """A file that cannot be read as it is now says nothing about its items."""
    folder.items("team", "Ann", "Bo")
    folder.load()
    folder.items("team", "Ann")
    folder.load()
    folder.write("content/collections/team.yaml", "- fields: [")
    report = folder.load(prune=True)
    assert (len(report.errors), report.pruned_items, len(report.vanished_items)) == (1, (), 1)
    assert folder.ids("team").keys() == {"Ann", "Bo"}


def test_an_explicit_id_is_kept_and_numbers_go_on_around_it(folder: "SiteFolder") -> None:
    """Ids that files name are never given to items without one, wherever those stand."""
    folder.items("pets", "Rex", {"id": 1, "fields": {"name": "Tom"}}, "Kit")
    folder.items("team", "Ann", {"id": 2, "fields": {"name": "Bo"}}, {"id": 41, "fields": {"name": "Cy"}})
    assert folder.load().errors == ()
    assert folder.ids("pets")["Tom"] == 1
    assert (folder.ids("team")["Bo"], folder.ids("team")["Cy"]) == (2, 41)
    every = [*folder.ids("pets").values(), *folder.ids("team").values()]
    assert len(set(every)) == 6


def test_an_id_stands_once(folder: "SiteFolder") -> None:
    """Twice in a file, or in two collections, is an error with the line of the second."""
    folder.items("pets", {"id": 5, "fields": {"name": "Rex"}}, {"id": 5, "fields": {"name": "Tom"}})
    assert faults_of(folder.load().errors) == [
        "content/collections/pets.yaml:9 [1].id: is 5, as above (each needs its own)"
    ]
    folder.items("pets", {"id": 5, "fields": {"name": "Rex"}})
    folder.items("team", "Ann", {"id": 5, "fields": {"name": "Bo"}})
    assert faults_of(folder.load().errors) == [
        (
            'content/collections/team.yaml:8 [1].id: is 5, an item of the collection "pets" '
            "(choose another id, or leave it out)"
        )
    ]
    assert folder.all_items("team") == ()


def test_a_file_that_fails_takes_no_id_from_another(folder: "SiteFolder") -> None:
    """Items made for it by name alone are undone with it, and so is its claim on their ids."""
    folder.items("pets", "Rex", {"id": 7, "fields": {"name": "Tom"}}, {"id": 7, "fields": {"name": "Kit"}})
    folder.items("team", "Ann", "Bo")
    assert [error.file for error in folder.load().errors] == ["content/collections/pets.yaml"]
    assert list(folder.ids("team")) == ["Ann", "Bo"]


def test_an_item_from_the_trash_comes_back_under_its_id(folder: "SiteFolder") -> None:
    """A file that names the id means that item."""
    entry = {"id": 5, "fields": {"name": "Ann"}}
    folder.items("team", entry)
    folder.load()
    folder.items("team")
    folder.load(prune=True)
    assert folder.all_items("team") == ()
    folder.items("team", entry)
    assert folder.load().errors == ()
    assert folder.ids("team") == {"Ann": 5}


def test_items_are_published_unless_they_say_otherwise(folder: "SiteFolder") -> None:
    """Giving a time of creation does not make one a draft."""
    folder.items(
        "team",
        {"fields": {"name": "A"}, "created": "2026-01-01T00:00:00Z"},
        {"fields": {"name": "B"}, "status": "draft"},
        {"fields": {"name": "C"}, "status": "scheduled", "scheduled": "2026-06-01T00:00:00Z"},
        {"fields": {"name": "D"}, "scheduled": "2026-06-01T00:00:00Z"},
    )
    assert folder.load().errors == ()
    found = [(item.fields["name"], item.status.value, item.version.value) for item in folder.all_items("team")]
    assert found == [
        ("A", "published", "live"), ("B", "draft", "draft"), ("C", "scheduled", "draft"), ("D", "scheduled", "draft"),
    ]  # fmt: skip


# --- references


def test_files_may_refer_to_each_other_in_a_circle(folder: "SiteFolder") -> None:
    """By id, by values and by slug, in any order, on the first load."""
    folder.items("pets", {"fields": {"name": "Rex", "owner": {"key": "team", "where": {"name": "Ann"}}}})
    folder.items(
        "team",
        {"id": 41, "fields": {"name": "Ann", "friend": {"key": "pets", "where": {"name": "Rex"}}}},
        {"id": 42, "fields": {"name": "Bo", "friend": 41}},
    )
    folder.guide("a", fields={"headline": "a", "next": "b", "team": [42, {"key": "team", "where": {"name": "Ann"}}]})
    folder.guide("b", fields={"headline": "b", "next": "a"})
    assert folder.load().errors == ()
    rex = folder.ids("pets")["Rex"]
    assert folder.all_items("pets")[0].fields["owner"] == "/v2/content/?keys=team[_id=41]"
    assert [item.fields["friend"] for item in folder.all_items("team")] == [
        f"/v2/content/?keys=pets[_id={rex}]", "/v2/content/?keys=team[_id=41]",
    ]  # fmt: skip
    assert folder.page("a")[0].fields["next"] == "/v2/pages/guide/b/"
    assert folder.page("b")[0].fields["next"] == "/v2/pages/guide/a/"
    assert folder.page("a")[0].fields["team"] == [
        "/v2/content/?keys=team[_id=42]", "/v2/content/?keys=team[_id=41]",
    ]  # fmt: skip


def test_a_reference_to_values_means_the_files_of_this_load(folder: "SiteFolder") -> None:
    """Not what an item was called before, when its file changes in the same load."""
    folder.items("team", "Ann", "Bo")
    folder.items("pets", {"fields": {"name": "Rex", "owner": {"key": "team", "where": {"name": "Bo"}}}})
    folder.load()
    folder.items("team", "Ann", "Bob")
    folder.items("pets", {"fields": {"name": "Rexy", "owner": {"key": "team", "where": {"name": "Bo"}}}})
    assert [error.file for error in folder.load().errors] == ["content/collections/pets.yaml"]
    folder.items("pets", {"fields": {"name": "Rexy", "owner": {"key": "team", "where": {"name": "Bob"}}}})
    assert folder.load().errors == ()


def test_a_page_may_be_named_by_its_new_slug_at_once(folder: "SiteFolder") -> None:
    """Slugs are in the store before any reference is looked up."""
    folder.guide("a", fields={"headline": "a", "next": "z"})
    folder.guide("z")
    folder.load()
    folder.guide("a", fields={"headline": "a", "next": "omega"})
    folder.guide("z", slug="omega")
    assert folder.load().errors == ()
    assert folder.page("a")[0].fields["next"] == "/v2/pages/guide/omega/"


def test_a_single_page_may_be_referred_to(folder: "SiteFolder") -> None:
    """`page:*` in the field's targets."""
    folder.write("content/pages/_single/about.md", "---\ntitle: About\nstatus: published\n---\nWe.")
    folder.guide("a", fields={"headline": "a", "next": "about"})
    assert folder.load().errors == ()
    assert folder.page("a")[0].fields["next"] == "/v2/pages/*/about/"


# --- locales, drafts, schema


def test_localized_fields_share_what_is_not_translatable(folder: "SiteFolder") -> None:
    """The default locale's value stands in every locale."""
    folder.items("team", {"fields": {"es": {"name": "Ana", "age": 1}, "en": {"name": "Ann", "age": 7}}})
    assert folder.load().errors == ()
    assert [(item.locale, item.fields["name"], item.fields["age"]) for item in folder.all_items("team")] == [
        ("en", "Ann", 7), ("es", "Ana", 7),
    ]  # fmt: skip


def test_a_draft_lies_over_the_live_version(folder: "SiteFolder") -> None:
    """With the fields it names, the others as they are live; taking it out of the file removes it."""
    folder.guide("start", fields={"headline": "Live", "text": "<p>Both</p>"}, draft={"fields": {"headline": "Draft"}})
    assert folder.load().errors == ()
    draft, live = folder.page("start")
    assert (draft.version, draft.status, draft.fields["headline"]) == (Version.DRAFT, Status.DRAFT, "Draft")
    assert (live.version, live.status, live.fields["headline"]) == (Version.LIVE, Status.PUBLISHED, "Live")
    assert draft.fields["text"] == live.fields["text"] == "<p>Both</p>"
    folder.guide("start", fields={"headline": "Live", "text": "<p>Both</p>"})
    folder.load()
    assert folder.page("start") == (live,)


def test_a_fault_in_the_draft_of_an_item_is_told_with_its_place(folder: "SiteFolder") -> None:
    """Number of the item, `draft`, field; and the line."""
    folder.items("team", "Ann", {"fields": {"name": "Bo"}, "draft": {"fields": {"name": ["x"]}}})
    assert faults_of(folder.load().errors) == ["content/collections/team.yaml:13 [1].draft.fields.name: Must be text."]


def test_a_page_has_a_status_in_each_locale(folder: "SiteFolder") -> None:
    """`status` by locale; a locale the page is not written in is an error."""
    fields = {"en": {"headline": "Sea"}, "es": {"headline": "Mar"}}
    folder.guide("start", status={"en": "published", "es": "draft"}, fields=fields)
    assert folder.load().errors == ()
    found = [(page.locale, page.status.value, page.version.value) for page in folder.page("start")]
    assert found == [("en", "published", "live"), ("es", "draft", "draft")]
    folder.guide("start", status={"en": "published", "fr": "draft"}, fields=fields)
    (error,) = folder.load().errors
    assert (error.place, error.line is not None) == ("status.fr", True)


def test_a_markdown_page_may_be_in_another_locale(folder: "SiteFolder") -> None:
    """`locale` names it; one that is not configured is an error."""
    text = "---\ntitle: Acerca\nslug: acerca\nstatus: published\nlocale: {}\n---\nHola."
    folder.write("content/pages/_single/acerca.md", text.format("es"))
    assert folder.load().errors == ()
    (page,) = folder.page("acerca", None)
    assert (page.locale, page.fields["body"]) == ("es", "<p>Hola.</p>\n")
    folder.write("content/pages/_single/acerca.md", text.format("fr"))
    assert faults_of(folder.load().errors) == ['content/pages/_single/acerca.md:5 locale: is "fr" (locales: en, es)']


def test_a_changed_schema_checks_files_anew_but_not_what_requests_wrote(folder: "SiteFolder") -> None:
    """A field that was added, dropped or became required changes or errors entries of files, and only those."""
    folder.items("team", "Ann", "Bo")
    folder.guide("start")
    folder.guide("edited")
    folder.load()
    (page,) = folder.page("edited")
    with folder.database.writing() as transaction:
        transaction.sql("UPDATE page SET origin = 'api' WHERE id = ?", page.id)
    fields: list[dict[str, object]] = [
        {"slug": "headline", "type": "short_text"},
        {"slug": "photo", "type": "media"},
    ]
    folder.write("schema/page_types/guide.yaml", {"fields": fields})
    report = folder.load()
    assert set(report.loaded) == {"content/collections/team.yaml", "content/pages/guide/start.yaml"}
    assert folder.page("start")[0].fields == {"headline": "start", "photo": None}
    assert folder.page("edited") == (page,)
    fields.append({"slug": "sub", "type": "short_text", "required": True})
    folder.write("schema/page_types/guide.yaml", {"fields": fields})
    report = folder.load()
    assert [error.place for error in report.errors] == ["fields.sub"]
    with folder.database.reading() as session:
        kept = documents.load_content_schema(session)
    assert [spec.slug for spec in kept.page_type("guide").fields] == ["headline", "photo", "sub"]
    assert kept.collections["team"].fields[0].type == "short_text"


def test_a_deleted_entry_stays_deleted_while_its_file_is_unchanged(folder: "SiteFolder") -> None:
    """A request took it away; only an edit of the file brings it back."""
    folder.post("one")
    folder.load()
    with folder.database.writing() as transaction:
        delete_entry(transaction, EntryKind.POST, folder.find("one").id, folder.now)
    folder.load()
    assert folder.slugs() == []
    folder.post("one", "Again.")
    folder.load()
    assert folder.slugs() == ["one"]


def test_a_page_that_takes_the_slug_of_a_deleted_one_is_new(folder: "SiteFolder") -> None:
    """The trash holds no names."""
    folder.guide("start")
    folder.load()
    first = folder.page("start")[0].id
    folder.remove("content/pages/guide/start.yaml")
    folder.load(prune=True)
    folder.guide("other", slug="start")
    assert folder.load().errors == ()
    assert folder.page("start")[0].id != first


def test_posts_are_found_by_their_words_after_a_load(folder: "SiteFolder") -> None:
    """One row of the search index for each post, of its present words."""
    folder.post("one", "Slack water.")
    folder.load()
    folder.post("one", "High tide.")
    folder.load()
    with folder.database.reading() as session:
        assert indexed(session, "slack") == []
        assert indexed(session, "tide") == [posts.find_post_id(session, "one")]
        assert session.sql("SELECT post_id FROM post_term") == []


# --- several loads, crashes

_LOAD = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from sitecms.actions.loading.load import load_site
from sitecms.settings.site import load_settings
from sitecms.store.opening import open_database
settings = load_settings(Path(sys.argv[1]))
database = open_database(settings.store, create=True)
print("ready", flush=True)
sys.stdin.readline()
report = load_site(database, settings, datetime(2026, 3, 1, tzinfo=UTC))
print(len(report.loaded), len(report.errors))
"""


def start_load(folder: "SiteFolder") -> "subprocess.Popen[str]":
    """A process that has opened the store and loads the folder when it reads a line."""
    command = [sys.executable, "-c", _LOAD, str(folder.folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def whole_site(folder: "SiteFolder", count: int = 40) -> None:
    folder.image("media/sea.png")
    for number in range(count):
        folder.post(f"post-{number:02}", f"# Head\n\nText {number}. ![](media/sea.png)\n", tags=[f"t{number % 5}"])
    folder.items("team", *(f"Name {number}" for number in range(count)))
    folder.items("pets", *({"fields": {"name": f"P{n}", "owner": {"key": "team", "where": {"name": "Name 3"}}}}
                           for n in range(count)))  # fmt: skip
    folder.guide("start", fields={"headline": "x", "team": [{"key": "team", "where": {"name": "Name 7"}}]})


def contents(folder: "SiteFolder") -> tuple[list[Post], list[tuple[int, object]], int]:
    """What a site holds, without the times of the load."""
    found = [folder.find(slug) for slug in folder.slugs()]
    return found, [(item.id, item.fields) for item in folder.all_items("pets")], len(folder.page("start"))


def test_a_load_killed_at_any_moment_leaves_all_or_nothing_and_the_next_completes(folder: "SiteFolder") -> None:
    """`kill -9`: the store is sound, holds the site whole or not at all, and loads as if nothing had happened."""
    whole_site(folder)
    rng = random.Random(7)
    seen = set()
    for _ in range(8):
        process = start_load(folder)
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
        time.sleep(rng.uniform(0, 0.4))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with folder.database.reading() as session:
            seen.add(session.sql("SELECT count(*) FROM post")[0][0])
        assert is_sound(folder.database)
    assert seen <= {0, 40}
    assert folder.load().errors == ()
    assert folder.load().loaded == ()
    assert len(folder.slugs()) == len(folder.all_items("team")) == len(folder.all_items("pets")) == 40


def test_two_loads_at_once_store_everything_once(folder: "SiteFolder") -> None:
    """Whichever comes second finds the files loaded; no item is there twice."""
    whole_site(folder)
    processes = [start_load(folder) for _ in range(3)]
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        answer, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert answer.split()[1] == "0"
    assert len(folder.slugs()) == len(folder.all_items("team")) == len(folder.all_items("pets")) == 40
    found = contents(folder)
    report = folder.load()
    assert (report.loaded, report.errors) == ((), ())
    assert contents(folder) == found
