"""Atomic writing of files."""

import os
from pathlib import Path

import pytest

from sitecms.files import write_atomically


@pytest.mark.parametrize("is_durable", [False, True])
def test_file_is_replaced_as_a_whole(tmp_path: Path, is_durable: bool) -> None:
    """An open file keeps the former content, the name leads to the new one, and no other file remains."""
    path = tmp_path / ("ö" * 120)
    path.write_bytes(b"former")
    with path.open("rb") as former:
        write_atomically(path, b"new", is_durable=is_durable)
        assert former.read() == b"former"
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"new", [path])


def test_failed_write_keeps_the_former_file(tmp_path: Path) -> None:
    """An error leaves the former content and no temporary file."""
    path = tmp_path / "folder"
    (path / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="folder"):
        write_atomically(path, b"new")
    assert (list(tmp_path.iterdir()), list(path.iterdir())) == ([path], [path / "inside"])


def test_mode_ignores_the_umask(tmp_path: Path) -> None:
    """Without a mode the umask decides."""
    former = os.umask(0o077)
    try:
        write_atomically(tmp_path / "a", b"")
        write_atomically(tmp_path / "b", b"", mode=0o644)
    finally:
        os.umask(former)
    assert [oct((tmp_path / name).stat().st_mode & 0o777) for name in "ab"] == ["0o600", "0o644"]
