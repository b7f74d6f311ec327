"""Imports of large files take memory for what is planned, not for the texts."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.importing.wxr import HEAD, TAIL, item

BODY = "<pre>" + ("Slack water, and the boats lie still. " * 50 + "\n") * 20 + "</pre>"
PROGRAM = """
import re, sys
from pathlib import Path
from sitecms.cli.main import cli
cli(sys.argv[1:], standalone_mode=False)
print(int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024)
"""  # what the operating system tells a parent has the memory of the parent in it
FEW, MANY = 200, 600


def _peak(folder: Path, count: int) -> tuple[int, int]:
    """Import so many posts; return the size of the source, and the largest memory of the process, both in bytes."""
    source = folder / f"export-{count}.xml"
    with source.open("w") as file:
        file.write(HEAD)
        for number in range(1, count + 1):
            file.write(item(number, f"Post {number}", f"<p>{number}</p>{BODY}"))
        file.write(TAIL)
    given = ["import", str(folder / f"site-{count}"), str(source), "--media", "skip"]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *given], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return source.stat().st_size, int(done.stdout.split()[-1])


@pytest.mark.slow
def test_memory_does_not_grow_with_the_texts(tmp_path: Path) -> None:
    """More posts take memory for their addresses and titles, much less than half of what their texts have."""
    (small, before), (large, after) = _peak(tmp_path, FEW), _peak(tmp_path, MANY)
    assert large - small > 15_000_000
    assert after - before < (large - small) / 2, (before, after)
