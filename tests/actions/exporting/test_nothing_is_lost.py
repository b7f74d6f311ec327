"""An export has former addresses, page ids, unused media, and the trash on request."""

from pathlib import Path

from sitecms.actions.exporting.export import export_site
from sitecms.actions.writing.trash import delete_entry
from sitecms.content.kinds import EntryKind
from sitecms.site.plan.redirect_files import HOSTED
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.versions import VERSIONS
from tests.support.reading import get_post
from tests.support.sites import ExampleSite


def redirects(example: ExampleSite) -> list[str]:
    return sorted(line for line in example.text(HOSTED).splitlines() if not line.startswith("#"))


def export(example: ExampleSite, folder: Path, *, with_trash: bool = False) -> None:
    report = export_site(example.database, example.settings, folder, with_trash=with_trash)
    assert report.notes == ()


def test_former_addresses_are_exported_as_aliases(example: ExampleSite, tmp_path: Path) -> None:
    """The copy has the same redirects, also of dated addresses, own paths, pages in two locales and exchanged slugs."""
    page = {"title": "Knots", "status": "published", "fields": {"en": {"summary": "Two."}, "es": {"summary": "Dos."}}}
    example.settings_are(permalinks={"post": "/{year}/{month}/{slug}/"})
    example.write("content/pages/guide/knots.yaml", {**page, "aliases": ["/k/"]})
    example.make()
    example.post("calm", published="2026-03-01T08:00:00Z")
    example.post("ebb", published="2026-02-03T08:00:00Z", slug="flow")
    example.post("flow", published="2026-02-04T08:00:00Z", slug="ebb", path="/own/")
    example.write("content/pages/guide/knots.yaml", {**page, "slug": "ropes", "aliases": ["/k/"]})
    example.make()
    example.post("flow", published="2026-02-04T08:00:00Z", slug="ebb")
    example.make()
    assert len(redirects(example)) >= 5
    export(example, tmp_path / "files")
    again = ExampleSite(tmp_path / "files")
    again.load()
    again.build()
    assert redirects(again) == redirects(example)
    export(again, tmp_path / "more")
    files = "content/posts/calm.md", "content/pages/guide/ropes.yaml", "README.md"
    assert [(tmp_path / "more" / name).read_bytes() for name in files] == [
        (tmp_path / "files" / name).read_bytes() for name in files
    ]
    again.database.close()


def test_pages_keep_their_ids(example: ExampleSite, tmp_path: Path) -> None:
    """A file that gives another page's id, or another id, is an error."""
    example.load()
    with example.database.writing() as transaction:
        about = find_named(transaction, EntryKind.PAGE, "", "about")
        delete_entry(transaction, EntryKind.PAGE, about or 0, example.now)
    example.write("content/pages/_single/first.md", "---\ntitle: First\nstatus: published\n---\nOne.\n")
    example.load()
    export(example, tmp_path / "files")
    again = ExampleSite(tmp_path / "files")
    again.load()
    ids = [
        {(page.slug, page.id) for page in site.database.read(VERSIONS[EntryKind.PAGE].all)} for site in (example, again)
    ]
    assert ids[0] == ids[1]
    again.database.close()


def test_unused_media_and_the_readme_are_written(example: ExampleSite, tmp_path: Path) -> None:
    """An owner's README stays, and ours stands beside it."""
    example.write("media/later/unused.txt", "not yet")
    example.load()
    export(example, tmp_path / "files")
    assert (tmp_path / "files/media/later/unused.txt").read_text() == "not yet"
    assert "`content/posts/`" in (tmp_path / "files/README.md").read_text()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/README.md").write_text("# Mine")
    export_site(example.database, example.settings, tmp_path / "mine", force=True)
    assert (tmp_path / "mine/README.md").read_text() == "# Mine"
    assert "`content/posts/`" in (tmp_path / "mine/README-export.md").read_text()


def test_rules_of_redirects_are_exported(example: ExampleSite, tmp_path: Path) -> None:
    """The file is copied as it is."""
    example.write("redirects.yaml", "- {from: /a/, to: /about/}  # since 2019\n")
    example.load()
    export(example, tmp_path / "files")
    assert (tmp_path / "files/redirects.yaml").read_text() == "- {from: /a/, to: /about/}  # since 2019\n"


def test_the_trash_is_written_on_request(example: ExampleSite, tmp_path: Path) -> None:
    """No command reads it there; a file that is moved into content comes back."""
    example.load()
    with example.database.writing() as transaction:
        post_id = get_post(transaction, "calm").id
        delete_entry(transaction, EntryKind.POST, post_id, example.now)
        delete_entry(
            transaction, EntryKind.PAGE, find_named(transaction, EntryKind.PAGE, "guide", "knots") or 0, example.now
        )
        delete_entry(transaction, EntryKind.ITEM, 2, example.now)
    export(example, tmp_path / "without")
    assert not (tmp_path / "without/trash").exists()
    export(example, tmp_path / "files", with_trash=True)
    found = {path.relative_to(tmp_path / "files/trash").as_posix() for path in (tmp_path / "files/trash").rglob("*.*")}
    assert {name.rsplit("-", 1)[0] for name in found} == {"posts/calm", "pages/guide/knots", "collections/menu"}
    again = ExampleSite(tmp_path / "files")
    again.load()
    (again.folder / f"trash/posts/calm-{post_id}.md").rename(again.folder / "content/posts/calm.md")
    again.load()
    assert again.database.read(get_post, "calm").body == "<p>Nothing moves.</p>\n"
    again.database.close()
