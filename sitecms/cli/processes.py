"""Processes of `sitecms serve`: a supervisor starts them, replaces those that end, and ends them together.

They end with their parent even when it is killed with -9 (`programs.when_orphaned`).
"""

import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

import structlog

POLL_SECONDS = 0.05
STOP_SECONDS = 4.0
WINDOW_SECONDS = 60.0
MAX_FAILED = 4
MAX_KILLED = 120
"""Exits of one kind within the window: processes that failed by themselves, and processes that a signal ended."""
_log = structlog.get_logger("sitecms.serve")


def stop_event() -> threading.Event:
    """Return an event that SIGTERM and Ctrl-C set from now on."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop.set())
    return stop


class RespawnPolicy:
    """Decides whether a process is replaced. A few kills are no reason to give up; an app that cannot start is one."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._failed_at: deque[float] = deque(maxlen=MAX_FAILED + 1)
        self._killed_at: deque[float] = deque(maxlen=MAX_KILLED + 1)

    def allows(self, exit_code: int) -> bool:
        """Count the exit of a process (a negative code: by that signal); False after too many within a minute."""
        exits = self._killed_at if exit_code < 0 else self._failed_at
        exits.append(self._monotonic())
        return len(exits) < (exits.maxlen or 0) or exits[-1] - exits[0] >= WINDOW_SECONDS


class Child:
    """A process that is replaced when it ends, `delay_seconds` later."""

    def __init__(
        self, name: str, command: Sequence[str], policy: RespawnPolicy | None = None, delay_seconds: float = 0.0
    ) -> None:
        self._name = name
        self._command = command
        self._policy = policy
        self._delay_seconds = delay_seconds
        self._start_at = 0.0
        self.process: subprocess.Popen[bytes] | None = None

    def poll(self) -> bool:
        """Start the process if it does not run; return False if the policy forbids to replace it."""
        if self.process is None:
            if time.monotonic() >= self._start_at:
                try:
                    self.process = subprocess.Popen(self._command)
                except OSError as error:  # such as a lack of memory or processes
                    _log.error("process_not_started", process=self._name, problem=str(error))
                    self._start_at = time.monotonic() + max(self._delay_seconds, 1.0)
            return True
        exit_code = self.process.poll()
        if exit_code is None:
            return True
        _log.warning("process_ended", process=self._name, exit_code=exit_code)
        self.process = None
        self._start_at = time.monotonic() + self._delay_seconds
        return self._policy is None or self._policy.allows(exit_code)


class Supervisor:
    """Keeps child processes running until a signal ends this process."""

    def __init__(self, children: Sequence[Child]) -> None:
        self._children = children

    def run(self) -> bool:
        """Run until SIGTERM or SIGINT; return False if the children cannot be kept running. Ends them in any case."""
        stop = stop_event()
        try:
            while not stop.is_set():
                for child in self._children:
                    if not child.poll():
                        _log.error("crash_loop", message="Processes end again and again; giving up.")
                        return False
                time.sleep(POLL_SECONDS)  # a signal that came while this waited for the event would wait for it, too
            return True
        finally:
            end_processes([child.process for child in self._children if child.process is not None])


def end_processes(processes: "Sequence[subprocess.Popen[bytes]]") -> None:
    """Ask the processes to end; kill those that have not ended after 4 s."""
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    for process in processes:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
