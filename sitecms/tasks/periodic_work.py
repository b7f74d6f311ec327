"""Periodic work of a worker beside the queue, once a second: deliveries, e-mail, write-back, builds, Git, upkeep.

No call waits: threads and a separate process do the work, and what is interrupted is done again later.

Builds start when a user asks for one, and after a change that readers see (`build.on_publish`), one at a time. Changes
that follow each other within a second are built once, a continuous stream of them every five seconds. Files of the site
folder are not loaded, since a person may be editing them. If several hosts share the store, each that has the setting
builds its own output folder.
"""

import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress

import structlog
from msgspec.structs import asdict

from sitecms.actions.deliver_webhooks import Deliverer, make_sender
from sitecms.actions.mailing.deliver import Mailer
from sitecms.actions.operations.housekeeping import remove_expired
from sitecms.clock import Clock, now
from sitecms.errors import SitecmsError, StoreUnusable
from sitecms.media.library import open_library
from sitecms.programs import Program, end_of
from sitecms.settings.current import CurrentSettings
from sitecms.settings.site import load_settings
from sitecms.store.database import Database
from sitecms.store.engines.locks import Lock, LockFiles, Locks, try_lock
from sitecms.store.maintenance.metrics import Metrics
from sitecms.store.site_state.build_log import (
    BUILD_LOCK,
    BuildRecord,
    open_request,
    save_answered_request,
    save_build_record,
)
from sitecms.store.site_state.site_builds import (
    LastBuild,
    built_change,
    find_last_build,
    save_built_change,
    site_changes,
)
from sitecms.tasks.file_writing import FileWriter
from sitecms.tasks.git_work import GitWork

QUIET_SECONDS = 0.7
LONGEST_WAIT_SECONDS = 5.0
RETRY_SECONDS = 60.0
BUILD_STOP_SECONDS = 1.0
BUILD_SECONDS, BUILD_SECONDS_PER_FILE = 3600.0, 0.5
"""Limits of time for a build, and for each file of the site, far above what builds take."""
_ENDED = "The build ended without saying why."
_LATE = "The build was ended, because it took too long."
_LOGGED_BYTES = 2000
_SOME_FAILED = 1  # some pages could not be rendered; also the exit code of a program that crashed
HOUSEKEEPING_SECONDS = 3600.0
FIRST_HOUSEKEEPING_SECONDS = 60.0  # and after this, if another worker was doing it
HOUSEKEEPING = "housekeeping"
STOP_SECONDS = 0.5
_log = structlog.get_logger("sitecms.worker")
_build_log = structlog.get_logger("sitecms.build")


class Rebuilder:
    """Starts builds; called repeatedly by one thread of a worker, and ends with it.

    Of several workers of one site folder, the one with the lock on a file builds; the kernel releases the lock when
    its process ends.
    """

    def __init__(self, current: CurrentSettings, database: Database, clock: Clock = now) -> None:
        settings = current.now()
        self._current, self._clock = current, clock
        self._command = [sys.executable, "-m", "sitecms", "build", str(settings.folder), "--no-load"]
        self._locks = LockFiles(settings.workers_dir)
        self._state = settings.state_dir
        self._database = database
        self._build: _Build | None = None
        self._seen = (0, 0)
        self._seen_at = self._waiting_since = self._not_before = 0.0

    def step(self) -> None:
        """Start a build if one is needed and no change is recent; finish the one that has ended."""
        if self._build is not None:
            self._build.end_in_time()
            if self._build.program.exit_code is not None:
                self._finish(self._build)
            return
        goal = self._goal()
        if goal is None:
            self._seen = (0, 0)
        elif self._is_time(goal, time.monotonic()):
            self._start()

    def ask_to_stop(self) -> None:
        """Ask the running build, if there is one, to end."""
        if self._build is not None:
            self._build.program.terminate()

    def stop(self) -> None:
        """End the running build, if there is one; the next worker starts it again."""
        if self._build is None:
            return
        self._build.program.terminate()
        self._build.program.wait(BUILD_STOP_SECONDS)
        self._build.close()
        self._build = None

    def _is_time(self, goal: tuple[int, int], at: float) -> bool:
        if goal != self._seen:
            self._waiting_since = self._waiting_since if any(self._seen) else at
            self._seen, self._seen_at = goal, at
        quiet = at - self._seen_at >= QUIET_SECONDS or at - self._waiting_since >= LONGEST_WAIT_SECONDS
        return quiet and at >= self._not_before

    def _goal(self) -> tuple[int, int] | None:
        """Return the numbers of the last change and of the last request for a build, None if nothing is to be built."""
        with self._database.reading() as session:
            number, request = site_changes(session), open_request(session, self._state, self._clock())
        asked = request.number if request else 0
        is_automatic = self._current.now().build.on_publish
        is_due = request is not None or (is_automatic and number != built_change(self._state))
        return (number, asked) if is_due else None

    def _start(self) -> None:
        lock = self._locks.acquire(BUILD_LOCK)
        if lock is None:
            return
        goal = self._goal()
        if goal is None:  # another worker has built just now
            lock.release()
            return
        self._build = _Build([*self._command, *self._options()], goal, lock, find_last_build(self._state))
        self._seen = (0, 0)

    def _options(self) -> list[str]:
        """Return further options of a build.

        Commands of `[build] before` that came after the start of the worker, as by a pull, are not run: whoever may
        change the folder may not for that run programs on this machine.
        """
        settings = self._current.now()
        if settings.plugins.are_left_out:
            return ["--no-plugins"]
        with suppress(SitecmsError):  # the build says what is wrong with the settings
            if load_settings(settings.folder, with_plugins=False).build.before == settings.build.before:
                return []
            _build_log.warning("commands_left_out", reason="before changed; restart the worker to run its commands")
        return ["--no-before"]

    def _finish(self, build: "_Build") -> None:
        self._build = None
        code, output = build.program.exit_code, build.error_output()
        if code == 0 or (code == _SOME_FAILED and find_last_build(self._state) != build.last_build):
            save_built_change(self._state, build.number)
        else:
            self._not_before = time.monotonic() + RETRY_SECONDS
            save_build_record(self._state, BuildRecord(self._clock(), build.seconds, error=output or _ENDED))
        if build.request:
            save_answered_request(self._state, build.request)  # a build that failed is asked for anew
        build.close()
        if code:
            _build_log.error("build_failed", exit_code=code, output=output)
        else:
            _build_log.info("site_built", change=build.number)


