"""Watch of the parent process, for processes that must end with it even when it is killed with -9."""

import os
import threading
import time
from collections.abc import Callable

POLL_SECONDS = 0.5


def when_orphaned(parent_pid: int, act: Callable[[], object]) -> None:
    """Call `act` in a thread within a second of the parent's end.

    An orphan's parent has another id; asking for that id works on every Unix.
    """

    def watch() -> None:
        while os.getppid() == parent_pid:
            time.sleep(POLL_SECONDS)
        act()

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()
