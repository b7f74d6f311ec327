"""Bodies on their way in: whole, late, broken off, too large, too many at once."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from werkzeug.exceptions import HTTPException

from sitecms.api.request_body import MAX_BODY_BYTES
from sitecms.errors import InvalidRequest
from sitecms.web.server.body_buffer import Bodies, Faulty

PART = b"x" * 1024 * 1024


class Sent:
    """What granian gives of a body: its parts, then an empty one; `seconds` pass before each."""

    def __init__(self, *parts: bytes, seconds: float = 0.0) -> None:
        self._parts = parts
        self._seconds = seconds

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            await asyncio.sleep(self._seconds)
            yield part


def take(bodies: Bodies, sent: Sent) -> tuple[bytes | Exception, int]:
    """What reading the body gives or raises, and how many bytes count as held."""
    body, held_bytes = asyncio.run(bodies.take(sent))  # type: ignore[arg-type]
    try:
        return body.read(), held_bytes
    except (HTTPException, InvalidRequest) as error:
        return error, held_bytes


def test_a_whole_body_is_held_until_it_is_released() -> None:
    """Its bytes in order."""
    bodies = Bodies()
    assert take(bodies, Sent(b'{"a"', b":1}", b"")) == (b'{"a":1}', 7)
    assert bodies.held_bytes == 7
    bodies.release(7)
    assert bodies.held_bytes == 0
    assert take(bodies, Sent(b"")) == (b"", 0)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (Sent(b"{", b"}", b"", seconds=0.15), 408),
        (Sent(*[b" "] * 1000, seconds=0.001), 408),
        (Sent(*[PART] * (MAX_BODY_BYTES // len(PART)), b"x"), 413),
    ],
)
def test_what_cannot_be_taken_is_told_to_whoever_reads(sent: Sent, status: int) -> None:
    """Too late as a whole, however many parts came in time; too large. Nothing stays held."""
    bodies = Bodies(seconds=0.2)
    error, held_bytes = take(bodies, sent)
    assert isinstance(error, HTTPException)
    assert (error.code, held_bytes, bodies.held_bytes) == (status, 0, 0)


def test_a_body_that_broke_off() -> None:
    """Also where what came is well formed."""
    error, _held_bytes = take(Bodies(), Sent(b'{"a":1}', b"", b""))
    assert isinstance(error, InvalidRequest)


def test_headers_behind_a_body() -> None:
    """One empty part more is sound where they were announced; two are not."""
    whole, _held_bytes = asyncio.run(Bodies().take(Sent(b"{}", b"", b""), trailers=True))  # type: ignore[arg-type]
    assert whole.read() == b"{}"
    broken, _held_bytes = asyncio.run(Bodies().take(Sent(b"{", b"", b"", b""), trailers=True))  # type: ignore[arg-type]
    assert isinstance(broken, Faulty)


def test_all_bodies_together_are_bounded() -> None:
    """The one too much is turned away to come again, and those before it stay."""
    bodies = Bodies(max_together_bytes=3 * len(PART))
    assert take(bodies, Sent(PART, PART, b""))[1] == 2 * len(PART)
    error, _held_bytes = take(bodies, Sent(PART, PART, b""))
    assert isinstance(error, HTTPException)
    assert error.code == 503
    assert dict(error.get_headers())["Retry-After"] == "1"
    assert bodies.held_bytes == 2 * len(PART)
    assert take(bodies, Sent(PART, b""))[1] == len(PART)


def test_a_faulty_body_says_so_each_time() -> None:
    """However much of it is asked for."""
    faulty = Faulty(InvalidRequest("It broke off."))
    for size in (-1, 0, 10):
        with pytest.raises(InvalidRequest):
            faulty.read(size)
