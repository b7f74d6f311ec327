"""Posts keep the Markdown that they came as, until their body changes through the API."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from sitecms.actions.exporting.export import export_site
from sitecms.actions.loading.reading import files
from sitecms.actions.writing.entry_events import EventCause
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.actions.writing.trash import restore_entry
from sitecms.content.change import Origin, change_of_entry
from sitecms.content.kinds import EntryKind
from sitecms.store.entries import trash
from sitecms.store.entries.bodies import find_markdown
from sitecms.store.maintenance.row_digests import damaged_rows
from tests.support.reading import execute, get_post
from tests.support.sites import ExampleSite

FRONT = "---\ntitle: Calm\nslug: calm\npublished: 2026-02-01T08:00:00Z\n---\n"
BODY = (
    "\n\n*  A   list,\t\n\n```python\nx = '<b>'  \n```\n\n![Sea](media/2012/sea.png \"x\") and "
    "![up](../../media/sea.png)\n\n"
    "Hard  \nbreak &amp; ünïcode <span>html</span>\n\n[ref]: https://x.example 'y'\n\n---\nno end of line"
)


def write(example: ExampleSite, body: str = BODY) -> None:
    example.image("media/2012/sea.png", "red")
    example.write("content/posts/calm.md", FRONT + body)


def exported(example: ExampleSite, folder: Path) -> str:
    export_site(example.database, example.settings, folder, force=True)
    text = (folder / "content/posts/calm.md").read_text(encoding="utf-8")
    return text.split("\n---\n", 1)[1]


def markdown_of(example: ExampleSite) -> str | None:
    with example.database.reading() as session:
        return find_markdown(session, get_post(session, "calm").id)


def change_through_the_api(example: ExampleSite, **values: str) -> None:
    with example.database.writing() as transaction:
        post = get_post(transaction, "calm")
        markdown = None if "body" in values else find_markdown(transaction, post.id)
        title = values.pop("title", post.title)
        change = replace(change_of_entry([post]).with_values(markdown=markdown, **values), title=title)
        save_entry(SaveContext(transaction, Origin.API, example.now, owner="ann-ray"), change)


def test_markdown_is_exported_as_it_was_written(example: ExampleSite, tmp_path: Path) -> None:
    """It loads into the same post, with pictures at the paths that it names."""
    write(example)
    example.load()
    assert exported(example, tmp_path / "files") == BODY
    again = ExampleSite(tmp_path / "files")
    again.load()
    bodies = [site.database.read(get_post, "calm").body for site in (example, again)]
    assert bodies[0] == bodies[1]
    assert (again.folder / "media/2012/sea.png").read_bytes() == (example.folder / "media/2012/sea.png").read_bytes()
    assert exported(again, tmp_path / "more") == BODY
    again.database.close()


def test_a_body_that_changes_through_the_api_is_html(example: ExampleSite, tmp_path: Path) -> None:
    """Another change leaves the Markdown."""
    write(example)
    example.load()
    change_through_the_api(example, title="Calmer")
    assert markdown_of(example) == BODY
    change_through_the_api(example, body="<p>New.</p>")
    assert markdown_of(example) is None
    assert exported(example, tmp_path / "files") == "<p>New.</p>"
    assert "format: html\n" in (tmp_path / "files/content/posts/calm.md").read_text()


def test_a_change_of_the_file_that_renders_alike_is_kept(example: ExampleSite) -> None:
    """Neither the post nor its time of update changes."""
    write(example, "One.\n")
    example.load()
    before = example.database.read(get_post, "calm")
    write(example, "One.  \n\n\n")
    example.load()
    assert markdown_of(example) == "One.  \n\n\n"
    assert example.database.read(get_post, "calm") == before
    example.post("calm", "<p>One.</p>", published="2026-02-01T08:00:00Z", format="html")
    example.load()
    assert markdown_of(example) is None


def test_a_store_of_before_gets_the_markdown_with_the_next_load(
    example: ExampleSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first version of the store kept none; the files are unchanged."""
    write(example)
    with monkeypatch.context() as before:
        before.setattr(files, "RENDERING", 1)
        example.load()
    execute(example.database, "UPDATE version_body SET markdown = NULL")
    example.load()
    assert markdown_of(example) == BODY


def test_a_former_version_has_its_markdown(example: ExampleSite) -> None:
    """It comes back with it, and rows have their digests."""
    write(example)
    example.load()
    with example.database.writing() as transaction:
        copy_id = trash.copy_to_trash(transaction, EntryKind.POST, get_post(transaction, "calm").id, example.now)
    change_through_the_api(example, body="<p>New.</p>")
    example.database.write(restore_entry, EntryKind.POST, copy_id, example.settings, EventCause("en", example.now))
    assert markdown_of(example) == BODY
    with example.database.reading() as session:
        assert list(damaged_rows(session)) == []


@pytest.mark.parametrize("is_other", [True, False])
def test_pictures_of_two_posts_with_one_address_are_both_written(
    example: ExampleSite, tmp_path: Path, is_other: bool
) -> None:
    """A post whose picture was replaced since under the same address is written as HTML, which names its own."""
    write(example, "![Sea](media/2012/sea.png)\n")
    example.load()
    if is_other:
        example.image("media/2012/sea.png", "green")
    example.write("content/posts/other.md", "---\ntitle: Other\nstatus: published\n---\n![Sea](media/2012/sea.png)\n")
    example.load()
    body = exported(example, tmp_path / "files")
    assert body == "![Sea](media/2012/sea.png)\n" or is_other
    assert (tmp_path / "files/media/2012/sea.png").is_file()


def test_links_between_files_are_addresses_in_an_export(example: ExampleSite, tmp_path: Path) -> None:
    """Files have other places there; the post is the same, with its picture, and code stays as it is."""
    example.image("content/posts/trip/boat.png", "red")
    example.post("other", published="2026-02-01T08:00:00Z")
    body = "[x](../other.md#a) ![Boat](boat.png) `[x](../other.md)`"
    example.post("trip/quiet", body, published="2026-02-01T08:00:00Z")
    example.load()
    export_site(example.database, example.settings, tmp_path / "files")
    text = (tmp_path / "files/content/posts/quiet.md").read_text(encoding="utf-8").split("\n---\n", 1)[1]
    assert text.strip() == "[x](/blog/other/#a) ![Boat](media/boat.png) `[x](../other.md)`"
    again = ExampleSite(tmp_path / "files")
    again.load()
    bodies = [site.database.read(get_post, "quiet").body for site in (example, again)]
    assert bodies[0] == bodies[1]
    assert 'href="/blog/other/#a"' in bodies[0]
