"""A PostgreSQL server on loopback, and empty databases on it, which tests reuse."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psycopg

from sitecms.settings.service_url import ServiceUrl
from sitecms.store.opening import open_database
from sitecms.store.schema.migrations import LATEST
from tests.support.durable_postgres import postgres_programs
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_SECONDS

USER = "postgres"
_REUSED = 40
_SETTINGS = (
    "unix_socket_directories=", "shared_buffers=64MB", "max_connections=200",
    "wal_level=minimal", "max_wal_senders=0", "max_wal_size=256MB", "checkpoint_timeout=1h", "autovacuum=off",
    "fsync=off", "full_page_writes=off", "synchronous_commit=off", "log_min_messages=fatal",
    "log_min_error_statement=panic",
)  # fmt: skip
_TABLES = """
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname"""
_END_OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> %s"


class PostgresServer:
    """A server without durability. It runs as the user `postgres` if the tests run as root, which it refuses.

    With an `address` it listens there too, for all of that network (its first 24 bits).
    """

    def __init__(self, address: str = "127.0.0.1") -> None:
        self._address = address
        programs = postgres_programs()
        assert programs is not None
        self.folder = Path(tempfile.mkdtemp(prefix="sitecms-postgres-"))
        self._user = USER if os.geteuid() == 0 else None
        if self._user:
            os.chown(self.folder, pwd.getpwnam(USER).pw_uid, -1)
        self.port = free_port()
        data = self.folder / "data"
        initdb: list[str | Path] = [
            programs / "initdb",
            "-D",
            data,
            "-U",
            USER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "-N",
        ]
        subprocess.run(initdb, check=True, capture_output=True, user=self._user, cwd="/", timeout=120)
        if address != "127.0.0.1":
            with (data / "pg_hba.conf").open("a", encoding="utf-8") as rules:
                rules.write(f"host all all {address}/24 trust\n")
        self._command: list[str | Path] = [programs / "postgres", "-D", data, "-p", str(self.port)]
        settings = (*_SETTINGS, f"listen_addresses={','.join({'127.0.0.1', address})}")
        self._command += [part for setting in settings for part in ("-c", setting)]
        self.process = self._start()

    def url(self, name: str) -> str:
        """Return the address of a database, as in a setting."""
        return f"postgresql://{USER}@{self._address}:{self.port}/{name}"

    def admin(self, name: str = "postgres") -> "psycopg.Connection[tuple[object, ...]]":
        """Return a connection of an administrator."""
        return psycopg.connect(self.url(name), autocommit=True)

    def _start(self) -> "subprocess.Popen[bytes]":
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(self._command, stdout=log, stderr=log, user=self._user, cwd="/")
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            with suppress(psycopg.OperationalError):
                self.admin().close()
                return process
            time.sleep(0.02)
        raise AssertionError((self.folder / "log").read_text())

    def close(self) -> None:
        """Stop the server and remove its data."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(PATIENCE_SECONDS)
        shutil.rmtree(self.folder, ignore_errors=True)


class Databases:
    """Empty databases with the store's tables. One that was given back is emptied, which is faster than a copy."""

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self._admin = server.admin()
        self._made = 0
        self._free: list[tuple[str, int]] = []
        self._uses: dict[str, int] = {}
        self._template = self._create("template0")
        open_database(ServiceUrl(server.url(self._template)), create=True).close()
        with server.admin(self._template) as looking:
            self._tables = [str(row[0]) for row in looking.execute(_TABLES)]

    def _create(self, template: str) -> str:
        self._made += 1
        name = f"tide_{self._made}"
        self._admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        return name

    def take(self, *, empty: bool = False) -> str:
        """Return the name of a database that no test uses; with `empty` one without tables."""
        if empty:
            return self._create("template0")
        name, uses = self._free.pop() if self._free else (self._create(self._template), 0)
        self._uses[name] = uses + 1
        return name

    def give_back(self, name: str) -> None:
        """End its connections, and empty or drop the database."""
        self._admin.execute(_END_OTHERS, (name, self._admin.info.backend_pid))
        uses = self._uses.pop(name, _REUSED)
        if not self._admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone():
            return
        if uses < _REUSED and self._empty(name):
            self._free.append((name, uses))
        else:
            self._admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())

    def _empty(self, name: str) -> bool:
        """Return False if the tables have changed."""
        with self.server.admin(name) as connection:
            if [row[0] for row in connection.execute(_TABLES)] != self._tables:
                return False
            kept = ("sitecms_store", "change_number")
            cleared = "; ".join(f'DELETE FROM "{table}"' for table in self._tables if table not in kept)
            renewed = f"UPDATE change_number SET number = 0; UPDATE sitecms_store SET version = {LATEST}"
            connection.execute(f"SET session_replication_role = replica; {cleared}; {renewed}".encode())
        return True

    def ruin(self, name: str) -> None:
        """Drop the database and end its connections."""
        self._admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())

    def close(self) -> None:
        """Close the connection to the server."""
        self._admin.close()
