"""Programs that sitecms starts: limits, exit codes, and what remains of them however their parent ends."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from sitecms.programs import Ended, Program, run_program
from tests.support.waiting import until

FAMILY = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[1] + ".new", "w").write(f"{os.getpid()} {child.pid}")
os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(600)
"""
"""A program with a child of its own; both would run for ten minutes."""
POLITE = """
import signal, sys, time
from pathlib import Path
signal.signal(signal.SIGTERM, lambda *_: (Path(sys.argv[2]).touch(), sys.exit()))
Path(sys.argv[1]).touch()
time.sleep(600)
"""
"""A program that notes when it is asked to end."""
PARENT = """
import sys
from sitecms.programs import run_program
from sitecms.temporary_folders import temporary_folder
with temporary_folder("test") as folder:
    print(folder, flush=True)
    run_program([sys.executable, "-c", sys.argv[1], sys.argv[2]], 600)
"""


def is_running(pid: int) -> bool:
    """Return whether there is such a process, other than one that has ended and was not waited for."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(listed.stdout.strip()) and not listed.stdout.strip().startswith("Z")


def pids_in(file: Path) -> list[int]:
    """Return the process ids that a program of FAMILY has written."""
    assert until(file.exists)
    return [int(pid) for pid in file.read_text().split()]


@pytest.fixture
def parent(tmp_path: Path) -> "Iterator[tuple[subprocess.Popen[bytes], Path, list[int]]]":
    """Give a process that runs FAMILY, with its temporary folder and the ids of the program's processes."""
    note = tmp_path / "pids"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", PARENT, FAMILY, str(note)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        folder = Path(os.fsdecode(process.stdout.readline()).strip())
        pids = pids_in(note)
        try:
            yield process, folder, pids
        finally:
            process.kill()
            for pid in filter(is_running, pids):
                os.kill(pid, signal.SIGKILL)


def test_a_program_is_asked_to_end_before_it_is_killed(tmp_path: Path) -> None:
    """So one that is left by its parent can remove its locks and temporary files."""
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    command = [sys.executable, "-c", POLITE, str(begun), str(ended)]
    parent = f"from sitecms.programs import run_program; run_program({command}, 600)"
    with subprocess.Popen([sys.executable, "-c", parent]) as process:
        assert until(begun.exists)
        process.kill()
    assert until(ended.exists)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_program_ends_with_its_parent(
    parent: "tuple[subprocess.Popen[bytes], Path, list[int]]", number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So does what it has started itself. The next start removes the temporary folder of a parent that was killed."""
    process, folder, pids = parent
    assert all(map(is_running, pids))
    process.send_signal(number)
    process.wait()
    assert until(lambda: not any(map(is_running, pids)))
    assert folder.is_dir()
    command = "from sitecms.temporary_folders import remove_abandoned; remove_abandoned()"
    environment = {**os.environ, "TMPDIR": str(folder.parent)}
    subprocess.run([sys.executable, "-c", command], check=True, env=environment)
    assert not folder.exists()


def test_a_program_is_ended_with_its_children_when_its_time_is_up(tmp_path: Path) -> None:
    """The exit code is None then."""
    note = tmp_path / "pids"
    with Program([sys.executable, "-c", FAMILY, str(note)], files=(subprocess.DEVNULL,) * 3) as program:
        pids = pids_in(note)
        assert program.wait(0.01) is None
    assert until(lambda: not any(map(is_running, pids)))
    assert run_program([sys.executable, "-c", "import time; time.sleep(600)"], 0.2) == Ended(None, "")


def test_what_a_program_leaves_running_is_ended(tmp_path: Path) -> None:
    """Also where the program itself has ended well."""
    note = tmp_path / "pids"
    leaves = FAMILY.rsplit("\n", 2)[0]
    assert run_program([sys.executable, "-c", leaves, str(note)], 60).exit_code == 0
    assert until(lambda: not is_running(pids_in(note)[1]))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print('out'); import sys; sys.exit('wrong')", (1, "out\nwrong\n")),
        ("import os; os.kill(os.getpid(), 9)", (128 + 9, "")),
        ("pass", (0, "")),
    ],
)
def test_exit_code_and_output_are_those_of_the_program(code: str, expected: tuple[int, str]) -> None:
    """A signal gives 128 and its number, as in shells."""
    ended = run_program([sys.executable, "-u", "-c", code], 60)
    assert (ended.exit_code, ended.output) == expected


def test_a_missing_program_says_so() -> None:
    """With the exit code of shells."""
    assert run_program(["no-such-program"], 60) == Ended(127, "no-such-program: No such file or directory\n")


def test_files_and_environment_reach_the_program() -> None:
    """Standard files, and one more."""

    def content(file: IO[bytes]) -> bytes:
        file.seek(0)
        return file.read()

    code = "import os, sys; os.write(int(sys.argv[1]), os.environb[b'WORD']); print(sys.stdin.read())"
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as made, tempfile.TemporaryFile() as more:
        given.write(b"given")
        given.seek(0)
        command = [sys.executable, "-c", code, str(more.fileno())]
        files = (given, made, subprocess.DEVNULL)
        with Program(command, files=files, env={"WORD": "word"}, pass_fds=(more.fileno(),)) as program:
            assert program.wait(60) == 0
        assert (content(made), content(more)) == (b"given\n", b"word")
