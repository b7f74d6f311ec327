"""Tasks in forked processes with limits of time and memory, such as those that decode pictures, which may be hostile.

A task writes its files itself and returns a small result. A process that exceeds its limits or crashes takes the others
of its pool with it: the tasks that were running are tried again, each alone, and the one that ends its process again is
given up.
"""

import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from sitecms.media.decoding.sandbox import DEFAULT_LIMITS, SandboxLimits
from sitecms.pool import call, can_fork, open_pool
from sitecms.programs import limit_time

Result = TypeVar("Result")


def run_limited_tasks(
    tasks: Sequence[Callable[[], Result]], processes: int, limits: SandboxLimits = DEFAULT_LIMITS
) -> Iterator[tuple[int, Result | None]]:
    """Yield the number of each task and its result as it ends; None for a task that exceeded its limits.

    With `processes` below 2, tasks run in this process, without limits. An error of a task is raised here.
    """
    count = min(processes, len(tasks))
    if not can_fork(count):
        yield from ((number, task()) for number, task in enumerate(tasks))
        return
    waiting = list(reversed(range(len(tasks))))
    while waiting:
        suspects: list[int] = []
        yield from _run(tasks, waiting, suspects, count, limits)
        for number in suspects:
            given_up: list[int] = []
            yield from _run(tasks, [number], given_up, 1, limits)
            yield from ((each, None) for each in given_up)


def _run(
    tasks: Sequence[Callable[[], Result]], waiting: list[int], suspects: list[int], count: int, limits: SandboxLimits
) -> Iterator[tuple[int, Result | None]]:
    """Run tasks off the end of `waiting` until all are done or a process dies; `suspects` gets those that ran then."""
    work, begin = partial(_run_task, tasks, limits), partial(_limit_memory, limits)
    running: dict[Future[Result | None], int] = {}
    with suppress(BrokenProcessPool), open_pool(count, work, begin) as pool:
        while waiting or running:
            while waiting and len(running) < count:
                running[pool.submit(call, waiting[-1])] = waiting[-1]
                waiting.pop()
            done, _others = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                result = future.result()
                yield running.pop(future), result
    suspects += running.values()


def _run_task(tasks: Sequence[Callable[[], Result]], limits: SandboxLimits, number: int) -> Result | None:
    """Run a task in a process, which the kernel ends when the time is up."""
    limit_time(limits.seconds)
    try:
        return tasks[number]()
    except MemoryError:
        return None
    finally:
        limit_time(0)


def _limit_memory(limits: SandboxLimits) -> None:
    """Limit the memory beyond what the process shares with the build."""
    with suppress(OSError, ValueError):
        if sys.platform == "linux":
            shared = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (shared + limits.memory_bytes,) * 2)
