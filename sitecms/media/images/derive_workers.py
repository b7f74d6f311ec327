"""Pool of processes for tasks that may exceed limits of time and memory.

Processes are forked, so tasks need no pickling; a task writes its files itself and returns a small result. Unlike the
fork pool, this pool replaces a process that hangs or crashes and goes on.
"""

import gc
import multiprocessing
import os
import resource
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from sitecms.media.decoding.sandbox import DEFAULT_LIMITS, SandboxLimits
from sitecms.programs import end_with_parent, limit_time

Result = TypeVar("Result")
_GRACE_SECONDS = 5.0  # for the build, which ends a task when its time is up


class _Worker(Struct):
    """Process, the number of its task, and the deadline of the task."""

    process: BaseProcess
    pipe: Connection
    task: int = -1
    deadline: float = 0.0


def run_limited_tasks(
    tasks: Sequence[Callable[[], Result]], processes: int, limits: SandboxLimits = DEFAULT_LIMITS
) -> Iterator[tuple[int, Result | None]]:
    """Yield the number of each task and its result as it ends; None for a task that exceeded its limits.

    With `processes` below 2, tasks run in this process, without limits. An error of a task is raised here.
    """
    count = min(processes, len(tasks))
    if count < 2 or not hasattr(os, "fork"):
        yield from ((number, task()) for number, task in enumerate(tasks))
        return
    crew = _Processes(tasks, limits)
    gc.collect()
    gc.freeze()  # the collector's bookkeeping would copy every page of memory that it touches
    try:
        for _ in range(count):
            crew.hire()
        while crew.busy:
            yield from crew.results()
    finally:
        gc.unfreeze()
        for worker in crew.busy.values():
            _end(worker)


class _Processes:
    """Running processes by their pipes, and waiting tasks."""

    def __init__(self, tasks: Sequence[Callable[[], Any]], limits: SandboxLimits) -> None:
        self.busy: dict[Connection, _Worker] = {}
        self._tasks = tasks
        self._limits = limits
        self._waiting = deque(range(len(tasks)))

    def hire(self) -> None:
        """Start one more process if a task waits."""
        if not self._waiting:
            return
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        inherited = (*self.busy, ours)  # else no process would notice that the build has gone
        arguments = (self._tasks, theirs, inherited, self._limits, os.getpid())
        process = context.Process(target=_work, args=arguments, daemon=True)
        process.start()
        theirs.close()
        self._give(_Worker(process, ours))

    def results(self) -> Iterator[tuple[int, Any]]:
        """Return the finished results; waits until a task ends or its time is up."""
        patience = min(worker.deadline for worker in self.busy.values()) - time.monotonic()
        ready = wait(list(self.busy), timeout=max(0.0, patience))
        for pipe, worker in tuple(self.busy.items()):
            if pipe in ready:
                yield worker.task, self._taken(worker)
            elif worker.deadline < time.monotonic():
                self._lose(worker)
                yield worker.task, None

    def _taken(self, worker: _Worker) -> Any:
        try:
            result = worker.pipe.recv()
        except (EOFError, OSError):
            self._lose(worker)
            return None
        if isinstance(result, Exception):
            raise result
        if self._waiting:
            self._give(worker)
        else:
            _end(self.busy.pop(worker.pipe))
        return result

    def _lose(self, worker: _Worker) -> None:
        _end(self.busy.pop(worker.pipe))
        self.hire()

    def _give(self, worker: _Worker) -> None:
        worker.task = self._waiting.popleft()
        worker.deadline = time.monotonic() + self._limits.seconds
        self.busy[worker.pipe] = worker
        with suppress(OSError):  # a process that has died already is noticed when it does not answer
            worker.pipe.send(worker.task)


def _end(worker: _Worker) -> None:
    worker.pipe.close()
    worker.process.kill()
    worker.process.join()


def _work(
    tasks: Sequence[Callable[[], Any]],
    pipe: Connection,
    inherited: Sequence[Connection],
    limits: SandboxLimits,
    parent_pid: int,
) -> None:
    """Run tasks by their numbers until the pipe closes. A task that the build cannot end is ended by the kernel."""
    end_with_parent(parent_pid)
    for other in inherited:
        other.close()
    _limit_memory(limits)
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            number = pipe.recv()
            limit_time(limits.seconds + _GRACE_SECONDS)
            try:
                result = tasks[number]()
            except MemoryError:
                result = None
            except Exception as error:  # noqa: BLE001  # raised again where it is told
                result = error
            pipe.send(result)
            limit_time(0)


def _limit_memory(limits: SandboxLimits) -> None:
    """Limit the memory beyond what the process shares with the build."""
    with suppress(OSError, ValueError):
        if sys.platform == "linux":
            shared = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (shared + limits.memory_bytes,) * 2)
