"""A PostgreSQL that keeps what it says it keeps (fsync on), for tests that make it fall."""

import grp
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psycopg

from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_SECONDS

MISSING = "PostgreSQL's server is not installed (Debian: postgresql-15)"
PASSWORD = "hush-hush"
_DEBIAN = Path("/usr/lib/postgresql")
_UNPRIVILEGED = ("postgres", "nobody")


def postgres_programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`; None if the server is not installed."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(_DEBIAN.glob("*/bin"), key=lambda path: path.parent.name, reverse=True)
    return next((folder for folder in folders if (folder / "pg_ctl").exists()), None)


class DurablePostgres:
    """A server of its own on loopback, with a password; never run as root, which it refuses."""

    def __init__(self) -> None:
        programs = postgres_programs()
        assert programs, MISSING
        self._ctl = programs / "pg_ctl"
        self._as_user = _user()
        self._frozen: list[int] = []
        self._folder = Path(tempfile.mkdtemp(prefix="sitecms-pg-"))
        if self._as_user:
            shutil.chown(self._folder, *self._as_user.values())
        self.port = free_port()
        (self._folder / "password").write_text(PASSWORD)
        self._run(
            programs / "initdb", "-D", self._data, "-U", "tide", "-A", "scram-sha-256", "--pwfile",
            self._folder / "password", "-E", "UTF8", "--locale=C",
        )  # fmt: skip
        self._start()

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def new_database(self) -> str:
        """An empty one; its address, with the password, as in a setting."""
        name = f"tide_{secrets.token_hex(4)}"
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self._url(name)

    def fall(self) -> None:
        """As a power cut stops it, and starts it again: what was not on the disk is gone."""
        self._run(self._ctl, "stop", "-D", self._data, "-m", "immediate", "-w")
        self._start()

    def stop(self) -> None:
        """It answers nobody, until `start`."""
        self._run(self._ctl, "stop", "-D", self._data, "-m", "immediate", "-w")

    def start(self) -> None:
        """Again, at its port."""
        self._start()

    def freeze(self) -> None:
        """Stop all of its processes, as a machine that is paused: connections stay open, and nobody answers."""
        os.kill(self._processes()[0], signal.SIGSTOP)  # first, so that it starts no others meanwhile
        self._frozen = self._processes()
        for pid in self._frozen:
            os.kill(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on."""
        for pid in self._frozen:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def _processes(self) -> list[int]:
        """The first process and those that it has started."""
        first = (self._data / "postmaster.pid").read_text().split()[0]
        found = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
        pairs = [line.split() for line in found.splitlines()]
        return [int(first), *(int(pid) for pid, parent in pairs if parent == first)]

    def remove(self) -> None:
        """For good."""
        if (self._data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self._folder)

    def _url(self, name: str) -> str:
        return f"postgresql://tide:{PASSWORD}@127.0.0.1:{self.port}/{name}"

    def _start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=on"
        self._run(self._ctl, "start", "-D", self._data, "-w", "-l", self._folder / "log", "-o", options)

    def _run(self, *command: object) -> None:
        out = self._folder / "out"
        with out.open("wb") as file:  # not a pipe, which the server would hold open
            done = subprocess.run(
                [str(part) for part in command], stdout=file, stderr=file, cwd=self._folder,
                timeout=PATIENCE_SECONDS, **self._as_user,
            )  # type: ignore[call-overload]  # fmt: skip
        assert done.returncode == 0, out.read_text()


def _user() -> Mapping[str, str]:
    """For subprocess: root becomes someone else."""
    if os.geteuid() != 0:
        return {}
    for name in _UNPRIVILEGED:
        try:
            group = pwd.getpwnam(name).pw_gid
        except KeyError:
            continue
        return {"user": name, "group": grp.getgrgid(group).gr_name}
    raise AssertionError("no user to run PostgreSQL as")
