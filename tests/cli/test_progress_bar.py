"""The progress bar of long work, on a pseudo terminal."""

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.importing.wxr import export, item

POSTS = 250


@pytest.mark.slow
def test_import_shows_counts_and_rate(tmp_path: Path) -> None:
    """Each step has a bar with its count and rate on a terminal; without one, nothing is printed there."""
    (tmp_path / "export.xml").write_text(export(*(item(number) for number in range(1, POSTS + 1))))
    command = [sys.executable, "-m", "sitecms", "import", "site", "export.xml", "--media", "skip"]
    main, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=terminal, stdout=subprocess.DEVNULL)
    os.close(terminal)
    shown = b""
    with suppress(OSError):  # the terminal is gone when the process has ended
        while part := os.read(main, 65536):
            shown += part
    os.close(main)
    assert process.wait() == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"Reading +\S+ +\d+/\d+", plain)
    for step in ("Converting", "Writing"):
        assert re.search(rf"{step} +\S+ +{POSTS}/{POSTS} +[\d,]+/s", plain), step
    again = subprocess.run([*command, "--dry-run"], cwd=tmp_path, capture_output=True, check=True)
    assert again.stderr == b""
