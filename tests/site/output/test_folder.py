"""The published folder as a build finds it, and files that are made in a generation."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sitecms.errors import OutputFailed, OutputRefused
from sitecms.site.output.folder import OutputFolder, read_same, write_new
from sitecms.site.output.manifest import MANIFEST_NAME


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_output_folder_is_recognised_by_its_manifest(tmp_path: Path) -> None:
    """Files of other programs may stand beside it."""
    (tmp_path / "index.html").touch()
    (tmp_path / MANIFEST_NAME).touch()
    assert OutputFolder(tmp_path).is_ours()


def test_foreign_folder_is_refused_unchanged(tmp_path: Path) -> None:
    """Any file that no build left there is enough."""
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(OutputRefused, match=r"not made by sitecms.*Nothing was changed"):
        OutputFolder(tmp_path)
    assert files(tmp_path) == ["thesis.txt"]


def test_a_file_is_no_output_folder(tmp_path: Path) -> None:
    """The message says so, and the file stays."""
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputRefused, match="is a file; name a folder"):
        OutputFolder(tmp_path / "file")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("prepare", [Path.exists, Path.mkdir], ids=["missing", "empty"])
def test_missing_or_empty_folder_is_accepted(tmp_path: Path, prepare: Callable[[Path], object]) -> None:
    """Nothing is made by looking."""
    prepare(tmp_path / "public")
    before = files(tmp_path)
    assert OutputFolder(tmp_path / "public").is_empty
    assert files(tmp_path) == before


def test_a_new_file_shares_its_bytes_with_no_other_name(tmp_path: Path) -> None:
    """What stood there keeps what it holds under its other names, be it a file or what a link leads to."""
    (tmp_path / "other").write_bytes(b"theirs")
    (tmp_path / "a.html").hardlink_to(tmp_path / "other")
    (tmp_path / "b.html").symlink_to(tmp_path / "other")
    for name in ("a.html", "b.html"):
        write_new(str(tmp_path), name, b"ours")
        assert not (tmp_path / name).is_symlink()
        assert (tmp_path / name).read_bytes() == b"ours"
    assert (tmp_path / "other").read_bytes() == b"theirs"


def test_longest_possible_file_name_is_written(tmp_path: Path) -> None:
    """In bytes, which letters of most scripts have several of; folders are made as needed."""
    name = "候" * 85
    write_new(str(tmp_path), f"{name}/{name}", b"x")
    assert files(tmp_path) == [name, f"{name}/{name}"]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """The message says which file, why, and that the site stays."""
    (tmp_path / "a.html").mkdir()
    with pytest.raises(OutputFailed, match=r"a\.html cannot be written: is a directory\. Nothing was published"):
        write_new(str(tmp_path), "a.html", b"x")
    assert files(tmp_path) == ["a.html"]


def test_only_a_regular_file_with_equal_bytes_is_equal(tmp_path: Path) -> None:
    """A link to such a file is another thing, and so is nothing at all."""
    (tmp_path / "a").write_bytes(b"same")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "folder").mkdir()
    found = [read_same(str(tmp_path / name), b"same") for name in ("a", "link", "folder", "none", "a/b")]
    assert found == [True, False, False, None, False]
    assert [read_same(str(tmp_path / "a"), data) for data in (b"diff", b"longer")] == [False, False]
