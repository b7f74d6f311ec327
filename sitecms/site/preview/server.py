"""Small web server for one reader on this machine."""

import socket
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import orjson

from sitecms.errors import ConfigurationError
from sitecms.settings.site import SiteSettings
from sitecms.site.preview.responses import EVENTS, Answer, Answers

ADDRESS = "127.0.0.1"
FIRST_PORT = 4400
PORTS_TRIED = 50
BEAT_SECONDS = 10.0
_REFUSAL = Answer(HTTPStatus.FORBIDDEN, b"This preview answers to 127.0.0.1 and localhost only.")


class PreviewServer(ThreadingHTTPServer):
    """HTTP server on loopback. Pages that wait for changes hold a thread each, which ends with the process."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    answers: Answers
    settings: Callable[[], SiteSettings]

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore readers who closed the connection."""


def listen(port: int | None) -> PreviewServer:
    """Return a server on a port, or on the first free one from FIRST_PORT. Raises ConfigurationError if it is taken."""
    ports = [port] if port is not None else range(FIRST_PORT, FIRST_PORT + PORTS_TRIED)
    for number in ports:
        if number and _answers(number):  # with address reuse a second server could listen beside the first
            continue
        try:
            return PreviewServer((ADDRESS, number), _Handler)
        except OSError:
            continue
    wanted = f"Port {port} is" if port is not None else f"All ports from {FIRST_PORT} on are"
    raise ConfigurationError(f"{wanted} in use; name another one with --port.")


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((ADDRESS, port)) == 0


class _Handler(BaseHTTPRequestHandler):
    server: PreviewServer
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        if self.server.answers.refuses(self.headers.get("Host", "")):
            self._send(_REFUSAL)
        elif self.path.partition("?")[0] == EVENTS and self.command == "GET":
            self._send_events()
        elif not self.path.startswith("/"):
            self._send(Answer(HTTPStatus.BAD_REQUEST, b"Expected a path."))
        else:
            self._send(self.server.answers.answer(self.path, self.server.settings()))

    do_HEAD = do_GET  # noqa: N815 - the name it is called by

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def _send_events(self) -> None:
        """Send Server-Sent Events: the state now and after each rebuild, with comments to keep the connection."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        board, version = self.server.answers.board, ""
        while not board.is_closed:
            moment = board.wait_beyond(version, BEAT_SECONDS)
            text = b": beat\n\n" if moment is None else b"data: " + orjson.dumps(moment.as_json()) + b"\n\n"
            version = moment.version if moment else version
            self.wfile.write(text)
            self.wfile.flush()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name it has above
        """Log nothing."""
