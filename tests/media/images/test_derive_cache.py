"""The cache of derived files: what it finds again, and what it lets go."""

import resource
from pathlib import Path

import pytest

from sitecms.errors import OutputFailed
from sitecms.media.images.derive_cache import CacheEntry, DerivedFile, open_cache, write_whole


def made(folder: Path, number: int, size_bytes: int = 10) -> CacheEntry:
    """An entry with one file, which is written."""
    key = f"{number:032x}"
    name = f"{key}-320.webp"
    write_whole(folder / name, b"x" * size_bytes)
    return CacheEntry(key, "#aabbcc", (DerivedFile(name, 320, 200, size_bytes),))


def test_cached_files_are_found_by_the_next_build(tmp_path: Path) -> None:
    """An entry comes back as it was, one without files too."""
    with open_cache(tmp_path / "derived") as cache:
        entry, nothing = made(cache.folder, 1), CacheEntry("f" * 32)
        cache.keep(entry)
        cache.keep(nothing)
    with open_cache(tmp_path / "derived") as cache:
        assert cache.find(entry.key) == entry
        assert cache.find(nothing.key) == nothing
        assert cache.find("e" * 32) is None


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_an_entry_with_a_damaged_file_counts_as_none(tmp_path: Path, damage: str) -> None:
    """Its file was deleted or cut short: it is to be made again."""
    with open_cache(tmp_path) as cache:
        entry = made(cache.folder, 1)
        cache.keep(entry)
    path = tmp_path / entry.files[0].name
    path.unlink() if damage == "gone" else path.write_bytes(b"x")
    with open_cache(tmp_path) as cache:
        assert cache.find(entry.key) is None


def test_full_disk_is_reported_with_the_file(tmp_path: Path) -> None:
    """Files and the journal name the file that cannot be written, and no partial file is left."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full here")
    with open_cache(tmp_path) as cache:
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        try:
            with pytest.raises(OutputFailed, match=r"a\.webp cannot be written: File too large"):
                write_whole(tmp_path / "a.webp", b"x" * 2000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        (tmp_path / "journal.jsonl").symlink_to(full)
        with pytest.raises(OutputFailed, match=r"journal\.jsonl cannot be written: No space left"):
            cache.keep(CacheEntry("f" * 32))
        (tmp_path / "journal.jsonl").unlink()
    assert not list(tmp_path.glob("*a.webp*"))


@pytest.mark.parametrize("torn", [b'["0000', b'["a", "b", [["../../etc/passwd", 1, 1, 5]]]\n', b"\xff\xfe\n", b"7\n"])
def test_incomplete_journal_line_loses_only_its_entry(tmp_path: Path, torn: bytes) -> None:
    """What stands before and after it is found."""
    with open_cache(tmp_path) as cache:
        first = made(tmp_path, 1)
        cache.keep(first)
    with (tmp_path / "journal.jsonl").open("ab") as journal:
        journal.write(torn)
    with open_cache(tmp_path) as cache:
        second = made(tmp_path, 2)
        cache.keep(second)
    with open_cache(tmp_path) as cache:
        assert set(cache.entries) == {first.key, second.key}


def test_oldest_unused_entries_are_removed_above_the_limit(tmp_path: Path) -> None:
    """Those in use stay, however large; files that belong to nothing go with the rest."""
    with open_cache(tmp_path) as cache:
        entries = [made(tmp_path, number, 100) for number in range(5)]
        for entry in entries:
            cache.keep(entry)
    (tmp_path / "left.unfinished").write_bytes(b"x")
    with open_cache(tmp_path, max_unused_bytes=200) as cache:
        assert cache.find(entries[0].key)
    with open_cache(tmp_path) as cache:
        assert set(cache.entries) == {entries[number].key for number in (0, 3, 4)}
        names = {path.name for path in tmp_path.iterdir()}
    assert names == {"journal.jsonl", "lock", *(entries[number].files[0].name for number in (0, 3, 4))}
