"""Request bodies: complete, late, incomplete, too large, too many at once."""

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO

import pytest
from werkzeug.exceptions import HTTPException

from sitecms.api.request_body import MAX_BODY_BYTES
from sitecms.errors import InvalidRequest
from sitecms.web.server.application import BodyBuffer, FailedBody
from tests.support import event_loop

CHUNK = b"x" * 1024 * 1024


class Chunks:
    """A body as granian passes it on: its chunks, then an empty one; `seconds` pass before each."""

    def __init__(self, *chunks: bytes, seconds: float = 0.0) -> None:
        self._chunks = chunks
        self._seconds = seconds

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            await asyncio.sleep(self._seconds)
            yield chunk


def receive(buffer: BodyBuffer, chunks: Chunks, *, has_trailers: bool = False) -> tuple[bytes | Exception, int]:
    """Return the body, or the error that reading it raises, and the number of bytes that count as held."""
    body, held_bytes = event_loop.run(buffer.receive(chunks, has_trailers=has_trailers))
    try:
        return body.read(), held_bytes
    except (HTTPException, InvalidRequest) as error:
        return error, held_bytes


def test_complete_body_is_held_until_it_is_released() -> None:
    """Its bytes come in order."""
    buffer = BodyBuffer()
    assert receive(buffer, Chunks(b'{"a"', b":1}", b"")) == (b'{"a":1}', 7)
    assert buffer.held_bytes == 7
    buffer.release(7)
    assert buffer.held_bytes == 0
    assert receive(buffer, Chunks(b"")) == (b"", 0)


@pytest.mark.parametrize(
    ("chunks", "seconds", "status"),
    [
        (Chunks(b"{", b"}", b"", seconds=0.15), 0.2, 408),
        (Chunks(*[b" "] * 1000, seconds=0.001), 0.2, 408),
        (Chunks(*[CHUNK] * (MAX_BODY_BYTES // len(CHUNK)), b"x"), 60, 413),
    ],
)
def test_late_or_large_body_raises_when_it_is_read(chunks: Chunks, seconds: float, status: int) -> None:
    """The time counts for the whole body, however fast its chunks come. Nothing stays held."""
    buffer = BodyBuffer(seconds=seconds)
    error, held_bytes = receive(buffer, chunks)
    assert isinstance(error, HTTPException)
    assert (error.code, held_bytes, buffer.held_bytes) == (status, 0, 0)


def test_incomplete_body_is_an_invalid_request() -> None:
    """Even if the part that came is well-formed."""
    error, _held_bytes = receive(BodyBuffer(), Chunks(b'{"a":1}', b"", b""))
    assert isinstance(error, InvalidRequest)


def test_announced_trailers_may_follow_a_body() -> None:
    """They allow one more empty chunk; two more mean that the connection broke off."""
    assert receive(BodyBuffer(), Chunks(b"{}", b"", b""), has_trailers=True)[0] == b"{}"
    error, _held_bytes = receive(BodyBuffer(), Chunks(b"{", b"", b"", b""), has_trailers=True)
    assert isinstance(error, InvalidRequest)


def test_total_of_all_bodies_is_limited() -> None:
    """The body that exceeds the limit is refused with a time to try again; those before it stay."""
    buffer = BodyBuffer(max_total_bytes=3 * len(CHUNK))
    assert receive(buffer, Chunks(CHUNK, CHUNK, b""))[1] == 2 * len(CHUNK)
    error, _held_bytes = receive(buffer, Chunks(CHUNK, CHUNK, b""))
    assert isinstance(error, HTTPException)
    assert error.code == 503
    assert dict(error.get_headers())["Retry-After"] == "1"
    assert buffer.held_bytes == 2 * len(CHUNK)
    assert receive(buffer, Chunks(CHUNK, b""))[1] == len(CHUNK)


def test_failed_body_raises_its_error_each_time() -> None:
    """Whatever size is read."""
    body = FailedBody(InvalidRequest("Incomplete."))
    for size in (-1, 0, 10):
        with pytest.raises(InvalidRequest):
            body.read(size)


def test_uploads_are_received_into_files() -> None:
    """They may be ten times as large as other bodies, and their bytes are those that were sent."""
    buffer = BodyBuffer(in_files=True)
    chunks = [bytes([number]) * len(CHUNK) for number in range(12)]
    body, held_bytes = event_loop.run(buffer.receive(Chunks(*chunks, b""), has_trailers=False))
    assert not isinstance(body, FailedBody | BytesIO)
    assert held_bytes == 12 * len(CHUNK) > MAX_BODY_BYTES
    assert body.fileno() >= 0
    assert body.read() == b"".join(chunks)
    body.close()
    error, held_bytes = receive(buffer, Chunks(*[CHUNK] * 100, b"x"))
    assert isinstance(error, HTTPException)
    assert (error.code, held_bytes) == (413, 0)
