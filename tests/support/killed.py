"""A write-back in a process of its own, which kills itself: `python -m tests.support.killed FOLDER CALLS`.

CALLS is the number of calls of functions after which it dies, as by `kill -9`; 0: never. Prints the number of calls.
"""

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from sitecms.actions.syncing.write_back import write_back
from sitecms.settings.site import load_settings
from sitecms.store.opening import open_database

LATER = datetime(2026, 4, 1, tzinfo=UTC)


def killed_process(folder: Path, calls: int) -> int:
    """Write the files of a site back in a process that dies after so many calls; return the calls, 0 if it died."""
    command = [sys.executable, "-m", "tests.support.killed", str(folder), str(calls)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if calls and done.returncode == -signal.SIGKILL:
        return 0
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def _main(folder: Path, calls: int) -> None:
    settings, done = load_settings(folder), 0
    database = open_database(settings.store)

    def count(_frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal done
        done += 1
        if done == calls:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    report = write_back(database, settings, LATER, again=True)
    sys.setprofile(None)
    database.close()
    assert (report.problems, report.stopped) == ((), ""), report
    print(done)  # noqa: T201 - for the parent process


if __name__ == "__main__":
    _main(Path(sys.argv[1]), int(sys.argv[2]))
