"""Jobs in several processes: their results in order, errors, and the end of the processes."""

import multiprocessing
import os
import signal
from collections.abc import Callable

import pytest

from sitecms.errors import MediaUnusable, RemoteMissing, SitecmsError
from sitecms.fork_pool import BATCH, JobRanges, run_in_order, run_in_processes


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("jobs", [0, 1, 5, 100])
def test_results_are_in_the_order_of_the_jobs(count: int, jobs: int) -> None:
    """Every job is carried out once, whatever the number of processes."""
    assert list(run_in_order(count, jobs, 3, list)) == list(range(jobs))


def test_large_results_do_not_block() -> None:
    """Results larger than a pipe holds arrive, though the processes work ahead."""
    sizes = [len(text) for text in run_in_order(2, 20, 2, lambda batch: ["x" * 1_000_000 for _ in batch])]
    assert sizes == [1_000_000] * 20


def test_a_process_that_dies_is_an_error() -> None:
    """The results before it arrive, then the run ends."""

    def work(batch: range) -> list[int]:
        if 6 in batch:
            os.kill(os.getpid(), signal.SIGKILL)
        return list(batch)

    results: list[int] = []
    with pytest.raises(SitecmsError, match="ended before its work was done"):
        results.extend(run_in_order(2, 10, 2, work))
    assert results == [0, 1, 2, 3, 4, 5]
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("jobs", [0, 1, 2, 7, 1_000, 3_205])
def test_a_process_that_has_finished_takes_jobs_of_others(jobs: int) -> None:
    """Each job is given out once, neighbours together; the last ones are few, so that all processes end together."""
    ranges = JobRanges(jobs, 2)
    taken = [*ranges.take(0)]
    sizes = []
    while batch := ranges.take(1):
        taken += batch
        sizes.append(len(batch))
    assert sorted(taken) == list(range(jobs))
    assert max(sizes, default=0) <= BATCH
    assert sizes[-1:] in ([], [1])


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

    def work(batch: range) -> list[int]:
        if 6 in batch:
            raise error
        return list(batch)

    results: list[int] = []
    with pytest.raises(kind) as raised:
        results.extend(run_in_order(count, 10, 2, work))
    assert str(raised.value) == str(error)
    assert results == [0, 1, 2, 3, 4, 5]
    assert not multiprocessing.active_children()


def test_processes_end_with_the_caller() -> None:
    """A caller that stops early leaves no process behind."""
    results = run_in_order(2, 1_000, 1, list)
    assert next(results) == 0
    results.close()
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    ("end", "reason"),
    [(lambda: os.kill(os.getpid(), signal.SIGKILL), "out of memory"), (lambda: os._exit(1), "its error stands above")],
)
def test_the_reason_why_a_process_ended_is_named(end: Callable[[], None], reason: str) -> None:
    """Memory is blamed only where the system killed it."""

    def work(batch: range, _nothing: None) -> list[int]:
        end()
        return list(batch)

    with pytest.raises(SitecmsError, match=reason):
        list(run_in_processes(2, 10, lambda _batch: None, work))
