"""Tasks in processes: all are done, and one that starves, hangs or crashes takes no other with it."""

import os
import signal
import time
from collections.abc import Callable
from functools import partial

import pytest
from msgspec.structs import replace

from sitecms.media.decoding.sandbox import DEFAULT_LIMITS
from sitecms.media.images.limited_tasks import run_limited_tasks

LIMITS = replace(DEFAULT_LIMITS, memory_bytes=256 * 1024 * 1024, seconds=1.5)


def square(number: int) -> int:
    """A task that succeeds."""
    return number * number


def crash() -> int:
    """A task that kills its process."""
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def hang() -> int:
    """A task that never ends."""
    time.sleep(60)
    return 0


def starve() -> int:
    """A task that wants more memory than there is."""
    return len(bytearray(2 * 1024 * 1024 * 1024))


def refuse() -> int:
    """A task with an error."""
    raise FileNotFoundError("the disk is gone")


@pytest.mark.parametrize("processes", [1, 2, 8])
def test_every_task_is_done_once(processes: int) -> None:
    """In one process or in several, whatever their number."""
    tasks = [partial(square, number) for number in range(20)]
    assert sorted(run_limited_tasks(tasks, processes)) == [(number, number * number) for number in range(20)]


@pytest.mark.parametrize("bad", [crash, pytest.param(hang, marks=pytest.mark.slow), starve])
def test_crashing_task_gives_none_and_others_run(bad: Callable[[], int]) -> None:
    """None stands for it; a new process takes the place of the lost one."""
    tasks: list[Callable[[], int]] = [partial(square, number) for number in range(6)]
    tasks.insert(1, bad)
    found = dict(run_limited_tasks(tasks, 2, LIMITS))
    assert found.pop(1) is None
    assert sorted(value for value in found.values() if value is not None) == [0, 1, 4, 9, 16, 25]


def test_error_of_a_task_is_raised() -> None:
    """An error that is no matter of one image ends the build with its own words."""
    tasks: list[Callable[[], int]] = [refuse, partial(square, 2)]
    with pytest.raises(FileNotFoundError, match="the disk is gone"):
        list(run_limited_tasks(tasks, 2))
