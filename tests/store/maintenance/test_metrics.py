"""What processes measure: added up, kept when they are killed, removed when a server starts again."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.multiprocess import MultiProcessCollector

from sitecms.store.maintenance.metrics import MAX_SERIES, RESERVED_BYTES, WRITE, Metrics, count_processes, remove_ended

Measure = Callable[[str, int], "subprocess.Popen[bytes]"]
MEASURE = """
import sys, time
from pathlib import Path
from sitecms.store.maintenance.metrics import Metrics, share_metrics
share_metrics(Path(sys.argv[1]), sys.argv[2])
metrics = Metrics()
for _ in range(int(sys.argv[3])):
    metrics.observe("write", 0.001, "applied")
print("measured", flush=True)
time.sleep(600)
"""

MEASURE_MANY = """
import sys
from pathlib import Path
from sitecms.store.maintenance.metrics import Metrics, share_metrics
share_metrics(Path(sys.argv[1]), "web")
metrics = Metrics()
for number in range(int(sys.argv[2])):
    metrics.observe("http_request", 0.001, f"/v2/{number:055}/", "OPTIONS", "200", "miss")
"""


@pytest.fixture
def measure(tmp_path: Path) -> Iterator[Measure]:
    """Start a process of a kind that observes a write so many times, and wait until it has."""
    started = list[subprocess.Popen[bytes]]()

    def start(kind: str, times: int) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-c", MEASURE, str(tmp_path), kind, str(times)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE))
        assert started[-1].stdout is not None
        assert started[-1].stdout.readline() == b"measured\n"
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def kill(process: "subprocess.Popen[bytes]") -> None:
    """End it by SIGKILL."""
    process.send_signal(signal.SIGKILL)
    process.wait()


def count_writes(folder: Path) -> float:
    """Return how many writes all processes observed."""
    collector: Any = MultiProcessCollector
    samples = [sample for family in collector(None, str(folder)).collect() for sample in family.samples]
    return float(sum(sample.value for sample in samples if sample.name == "sitecms_write_duration_seconds_count"))


def test_processes_are_added_up(tmp_path: Path, measure: Measure) -> None:
    """A process that was killed is no longer counted as running, but what it measured stays."""
    web, worker = measure("web", 3), measure("worker", 4)
    assert count_processes(tmp_path) == {"web": 1, "worker": 1}
    assert count_writes(tmp_path) == 7
    kill(worker)
    assert count_processes(tmp_path) == {"web": 1}
    assert count_writes(tmp_path) == 7
    kill(web)
    assert count_processes(tmp_path) == {}


def test_metrics_of_ended_processes_are_removed(tmp_path: Path, measure: Measure) -> None:
    """Those of running ones stay."""
    kill(measure("worker", 4))
    measure("worker", 5)
    remove_ended(tmp_path)
    assert count_writes(tmp_path) == 5
    assert len(list(tmp_path.glob("*.db"))) == 1


def test_file_reserves_its_blocks(tmp_path: Path, measure: Measure) -> None:
    """Otherwise a disk that fills up later would end the process; nobody else can read the file."""
    process = measure("web", 1)
    (path,) = tmp_path.glob("*.db")
    assert path.name == f"histogram_{process.pid}.db"
    assert path.stat().st_size == RESERVED_BYTES
    assert path.stat().st_blocks * 512 >= RESERVED_BYTES
    assert path.stat().st_mode & 0o777 == 0o600


def test_file_never_grows(tmp_path: Path) -> None:
    """Its further blocks would not be reserved: combinations of labels that have no room count together."""
    count = MAX_SERIES + 20
    subprocess.run([sys.executable, "-c", MEASURE_MANY, str(tmp_path), str(count)], check=True)
    (path,) = tmp_path.glob("*.db")
    assert path.stat().st_size == RESERVED_BYTES
    collector: Any = MultiProcessCollector
    samples = [sample for family in collector(None, str(tmp_path)).collect() for sample in family.samples]
    counts = {s.labels["route"]: s.value for s in samples if s.name == "sitecms_http_request_duration_seconds_count"}
    assert len(counts) == MAX_SERIES + 1
    assert counts["other"] == 20
    assert sum(counts.values()) == count


def test_parts_of_files_are_removed(tmp_path: Path, measure: Measure) -> None:
    """A process that is killed while it reserves blocks leaves one, which is no metric."""
    process = measure("web", 1)
    for pid in (1, process.pid):
        (tmp_path / f".histogram_{pid}.db.0a1b2c3d.tmp").write_bytes(b"")
    assert count_writes(tmp_path) == 1
    remove_ended(tmp_path)
    assert [path.name for path in tmp_path.glob("*.tmp")] == [f".histogram_{process.pid}.db.0a1b2c3d.tmp"]


def test_metrics_on_a_disk_for_reading_stay(tmp_path: Path, measure: Measure, lacking: Callable[[str], None]) -> None:
    """A site on such a disk is served all the same."""
    kill(measure("web", 1))
    folder = str(tmp_path)
    mount = shutil.which("mount")
    if not mount or subprocess.run([mount, "-o", "bind,ro", folder, folder], capture_output=True).returncode != 0:
        lacking("only the superuser can mount a folder for reading only")
    try:
        remove_ended(tmp_path)
        assert count_processes(tmp_path) == {}
        assert count_writes(tmp_path) == 1
    finally:
        subprocess.run(["umount", folder], check=True)


def test_process_that_can_make_no_file_measures_for_itself(tmp_path: Path, measure: Measure) -> None:
    """As on a full disk; here a folder is in the place of its locks."""
    (tmp_path / "web").write_text("")
    measure("web", 1)
    assert not list(tmp_path.glob("*.db"))


def test_threads_lose_nothing() -> None:
    """Four threads observe a thousand durations each."""
    metrics = Metrics()

    def observe() -> None:
        for _ in range(1000):
            metrics.observe(WRITE, 0.001, "applied")

    threads = [threading.Thread(target=observe) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    name = "sitecms_write_duration_seconds_count"
    assert metrics.registry.get_sample_value(name, {"outcome": "applied"}) == 4000
    assert "PROMETHEUS_MULTIPROC_DIR" not in os.environ
