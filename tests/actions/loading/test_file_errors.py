"""Errors in files: all are reported at once, and nothing of a file with an error is stored."""

import pytest

from sitecms.errors import InvalidFiles
from tests.actions.conftest import SiteFolder
from tests.support.reading import select

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")


def test_all_errors_come_at_once_and_nothing_of_their_files_is_stored(folder: SiteFolder) -> None:
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
    assert select(folder.database, "SELECT count(*) FROM entry WHERE kind <> 'post'") == [(0,)]
    assert [*map(str, report.errors)] == [
        "content/collections/team.yaml:8 [1].fields.name: This field is required.",
        (
            'content/collections/team.yaml:9 [1].fields.nmae: There is no field "nmae". Did you mean "name"? '
            "Fields: name, age, friend."
        ),
        "content/pages/guide/page.yaml:5 fields.headline: Must be text.",
        "content/pages/guide/page.yaml:7 fields.team[0]: 99 is not found among team.",
        (
            "content/posts/image.md:7:5: media/none.png does not exist in the site folder "
            "(name a file in media/, as media/sea.jpg, or one beside the text)"
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


def test_a_faulty_load_does_not_count_as_a_change(folder: SiteFolder) -> None:
    """Loading the same errors again changes nothing, and so no page goes stale."""
    folder.post("who", author="nobody", tags=["new"])
    folder.items("team", "Ann", {"fields": {}})
    folder.guide("page", fields={"headline": 7})
    folder.load()
    before = folder.change_number()
    assert len(folder.load().errors) == 3
    assert folder.change_number() == before
    assert select(folder.database, "SELECT count(*) FROM term") == [(0,)]


def test_a_file_that_turned_faulty_keeps_its_entry_as_it_was(folder: SiteFolder) -> None:
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


def test_a_faulty_item_leaves_the_rest_of_its_file_out(folder: SiteFolder) -> None:
    """A file is loaded whole or not at all; the mended file is."""
    folder.items("team", "Ann", {"fields": {"name": ""}}, "Cy")
    assert len(folder.load().errors) == 1
    assert folder.all_items("team") == ()
    folder.items("team", "Ann", "Bo", "Cy")
    assert folder.load().errors == ()
    assert list(folder.ids("team")) == ["Ann", "Bo", "Cy"]


def test_what_refers_to_a_faulty_file_waits_for_it(folder: SiteFolder) -> None:
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


def test_schema_errors_refuse_the_whole_load(folder: SiteFolder) -> None:
    """No entry can be read without the schema: nothing is stored, and every error is reported."""
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


def test_stray_files_are_errors(folder: SiteFolder) -> None:
    """A file that nothing reads is reported with its probable place; hidden files are not."""
    folder.write("content/pages/guides/x.yaml", {"title": "x"})
    folder.write("content/pages/loose.yaml", {"title": "x"})
    folder.write("content/pages/guide/note.odt", "x")
    folder.write("content/collections/teams.yaml", [])
    folder.write("content/collections/team.json", "[]")
    folder.write("content/pages/.DS_Store", "x")
    folder.write("content/posts/.draft.md", "x")
    assert {error.file: error.remedy for error in folder.load().errors} == {
        "content/pages/guides/x.yaml": 'did you mean "guide"?',
        "content/pages/loose.yaml": "move it to content/pages/<page type>/ or _single/",
        "content/pages/guide/note.odt": "rename or move it",
        "content/collections/teams.yaml": 'did you mean "team"?',
        "content/collections/team.json": "rename or move it",
    }


def test_scheduled_needs_a_time(folder: SiteFolder) -> None:
    """An entry that is scheduled for no time would never be published, and nobody would know."""
    folder.post("one", status="scheduled")
    folder.guide("start", status="scheduled")
    folder.items("team", {"status": {"en": "scheduled"}, "fields": {"en": {"name": "Ann"}}})
    errors = folder.load().errors
    assert len(errors) == 3
    assert all("scheduled" in str(error) and error.line and error.remedy for error in errors)


@pytest.mark.parametrize("fields", [[1], "text", 7])
def test_fields_of_the_wrong_shape_are_an_error(folder: SiteFolder, fields: object) -> None:
    """Markdown pages, YAML pages and collections report it."""
    folder.write("content/pages/guide/y.yaml", {"title": "y", "fields": fields})
    folder.write("content/collections/team.yaml", [{"fields": fields}])
    text = f"---\ntitle: m\nfields: {fields!r}\n---\nbody"
    folder.write("content/pages/_single/m.md", text)
    assert [error.line for error in folder.load().errors] == [3, 3, 3]


def test_a_missing_image_anywhere_is_an_error(folder: SiteFolder) -> None:
    """Bodies, front matter, media fields, HTML fields, raw HTML and links report it."""
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


def test_changed_image_bytes_load_the_entries_that_show_it(folder: SiteFolder) -> None:
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


def test_an_image_that_vanished_is_a_error_of_those_that_show_it(folder: SiteFolder) -> None:
    """The post keeps the picture it has, until the file says otherwise."""
    folder.image("media/sea.png")
    folder.post("one", "![](media/sea.png)")
    folder.load()
    before = folder.find("one")
    folder.remove("media/sea.png")
    assert [error.file for error in folder.load().errors] == ["content/posts/one.md"]
    assert folder.find("one") == before
