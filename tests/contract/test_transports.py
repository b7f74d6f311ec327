"""Bodies of writes as clients transport them, and as none should, to a real `sitecms serve`."""

import gzip
import socket
from urllib.parse import urlsplit

import pytest

from tests.contract.conftest import Service
from tests.support.waiting import PATIENCE_SECONDS, until


def raw(written: Service, head: str, body: bytes, *, ends: bool = False) -> bytes:
    """A POST in bytes; `ends`: no more will be sent."""
    with socket.create_connection(("127.0.0.1", urlsplit(written.base).port or 0), timeout=PATIENCE_SECONDS) as to:
        start = f"POST /v2/posts/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token {written.write_token}\r\n"
        to.sendall(f"{start}Content-Type: application/json\r\nConnection: close\r\n{head}\r\n\r\n".encode())
        try:
            to.sendall(body)
            if ends:
                to.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused before everything was sent
        said = b""
        while b"}" not in said and (more := to.recv(65536)):
            said += more
        return said


def count(written: Service) -> int:
    """How many posts there are, drafts too."""
    return int(written.json("posts/", preview=1)["meta"]["count"])


MANY = b" " * 10_485_761
JSON = b'{"title":"raw"}'
ZIPPED = gzip.compress(JSON)
TRANSPORTS = {
    "length": (f"Content-Length: {len(JSON)}", JSON, 202),
    "chunked": ("Transfer-Encoding: chunked", b"5\r\n" + JSON[:5] + b"\r\na\r\n" + JSON[5:] + b"\r\n0\r\n\r\n", 202),
    "too long": (f"Content-Length: {len(MANY)}", MANY, 413),
    "said to be too long": ("Content-Length: 99999999999", JSON, 413),
    "too long in chunks": ("Transfer-Encoding: chunked", b"a00001\r\n" + MANY + b"\r\n0\r\n\r\n", 413),
    "gzip": (f"Content-Encoding: gzip\r\nContent-Length: {len(ZIPPED)}", ZIPPED, 415),
    "half": ("Content-Length: 100", JSON, 400),
    "half of the text": ("Content-Length: 100", JSON[:9], 400),
    "half of a chunk": ("Transfer-Encoding: chunked", b"f\r\n" + JSON[:9], 400),
    "no length": ("X-Nothing: 1", JSON, 400),
    "no chunk": ("Transfer-Encoding: chunked", b"zz\r\n" + JSON, 400),
    "a negative length": ("Content-Length: -1", JSON, 400),
}


@pytest.mark.parametrize("name", TRANSPORTS)
def test_transports(written: Service, name: str) -> None:
    """Whole bodies are taken, chunked or not; others are refused with the right status, and the server goes on."""
    head, body, status = TRANSPORTS[name]
    before = count(written)
    said = raw(written, head, body, ends=name.startswith("half"))
    assert said.startswith(f"HTTP/1.1 {status} ".encode()), said[:200]
    if status == 202:
        assert until(lambda: count(written) > before, pause=0.05)
    assert count(written) == before + (status == 202)
