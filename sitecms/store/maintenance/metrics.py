"""Durations of requests, writes and messages, and which processes of a site run.

prometheus_client adds the durations up over the processes: in its multiprocess mode each keeps them in a file that is
mapped into memory, so that they survive `kill -9`. `sitecms serve` removes the files of processes that ended when it
starts: while it runs, no number decreases.
"""

import os
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sitecms.files import write_atomically
from sitecms.store.engines.locks import LockFiles, is_file_locked

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Histogram
    from prometheus_client.registry import Collector

HTTP_REQUEST, WRITE, DELIVERY_ATTEMPT = "http_request", "write", "delivery_attempt"
HISTOGRAMS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    HTTP_REQUEST: ("Requests answered by web processes.", ("route", "method", "status", "cache")),
    WRITE: ("Writes that workers ended: seconds from acceptance to end.", ("outcome",)),
    DELIVERY_ATTEMPT: ("Attempts to deliver a webhook message.", ("outcome",)),
}
"""Help and labels of each histogram, by its name."""
BOUNDS_SECONDS = (
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
)  # fmt: skip
RESERVED_BYTES = 2 * 1024 * 1024  # a mapped file that has no blocks would end the process on a full disk
MAX_SERIES = 300  # combinations of labels in one process, which fit into these bytes; further ones count as "other"
OTHER = "other"
_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


class Metrics:
    """Histograms of this process. Safe to share between threads."""

    def __init__(self) -> None:
        self._series: set[tuple[str, tuple[str, ...]]] = set()
        self._lock = threading.Lock()

    @cached_property
    def registry(self) -> "CollectorRegistry":
        """The registry of the histograms."""
        from prometheus_client import CollectorRegistry  # for the processes that measure

        return CollectorRegistry()

    @cached_property
    def _histograms(self) -> "Mapping[str, Histogram]":
        from prometheus_client import Histogram

        return {
            name: Histogram(
                f"sitecms_{name}_duration_seconds", text, labels, registry=self.registry, buckets=BOUNDS_SECONDS
            )
            for name, (text, labels) in HISTOGRAMS.items()
        }

    def observe(self, name: str, seconds: float, *labels: str) -> None:
        """Count a duration."""
        if (name, labels) not in self._series and not self._add_series(name, labels):
            labels = (OTHER,) * len(labels)
        self._histograms[name].labels(*labels).observe(seconds)

    def _add_series(self, name: str, labels: tuple[str, ...]) -> bool:
        """Return whether the file has room for one more combination of labels."""
        with self._lock:
            if len(self._series) < MAX_SERIES:
                self._series.add((name, labels))
            return (name, labels) in self._series

    def collector(self) -> "Collector":
        """Return the collector of the sums of all processes; of this one, if it does not share its metrics."""
        folder = os.environ.get(_VARIABLE)
        if folder is None:
            return self.registry
        from prometheus_client.multiprocess import MultiProcessCollector

        return MultiProcessCollector(None, folder)  # type: ignore[no-untyped-call]


def share_metrics(folder: Path, kind: str) -> None:
    """Show other processes that this one runs, and add its metrics to theirs; call it before any other import.

    `kind` is "web" or "worker". If no file can be created, as on a full disk, the process measures for itself alone.
    """
    path = folder / f"histogram_{os.getpid()}.db"
    with suppress(OSError):
        LockFiles(folder / kind).acquire_unique()  # held to the end of the process
        if not path.exists():
            write_atomically(path, bytes(RESERVED_BYTES), mode=0o600)  # a part of a file would break /metrics
        os.environ[_VARIABLE] = str(folder)


def count_processes(folder: Path) -> Mapping[str, int]:
    """Return the number of running processes of each kind on this machine."""
    return Counter(path.parent.name for path in _lock_files(folder))


def remove_ended(folder: Path) -> None:
    """Remove the metrics of processes that have ended, and parts of files that they left. Never fails."""
    with suppress(OSError):
        running = {path.name.partition("-")[0] for path in _lock_files(folder)}
        for path in folder.glob("*histogram_*"):
            if path.name.rpartition("_")[2].partition(".")[0] not in running:
                path.unlink(missing_ok=True)


def _lock_files(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*/*") if is_file_locked(path)]
