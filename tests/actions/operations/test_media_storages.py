"""Operations on media give the same result for a folder and for object storage."""

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from sitecms.actions.exporting.export import export_site
from sitecms.actions.operations.backup.create import back_up
from sitecms.actions.operations.housekeeping import remove_unused_media
from sitecms.actions.operations.restore import restore_backup
from sitecms.actions.operations.verify.verify import VerifyReport, verify_store
from sitecms.cli.commands.status import site_status
from sitecms.clock import now
from sitecms.media.library import MediaLibrary, open_library
from sitecms.media.storage.bucket import ObjectStorage
from sitecms.settings.site import load_settings
from sitecms.site.check.check import CheckOptions, check_site
from sitecms.site.images.image_plan import plan_images
from sitecms.site.snapshot import take_snapshot
from sitecms.store.entries.media_files import all_media
from tests.support.object_storage import BUCKET
from tests.support.sites import ExampleSite

pytestmark = [pytest.mark.sqlite_only("files on both storages"), pytest.mark.usefixtures("media_storage")]
AT = datetime(2040, 1, 1, tzinfo=UTC)
EXTRA = b"%PDF-1.4 extra"


class Hands:
    """Other hands at the stored files, behind sitecms' back."""

    def __init__(self, library: MediaLibrary) -> None:
        self._storage = library.storage

    def read(self, name: str) -> bytes:
        if isinstance(self._storage, ObjectStorage):
            found: bytes = self._s3.get_object(**self._place(name))["Body"].read()
            return found
        return (self._storage.folder / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        if isinstance(self._storage, ObjectStorage):
            self._s3.put_object(**self._place(name), Body=data)
        else:
            (self._storage.folder / name).write_bytes(data)

    def remove(self, name: str) -> None:
        if isinstance(self._storage, ObjectStorage):
            self._s3.delete_object(**self._place(name))
        else:
            (self._storage.folder / name).unlink()

    def forget_copies(self) -> None:
        """Remove the local copies, as on a machine that has read nothing yet."""
        if isinstance(self._storage, ObjectStorage):
            for path in self._storage.folder.glob("*.*"):
                path.unlink()

    @property
    def _s3(self) -> Any:
        assert isinstance(self._storage, ObjectStorage)
        return self._storage.client._s3

    def _place(self, name: str) -> dict[str, str]:
        assert isinstance(self._storage, ObjectStorage)
        return {"Bucket": BUCKET, "Key": f"{self._storage.bucket.prefix}media/{name}"}


@pytest.fixture
def library(example: ExampleSite) -> MediaLibrary:
    """That of the loaded site."""
    example.load()
    return open_library(example.settings)


@pytest.fixture
def hands(library: MediaLibrary) -> Hands:
    return Hands(library)


def named(example: ExampleSite, original: str) -> str:
    """The stored name of a file of the site folder."""
    return next(file.name for file in example.database.read(all_media).values() if file.original_name == original)


def verify(example: ExampleSite, *, repair: bool = False) -> VerifyReport:
    return verify_store(example.settings, AT, repair=repair)


def kinds(report: VerifyReport) -> list[str]:
    return [finding.kind for finding in report.findings]


def test_load_keeps_what_entries_name(example: ExampleSite, library: MediaLibrary, hands: Hands) -> None:
    """Each file once, in posts, authors and fields alike; what is gone from the library is brought back."""
    wanted = {named(example, name): (example.folder / "media" / name).read_bytes() for name in ("ann.png", "sea.png")}
    assert set(library.names()) == wanted.keys()
    assert {name: hands.read(name) for name in wanted} == wanted
    hands.remove(named(example, "sea.png"))
    assert example.load().loaded
    assert set(library.names()) == wanted.keys()
    assert example.load().loaded == ()


def test_verify_finds_and_repairs(example: ExampleSite, library: MediaLibrary, hands: Hands) -> None:
    """Changed, missing and superfluous files are named, and repaired from the site folder if possible."""
    assert verify(example).findings == ()
    sea, ann = named(example, "sea.png"), named(example, "ann.png")
    right = hands.read(sea)
    hands.forget_copies()
    hands.write(sea, right[:40] + bytes([right[40] ^ 1]) + right[41:])
    hands.remove(ann)
    extra = library.add(EXTRA, "extra.pdf", AT)
    assert sorted(kinds(verify(example))) == ["media-damaged", "media-extra", "media-missing"]
    assert verify(example, repair=True).left == 0
    assert hands.read(sea) == right
    assert set(library.names()) == {sea, ann, extra.name}
    assert verify(example).findings == ()
    hands.forget_copies()
    hands.remove(ann)
    example.remove("media/ann.png")
    left = verify(example, repair=True)
    assert (left.left, "ann-ray shows it" in left.findings[0].what) == (1, True)


def test_backup_and_restore(example: ExampleSite, hands: Hands, tmp_path: Path) -> None:
    """The restored site has every packed byte where it keeps its media."""
    hands.forget_copies()
    database, settings = example.database, example.settings
    sea, ann = named(example, "sea.png"), named(example, "ann.png")
    right = hands.read(sea)
    hands.remove(ann)
    report = back_up(database, settings, tmp_path / "tide.tar.gz", AT)
    assert (report.manifest.missing_media, report.damaged_media) == ((ann,), ())
    hands.remove(sea)
    restore_backup(tmp_path / "tide.tar.gz", tmp_path / "again", AT)
    again = open_library(load_settings(tmp_path / "again"))
    assert again.names() == (sea,)
    assert Hands(again).read(sea) == right
    assert again.is_remote != (tmp_path / "again" / ".sitecms" / "media").is_dir()
    assert kinds(verify_store(load_settings(tmp_path / "again"), AT)) == ["media-missing"]


def test_export_and_load(example: ExampleSite, library: MediaLibrary, hands: Hands, tmp_path: Path) -> None:
    """The exported folder has the files; a second export rewrites none; a missing file is noted."""
    hands.forget_copies()
    folder = tmp_path / "files"
    assert export_site(example.database, example.settings, folder).notes == ()
    written = {path.name: path.stat().st_ino for path in (folder / "media").iterdir()}
    assert set(written) == {"ann.png", "sea.png"}
    assert (folder / "media" / "sea.png").read_bytes() == (example.folder / "media" / "sea.png").read_bytes()
    hands.remove(named(example, "ann.png"))
    notes = export_site(example.database, example.settings, folder).notes
    assert len(notes) == 1
    assert "is missing" in notes[0]
    assert (folder / "media" / "sea.png").stat().st_ino == written["sea.png"]


def test_housekeeping(example: ExampleSite, library: MediaLibrary) -> None:
    """Old files that nothing names go, from the store's knowledge too; those that are shown stay."""
    extra = library.add(EXTRA, "extra.pdf", AT)
    late = now() + timedelta(days=1)
    assert remove_unused_media(example.database, library, late - timedelta(days=2)) == 0
    assert remove_unused_media(example.database, library, late) == 1
    assert not library.exists(extra.name)
    assert len(library.names()) == 2
    assert set(example.database.read(all_media)) == set(library.names())


def test_build_makes_sizes_and_copies(example: ExampleSite, library: MediaLibrary, hands: Hands) -> None:
    """A machine that has read nothing yet builds the same site; a lost file fails its copy alone."""
    buffer = io.BytesIO()
    Image.effect_noise((900, 600), 60).save(buffer, "PNG")
    example.write("media/sea.png", buffer.getvalue())
    example.load()
    hands.forget_copies()
    report = example.build()
    assert report.failed == {}
    sea = library.describe(buffer.getvalue(), "sea.png", AT).name
    tree = example.tree()
    assert tree[f"media/{sea}"] == hands.read(sea)
    entries = plan_images(example.database.read(take_snapshot), example.settings).variants.entries
    made = {f"media/{file.name}" for entry in entries.values() for file in entry.files}
    assert len(made) >= 2
    assert made <= tree.keys()
    hands.forget_copies()
    assert example.clean_tree() == tree
    hands.forget_copies()
    hands.remove(sea)
    lost = example.build(example.folder / "other")
    assert list(lost.failed) == [f"media/{sea}"]
    assert "The media library has lost sea.png" in lost.failed[f"media/{sea}"]


def test_check_changes_nothing(example: ExampleSite, library: MediaLibrary) -> None:
    """A file that is new in the site folder is looked at, and stays out of the library."""
    before = library.names()
    example.image("media/new.png", "lime")
    example.post("new", "![New](media/new.png)", published="2026-02-20T08:00:00Z")
    check_site(example.settings, AT, CheckOptions())
    assert library.names() == before


def test_status_counts_from_the_store(example: ExampleSite, library: MediaLibrary) -> None:
    """Files and bytes."""
    status = site_status(example.database, example.settings, AT)
    assert (status.media_files, status.media_bytes) == (
        2, sum(library.path(name).stat().st_size for name in library.names())
    )  # fmt: skip
