"""Remote servers as hostile as a test wants them, on loopback."""

import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event, Lock, Thread

import pytest

Script = bytes | Callable[[socket.socket], None]
CERTIFICATE = Path(__file__).parent / "certificates" / "pictures.example.pem"  # self-signed, until 2126


class Remote:
    """A server that plays a script for each path, bytes as they are; it counts connections and keeps requests."""

    def __init__(self, scripts: Mapping[str, Script], *, tls: bool = False, host: str = "127.0.0.1") -> None:
        self.scripts = dict(scripts)
        self.connections = 0
        self.requests: list[str] = []
        self.over = Event()
        self._lock = Lock()
        self._tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH) if tls else None
        if self._tls:
            self._tls.load_cert_chain(CERTIFICATE)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family, dualstack_ipv6=host == "::")
        self.port: int = self._listener.getsockname()[1]
        self._threads = [Thread(target=self._accept)]
        self._threads[0].start()

    def close(self) -> None:
        """End every script that waits for `over`, and wait for all of them."""
        self.over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        self._listener.close()

    def _accept(self) -> None:
        while not self.over.is_set():
            with suppress(OSError):
                connection, _ = self._listener.accept()
                with self._lock:
                    self.connections += 1
                thread = Thread(target=self._converse, args=(connection,))
                self._threads.append(thread)
                thread.start()

    def _converse(self, connection: socket.socket) -> None:
        with suppress(OSError), ExitStack() as stack:
            stack.enter_context(connection)
            connection.settimeout(60)
            if self._tls:
                connection = stack.enter_context(self._tls.wrap_socket(connection, server_side=True))
            head = b""
            while b"\r\n\r\n" not in head and (piece := connection.recv(65536)):
                head += piece
            text = head.decode("latin-1")
            with self._lock:
                self.requests.append(text)
            path = ([*text.split(" "), ""])[1].partition("?")[0]
            script = self.scripts.get(path, b"HTTP/1.1 404 Not Found\r\n\r\n")
            connection.sendall(script) if isinstance(script, bytes) else script(connection)


@pytest.fixture
def remote() -> Iterator[Callable[..., Remote]]:
    """Start servers: scripts by path, then `tls` and `host`; all are closed in the end."""
    started: list[Remote] = []

    def start(scripts: Mapping[str, Script], **options: object) -> Remote:
        started.append(Remote(scripts, **options))  # type: ignore[arg-type]
        return started[-1]

    yield start
    for server in started:
        server.close()
