"""The table of request rates: bursts, several processes, killed processes, full sets, incomplete files."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sitecms.web import rate_limits
from sitecms.web.rate_limits import SIZE_BYTES, WAYS, Rate, RateTable

SECOND = 1_000_000_000
START = 7_000 * SECOND
HAMMER = """
import sys, time
from pathlib import Path
from sitecms.web.rate_limits import Rate, RateTable
table, rate = RateTable(Path(sys.argv[1])), Rate(6000, 10)
everyone, until = table.requester("everyone"), time.monotonic() + float(sys.argv[2])
print("ready", flush=True)
while time.monotonic() < until:
    now = time.monotonic_ns()
    due = table.due_ns(everyone, rate, now)
    if due - now <= rate.ahead_ns:
        table.put(everyone, due + rate.interval_ns)
        print("allowed", flush=True)
    time.sleep(0.00005)
"""


def wait_ns(table: RateTable, rate: Rate, now_ns: int, name: str = "ann") -> int:
    """Return the nanoseconds to wait; with 0 the request is counted."""
    requester = table.requester(name)
    due_ns = table.due_ns(requester, rate, now_ns)
    wait = max(0, due_ns - now_ns - rate.ahead_ns)
    if not wait:
        table.put(requester, due_ns + rate.interval_ns)
    return wait


def test_burst_is_followed_by_an_even_rate() -> None:
    """Of 60 a minute with a burst of 10 s, ten may come at once, then one a second."""
    table, rate = RateTable(), Rate(60, 10)
    assert [wait_ns(table, rate, START) for _ in range(10)] == [0] * 10
    assert wait_ns(table, rate, START) == SECOND
    assert wait_ns(table, rate, START + SECOND - 1) == 1
    assert wait_ns(table, rate, START + SECOND) == 0
    assert wait_ns(table, rate, START + SECOND) == SECOND
    assert [wait_ns(table, rate, START + 60 * SECOND) for _ in range(11)] == [0] * 10 + [SECOND]


def test_one_request_is_allowed_however_short_the_burst() -> None:
    """One a minute with a burst of one second allows one request at once."""
    table, rate = RateTable(), Rate(1, 1)
    assert [wait_ns(table, rate, START), wait_ns(table, rate, START)] == [0, 60 * SECOND]
    assert wait_ns(table, rate, START + 60 * SECOND) == 0


def test_refused_requests_are_not_counted() -> None:
    """A client that keeps sending gets as many requests through as one that waits."""
    table, rate = RateTable(), Rate(60, 1)
    allowed = sum(not wait_ns(table, rate, START + step * SECOND // 100) for step in range(1000))
    assert allowed == 10


def test_requesters_do_not_affect_each_other() -> None:
    """Thousands of others change nothing for one, not even if they take all slots of its set."""
    table, rate = RateTable(), Rate(60, 10)
    for number in range(3 * WAYS * rate_limits.SETS // 100):
        wait_ns(table, rate, START, f"other {number}")
    assert [wait_ns(table, rate, START) for _ in range(11)] == [0] * 10 + [SECOND]


def test_requester_with_the_earliest_time_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a full set, the requester that has to wait longest is kept."""
    monkeypatch.setattr(rate_limits, "SETS", 1)
    table, rate = RateTable(), Rate(60, 10)
    for _ in range(10):
        wait_ns(table, rate, START, "greedy")
    for number in range(50):
        assert wait_ns(table, rate, START, f"other {number}") == 0
    assert wait_ns(table, rate, START, "greedy") == SECOND


def test_times_too_far_ahead_are_ignored() -> None:
    """They stem from before a restart of the machine, which resets its monotonic clock, or from another rate."""
    table, rate = RateTable(), Rate(60, 10)
    for _ in range(10):
        wait_ns(table, rate, START)
    assert wait_ns(table, rate, 5 * SECOND) == 0
    assert [wait_ns(table, rate, 5 * SECOND) for _ in range(10)] == [0] * 9 + [SECOND]


def test_processes_share_one_rate(tmp_path: Path) -> None:
    """Three processes, one of them killed, get at most 5 % more requests through than one."""
    path, seconds = tmp_path / "rates", 2.0
    command = [sys.executable, "-c", HAMMER, str(path), str(seconds)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    begun = time.monotonic()
    time.sleep(1)
    os.kill(started[0].pid, signal.SIGKILL)
    lines = [len(process.communicate(timeout=20)[0].splitlines()) - 1 for process in started]
    taken = time.monotonic() - begun
    assert 1000 * 0.9 <= sum(max(0, count) for count in lines) <= (1000 + 100 * taken) * 1.05
    table, rate = RateTable(path), Rate(6000, 10)
    assert wait_ns(table, rate, time.monotonic_ns(), "another") == 0


@pytest.mark.parametrize("content", [b"", b"half", os.urandom(SIZE_BYTES)])
def test_incomplete_file_is_replaced(tmp_path: Path, content: bytes) -> None:
    """A file of random bytes refuses no request."""
    path = tmp_path / "rates"
    path.write_bytes(content)
    first, second, rate = RateTable(path), RateTable(path), Rate(60, 10)
    assert [wait_ns(table, rate, START) for table in [first, second] * 5] == [0] * 10
    assert wait_ns(second, rate, START) == SECOND
    assert path.stat().st_size == SIZE_BYTES


def test_file_has_a_fixed_size_and_is_private(tmp_path: Path) -> None:
    """Only the owner may read it, and any number of requesters leaves its size alone."""
    table, rate = RateTable(tmp_path / "state" / "rates"), Rate(60, 10)
    for number in range(2000):
        wait_ns(table, rate, START, f"other {number}")
    status = (tmp_path / "state" / "rates").stat()
    assert (status.st_size, status.st_mode & 0o777) == (SIZE_BYTES, 0o600)


def test_without_a_file_each_process_counts_for_itself(tmp_path: Path) -> None:
    """A path at which no file can be created causes no error."""
    (tmp_path / "file").write_bytes(b"")
    table, rate = RateTable(tmp_path / "file" / "rates"), Rate(60, 10)
    assert [wait_ns(table, rate, START) for _ in range(11)] == [0] * 10 + [SECOND]
