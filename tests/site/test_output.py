"""The output folder: whole files, nothing needless, nothing of others."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sitecms.errors import OutputRefused
from sitecms.site.manifest import MANIFEST_NAME, UNDERWAY_NAME
from sitecms.site.output import OutputFolder


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("mark", [MANIFEST_NAME, UNDERWAY_NAME, UNDERWAY_NAME + ".sitecms-unfinished"])
def test_a_folder_of_ours_is_known_by_what_a_build_left(tmp_path: Path, mark: str) -> None:
    """Even by the first half file of a build that was killed at once."""
    (tmp_path / "index.html").touch()
    (tmp_path / mark).touch()
    assert OutputFolder(tmp_path).is_ours()


def test_a_folder_of_others_is_refused_untouched(tmp_path: Path) -> None:
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
def test_a_missing_or_empty_folder_will_do(tmp_path: Path, prepare: Callable[[Path], object]) -> None:
    """It is made with the first file."""
    prepare(tmp_path / "public")
    assert OutputFolder(tmp_path / "public").write("a/b.html", b"x") is True
    assert files(tmp_path / "public") == ["a", "a/b.html"]


def test_equal_bytes_are_left_alone(tmp_path: Path) -> None:
    """Their time stays, so that what copies the site by time has nothing to copy."""
    folder = OutputFolder(tmp_path)
    folder.write("a.html", b"same")
    os.utime(tmp_path / "a.html", (1, 1))
    assert folder.write("a.html", b"same") is False
    assert (tmp_path / "a.html").stat().st_mtime == 1
    assert folder.write("a.html", b"diff") is True
    assert (tmp_path / "a.html").read_bytes() == b"diff"


def test_a_link_in_the_place_of_an_output_is_replaced(tmp_path: Path) -> None:
    """What it led to keeps its bytes, even where they are equal."""
    other = tmp_path / "other.html"
    other.write_bytes(b"theirs")
    folder = OutputFolder(tmp_path / "public")
    folder.write("b.html", b"x")
    (tmp_path / "public" / "a.html").symlink_to(other)
    for data in (b"theirs", b"ours"):
        folder.write("a.html", data)
        assert not (tmp_path / "public" / "a.html").is_symlink()
    assert other.read_bytes() == b"theirs"


@pytest.mark.parametrize("already", [True, False], ids=["over a file", "new file"])
def test_nothing_is_written_through_a_link_to_another_folder(tmp_path: Path, already: bool) -> None:
    """A folder of the output that leads elsewhere is refused."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if already:
        (elsewhere / "a.html").write_bytes(b"theirs")
    before = files(elsewhere)
    (tmp_path / "public").mkdir()
    folder = OutputFolder(tmp_path / "public")
    (tmp_path / "public" / "blog").symlink_to(elsewhere)
    with pytest.raises(OutputRefused, match="leads out of the output folder"):
        folder.write("blog/a.html", b"ours")
    assert files(elsewhere) == before
    assert not already or (elsewhere / "a.html").read_bytes() == b"theirs"


def test_no_folder_is_made_through_a_link_to_another_folder(tmp_path: Path) -> None:
    """Nor below the link, however deep, nor where a link leads to nothing yet."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "public").mkdir()
    folder = OutputFolder(tmp_path / "public")
    (tmp_path / "public" / "blog").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "public" / "tags").symlink_to(tmp_path / "nowhere")
    for name in ("blog/a/b/index.html", "tags/a/index.html"):
        with pytest.raises(OutputRefused, match="leads out of the output folder"):
            folder.write(name, b"ours")
    assert files(tmp_path / "elsewhere") == []
    assert not (tmp_path / "nowhere").exists()


def test_the_longest_name_a_file_can_have_will_do(tmp_path: Path) -> None:
    """In bytes, which letters of most scripts have several of."""
    name = "候" * 83 + ".html"
    assert OutputFolder(tmp_path).write(name, b"x") is True
    assert files(tmp_path) == [name]


def test_nothing_is_removed_through_a_link_to_another_folder(tmp_path: Path) -> None:
    """Pruning ends at the edge of the output folder."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.html").write_bytes(b"theirs")
    (tmp_path / "public").mkdir()
    folder = OutputFolder(tmp_path / "public")
    (tmp_path / "public" / "blog").symlink_to(elsewhere)
    folder.remove("blog/a.html")
    assert files(elsewhere) == ["a.html"]


def test_removing_takes_the_empty_folders_along(tmp_path: Path) -> None:
    """As far up as they are empty, and not the output folder itself."""
    folder = OutputFolder(tmp_path / "public")
    folder.write("blog/a/b/index.html", b"x")
    folder.write("blog/index.html", b"x")
    folder.remove("blog/a/b/index.html")
    assert files(tmp_path / "public") == ["blog", "blog/index.html"]
    folder.remove("blog/index.html")
    assert files(tmp_path / "public") == []


def test_removing_what_is_gone_already_is_no_fault(tmp_path: Path) -> None:
    """Somebody may have deleted the file, its folder, or put a file in the folder's place."""
    folder = OutputFolder(tmp_path)
    folder.write("blog/index.html", b"x")
    folder.remove("blog/a/b/index.html")
    folder.remove("gone/a/index.html")
    folder.remove("blog/index.html/index.html")
    assert files(tmp_path) == ["blog", "blog/index.html"]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """The half file beside it is taken away again."""
    folder = OutputFolder(tmp_path)
    (tmp_path / "a.html").mkdir()
    with pytest.raises(OSError, match="directory"):
        folder.write("a.html", b"x")
    assert files(tmp_path) == ["a.html"]


def test_the_size_of_what_is_no_plain_file_is_unknown(tmp_path: Path) -> None:
    """So that it is made anew."""
    folder = OutputFolder(tmp_path)
    folder.write("a.html", b"four")
    (tmp_path / "folder").mkdir()
    assert (folder.size("a.html"), folder.size("none"), folder.size("folder")) == (4, None, None)
