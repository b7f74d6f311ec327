"""A real Redis on loopback, which tests may kill, freeze and start again empty."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_SECONDS

MISSING = "redis-server is not installed (Debian: redis-server)"
PASSWORD = "hush-hush"


def redis_program() -> str | None:
    """Return the path of the Redis server; None if it is not installed."""
    return shutil.which("redis-server", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/bin", "/usr/sbin")))


class RedisServer:
    """Redis server without persistence, with a password, that keeps its port after a restart.

    With an `address` it listens there too.
    """

    def __init__(self, folder: Path, *, has_tls: bool = False, address: str = "127.0.0.1") -> None:
        self._address = address
        self.port = free_port()
        folder.mkdir(parents=True, exist_ok=True)
        self.certificate = _certificate(folder) if has_tls else None
        ports = ["--port", str(self.port)]
        if self.certificate:
            own = {"cert-file": self.certificate, "key-file": folder / "key.pem", "ca-cert-file": self.certificate}
            ports = ["--port", "0", "--tls-port", str(self.port), "--tls-auth-clients", "no"]
            ports += [text for name, path in own.items() for text in (f"--tls-{name}", str(path))]
        self._command = [
            str(redis_program()), *ports, "--bind", *{"127.0.0.1", address}, "--dir", str(folder), "--save", "",
            "--appendonly", "no", "--requirepass", PASSWORD, "--logfile", str(folder / "redis.log"),
        ]  # fmt: skip
        self.process = self._start()

    @property
    def url(self) -> str:
        """Address with the password, as in a setting."""
        return f"{'rediss' if self.certificate else 'redis'}://:{PASSWORD}@{self._address}:{self.port}/0"

    def client(self) -> Redis:
        """Return a client of the server."""
        if self.certificate:
            return Redis(
                host="127.0.0.1", port=self.port, password=PASSWORD, ssl=True, ssl_ca_certs=str(self.certificate)
            )
        return Redis(host="127.0.0.1", port=self.port, password=PASSWORD)

    def kill(self) -> None:
        """End the server as a power cut does: its data is lost."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Start the server again, empty, at the same port."""
        self.kill()
        self.process = self._start()

    def freeze(self) -> None:
        """Let the server accept connections and never answer, as behind a broken network."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let the server continue."""
        self.process.send_signal(signal.SIGCONT)

    def _start(self) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                with self.client() as client:
                    client.ping()
            except RedisError:
                assert process.poll() is None, "redis-server ended"
                assert time.monotonic() < end, "redis-server does not answer"
                time.sleep(0.01)
            else:
                return process


def _certificate(folder: Path) -> Path:
    """Create a self-signed certificate for 127.0.0.1, and its key beside it."""
    path = folder / "certificate.pem"
    command: list[str | Path] = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=tide", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key.pem", "-out", path,
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_SECONDS)
    return path
