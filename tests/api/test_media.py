"""Media files and health: what needs no token."""

from collections.abc import Callable
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from sitecms.api.app import create_app
from sitecms.api.views import media
from sitecms.media.library import MediaLibrary
from sitecms.runtime import Runtime

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><path d="M0 0h2v2z"/></svg>'
PDF = b"%PDF-1.4\n" + b"0123456789" * 10


@pytest.fixture
def add(runtime: Runtime) -> Callable[[bytes, str], str]:
    """Keep a file in the media library; gives its address."""
    library = MediaLibrary(runtime.settings.media_dir)
    return lambda data, name: library.add(data, name, runtime.clock()).url


def test_a_file_is_served_for_ever(client: FlaskClient, add: Callable[[bytes, str], str]) -> None:
    """With its type, public and immutable, and to any origin."""
    answered = client.get(add(PDF, "a.pdf"), buffered=True)
    assert (answered.status_code, answered.data, answered.content_type) == (200, PDF, "application/pdf")
    kept = {part.strip() for part in answered.headers["Cache-Control"].split(",")}
    assert kept == {"public", "immutable", "max-age=31536000"}
    assert answered.headers["X-Content-Type-Options"] == "nosniff"
    assert answered.headers["Access-Control-Allow-Origin"] == "*"
    assert "Content-Security-Policy" not in answered.headers


def test_an_svg_can_run_nothing(client: FlaskClient, add: Callable[[bytes, str], str]) -> None:
    """Opened on its own it has no script and no origin."""
    answered = client.get(add(SVG, "a.svg"), buffered=True)
    assert answered.content_type.startswith("image/svg+xml")
    assert answered.headers["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def test_ranges_and_tags(client: FlaskClient, add: Callable[[bytes, str], str]) -> None:
    """A part of the file, nothing if it is known, and 416 beyond its end."""
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


def test_a_very_large_file_is_sent_by_the_web_server(
    runtime: Runtime, add: Callable[[bytes, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a whole it is elsewhere; ranges are answered here, long ones in part; what is known is 304 as ever."""
    monkeypatch.setattr(media, "MAX_BYTES", 40)
    address = add(PDF, "a.pdf")
    client = create_app(runtime, media_in_full_at="/elsewhere").test_client()
    whole = client.get(address)
    assert (whole.status_code, whole.headers["Location"]) == (302, address.replace("/media/", "/elsewhere/"))
    head = client.head(address)
    assert (head.status_code, head.headers["Content-Length"]) == (200, str(len(PDF)))
    assert client.get(address, headers={"If-None-Match": head.headers["ETag"]}).status_code == 304
    for asked, first, last in (("0-", 0, 39), ("9-18", 9, 18), ("100-", 100, 108), ("-50", 59, 98), ("0-1000", 0, 39)):
        part = client.get(address, headers={"Range": f"bytes={asked}"})
        assert (part.status_code, part.data) == (206, PDF[first : last + 1])
        assert part.headers["Content-Range"] == f"bytes {first}-{last}/{len(PDF)}"
    fresh = {"Range": "bytes=0-", "If-Range": head.headers["ETag"]}
    assert client.get(address, headers=fresh).status_code == 206
    for other in ({"Range": "bytes=0-", "If-Range": '"old"'}, {"Range": "bytes=0-1,5-6"}):
        assert client.get(address, headers=other).status_code == 302
    assert client.get(address, headers={"Range": "bytes=9999-"}).status_code == 416


@pytest.mark.parametrize(
    "name",
    ["a.jpg", "0" * 32 + ".jpg", "0" * 32, "..%2fstore.db", "%2e%2e%2f" + "0" * 32 + ".jpg", "0" * 32 + ".jpg%00"],
)
def test_anything_else_is_not_found(client: FlaskClient, add: Callable[[bytes, str], str], name: str) -> None:
    """Only names the library gives are looked up."""
    add(PDF, "a.pdf")
    answered = client.get(f"/media/{name}")
    assert (answered.status_code, answered.get_json()) == (404, {"detail": "Not found."})


def test_health_is_what_the_store_is(client: FlaskClient, runtime: Runtime) -> None:
    """Ready as long as the store answers; alive also without it."""
    ready = client.get("/health/ready")
    assert (ready.status_code, ready.get_json()) == (200, {"status": "ready", "worker": "not seen"})
    assert ready.headers["Cache-Control"] == "no-store"
    path: Path = runtime.database.path
    path.rename(path.with_name("moved.db"))
    unready = client.get("/health/ready")
    assert (unready.status_code, unready.get_json()) == (
        503,
        {"status": "unavailable", "worker": "not seen", "reasons": ["The store is missing."]},
    )
    live = client.get("/health/live")
    assert (live.status_code, live.get_json()) == (200, {"status": "live"})
