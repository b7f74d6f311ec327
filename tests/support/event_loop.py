"""Coroutines in tests, also while Playwright keeps an event loop running in the thread of the tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
THREAD = "loop"  # beginning of the name of the thread


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in a thread of its own."""
    with ThreadPoolExecutor(1, THREAD) as thread:
        return thread.submit(asyncio.run, coroutine).result()
