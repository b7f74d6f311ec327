"""Coroutines that granian's thread hands over: where they start, where they continue."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sitecms.web.server.event_loop import EagerEventLoop, continue_in

OTHER = "other"


async def _hand_over(make: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Hand a coroutine over as granian does, and wait until the loop has had a few turns."""
    loop = asyncio.get_running_loop()
    tasks: list[asyncio.Task[None]] = []

    def run(coroutine: Coroutine[Any, Any, None]) -> None:
        tasks.append(loop.create_task(coroutine))

    with ThreadPoolExecutor(1, OTHER) as pool:
        await loop.run_in_executor(pool, lambda: loop.call_soon_threadsafe(run, make()))
    for _ in range(3):
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)


@pytest.fixture
def threads() -> list[str]:
    """Names of the threads that ran the parts of a coroutine."""
    return []


def _hand_over_on_eager_loop(make: Callable[[], Coroutine[Any, Any, None]]) -> None:
    with asyncio.Runner(loop_factory=EagerEventLoop) as runner:
        runner.run(asyncio.wait_for(_hand_over(make), 20))


def test_coroutine_that_does_not_wait_ends_in_the_thread_that_hands_it_over(threads: list[str]) -> None:
    """Nothing is left for the loop."""

    async def answer() -> None:
        threads.append(threading.current_thread().name)

    _hand_over_on_eager_loop(answer)
    assert len(threads) == 1
    assert threads[0].startswith(OTHER)


def test_coroutine_that_waits_continues_on_the_loop(threads: list[str]) -> None:
    """After `continue_in(None)` it may use the running loop, as for threads and timers."""

    async def answer() -> None:
        threads.append(threading.current_thread().name)
        await continue_in(None)
        assert asyncio.current_task() is not None
        threads.append(await asyncio.to_thread(lambda: "done"))
        threads.append(threading.current_thread().name)

    _hand_over_on_eager_loop(answer)
    assert threads[0].startswith(OTHER)
    assert threads[1:] == ["done", threading.current_thread().name]


def test_coroutine_continues_in_threads_of_executors(threads: list[str]) -> None:
    """One after the other, then on the loop."""
    first, second = ThreadPoolExecutor(1, "first"), ThreadPoolExecutor(1, "second")

    async def answer() -> None:
        for executor in (first, second, None):
            await continue_in(executor)
            threads.append(threading.current_thread().name.partition("_")[0])

    async def wait() -> None:
        await _hand_over(answer)
        while len(threads) < 3:
            await asyncio.sleep(0.01)

    with first, second, asyncio.Runner(loop_factory=EagerEventLoop) as runner:
        runner.run(asyncio.wait_for(wait(), 20))
    assert threads == ["first", "second", threading.current_thread().name]


def test_callbacks_without_a_coroutine_run_on_the_loop(threads: list[str]) -> None:
    """As `call_soon_threadsafe` of every loop."""

    async def wait() -> None:
        done = asyncio.Event()

        def note(text: str) -> None:
            threads.extend((text, threading.current_thread().name))
            done.set()

        loop = asyncio.get_running_loop()
        await asyncio.to_thread(loop.call_soon_threadsafe, note, "noted")
        await done.wait()

    with asyncio.Runner(loop_factory=EagerEventLoop) as runner:
        runner.run(asyncio.wait_for(wait(), 20))
    assert threads == ["noted", threading.current_thread().name]
