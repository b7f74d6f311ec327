"""The host of an old site, on loopback: files, busy answers, broken transfers."""

import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image

from tests.support.pictures import image_bytes


@dataclass
class OldHost:
    """Files by path, targets of redirects in `moved`, and what is wrong with the host.

    `broken` and `stalled` answers end or hang in their middle, so many times; `etag` is that of all files.
    `requests` counts requests, `most_at_once` those at one time.
    """

    address: str = ""
    files: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    busy: dict[str, int] = field(default_factory=dict)
    busy_status: int = 503
    broken: dict[str, int] = field(default_factory=dict)
    stalled: dict[str, int] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    delay_seconds: float = 0.0
    etag: str = '"v1"'
    requests: Counter[str] = field(default_factory=Counter)
    ranges: list[str] = field(default_factory=list)
    most_at_once: int = 0
    running: int = 0


def picture(colour: str = "red", width: int = 40) -> bytes:
    """Return a small PNG."""
    return image_bytes(Image.new("RGB", (width, 20), colour), "PNG")


@contextmanager
def old_host() -> Iterator[OldHost]:
    """Serve a host for the time of the block."""
    host, lock, ended = OldHost(), threading.Lock(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with lock:
                host.requests[self.path] += 1
                host.running += 1
                host.most_at_once = max(host.most_at_once, host.running)
            time.sleep(host.delay_seconds)
            with lock:
                host.running -= 1
            self._answer()

        def _answer(self) -> None:
            if host.busy.get(self.path, 0) > 0:
                host.busy[self.path] -= 1
                self.send_response(host.busy_status)
                self.send_header("Retry-After", "1")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            if self.path in host.moved:
                self.send_response(302)
                self.send_header("Location", host.moved[self.path])
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            if self.path not in host.files:
                self.send_error(404)
                return
            data, kind = host.files[self.path]
            start = 0
            if match := re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", "")):
                start = int(match[1]) if self.headers.get("If-Range") == host.etag else 0
                host.ranges.append(self.headers["Range"])
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            self.send_header("Content-Length", str(len(data) - start))
            self.send_header("Content-Type", kind)
            self.send_header("ETag", host.etag)
            self.end_headers()
            for endings in (host.broken, host.stalled):
                if endings.get(self.path, 0) > 0:
                    endings[self.path] -= 1
                    self.wfile.write(data[start : start + (len(data) - start) // 2])
                    self.wfile.flush()
                    if endings is host.stalled:
                        ended.wait()
                    self.connection.close()
                    return
            self.wfile.write(data[start:])

        def log_message(self, *_arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    host.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield host
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
