"""Media files and health: what needs no token."""

from collections.abc import Callable
from pathlib import Path

import pytest
from flask.testing import FlaskClient

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
    assert (ready.status_code, ready.get_json()) == (200, {"status": "ready"})
    assert ready.headers["Cache-Control"] == "no-store"
    path: Path = runtime.database.path
    path.rename(path.with_name("moved.db"))
    unready = client.get("/health/ready")
    assert (unready.status_code, unready.get_json()) == (503, {"status": "unavailable"})
    live = client.get("/health/live")
    assert (live.status_code, live.get_json()) == (200, {"status": "live"})
