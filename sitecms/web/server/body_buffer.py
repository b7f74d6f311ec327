"""Buffer of request bodies, filled by the event loop so that no thread waits for a body.

A body that takes too long, breaks off or is too large is replaced by one whose `read` raises the error. The bytes of
all bodies of a process together are limited, so that many clients cannot fill its memory.
"""

import asyncio
from collections.abc import AsyncIterable
from io import BytesIO
from typing import NoReturn

from werkzeug.exceptions import HTTPException, RequestEntityTooLarge, RequestTimeout, ServiceUnavailable

from sitecms.api.request_body import MAX_BODY_BYTES
from sitecms.errors import InvalidRequest

INCOMPLETE = "The body ended before it was complete."
BODY_SECONDS = 60.0
MAX_TOTAL_BYTES = 128 * 1024 * 1024


class FailedBody:
    """A body that could not be received."""

    def __init__(self, error: HTTPException | InvalidRequest) -> None:
        self._error = error

    def read(self, _size: int = -1) -> NoReturn:
        """Raise RequestTimeout (408), RequestEntityTooLarge (413), ServiceUnavailable (503) or InvalidRequest."""
        raise self._error


class BodyBuffer:
    """The request bodies that one process holds; used by its event loop only."""

    def __init__(self, seconds: float = BODY_SECONDS, max_total_bytes: int = MAX_TOTAL_BYTES) -> None:
        self._seconds = seconds
        self._max_total_bytes = max_total_bytes
        self.held_bytes = 0

    async def receive(self, chunks: AsyncIterable[bytes], *, has_trailers: bool) -> tuple[BytesIO | FailedBody, int]:
        """Return the body and its length in bytes, which count as held until they are passed to `release`.

        `has_trailers`: headers may follow the body; granian passes them on as an empty chunk.
        """
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                error = await self._fill(body, chunks, 2 if has_trailers else 1)
        except TimeoutError:
            error = RequestTimeout()
        if error is None:
            return BytesIO(body), len(body)
        self.release(len(body))
        return FailedBody(error), 0

    def release(self, byte_count: int) -> None:
        """Subtract bytes that are no longer held."""
        self.held_bytes -= byte_count

    async def _fill(
        self, body: bytearray, chunks: AsyncIterable[bytes], max_empty: int
    ) -> HTTPException | InvalidRequest | None:
        """Append the chunks to the body; return the error, or None.

        granian ends a complete body with one empty chunk and sends one more where the connection breaks off.
        """
        empty = 0
        async for chunk in chunks:
            empty += not chunk
            body += chunk
            self.held_bytes += len(chunk)
            if len(body) > MAX_BODY_BYTES:
                return RequestEntityTooLarge()
            if self.held_bytes > self._max_total_bytes:
                return ServiceUnavailable(retry_after=1)
        return InvalidRequest(INCOMPLETE) if empty > max_empty else None