class _Build:
    """Running build, with the number of the last change that it contains and of the request, and the build before."""

    def __init__(self, command: list[str], goal: tuple[int, int], lock: Lock, last_build: LastBuild | None) -> None:
        self.number, self.request = goal
        self._started_at = time.monotonic()
        self.last_build = last_build
        self._lock = lock
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the build
        files = last_build.files if last_build else 0
        self._end_at = time.monotonic() + BUILD_SECONDS + BUILD_SECONDS_PER_FILE * files
        self._is_late = False
        self.program = Program(command, files=(subprocess.DEVNULL, subprocess.DEVNULL, self._errors))

    @property
    def seconds(self) -> float:
        """The seconds since it was started."""
        return round(time.monotonic() - self._started_at, 2)

    def end_in_time(self) -> None:
        """End a build that takes far longer than any build of the site."""
        if time.monotonic() > self._end_at and self.program.exit_code is None:
            self._is_late = True
            self.program.kill()

    def error_output(self) -> str:
        """Return the end of the build's stderr."""
        return _LATE if self._is_late else end_of(self._errors, _LOGGED_BYTES)

    def close(self) -> None:
        """End the build, and release the lock for the next one."""
        self.program.kill()
        self._errors.close()
        self._lock.release()


class PeriodicWork:
    """Periodic work of one worker; several workers may do it for one site."""

    def __init__(
        self,
        current: CurrentSettings,
        database: Database,
        clock: Clock,
        metrics: Metrics,
        locks: Locks,
        *,
        builds: bool = True,
    ) -> None:
        self._current, self._database, self._clock, self._locks = current, database, clock, locks
        self._deliverer = Deliverer(database, lambda: make_sender(current.now(), metrics), clock, locks)
        self._mailer = Mailer(database, current, clock, locks)
        self._rebuilder = Rebuilder(current, database, clock) if builds else None
        self._git = GitWork(current, database, clock)
        self._files = FileWriter(current, database, clock)
        self._next_housekeeping = time.monotonic() + FIRST_HOUSEKEEPING_SECONDS

    def step(self) -> None:
        """Start the work that is due. Failures are logged, and tried again with the next step.

        Raises StoreUnusable.
        """
        try:
            self._deliverer.dispatch()
            self._mailer.dispatch()
            self._files.step()
            self._git.step()
            if self._rebuilder:
                self._rebuilder.step()
            if time.monotonic() >= self._next_housekeeping:
                self._next_housekeeping = time.monotonic() + HOUSEKEEPING_SECONDS
                threading.Thread(target=self._remove_expired, name="housekeeping", daemon=True).start()
        except StoreUnusable:
            raise
        except Exception:  # noqa: BLE001 - the worker goes on
            _log.exception("periodic_work_failed")

    def ask_to_stop(self) -> None:
        """Start nothing more, and do not wait."""
        self._deliverer.ask_to_stop()
        self._mailer.ask_to_stop()
        self._git.ask_to_stop()
        if self._rebuilder:
            self._rebuilder.ask_to_stop()

    def stop(self) -> None:
        """Stop the work: deliveries and the e-mail that are being sent get half a second, a build one second."""
        self.ask_to_stop()
        self._deliverer.stop(STOP_SECONDS)
        self._mailer.stop(STOP_SECONDS)
        self._files.stop(STOP_SECONDS)
        if self._rebuilder:
            self._rebuilder.stop()

    def _remove_expired(self) -> None:
        settings = self._current.now()
        try:
            with try_lock(self._locks, HOUSEKEEPING) as is_alone:
                if not is_alone:
                    self._next_housekeeping = time.monotonic() + FIRST_HOUSEKEEPING_SECONDS
                    return
                library = open_library(settings)
                removed = remove_expired(self._database, library, settings.housekeeping, self._clock())
        except Exception:  # noqa: BLE001 - it is tried again in an hour
            _log.exception("housekeeping_failed")
        else:
            if removed:
                _log.info("housekeeping", **asdict(removed))
        finally:
            self._database.close()
