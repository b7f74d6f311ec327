"""Bodies of requests, taken as they come in, without a thread that waits for them.

A body that takes too long, breaks off or is too large ends there; whoever reads it gets that as an error. What all
bodies of a process hold together is bounded, so that many clients at once cannot fill its memory.
"""

import asyncio
from io import BytesIO
from typing import NoReturn

from werkzeug.exceptions import HTTPException, RequestEntityTooLarge, RequestTimeout, ServiceUnavailable

from sitecms.api.request_body import MAX_BODY_BYTES
from sitecms.errors import InvalidRequest
from sitecms.web.server.rsgi import Exchange

BROKEN_OFF = "The body ended before it was whole."
BODY_SECONDS = 60.0
MAX_TOGETHER_BYTES = 128 * 1024 * 1024


class Faulty:
    """A body that could not be taken: reading it raises why."""

    def __init__(self, error: HTTPException | InvalidRequest) -> None:
        self._error = error

    def read(self, _size: int = -1) -> NoReturn:
        """Raises RequestTimeout (408), RequestEntityTooLarge (413), ServiceUnavailable (503) or InvalidRequest."""
        raise self._error


class Bodies:
    """The bodies on their way to one process; used by its event loop alone."""

    def __init__(self, seconds: float = BODY_SECONDS, max_together_bytes: int = MAX_TOGETHER_BYTES) -> None:
        self._seconds = seconds
        self._max_together_bytes = max_together_bytes
        self.held_bytes = 0

    async def take(self, exchange: Exchange, *, trailers: bool = False) -> tuple[BytesIO | Faulty, int]:
        """The body, ready to be read, and how many bytes of it count as held until they are given to `release`.

        `trailers`: headers may follow it, and come as an empty part.
        """
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                fault = await self._fill(body, exchange, 2 if trailers else 1)
        except TimeoutError:
            fault = RequestTimeout()
        if fault is None:
            return BytesIO(body), len(body)
        self.release(len(body))
        return Faulty(fault), 0

    def release(self, count: int) -> None:
        """So many bytes are held no more."""
        self.held_bytes -= count

    async def _fill(self, body: bytearray, exchange: Exchange, max_empty: int) -> HTTPException | InvalidRequest | None:
        """What is wrong, or None. A body that ended well gives one empty part; a broken one, an empty part more."""
        empty = 0
        async for part in exchange:
            empty += not part
            body += part
            self.held_bytes += len(part)
            if len(body) > MAX_BODY_BYTES:
                return RequestEntityTooLarge()
            if self.held_bytes > self._max_together_bytes:
                return ServiceUnavailable(retry_after=1)
        return InvalidRequest(BROKEN_OFF) if empty > max_empty else None
