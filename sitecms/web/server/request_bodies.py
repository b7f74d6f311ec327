"""Request bodies, received by the event loop into memory, and uploads to the studio into files.

A body that takes too long, breaks off or is too large is replaced by one whose `read` raises the error. The bytes of
all bodies of a process together are limited, so that many clients cannot fill its memory or its disk.
"""

import asyncio
from collections.abc import AsyncIterable
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import NamedTuple, NoReturn, TypeAlias

from werkzeug.exceptions import HTTPException, RequestEntityTooLarge, RequestTimeout, ServiceUnavailable

from sitecms.api.request_body import MAX_BODY_BYTES
from sitecms.errors import InvalidRequest
from sitecms.media.intake import MAX_UPLOAD_BYTES

INCOMPLETE = "The body ended before it was complete."
BODY_SECONDS = 60.0
MAX_TOTAL_BYTES = 128 * 1024 * 1024
UPLOAD_SECONDS = 1800.0
_IN_MEMORY_BYTES = 1024 * 1024
MAX_TOTAL_UPLOAD_BYTES = 2 * 1024 * 1024 * 1024
ReceivedBody: TypeAlias = BytesIO | SpooledTemporaryFile[bytes]


class FailedBody:
    """A body that could not be received."""

    def __init__(self, error: HTTPException | InvalidRequest) -> None:
        self._error = error

    def read(self, _size: int = -1) -> NoReturn:
        """Raise RequestTimeout (408), RequestEntityTooLarge (413), ServiceUnavailable (503) or InvalidRequest."""
        raise self._error


class UnreadBody:
    """A body that the server did not wait for.

    A request that is accepted after all, as by a store that can be read again, has to be sent again.
    """

    def read(self, _size: int = -1) -> NoReturn:
        """Raise ServiceUnavailable (503)."""
        raise ServiceUnavailable(retry_after=1)


class BodyLimits(NamedTuple):
    """Limits of the bodies of one process: seconds and bytes of one, and bytes of all together."""

    seconds: float
    max_bytes: int
    max_total_bytes: int


class BodyBuffer:
    """The request bodies that one process holds, in memory or in files; used by its event loop only."""

    def __init__(
        self, seconds: float = BODY_SECONDS, max_total_bytes: int = MAX_TOTAL_BYTES, *, in_files: bool = False
    ) -> None:
        self._limits = BodyLimits(seconds, MAX_UPLOAD_BYTES if in_files else MAX_BODY_BYTES, max_total_bytes)
        self._in_files = in_files
        self.held_bytes = 0

    async def receive(
        self, chunks: AsyncIterable[bytes], *, has_trailers: bool
    ) -> tuple[ReceivedBody | FailedBody, int]:
        """Return the body and its length in bytes, which count as held until they are passed to `release`.

        `has_trailers`: headers may follow the body; granian passes them on as an empty chunk.
        """
        body: ReceivedBody = SpooledTemporaryFile(_IN_MEMORY_BYTES) if self._in_files else BytesIO()  # noqa: SIM115 - returned
        try:
            async with asyncio.timeout(self._limits.seconds):
                error = await self._fill(body, chunks, 2 if has_trailers else 1)
        except TimeoutError:
            error = RequestTimeout()
        length = body.tell()
        if error is None:
            body.seek(0)
            return body, length
        body.close()
        self.release(length)
        return FailedBody(error), 0

    def release(self, byte_count: int) -> None:
        """Subtract bytes that are no longer held."""
        self.held_bytes -= byte_count

    async def _fill(
        self, body: ReceivedBody, chunks: AsyncIterable[bytes], max_empty: int
    ) -> HTTPException | InvalidRequest | None:
        """Append the chunks to the body; return the error, or None.

        granian ends a complete body with one empty chunk and sends one more where the connection breaks off.
        """
        empty = 0
        async for chunk in chunks:
            empty += not chunk
            body.write(chunk)
            self.held_bytes += len(chunk)
            if body.tell() > self._limits.max_bytes:
                return RequestEntityTooLarge()
            if self.held_bytes > self._limits.max_total_bytes:
                return ServiceUnavailable(retry_after=1)
        return InvalidRequest(INCOMPLETE) if empty > max_empty else None
