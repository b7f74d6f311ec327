"""Waiting for what other threads and processes do."""

import time
from collections.abc import Callable

PATIENCE_SECONDS = 60.0
"""How long to wait for what merely has to happen, on a machine that others keep busy, too."""


def until(happened: Callable[[], object], seconds: float = PATIENCE_SECONDS, pause: float = 0.02) -> bool:
    """Wait until it has happened; False if it does not happen in time."""
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True
