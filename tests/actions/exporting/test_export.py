"""An export is a site folder that loads and builds to what it was made from, and replaces nobody's files."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sitecms.actions.exporting.export import ExportReport, export_site
from sitecms.actions.writing.trash import delete_entry
from sitecms.clock import from_microseconds
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaDetails
from sitecms.errors import ConfigurationError
from sitecms.store.entries.media_files import all_media, save_details
from tests.support.sites import ExampleSite

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def exported(example: ExampleSite, folder: Path, *, force: bool = False) -> ExportReport:
    return export_site(example.database, example.settings, folder, force=force)


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_exported_site_builds_to_the_same_bytes(example: ExampleSite, tmp_path: Path) -> None:
    """Posts, translations, pages, items, pictures, aliases and static files, hidden ones too, are built equally."""
    example.post("moved", "Elsewhere once.", published="2026-02-09T08:00:00Z", aliases=["/old/moved/"])
    example.post("twin-b", "One time.", published="2026-02-10T08:00:00Z")
    example.post("twin-a", "The same time.", published="2026-02-10T08:00:00Z")
    example.write("static/.well-known/security.txt", "Contact: ann\n")
    example.write("static/film.bin", bytes(range(256)) * 9000)
    about = "title: About\npublished: 2026-01-01T08:00:00Z"  # an export gives every entry a date
    example.write("content/pages/_single/about.md", f"---\n{about}\n---\nWe [row](/blog/).\n")
    example.make()
    assert exported(example, tmp_path / "files").notes == ()
    again = ExampleSite(tmp_path / "files")
    again.now = example.now
    again.load()
    assert again.build().failed == {}
    assert again.tree() == example.tree()
    again.database.close()


def test_names_of_media_and_posts_are_those_that_people_know(example: ExampleSite, tmp_path: Path) -> None:
    """Media by the names they came with, posts by their slugs, translations below their locale."""
    example.load()
    exported(example, tmp_path / "files")
    names = {path for path in tree(tmp_path / "files") if not path.startswith((".", "schema/"))}
    assert {"media/sea.png", "media/ann.png", "content/posts/ebb.md", "content/posts/es/marea-baja.md"} <= names
    assert {
        "content/pages/_single/about.yaml",
        "content/pages/guide/knots.yaml",
        "content/collections/menu.yaml",
    } <= names
    text = (tmp_path / "files" / "content" / "posts" / "ebb.md").read_text()
    assert text.endswith("---\nOut it goes.\n\n![The sea](media/sea.png)\n")


def test_alt_texts_and_focal_points_are_exported(example: ExampleSite, tmp_path: Path) -> None:
    """Those of files and those of the studio, in content/media.yaml, which loads to the same."""
    example.write(
        "content/media.yaml",
        [{"file": "media/sea.png", "alt": "Waves", "focus": {"x": 0.29, "y": 0.58}, "tags": ["Sea", "Isle of Man"]}],
    )
    example.load()
    with example.database.writing() as transaction:
        ann = next(file for file in all_media(transaction).values() if file.original_name == "ann.png")
        save_details(transaction, ann.name, MediaDetails(is_decorative=True, tags=("People",)))
    assert exported(example, tmp_path / "files").notes == ()
    assert (tmp_path / "files/content/media.yaml").read_text() == (
        "- file: media/ann.png\n  decorative: true\n  tags:\n  - People\n"
        "- file: media/sea.png\n  alt: Waves\n  focus:\n    x: 0.29\n    y: 0.58\n  tags:\n  - Sea\n  - Isle of Man\n"
    )
    again = ExampleSite(tmp_path / "files")
    again.load()
    with example.database.reading() as one, again.database.reading() as other:
        before, after = all_media(one), all_media(other)
    again.database.close()
    assert {name: file.details for name, file in after.items()} == {name: file.details for name, file in before.items()}


def test_two_exports_of_one_store_are_equal(example: ExampleSite, tmp_path: Path) -> None:
    """The bytes are equal, and an export over an export rewrites no file."""
    example.load()
    exported(example, tmp_path / "one")
    exported(example, tmp_path / "two")
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "one").rglob("*") if path.is_file()}
    assert exported(example, tmp_path / "one").removed == ()
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_an_earlier_export_is_brought_up_to_date(example: ExampleSite, tmp_path: Path) -> None:
    """The files of a deleted entry and of what is static no more go; files of others stay."""
    example.write("static/film.txt", "")
    example.load()
    exported(example, tmp_path / "files")
    (tmp_path / "files" / ".git").mkdir()
    (tmp_path / "files" / "notes.txt").write_text("mine")
    with example.database.writing() as transaction:
        post_id = transaction.sql("SELECT id FROM entry WHERE kind = 'post' AND slug = 'marea-baja'")[0][0]
        delete_entry(transaction, EntryKind.POST, post_id, AT)
    example.remove("static/film.txt")
    assert set(exported(example, tmp_path / "files").removed) == {"content/posts/es/marea-baja.md", "static/film.txt"}
    assert not (tmp_path / "files" / "content" / "posts" / "es").exists()
    assert (tmp_path / "files" / "notes.txt").read_text() == "mine"


def test_a_folder_of_somebody_else_is_refused_unless_forced(example: ExampleSite, tmp_path: Path) -> None:
    """Nothing is written; with force, files of other names stay."""
    example.load()
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(ConfigurationError, match="--force"):
        exported(example, folder)
    assert tree(folder) == {"notes.txt": b"mine"}
    exported(example, folder, force=True)
    assert tree(folder)["notes.txt"] == b"mine"
    assert "site.toml" in tree(folder)
    with pytest.raises(ConfigurationError, match="own folder"):
        exported(example, example.folder, force=True)


def test_what_files_cannot_say_is_told(example: ExampleSite, tmp_path: Path) -> None:
    """Media that are missing, links into a part of a file."""
    example.load()
    with example.database.writing() as transaction:
        name = transaction.sql("SELECT name FROM media_file WHERE original_name = 'ann.png'")[0][0]
        link = f'<p><a href="/media/{name}#top">x</a></p>'
        transaction.sql(
            "UPDATE version_body SET html = ? WHERE version_id = (SELECT id FROM version WHERE slug = 'calm')", link
        )
        transaction.sql("UPDATE version_body SET markdown = NULL")
        transaction.sql("UPDATE author SET profile_image = ''")
    (example.settings.media_dir / str(name)).unlink()
    notes = " ".join(exported(example, tmp_path / "files").notes)
    assert f"media {name}: is missing" in notes
    assert f"media {name}: is linked to in a way that load does not follow" in notes


def test_ids_of_posts_are_kept_and_never_shared(example: ExampleSite) -> None:
    """A post that names its id gets it, whatever comes first; one that another has is an error."""
    example.post("first", "No id of its own.", published="2026-01-01T00:00:00Z")
    example.post("kept", "Its id stands.", id=1, published="2026-01-01T00:00:00Z")
    example.load()
    with example.database.reading() as session:
        ids = dict(session.sql("SELECT slug, id FROM entry WHERE kind = 'post'"))
    assert ids["kept"] == 1
    assert len(set(ids.values())) == len(ids)
    example.post("late", "Too late.", id=1, published="2026-01-01T00:00:00Z")
    with pytest.raises(AssertionError, match="the id of another post"):
        example.load()


def test_times_by_locale_and_of_drafts_are_read(example: ExampleSite) -> None:
    """Each version has its own; a time that a draft does not name is that of the live version."""
    example.write("content/pages/guide/times.yaml", {
        "title": "Times", "status": {"en": "published", "es": "draft"},
        "created": {"en": "2026-01-01T00:00:00Z", "es": "2026-01-02T00:00:00Z"},
        "published": {"en": "2026-01-03T00:00:00Z"},
        "fields": {"en": {"summary": "a"}, "es": {"summary": "b"}},
        "draft": {"fields": {"en": {"summary": "c"}}, "created": "2026-01-04T00:00:00Z", "published": None},
    })  # fmt: skip
    example.load()
    with example.database.reading() as session:
        rows = session.sql(
            "SELECT v.locale, version, v.created_at, published_at "
            "FROM version AS v JOIN entry ON entry.kind = v.kind AND entry.id = entry_id "
            "WHERE entry.slug = 'times' ORDER BY 1, 2"
        )
    assert [(*row[:2], *(at and from_microseconds(at).date().isoformat() for at in row[2:])) for row in rows] == [
        ("en", "draft", "2026-01-04", None),
        ("en", "live", "2026-01-01", "2026-01-03"),
        ("es", "draft", "2026-01-02", None),
    ]


def test_files_that_cannot_be_read_are_noted(example: ExampleSite, tmp_path: Path) -> None:
    """Assets and templates with names that no command reads are left out with a line each."""
    example.load()
    assets = example.settings.folder / "assets"
    assets.mkdir(exist_ok=True)
    (assets / os.fsdecode(b"caf\xe9.css")).write_text("p {}", encoding="utf-8")
    (assets / "a\nb.css").write_text("p {}", encoding="utf-8")
    end = "so it is not read: not written (rename it)"
    assert sorted(exported(example, tmp_path / "files").notes) == [
        f"assets/a\\nb.css: has a name with a line break or control character, {end}",
        f"assets/caf\\xe9.css: has a name that is not UTF-8, {end}",
    ]
