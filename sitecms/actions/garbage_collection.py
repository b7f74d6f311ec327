"""Python's cyclic garbage collector, paused for code that makes many objects without reference cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Pause the collector: while a store is read it takes a tenth of the time or more, and finds nothing.

    Processes that are forked meanwhile inherit the pause.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
