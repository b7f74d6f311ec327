"""How often who asked: bursts and rates, several processes, killed ones, full sets, files that are not whole."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sitecms.web.middleware import rate_table
from sitecms.web.middleware.rate_table import SIZE_BYTES, WAYS, Rate, RateTable

SECOND = 1_000_000_000
START = 7_000 * SECOND
HAMMER = """
import sys, time
from pathlib import Path
from sitecms.web.middleware.rate_table import Rate, RateTable
table, rate = RateTable(Path(sys.argv[1])), Rate(6000, 10)
everyone, until = table.requester("everyone"), time.monotonic() + float(sys.argv[2])
print("ready", flush=True)
while time.monotonic() < until:
    now = time.monotonic_ns()
    due = table.due_ns(everyone, rate, now)
    if due - now <= rate.ahead_ns:
        table.put(everyone, due + rate.interval_ns)
        print("in", flush=True)
    time.sleep(0.00005)
"""


def ask(table: RateTable, rate: Rate, now_ns: int, who: str = "ann") -> int:
    """Nanoseconds to wait; 0: let in and counted."""
    requester = table.requester(who)
    due_ns = table.due_ns(requester, rate, now_ns)
    wait = max(0, due_ns - now_ns - rate.ahead_ns)
    if not wait:
        table.put(requester, due_ns + rate.interval_ns)
    return wait


def test_a_burst_then_an_even_rate() -> None:
    """Of 60 a minute with 10 s of burst, ten come at once, then one a second; who waits as told is let in."""
    table, rate = RateTable(), Rate(60, 10)
    assert [ask(table, rate, START) for _ in range(10)] == [0] * 10
    assert ask(table, rate, START) == SECOND
    assert ask(table, rate, START + SECOND - 1) == 1
    assert ask(table, rate, START + SECOND) == 0
    assert ask(table, rate, START + SECOND) == SECOND
    assert [ask(table, rate, START + 60 * SECOND) for _ in range(11)] == [0] * 10 + [SECOND]


def test_a_rate_slower_than_its_burst_lets_one_in() -> None:
    """One a minute is one a minute, however short the burst."""
    table, rate = RateTable(), Rate(1, 1)
    assert [ask(table, rate, START), ask(table, rate, START)] == [0, 60 * SECOND]
    assert ask(table, rate, START + 60 * SECOND) == 0


def test_asking_in_vain_costs_nothing() -> None:
    """A client that hammers on is let in as often as one that waits."""
    table, rate = RateTable(), Rate(60, 1)
    let_in = sum(not ask(table, rate, START + step * SECOND // 100) for step in range(1000))
    assert let_in == 10


def test_one_is_not_refused_for_another() -> None:
    """Thousands of others change nothing for one, not even where they take all slots of its set."""
    table, rate = RateTable(), Rate(60, 10)
    for number in range(3 * WAYS * rate_table.SETS // 100):
        ask(table, rate, START, f"other {number}")
    assert [ask(table, rate, START) for _ in range(11)] == [0] * 10 + [SECOND]


def test_the_longest_silent_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a set is full, whoever has most to wait is still known."""
    monkeypatch.setattr(rate_table, "SETS", 1)
    table, rate = RateTable(), Rate(60, 10)
    for _ in range(10):
        ask(table, rate, START, "greedy")
    for number in range(50):
        assert ask(table, rate, START, f"other {number}") == 0
    assert ask(table, rate, START, "greedy") == SECOND


def test_what_lies_too_far_ahead_counts_for_nothing() -> None:
    """As after a start of the machine, which sets its clock back to zero, or with another rate."""
    table, rate = RateTable(), Rate(60, 10)
    for _ in range(10):
        ask(table, rate, START)
    assert ask(table, rate, 5 * SECOND) == 0
    assert [ask(table, rate, 5 * SECOND) for _ in range(10)] == [0] * 9 + [SECOND]


def test_processes_share_one_rate(tmp_path: Path) -> None:
    """Three that hammer at once are let in as often as one would be, but for one in twenty; one is killed meanwhile."""
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
    assert ask(table, rate, time.monotonic_ns(), "another") == 0


@pytest.mark.parametrize("content", [b"", b"half", os.urandom(SIZE_BYTES)])
def test_a_file_that_is_not_whole_is_made_anew(tmp_path: Path, content: bytes) -> None:
    """Nor does one full of nonsense refuse anybody."""
    path = tmp_path / "rates"
    path.write_bytes(content)
    first, second, rate = RateTable(path), RateTable(path), Rate(60, 10)
    assert [ask(table, rate, START) for table in [first, second] * 5] == [0] * 10
    assert ask(second, rate, START) == SECOND
    assert path.stat().st_size == SIZE_BYTES


def test_the_file_is_for_the_owner_only_and_does_not_grow(tmp_path: Path) -> None:
    """Whoever asks."""
    table, rate = RateTable(tmp_path / "state" / "rates"), Rate(60, 10)
    for number in range(2000):
        ask(table, rate, START, f"other {number}")
    found = (tmp_path / "state" / "rates").stat()
    assert (found.st_size, found.st_mode & 0o777) == (SIZE_BYTES, 0o600)


def test_without_a_file_each_process_counts_for_itself(tmp_path: Path) -> None:
    """A folder that cannot be had stops nobody."""
    (tmp_path / "file").write_bytes(b"")
    table, rate = RateTable(tmp_path / "file" / "rates"), Rate(60, 10)
    assert [ask(table, rate, START) for _ in range(11)] == [0] * 10 + [SECOND]
