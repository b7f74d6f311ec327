"""The media library: named by content, written once, read safely."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PIL import Image

from sitecms.content.media import MediaFile
from sitecms.errors import InvalidMedia, NotFound
from sitecms.media.library import MediaLibrary
from sitecms.media.storage import LocalStorage
from tests.support.pictures import image_bytes

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def png(width: int = 3, height: int = 2) -> bytes:
    return image_bytes(Image.new("RGB", (width, height)), "PNG")


@pytest.fixture
def library(tmp_path: Path) -> MediaLibrary:
    return MediaLibrary(LocalStorage(tmp_path / "store" / "media"))


def test_add_names_a_file_by_its_content(library: MediaLibrary) -> None:
    """The name is the start of the digest with the extension of the decoded type, whatever the file was called."""
    data = png()
    name = hashlib.sha256(data).hexdigest()[:32] + ".png"
    added = library.add(data, "../Sea.JPG", NOON)
    assert added == MediaFile(name, "../Sea.JPG", "image/png", len(data), NOON, 3, 2)
    assert added.url == f"/media/{name}"
    assert library.path(name).read_bytes() == data
    assert sorted(path.name for path in library.folder.iterdir()) == [name]
    assert library.path(name).stat().st_mode & 0o777 == 0o644


def test_equal_bytes_are_written_once(library: MediaLibrary) -> None:
    """A second add of equal bytes only renews the file's time, and answers for the name it was given."""
    first = library.add(png(), "a.png", NOON)
    os.utime(library.path(first.name), ns=(1, 1))
    library.folder.chmod(0o555)
    second = library.add(png(), "b.png", NOON)
    library.folder.chmod(0o755)
    assert second.name == first.name
    assert second.original_name == "b.png"
    assert library.path(first.name).stat().st_mtime_ns > 1


def test_concurrent_adds_store_one_whole_file(library: MediaLibrary) -> None:
    """Many threads adding the same bytes end with one file and nothing beside it."""
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda number: library.add(png(64, 64), f"{number}.png", NOON), range(40)))
    assert len({file.name for file in added}) == 1
    assert [path.name for path in library.folder.iterdir()] == [added[0].name]


def test_a_failed_write_leaves_nothing(library: MediaLibrary) -> None:
    """Where the file cannot take its place, the error is seen and no temporary file stays."""
    name = hashlib.sha256(png()).hexdigest()[:32] + ".png"
    (library.folder / name).mkdir(parents=True)
    with pytest.raises(OSError, match=name):
        library.add(png(), "a.png", NOON)
    assert [path.name for path in library.folder.iterdir()] == [name]


def test_other_files_are_not_stored(library: MediaLibrary) -> None:
    """Refused bytes leave no file behind, not even the folder."""
    with pytest.raises(InvalidMedia, match=r"notes\.odt"):
        library.add(b"plain text", "notes.odt", NOON)
    assert not library.folder.exists()


def test_path_returns_a_file(library: MediaLibrary) -> None:
    """A kept file can be read; one that is not there is not found."""
    added = library.add(png(), "a.png", NOON)
    assert library.path(added.name).read_bytes() == png()
    assert library.exists(added.name)
    missing = "0" * 32 + ".png"
    assert not library.exists(missing)
    with pytest.raises(NotFound):
        library.path(missing)


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../x.png", "/etc/passwd", "a/" + "0" * 32 + ".png", "0" * 31 + ".png", "0" * 33 + ".png",
        "0" * 32 + ".png\n", "0" * 32 + ".PNG", "G" * 32 + ".png", "0" * 32 + ".", "0" * 32 + ".toolong", "0" * 32,
        "0" * 32 + ".png\0", "../" + "0" * 32 + ".png", "0" * 32 + ".p/g", "．" * 32 + ".png",
    ],
)  # fmt: skip
def test_other_names_are_refused(library: MediaLibrary, name: str) -> None:
    """Nothing but a media name reaches the file system."""
    with pytest.raises(NotFound):
        library.path(name)
    assert not library.exists(name)
