"""Processes that must not outlive the one that started them, not even when it is killed with -9."""

import os
import threading
import time
from collections.abc import Callable

POLL_SECONDS = 0.5


def when_orphaned(parent_pid: int, act: Callable[[], object]) -> None:
    """Call `act` within a second of the parent's death, from a thread of its own.

    The process that adopts an orphan has another id; asking for it works alike on every Unix.
    """

    def watch() -> None:
        while os.getppid() == parent_pid:
            time.sleep(POLL_SECONDS)
        act()

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()
