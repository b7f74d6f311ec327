"""Fixtures of webhook receivers on loopback."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@dataclass(frozen=True, slots=True)
class Received:
    """One message as it arrived; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, dict[str, object]]:
        """The body, read."""
        found: dict[str, dict[str, object]] = json.loads(self.body)
        return found


class Receiver:
    """A receiver of webhooks on loopback: answers by its script, one step a message, the last one for good.

    A step is a status; "hang" holds the message until the receiver is closed and never answers.
    """

    def __init__(self, *script: int | str) -> None:
        self.script = list(script) or [200]
        self.received: list[Received] = []
        self.over = threading.Event()
        self._lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                step = receiver._note(Received(self.path, headers, body))
                if step == "hang":
                    receiver.over.wait(30)
                    return
                self.send_response(int(step))
                if 300 <= int(step) < 400:
                    self.send_header("Location", "/elsewhere")
                self.end_headers()
                self.wfile.write(b"Answer \x1b " + str(step).encode())

            def log_message(self, *_arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self.host}/in"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def _note(self, message: Received) -> int | str:
        with self._lock:
            self.received.append(message)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def close(self) -> None:
        """Take no more messages."""
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def make_receiver() -> Iterator[Callable[..., Receiver]]:
    """Start receivers of webhooks, each with its script."""
    started: list[Receiver] = []

    def start(*script: int | str) -> Receiver:
        started.append(Receiver(*script))
        return started[-1]

    yield start
    for receiver in started:
        receiver.close()
