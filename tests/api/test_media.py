"""Open paths: media files and health."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import EnvironBuilder

from sitecms.api.views import media
from sitecms.api.wsgi import FILE_PART, FilePart
from sitecms.media.library import open_library
from sitecms.runtime import Runtime
from tests.support.engines import stores

pytestmark = pytest.mark.both_engines

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><path d="M0 0h2v2z"/></svg>'
PDF = b"%PDF-1.4\n" + b"0123456789" * 10


@pytest.fixture
def add(runtime: Runtime) -> Callable[[bytes, str], str]:
    """Keep a file in the media library; gives its address."""
    library = open_library(runtime.settings)
    return lambda data, name: library.add(data, name, runtime.clock()).url


def test_media_files_are_immutable(client: FlaskClient, add: Callable[[bytes, str], str]) -> None:
    """They have their type, are public, and any origin may read them."""
    answered = client.get(add(PDF, "a.pdf"), buffered=True)
    assert (answered.status_code, answered.data, answered.content_type) == (200, PDF, "application/pdf")
    kept = {part.strip() for part in answered.headers["Cache-Control"].split(",")}
    assert kept == {"public", "immutable", "max-age=31536000"}
    assert answered.headers["X-Content-Type-Options"] == "nosniff"
    assert answered.headers["Access-Control-Allow-Origin"] == "*"
    assert "Content-Security-Policy" not in answered.headers


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_text_has_one_character_set(client: FlaskClient, add: Callable[[bytes, str], str], method: str) -> None:
    """Werkzeug would add another one."""
    answered = client.open(add(b"Hei, verden", "a.txt"), method=method, buffered=True)
    assert answered.headers["Content-Type"] == "text/plain; charset=utf-8"


HTML = b"<!DOCTYPE html><html><body><script>alert(document.domain)</script></body></html>"
POLYGLOTS = {
    "a.pdf": (b"%PDF-1.7\n" + HTML, "application/pdf", "attachment"),
    "a.mp3": (b"ID3\x04\x00\x00" + HTML, "audio/mpeg", "inline"),
    "a.ogg": (b"OggS" + bytes(24) + b"\x01vorbis" + HTML, "audio/ogg", "inline"),
    "a.mp4": (b"\x00\x00\x00\x14ftypisom\x00\x00\x00\x00isom" + HTML, "video/mp4", "inline"),
    "a.webm": (b"\x1a\x45\xdf\xa3\x42\x82\x84webm" + HTML, "video/webm", "inline"),
    "a.html": (b"%PDF-1.7 */ alert(1) //" + HTML, "application/pdf", "attachment"),
}
"""Files that begin as one kind and hold a page or a script: bytes, and the type and disposition of the answer."""


@pytest.mark.parametrize("name", POLYGLOTS)
def test_file_that_fits_two_types_is_not_executed(
    client: FlaskClient, add: Callable[[bytes, str], str], name: str
) -> None:
    """It has the type of its first bytes in every response, browsers guess none, and PDF is downloaded."""
    data, content_type, disposition = POLYGLOTS[name]
    address = add(data, name)
    whole, part, head = (
        client.get(address, buffered=True),
        client.get(address, headers={"Range": "bytes=5-"}, buffered=True),
        client.head(address, buffered=True),
    )
    assert [each.status_code for each in (whole, part, head)] == [200, 206, 200]
    for answered in (whole, part, head):
        assert answered.content_type == content_type
        assert answered.headers["X-Content-Type-Options"] == "nosniff"
        assert answered.headers["Content-Disposition"].split(";")[0] == disposition
        assert ".html" not in answered.headers["Content-Disposition"]


def test_data_after_a_video_is_removed(client: FlaskClient, add: Callable[[bytes, str], str]) -> None:
    """A page behind an MP4 file, or in a box that no player reads, is not served."""
    assert HTML not in client.get(add(POLYGLOTS["a.mp4"][0], "a.mp4"), buffered=True).data


def test_svg_cannot_execute_scripts(client: FlaskClient, add: Callable[[bytes, str], str]) -> None:
    """Opened on its own it has neither scripts nor an origin."""
    answered = client.get(add(SVG, "a.svg"), buffered=True)
    assert answered.content_type.startswith("image/svg+xml")
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox"
    assert answered.headers["Content-Security-Policy"] == policy


def test_ranges_and_conditional_requests(client: FlaskClient, add: Callable[[bytes, str], str]) -> None:
    """A range gets 206, a known file 304, and a range beyond the end 416."""
    address = add(PDF, "a.pdf")
    part = client.get(address, headers={"Range": "bytes=9-18"}, buffered=True)
    assert (part.status_code, part.data) == (206, b"0123456789")
    assert part.headers["Content-Range"] == f"bytes 9-18/{len(PDF)}"
    tag = client.get(address, buffered=True).headers["ETag"]
    assert client.get(address, headers={"If-None-Match": tag}, buffered=True).status_code == 304
    beyond = client.get(address, headers={"Range": "bytes=9999-"})
    assert (beyond.status_code, beyond.content_type) == (416, "application/json")
    head = client.head(address, buffered=True)
    assert (head.data, head.headers["Content-Length"]) == (b"", str(len(PDF)))


def test_large_file_is_sent_by_the_web_server(client: FlaskClient, add: Callable[[bytes, str], str]) -> None:
    """The environment names the part to send; small parts, HEAD and 304 are answered by the app."""
    size = media.MAX_BUFFERED_BYTES + 50
    large = PDF.ljust(size, b"x")
    address = add(large, "a.pdf")

    def part(method: str = "GET", **headers: str) -> tuple[int, tuple[int, int] | None]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        environ = EnvironBuilder(address, method=method, headers=list(named.items())).get_environ()
        statuses: list[str] = []
        app: Any = client.application.wsgi_app
        body = app(environ, lambda status, _headers: statuses.append(status))
        b"".join(body)
        body.close()
        found: FilePart | None = environ.get(FILE_PART)
        assert found is None or found.path.read_bytes() == large
        return int(statuses[0][:3]), (found.start, found.end) if found else None

    assert part() == (200, (0, size))
    assert part(Range="bytes=0-") == (206, (0, size))
    assert part(Range=f"bytes=20-{size - 11}") == (206, (20, size - 10))
    assert part(Range="bytes=-8388610") == (206, (size - 8_388_610, size))
    assert part(Range="bytes=9-18") == (206, None)
    assert part(Range="bytes=0-", If_Range='"old"') == (200, (0, size))
    assert part(Range=f"bytes={size}-") == (416, None)
    assert part(If_None_Match=client.head(address, buffered=True).headers["ETag"]) == (304, None)


@pytest.mark.parametrize(
    "name",
    ["a.jpg", "0" * 32 + ".jpg", "0" * 32, "..%2fstore.db", "%2e%2e%2f" + "0" * 32 + ".jpg", "0" * 32 + ".jpg%00"],
)
def test_unknown_media_names_are_404(client: FlaskClient, add: Callable[[bytes, str], str], name: str) -> None:
    """Only names of the library are looked up."""
    add(PDF, "a.pdf")
    answered = client.get(f"/media/{name}")
    assert (answered.status_code, answered.get_json()) == (404, {"detail": "Not found."})


def test_readiness_follows_the_store(client: FlaskClient, runtime: Runtime) -> None:
    """The liveness check needs no store."""
    ready = client.get("/health/ready")
    assert (ready.status_code, ready.get_json()) == (
        200,
        {"status": "ready", "worker": "not seen", "queue": "reachable", "store": runtime.database.engine},
    )
    assert ready.headers["Cache-Control"] == "no-store"
    engine = runtime.database.engine
    stores().ruin(runtime.database)
    unready = client.get("/health/ready")
    shown, queue, problem = engine, "reachable", "The store cannot be read."
    if engine.startswith("PostgreSQL"):
        shown, queue, problem = "PostgreSQL", "unreachable", "The store's server cannot be reached."
    told = {"status": "unavailable", "worker": "not seen", "queue": queue, "store": shown}
    assert (unready.status_code, unready.get_json()) == (503, {**told, "reasons": [problem]})
    live = client.get("/health/live")
    assert (live.status_code, live.get_json()) == (200, {"status": "live"})
