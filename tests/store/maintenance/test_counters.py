"""What processes count: added up, kept when they die, and never counted twice."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sitecms.store.maintenance import counters
from sitecms.store.maintenance.counters import BOUNDS_SECONDS, Counters, living, merge_dead, read_counts

SERIES = ("http_request", "/v2/posts/", "GET", "200", "hit")
MILLISECOND = 1_000_000
COUNTING = """
import sys, time
from pathlib import Path
from sitecms.store.maintenance.counters import Counters
counted = Counters(Path(sys.argv[1]), "worker")
for _ in range(int(sys.argv[2])):
    counted.observe(("write", "applied"), 1000)
print("counted", flush=True)
time.sleep(60)
"""


def counted(folder: Path, series: tuple[str, ...] = SERIES) -> int:
    """Return how often the series was observed."""
    return sum(read_counts(folder).get(series, [0])[1:])


def killed(folder: Path, times: int) -> None:
    """Start a process that counts, and kill it with SIGKILL."""
    process = subprocess.Popen([sys.executable, "-c", COUNTING, str(folder), str(times)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"counted\n"
    assert living(folder)["worker"] == 1
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_durations_fall_into_buckets(tmp_path: Path) -> None:
    """The sum comes first; a bucket includes its bound; the last one holds longer durations than all bounds."""
    own = Counters(tmp_path, "web")
    for taken in (MILLISECOND, MILLISECOND + 1, 3_600_000 * MILLISECOND):
        own.observe(SERIES, taken)
    total, *buckets = read_counts(tmp_path)[SERIES]
    assert total == 3_600_002 * MILLISECOND + 1
    bucket = BOUNDS_SECONDS.index(0.001)
    assert (buckets[bucket], buckets[bucket + 1], buckets[-1], sum(buckets)) == (1, 1, 1, 3)


def test_processes_are_added_up(tmp_path: Path) -> None:
    """Series that one process alone has are included."""
    one, other = Counters(tmp_path, "web"), Counters(tmp_path, "web")
    one.observe(SERIES, 1)
    other.observe(SERIES, 2)
    other.observe(("write", 'a "quoted"\nvalue'), 3)
    assert counted(tmp_path) == 2
    assert counted(tmp_path, ("write", 'a "quoted"\nvalue')) == 1
    assert living(tmp_path) == {"web": 2}


def test_counts_of_killed_processes_remain(tmp_path: Path) -> None:
    """They are the same before a merge, after it and after another; the process no longer counts as alive."""
    series = ("write", "applied")
    for number in (1, 2):
        killed(tmp_path, 1000)
        assert counted(tmp_path, series) == number * 1000
        assert living(tmp_path) == {}
        for _ in range(2):
            merge_dead(tmp_path)
            assert counted(tmp_path, series) == number * 1000
    assert not list(tmp_path.glob("*.counts"))


def test_interrupted_merge_counts_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The merge ends after it wrote the sum and before it removed the files."""
    series = ("write", "applied")
    killed(tmp_path, 7)

    def interrupt(_path: Path, *, missing_ok: bool) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", interrupt)
        with pytest.raises(KeyboardInterrupt):
            merge_dead(tmp_path)
    assert list(tmp_path.glob("*.counts"))
    assert counted(tmp_path, series) == 7
    killed(tmp_path, 5)
    merge_dead(tmp_path)
    assert counted(tmp_path, series) == 12


def test_threads_lose_nothing(tmp_path: Path) -> None:
    """Four threads count a thousand times each."""
    own = Counters(tmp_path, "worker")

    def count() -> None:
        for _ in range(1000):
            own.observe(SERIES, 1)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted(tmp_path) == 4000


def test_full_file_ignores_further_series(tmp_path: Path) -> None:
    """The series that fit are right, and counting never fails."""
    own = Counters(tmp_path, "web")
    for number in range(5000):
        own.observe(("http_request", str(number)), 1)
    own.observe(("http_request", "0"), 1)
    found = read_counts(tmp_path)
    assert 500 < len(found) < 5000
    assert sum(found["http_request", "0"][1:]) == 2
    assert all(sum(slots[1:]) == 1 for series, slots in found.items() if series[1] != "0")


def test_counting_goes_on_without_a_file(tmp_path: Path) -> None:
    """The folder cannot be created, as a file is in its place."""
    path = tmp_path / "metrics"
    path.write_text("")
    Counters(path, "web").observe(SERIES, 1)
    assert path.read_text() == ""


def test_damaged_sum_counts_as_empty(tmp_path: Path) -> None:
    """The counts of living processes are still read."""
    own = Counters(tmp_path, "web")
    own.observe(SERIES, 1)
    (tmp_path / "past.json").write_bytes(b"{")
    assert counted(tmp_path) == 1


def test_file_reserves_its_blocks_at_once(tmp_path: Path) -> None:
    """Otherwise a disk that fills up later would kill the process with SIGBUS."""
    own = Counters(tmp_path, "web")
    (path,) = tmp_path.glob("*.counts")
    assert path.stat().st_size == counters.SIZE_BYTES
    assert path.stat().st_blocks * 512 >= counters.SIZE_BYTES
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.name.startswith(f"web-{os.getpid()}-")
    own.observe(SERIES, 1)
