"""Python's garbage collector, kept from looking for circles where there are none."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Have no garbage looked for: what is read from a store is a great many values, and looking takes a tenth or more.

    Processes that are forked meanwhile take this over.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
