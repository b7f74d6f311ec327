"""The cyclic garbage collector: objects of the start are not visited again."""

import gc
import weakref

from sitecms.actions.garbage_collection import exclude_present_objects


class _Node:
    """Object that refers to itself."""

    def __init__(self) -> None:
        self.itself = self


def test_present_objects_are_not_visited() -> None:
    """Garbage of before is collected, what exists is left alone from then on, and new garbage is collected."""
    kept, dropped = _Node(), weakref.ref(_Node())
    try:
        exclude_present_objects()
        assert dropped() is None
        assert not any(each is kept for each in gc.get_objects())
        dropped = weakref.ref(_Node())
        gc.collect()
        assert dropped() is None
    finally:
        gc.unfreeze()
