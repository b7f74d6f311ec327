"""Work that Ctrl-C ends in the middle."""

import os
import sys
import traceback
from collections.abc import Callable
from itertools import count


def interrupt(work: Callable[[], object], *, after_files: int) -> None:
    """Do the work in a process of its own, and interrupt it before it puts one more file in its place."""
    if child := os.fork():
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        return
    files = count(1)

    def end(event: str, _arguments: object) -> None:
        if event == "os.rename" and next(files) > after_files:
            raise KeyboardInterrupt

    sys.addaudithook(end)  # no hook can be removed: therefore the process
    try:
        work()
    except KeyboardInterrupt:
        os._exit(0)
    except BaseException:  # noqa: BLE001 - pytest of the parent process must not see it
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
