"""Photos of the site folder say nothing of their owner once they are published; the originals stay as they are."""

from pathlib import Path

from sitecms.actions.exporting.export import export_site
from sitecms.actions.operations.verify.verify import verify_store
from sitecms.runtime import open_runtime
from sitecms.web.service import create_app
from tests.media.revealing import FILES, leftovers
from tests.support.reading import select
from tests.support.sites import ExampleSite


def with_media(example: ExampleSite) -> None:
    """A site that shows a file of each kind, in bodies, fields and as what posts are shared with."""
    for name, data in FILES.items():
        example.write(f"media/{name}", data)
    example.write("assets/header.jpg", FILES["phone.jpg"])
    body = "".join(f'<p><a href="media/{name}">x</a></p><img src="media/{name}">' for name in FILES)
    example.post("album", body, format="html", published="2026-02-20T08:00:00Z", featured_image="media/phone.jpg")
    example.write(
        "content/pages/guide/knots.yaml",
        {"title": "Knots", "status": "published", "published": "2026-01-01T08:00:00Z",
         "fields": {"cover": {"url": "media/screen.png", "alt": ""}}},
    )  # fmt: skip


def unclean(tree: dict[str, bytes]) -> dict[str, list[str]]:
    return {path: found for path, data in tree.items() if (found := leftovers(data))}


def test_the_built_site_has_no_metadata(example: ExampleSite) -> None:
    """Neither a media file, nor an asset, nor a page, nor a feed of the built site holds any."""
    with_media(example)
    example.make()
    tree = example.tree()
    assert len([path for path in tree if path.startswith("media/")]) >= len(FILES)
    assert any(path.startswith("assets/header") for path in tree)
    assert unclean(tree) == {}
    assert example.make().written == 0
    assert example.clean_tree() == example.tree()


def test_the_api_serves_no_metadata(example: ExampleSite) -> None:
    """Every media file that the API server has comes without, as its answer and as what is sent for it."""
    with_media(example)
    example.load()
    runtime = open_runtime(example.settings)
    client = create_app(runtime).test_client()
    names = [str(row[0]) for row in select(runtime.database, "SELECT name FROM media_file")]
    assert len(names) >= len(FILES)
    answers = {name: client.get(f"/media/{name}", buffered=True).data for name in names}
    assert unclean(answers) == {}
    runtime.database.close()


def test_originals_stay_and_are_exported(example: ExampleSite, tmp_path: Path) -> None:
    """The files of the site folder are untouched, an export holds them to the byte, and it loads to the same site."""
    with_media(example)
    dated = "---\ntitle: About\npublished: 2026-01-01T08:00:00Z\n---\nWe [row](/blog/).\n"
    example.write("content/pages/_single/about.md", dated)  # an export states the times that the store knows
    example.make()
    report = export_site(example.database, example.settings, tmp_path / "files")
    assert report.notes == ()
    for name, data in FILES.items():
        assert (example.folder / "media" / name).read_bytes() == data
        assert (tmp_path / "files" / "media" / name).read_bytes() == data
    again = ExampleSite(tmp_path / "files")
    again.now = example.now
    again.load()
    again.build()
    assert again.tree() == example.tree()
    again.database.close()


def test_an_export_says_which_originals_have_gone(example: ExampleSite, tmp_path: Path) -> None:
    """Of a photo that is not in the site folder any more the published file is exported, and a note says so."""
    with_media(example)
    example.load()
    example.remove("media/phone.jpg")
    example.write("media/screen.png", b"something else")
    example.remove("media/sea.png")
    notes = export_site(example.database, example.settings, tmp_path / "files").notes
    assert len(notes) == 2
    assert all("no longer has its original, so the export holds it without metadata" in note for note in notes)
    assert leftovers((tmp_path / "files" / "media" / "phone.jpg").read_bytes()) == []


def test_damaged_media_is_restored_from_the_original(example: ExampleSite) -> None:
    """A published file that is missing or damaged is made once more from the photo of the site folder."""
    with_media(example)
    example.load()
    stored = {path: path.read_bytes() for path in example.settings.media_dir.iterdir()}
    for number, path in enumerate(sorted(stored)):
        path.unlink() if number % 2 else path.write_bytes(b"damaged")
    findings = verify_store(example.settings, example.now, repair=True).findings
    assert {finding.kind for finding in findings} == {"media-missing", "media-damaged"}
    assert {path: path.read_bytes() for path in example.settings.media_dir.iterdir()} == stored


def test_a_copy_without_metadata_is_the_same_file(example: ExampleSite) -> None:
    """A photo whose metadata change, or go, is the file that is published already: no page is made anew."""
    with_media(example)
    example.make()
    row = select(example.database, "SELECT name FROM media_file WHERE original_name = 'phone.jpg'")[0]
    example.write("media/phone.jpg", (example.settings.media_dir / str(row[0])).read_bytes())
    assert example.make().written == 0


def test_object_storage_gets_no_metadata(example: ExampleSite, media_storage: str) -> None:
    """What is uploaded is what is published."""
    with_media(example)
    example.make()
    assert unclean(example.tree()) == {}
    assert media_storage in ("folder", "bucket")
    assert verify_store(example.settings, example.now).findings == ()
