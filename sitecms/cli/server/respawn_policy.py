"""How many web processes may die before the server gives up."""

import time
from collections import deque
from collections.abc import Callable

WINDOW_SECONDS = 60.0
MAX_FAILED = 4
MAX_KILLED = 120
"""Deaths within the window: of processes that failed by themselves, and of those that a signal ended."""


class Deaths(dict[int, float]):
    """Stands in for granian's record of when each process was last replaced.

    granian asks it about each process that died, and ends the whole server, healthy processes included, where the
    answer is less than 5.5 s ago. A few kills in a row are no reason for that; an app that cannot start is.
    """

    def __init__(self, exit_code: Callable[[int], int | None], monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._exit_code = exit_code
        self._monotonic = monotonic
        self._failed: deque[float] = deque(maxlen=MAX_FAILED + 1)
        self._killed: deque[float] = deque(maxlen=MAX_KILLED + 1)

    def get(self, index: int, default: float = 0.0) -> float:  # type: ignore[override]
        """Now, if there were too many deaths within a minute, this one included; else long ago."""
        at = self._monotonic()
        deaths = self._killed if (self._exit_code(index) or 0) < 0 else self._failed
        deaths.append(at)
        is_full = len(deaths) == deaths.maxlen
        return at if is_full and at - deaths[0] < WINDOW_SECONDS else default
