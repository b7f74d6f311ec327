"""Jobs in several processes: their results in order, errors, and the end of the processes."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from sitecms.errors import MediaUnusable, RemoteMissing, SitecmsError
from sitecms.pool import BATCH, batches, run_in_processes


def carry_out(batch: range, need: int) -> list[int]:
    """The jobs themselves, with what was prepared for them."""
    assert need == len(batch)
    return list(batch)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("jobs", [0, 1, 5, 100])
def test_results_are_in_the_order_of_the_jobs(count: int, jobs: int) -> None:
    """Every job is carried out once, whatever the number of processes."""
    assert list(run_in_processes(count, jobs, carry_out, len, at_once=3)) == list(range(jobs))


def test_large_results_do_not_block() -> None:
    """Results larger than a pipe holds arrive, though the processes work ahead."""
    results = run_in_processes(2, 20, lambda batch, _need: ["x" * 1_000_000 for _ in batch], len, at_once=2)
    sizes = [len(text) for text in results]
    assert sizes == [1_000_000] * 20


def test_a_process_that_dies_is_an_error() -> None:
    """The run ends with an error that says what to do, and results before it are in order."""

    def work(batch: range, _need: int) -> list[int]:
        if 6 in batch:
            os.kill(os.getpid(), signal.SIGKILL)
        return list(batch)

    results: list[int] = []
    with pytest.raises(SitecmsError, match=r"ended before its work was done.*out of memory.*--jobs 1"):
        results.extend(run_in_processes(2, 10, work, len, at_once=2))
    assert results == [0, 1, 2, 3, 4, 5][: len(results)]
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("jobs", [0, 1, 2, 7, 1_000, 3_205])
def test_neighbours_are_in_one_batch_and_the_last_ones_are_small(jobs: int) -> None:
    """Each job is in one batch, and all processes end at about the same time."""
    parts = list(batches(jobs, 2, BATCH))
    assert [number for part in parts for number in part] == list(range(jobs))
    assert max(map(len, parts), default=0) <= BATCH
    assert [len(part) for part in parts[-1:]] in ([], [1])


def test_a_ctrl_c_leaves_no_process_and_no_traceback_of_one() -> None:
    """The signal of the terminal is sent to the whole group."""
    program = """
import time
from sitecms.pool import run_in_processes
def work(batch, need):
    time.sleep(60)
try:
    for _ in run_in_processes(2, 10, work, lambda batch: print("ready", flush=True)): pass
except KeyboardInterrupt:
    print("interrupted")
"""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as process:
        assert process.stdout
        for _batch in range(8):
            assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=30) == ("interrupted\n", "")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(28, "No space left on device", "/media"), OSError),
        (MediaUnusable("out of reach"), MediaUnusable),
        (RemoteMissing(404), SitecmsError),
    ],
)
def test_an_error_of_the_work_reaches_the_caller(count: int, error: Exception, kind: type[Exception]) -> None:
    """It says what the operator has to know, as a full disk; the results before it arrive."""

    def work(batch: range, _need: int) -> list[int]:
        if 6 in batch:
            raise error
        return list(batch)

    results: list[int] = []
    with pytest.raises(kind) as raised:
        results.extend(run_in_processes(count, 10, work, len, at_once=2))
    assert str(raised.value) == str(error)
    assert results == [0, 1, 2, 3, 4, 5]
    assert not multiprocessing.active_children()


def test_processes_end_with_the_caller() -> None:
    """A caller that stops early leaves no process behind."""
    results = run_in_processes(2, 1_000, carry_out, len, at_once=1)
    assert next(results) == 0
    results.close()
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "out of memory"),
        (lambda: os.kill(os.getpid(), signal.SIGHUP), "signal 1"),
        (lambda: os._exit(1), "its error stands above"),
    ],
)
def test_the_reason_why_a_process_ended_is_named(end: Callable[[], None], reason: str) -> None:
    """Memory is blamed only where the system killed it."""

    def work(batch: range, _need: int) -> list[int]:
        end()
        return list(batch)

    with pytest.raises(SitecmsError, match=reason):
        list(run_in_processes(2, 10, work, len))
