"""Guard of one program: a process between sitecms and the program, which ends the program when sitecms is gone.

Run by its path as `program_guard.py PIPE BYTES COMMAND...`, without the package, so that it starts within milliseconds.
BYTES is the size of the largest file that the program may write, 0 for any. Guard and program are one group of
processes. The other end of the pipe belongs to sitecms alone: on every Unix the kernel closes it however sitecms ends,
and then the guard ends the group: it asks, so that a program may remove its locks and temporary files, and kills what
is left after a second. Its exit code is that of the program, or 128 and the number of the signal that ended it.
"""

import os
import resource
import select
import signal
import sys
import time

SIGNAL_BASE = 128
NOT_STARTED = 127  # as in shells
SECONDS_TO_END = 1.0


def main(pipe: int, max_file_bytes: int, command: list[str]) -> int:
    """Run the command until it ends, or the pipe is closed."""
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    os.set_inheritable(pipe, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.signal(signal.SIGTERM, lambda _number, _frame: None)  # the group has it: the program decides
    program = os.fork()
    if program == 0:
        _become(command, max_file_bytes)
    _release_standard_files()
    while True:
        ready, _, _ = select.select([woken, pipe], [], [])
        if pipe in ready:
            os.killpg(0, signal.SIGTERM)
            _wait_for(program)
            os.killpg(0, signal.SIGKILL)
        os.read(woken, 512)
        ended, status = os.waitpid(program, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else SIGNAL_BASE - code


def _wait_for(program: int) -> None:
    """Wait until the program has ended, but not for long."""
    end = time.monotonic() + SECONDS_TO_END
    while not os.waitpid(program, os.WNOHANG)[0] and time.monotonic() < end:
        time.sleep(0.01)


def _become(command: list[str], max_file_bytes: int) -> None:
    """Replace this process by the program. Standard files, and others that sitecms passes, are inherited."""
    try:
        signal.set_wakeup_fd(-1)
        if max_file_bytes:
            resource.setrlimit(resource.RLIMIT_FSIZE, (max_file_bytes, max_file_bytes))
        os.execvp(command[0], command)  # noqa: S606 - without a shell
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(NOT_STARTED)


def _release_standard_files() -> None:
    """Close them, so that a reader of the program's output sees its end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
