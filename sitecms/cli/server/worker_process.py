"""The worker process beside the server: started with it, started again when it dies, ended with it."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import structlog

POLL_SECONDS = 0.2
RESTART_SECONDS = 1.0
STOP_SECONDS = 4.0
_log = structlog.get_logger("sitecms.serve")


class Companion:
    """Runs `sitecms worker SITE`; one thread owns the process from its start to its end."""

    def __init__(self, folder: Path) -> None:
        self._command = [sys.executable, "-m", "sitecms", "worker", str(folder), "--parent", str(os.getpid())]
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="companion", daemon=True)

    def start(self) -> None:
        """Start the worker and keep it running."""
        self._thread.start()

    def ask_to_stop(self) -> None:
        """End the worker soon, without waiting for it."""
        self._stopping.set()

    def stop(self) -> None:
        """End the worker: asked first, killed if it has not ended after 4 s."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _keep(self) -> None:
        process = subprocess.Popen(self._command)
        while not self._stopping.wait(POLL_SECONDS):
            if process.poll() is None:
                continue
            _log.warning("worker_died", exit_code=process.returncode)
            if not self._stopping.wait(RESTART_SECONDS):
                process = subprocess.Popen(self._command)
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
