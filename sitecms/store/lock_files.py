"""Lock files: held by a living process, dropped by the kernel with it."""

import fcntl
import os
from pathlib import Path


def is_held(path: Path) -> bool:
    """Whether a process holds the lock of the file; False where there is no file."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared, so that two who look do not see each other
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(handle)
