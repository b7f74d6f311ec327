"""What processes count: added up, kept when they die, and never counted twice."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sitecms.store.maintenance import counters
from sitecms.store.maintenance.counters import BOUNDS_SECONDS, Counters, fold, living, read_counts

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
    """How often."""
    return sum(read_counts(folder).get(series, [0])[1:])


def killed(folder: Path, times: int) -> None:
    """A process that counts and is killed with -9."""
    process = subprocess.Popen([sys.executable, "-c", COUNTING, str(folder), str(times)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"counted\n"
    assert living(folder)["worker"] == 1
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_durations_fall_into_buckets(tmp_path: Path) -> None:
    """The sum in nanoseconds first; a bound holds what takes just as long; what is longer than all is last."""
    mine = Counters(tmp_path, "web")
    for taken in (MILLISECOND, MILLISECOND + 1, 3_600_000 * MILLISECOND):
        mine.observe(SERIES, taken)
    total, *buckets = read_counts(tmp_path)[SERIES]
    assert total == 3_600_002 * MILLISECOND + 1
    place = BOUNDS_SECONDS.index(0.001)
    assert (buckets[place], buckets[place + 1], buckets[-1], sum(buckets)) == (1, 1, 1, 3)


def test_processes_are_added_up(tmp_path: Path) -> None:
    """And series that one of them alone has are there."""
    one, other = Counters(tmp_path, "web"), Counters(tmp_path, "web")
    one.observe(SERIES, 1)
    other.observe(SERIES, 2)
    other.observe(("write", 'a "quoted"\nvalue'), 3)
    assert counted(tmp_path) == 2
    assert counted(tmp_path, ("write", 'a "quoted"\nvalue')) == 1
    assert living(tmp_path) == {"web": 2}


def test_what_a_killed_process_counted_stays(tmp_path: Path) -> None:
    """Before it is folded, after, and after it is folded again; the process is seen to be gone."""
    series = ("write", "applied")
    for number in (1, 2):
        killed(tmp_path, 1000)
        assert counted(tmp_path, series) == number * 1000
        assert living(tmp_path) == {}
        for _ in range(2):
            fold(tmp_path)
            assert counted(tmp_path, series) == number * 1000
    assert not list(tmp_path.glob("*.counts"))


def test_folding_that_is_cut_off_counts_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed after it wrote the sum and before it removed the files."""
    series = ("write", "applied")
    killed(tmp_path, 7)

    def cut_off(_path: Path, *, missing_ok: bool) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", cut_off)
        with pytest.raises(KeyboardInterrupt):
            fold(tmp_path)
    assert list(tmp_path.glob("*.counts"))
    assert counted(tmp_path, series) == 7
    killed(tmp_path, 5)
    fold(tmp_path)
    assert counted(tmp_path, series) == 12


def test_threads_lose_nothing(tmp_path: Path) -> None:
    """Four of them, a thousand times each."""
    mine = Counters(tmp_path, "worker")

    def count() -> None:
        for _ in range(1000):
            mine.observe(SERIES, 1)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted(tmp_path) == 4000


def test_a_full_file_loses_only_further_series(tmp_path: Path) -> None:
    """Thousands of series: those that fit are right, and counting never fails."""
    mine = Counters(tmp_path, "web")
    for number in range(5000):
        mine.observe(("http_request", str(number)), 1)
    mine.observe(("http_request", "0"), 1)
    found = read_counts(tmp_path)
    assert 500 < len(found) < 5000
    assert sum(found["http_request", "0"][1:]) == 2
    assert all(sum(slots[1:]) == 1 for series, slots in found.items() if series[1] != "0")


def test_where_no_file_can_be_had_counting_goes_on(tmp_path: Path) -> None:
    """A folder that is a file stands for a disk that takes nothing."""
    place = tmp_path / "metrics"
    place.write_text("")
    Counters(place, "web").observe(SERIES, 1)
    assert place.read_text() == ""


def test_a_damaged_sum_counts_as_none(tmp_path: Path) -> None:
    """What lives goes on."""
    mine = Counters(tmp_path, "web")
    mine.observe(SERIES, 1)
    (tmp_path / "past.json").write_bytes(b"{")
    assert counted(tmp_path) == 1


def test_a_file_takes_its_room_at_once(tmp_path: Path) -> None:
    """Else a disk that fills later would end the process with SIGBUS."""
    mine = Counters(tmp_path, "web")
    (path,) = tmp_path.glob("*.counts")
    assert path.stat().st_size == counters.SIZE_BYTES
    assert path.stat().st_blocks * 512 >= counters.SIZE_BYTES
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.name.startswith(f"web-{os.getpid()}-")
    mine.observe(SERIES, 1)
