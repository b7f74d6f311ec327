"""A running `sitecms serve` on loopback, for tests that need the web server itself."""

import http.client
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from tests.support.commands import CommandServer
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_SECONDS


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back: header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class WebServer:
    """Where it listens."""

    port: int

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, method: str = "GET", body: bytes | None = None, /, **headers: str) -> Answered:
        """One request on a connection of its own; header names with _ for -."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answered(response.status, found, response.read())
        finally:
            connection.close()

    def connect(self) -> socket.socket:
        """A bare connection, to be closed by the caller."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS)

    def send(self, text: str) -> bytes:
        """What comes back to these bytes until the server closes the connection."""
        with self.connect() as connection:
            connection.sendall(text.encode("latin-1"))
            parts = []
            while part := connection.recv(65536):
                parts.append(part)
        return b"".join(parts)


@contextmanager
def web_server(commands: CommandServer, folder: Path, *options: str, has_worker: bool = False) -> Iterator[WebServer]:
    """The site served until the end."""
    port = free_port()
    worker = () if has_worker else ("--no-worker",)
    with TemporaryFile("w+", encoding="utf-8") as log:
        words = ("serve", folder, "--port", str(port), *options, *worker)
        process = commands.start(*words, stderr=log)
        try:
            if not process.stdout.readline().startswith("sitecms serves"):
                log.seek(0)
                raise AssertionError(log.read())
            yield WebServer(port)
        finally:
            process.terminate()
            try:
                process.communicate(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate(PATIENCE_SECONDS)
