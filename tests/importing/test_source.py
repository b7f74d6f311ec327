"""Sources: folders, archives and compressed files, within limits."""

import gzip
import os
import stat
import zipfile
from pathlib import Path

import pytest

from sitecms.errors import InvalidRequest
from sitecms.importing.reader import ReaderOptions
from sitecms.importing.readers.markdown.generators import open_generator
from sitecms.importing.source import Source
from tests.support.processor_time import best_seconds


def _archive(path: Path, *members: tuple[zipfile.ZipInfo | str, bytes]) -> Source:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data, zipfile.ZIP_DEFLATED)
    return Source([str(path)])


def test_a_folder_and_an_archive_are_lists_of_files(tmp_path: Path) -> None:
    """Links and folders of tools are left out; several sources have their names before them."""
    (tmp_path / "a/node_modules").mkdir(parents=True)
    (tmp_path / "a/node_modules/x.md").write_text("x")
    (tmp_path / "a/b.md").write_text("\ufeffB")
    (tmp_path / "a/link.md").symlink_to("/etc/passwd")
    assert [file.name for file in Source([str(tmp_path / "a")]).files] == ["b.md"]
    _archive(tmp_path / "z.zip", ("c/d.md", b"D"))
    both = Source([str(tmp_path / "a"), str(tmp_path / "z.zip")])
    assert [(file.name, file.text()) for file in both.files] == [("a/b.md", "B"), ("z.zip/c/d.md", "D")]


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "C:/x", "a\\..\\x"])
def test_names_outside_of_an_archive_are_refused(name: str, tmp_path: Path) -> None:
    """No member is anywhere else than in the archive."""
    with pytest.raises(InvalidRequest, match="outside"):
        _ = _archive(tmp_path / "z.zip", (name, b"x")).files


def test_links_in_an_archive_are_refused(tmp_path: Path) -> None:
    """A link could lead to any file of the machine."""
    link = zipfile.ZipInfo("link")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(InvalidRequest, match="link"):
        _ = _archive(tmp_path / "z.zip", (link, b"/etc/passwd")).files


def test_bombs_are_refused(tmp_path: Path) -> None:
    """What unpacks to hundreds of times its size is not read."""
    with pytest.raises(InvalidRequest, match="times its size"):
        _ = _archive(tmp_path / "z.zip", ("x", b"\0" * 20_000_000)).files
    (tmp_path / "x.xml.gz").write_bytes(gzip.compress(b"\0" * 20_000_000))
    (file,) = Source([str(tmp_path / "x.xml.gz")]).files
    assert file.name == "x.xml"
    with pytest.raises(InvalidRequest, match="times its size"):
        file.read(64_000_000)


def test_encrypted_archives_are_refused(tmp_path: Path) -> None:
    """The error names the member, and what to do: no password is asked for."""
    path = tmp_path / "z.zip"
    _archive(path, ("a.xml", b"x"))
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the flag in both headers
        data[data.index(mark) + place] |= 1
    path.write_bytes(data)
    with pytest.raises(InvalidRequest, match=r"'a\.xml' is encrypted; unpack the archive"):
        _ = Source([str(path)]).files


def test_a_broken_archive_is_one_clear_error(tmp_path: Path) -> None:
    """Bytes that are damaged within a member are found when it is read, and named."""
    path = tmp_path / "z.zip"
    _archive(path, ("a.xml", bytes(range(256)) * 40))
    data = bytearray(path.read_bytes())
    data[60:70] = b"\xff" * 10
    path.write_bytes(data)
    (file,) = Source([str(path)]).files
    with pytest.raises(InvalidRequest, match=r"a\.xml cannot be read"):
        file.read()
    (tmp_path / "cut.xml.gz").write_bytes(gzip.compress(b"x" * 5_000)[:-9])
    with pytest.raises(InvalidRequest, match=r"cut\.xml cannot be read"):
        Source([str(tmp_path / "cut.xml.gz")]).files[0].read()


def test_too_many_bytes_are_refused_before_they_are_read(tmp_path: Path) -> None:
    """A text has a limit, which is named."""
    (tmp_path / "big.md").write_bytes(b"x" * 3_000_000)
    with pytest.raises(InvalidRequest, match=r"big\.md is larger than 2 MB"):
        Source([str(tmp_path)]).files[0].text(2 * 1024**2)


@pytest.mark.parametrize("name", ["zero", "pipe"])
def test_a_device_or_pipe_is_no_source(tmp_path: Path, name: str) -> None:
    """Reading it may never end."""
    path = Path("/dev/zero") if name == "zero" else tmp_path / "pipe"
    if name == "pipe":
        os.mkfifo(path)
    with pytest.raises(InvalidRequest, match=rf"{name} is neither a file nor a folder"):
        Source([str(path)])


def test_a_missing_file_is_one_clear_error(tmp_path: Path) -> None:
    """The path is named."""
    with pytest.raises(InvalidRequest, match=r"none\.xml does not exist"):
        Source([str(tmp_path / "none.xml")])


def test_the_generator_of_many_folders_is_found_in_linear_time(tmp_path: Path) -> None:
    """Eight times the folders take about eight times as long, not sixty-four times."""

    def seconds(count: int) -> float:
        for number in range(count):
            folder = tmp_path / str(count) / f"d{number}"
            folder.mkdir(parents=True)
            (folder / "a.md").write_text("A text.")
        source = Source([str(tmp_path / str(count))])
        assert len(source.files) == count
        return best_seconds(lambda: open_generator(source, ReaderOptions()))

    assert seconds(2400) < 24 * seconds(300)
