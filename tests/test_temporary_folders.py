"""Temporary folders: private, removed by their owner, or by the next one."""

import subprocess
import sys
from pathlib import Path

import pytest

from sitecms.temporary_folders import remove_abandoned, temporary_folder

KILLED = """
import os, signal, sys
from pathlib import Path
from sitecms.temporary_folders import temporary_folder
with temporary_folder("work", Path(sys.argv[1])) as folder:
    (folder / "file").write_text("text")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_folder_is_private_and_removed(tmp_path: Path) -> None:
    """Whatever the block raises; a folder that was renamed stays."""
    with temporary_folder("work", tmp_path) as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()
    with pytest.raises(FileNotFoundError), temporary_folder("work", tmp_path) as folder:
        (folder / "missing").read_bytes()
    with temporary_folder("work", tmp_path) as folder:
        folder.rename(tmp_path / "kept")
    assert list(tmp_path.iterdir()) == [tmp_path / "kept"]


def test_the_folder_of_a_killed_process_is_removed_by_the_next(tmp_path: Path) -> None:
    """Folders of the living, of other names, and those that people made stay."""
    others = [tmp_path / name for name in ("work-mine.tmp", "work-notes", "other-abcdefgh.tmp")]
    for path in others:
        path.mkdir()
    (tmp_path / "work-abcdefgh.tmp").symlink_to(others[0])
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert len(list(tmp_path.iterdir())) == 5
    with temporary_folder("work", tmp_path) as first, temporary_folder("work", tmp_path) as second:
        assert {*tmp_path.iterdir()} == {*others, tmp_path / "work-abcdefgh.tmp", first, second}
        remove_abandoned(tmp_path, "work-")
        assert first.is_dir()
        assert second.is_dir()
