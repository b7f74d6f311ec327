"""Python's cyclic garbage collector: pauses while many objects without cycles are made, and shorter collections."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Pause the collector while a store is read, which makes no garbage for it.

    Processes that are forked meanwhile inherit the pause.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def exclude_present_objects() -> None:
    """Exclude all objects that exist now from collections, as a process that serves does once it has started.

    Modules and their data stay to the end, and visiting them stops the process in the middle of a request. Objects that
    were excluded before are collected once more.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
