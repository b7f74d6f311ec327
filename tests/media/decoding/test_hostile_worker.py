"""A real worker fetches from hostile servers: it stays alive, reaches nothing forbidden, and its memory stays flat."""

import gzip
import socket
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image

from sitecms.content.token import Scope
from sitecms.runtime import Runtime
from sitecms.web.service import create_app
from tests.media.conftest import Remote, Script
from tests.support.pictures import image_bytes
from tests.support.reading import select

ROUNDS = 4
PATIENCE_SECONDS = 120.0
MEGABYTE = 1024 * 1024
FETCHED_AT_ONCE_MB = 8 * 10
"""Eight threads, each with a file of at most 10 MB: what differs from round to round by chance."""
OK = b"HTTP/1.1 200 OK\r\n"
FORBIDDEN = (
    "http://127.0.0.1:{port}/", "http://127.1:{port}/", "http://localhost:{port}/", "http://2130706433:{port}/",
    "http://0x7f000001:{port}/", "http://0177.0.0.1:{port}/", "http://0:{port}/", "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/", "http://[::]:{port}/", "http://①②⑦.⓪.⓪.①:{port}/", "http://127.0.0.1.:{port}/",
)  # fmt: skip
pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="needs /proc (Linux)")]


def answer(body: bytes, *headers: str) -> bytes:
    """A whole answer of status 200."""
    lines = "".join(f"{header}\r\n" for header in (f"Content-Length: {len(body)}", *headers))
    return OK + lines.encode() + b"\r\n" + body


def endless(beginning: bytes, piece: bytes = b"x" * 65536) -> Callable[[socket.socket], None]:
    """A beginning, then pieces until the other side gives up."""

    def script(connection: socket.socket) -> None:
        connection.sendall(beginning)
        while True:
            connection.sendall(piece)

    return script


def png(width: int, height: int, rows: bytes) -> bytes:
    """A grey PNG that claims a size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    start = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
    return start + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def picture(kind: str = "PNG") -> bytes:
    """A small one."""
    return image_bytes(Image.new("RGB", (40, 30), "teal"), kind)


def hostile() -> dict[str, Script]:
    """What the server answers, by path: nothing of it is a file to keep."""
    bomb = gzip.compress(b"\0" * 50 * MEGABYTE)
    return {
        "/endless": endless(OK + b"\r\n"),
        "/endless-chunks": endless(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"8000\r\n" + b"x" * 32768 + b"\r\n"),
        "/endless-header": endless(OK, b"X: y\r\n" * 1000),
        "/claimed": OK + b"Content-Length: 99999999999\r\n\r\nx",
        "/short": OK + b"Content-Length: 5000\r\n\r\n" + picture(),
        "/two-lengths": OK + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nseas",
        "/gzip": answer(bomb, "Content-Encoding: gzip"),
        "/gzip-as-png": answer(bomb, "Content-Type: image/png"),
        "/pixels": answer(png(65_000, 65_000, b"")),
        "/pixels-filled": answer(png(50_001, 1_000, b"\0" * 50_002 * 1_000)),
        "/truncated": answer(picture("JPEG")[:300]),
        "/broken": answer(picture("WEBP")[:60] + b"\xff" * 400),
        "/text": answer(b"GIF89a=1;/*<script>alert(1)</script>*/"),
        "/svg": answer(b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
        "/entities": answer(b"<!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><svg>&x;</svg>"),
        "/nothing": b"",
        "/ssh": b"SSH-2.0-OpenSSH_9.6\r\n",
    }


class Site:
    """A worker that may fetch from one server, and a client that accepts writes without looking for their media."""

    def __init__(self, runtime: Runtime, secret: str) -> None:
        self._runtime = runtime
        self._headers = {"Authorization": f"Token {secret}"}
        self._client = create_app(runtime, probe=lambda _url: "").test_client()
        command = [sys.executable, "-m", "sitecms", "worker", str(runtime.settings.folder)]
        self.worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert self.worker.stdout is not None
        self.worker.stdout.readline()

    def fetch_all(self, urls: list[str]) -> dict[str, str]:
        """A post for each address, all ended; the status of each write, `rejected` also for what is none at once."""
        writes, refused = {}, {}
        for url in urls:
            body = {"title": "Ebb", "featured_image": url, "status": "published"}
            answered = self._client.post("/v2/posts/", json=body, headers=self._headers)
            if answered.status_code == 400:
                assert list(answered.get_json()) == ["featured_image"]
                refused[url] = "rejected"
                continue
            writes[url] = answered.headers["Location"].split("/")[3]
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            known = dict(select(self._runtime.database, "SELECT id, status FROM write"))
            if all(known[write] != "accepted" for write in writes.values()):
                return refused | {url: known[write] for url, write in writes.items()}
            assert time.monotonic() < end, [url for url, write in writes.items() if known[write] == "accepted"]
            assert self.worker.poll() is None
            time.sleep(0.1)

    def memory(self, what: str = "VmRSS") -> float:
        """Megabytes that the worker holds now, or held at most (VmHWM)."""
        lines = Path(f"/proc/{self.worker.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{what}:"))


@pytest.fixture
def start(
    runtime: Runtime, make_author: Callable[..., str], make_token: Callable[..., str]
) -> Iterator[Callable[[int], Site]]:
    """Start the worker, allowed to fetch from a port of this machine."""
    made: list[Site] = []

    def begin(port: int) -> Site:
        with (runtime.settings.folder / "site.toml").open("a", encoding="utf-8") as file:
            file.write(f'[media]\nallow_hosts = ["127.0.0.1:{port}"]\nretry_minutes = 0\n')
        make_author()
        made.append(Site(runtime, make_token("w", Scope.WRITE)))
        return made[-1]

    yield begin
    for site in made:
        site.worker.terminate()
        site.worker.communicate(timeout=30)


def test_the_worker_outlives_hostile_servers(
    start: Callable[[int], Site], remote: Callable[..., Remote], runtime: Runtime
) -> None:
    """Round after round every hostile file and address is refused, memory does not grow, and a good image follows."""
    forbidden = remote({}, host="::")
    away = [spelling.format(port=forbidden.port) for spelling in FORBIDDEN]
    scripts = hostile()
    for number, target in enumerate(away):
        location = target.encode("utf-8")
        scripts[f"/to/{number}"] = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n"
        scripts[f"/by/{number}"] = f"HTTP/1.1 307 Go\r\nContent-Length: 0\r\nLocation: /to/{number}\r\n\r\n".encode()
    server = remote({**scripts, "/good.png": answer(picture())})
    site, here = start(server.port), f"http://127.0.0.1:{server.port}"
    urls = [*away, *(f"{here}{path}" for path in scripts)]
    assert len(urls) > 50
    held = []
    for _ in range(ROUNDS):
        outcomes = site.fetch_all(urls)
        assert {url for url, status in outcomes.items() if status not in ("rejected", "failed")} == set()
        held.append(site.memory())
    assert forbidden.connections == 0
    assert server.connections > ROUNDS * len(scripts)
    assert max(held) - held[0] < FETCHED_AT_ONCE_MB, held
    assert site.memory("VmHWM") < 300
    assert list(site.fetch_all([f"{here}/good.png"]).values()) == ["applied"]
    assert [path.suffix for path in runtime.settings.media_dir.iterdir()] == [".png"]
    assert site.worker.poll() is None
