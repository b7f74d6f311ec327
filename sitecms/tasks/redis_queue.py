"""The line of hints on Redis: one list for each store, so that any number of sites can share a server."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from redis import ConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from sitecms.settings.service_url import ServiceUrl
from sitecms.tasks.server_queue import ANSWER_SECONDS, LISTEN_SECONDS, MOST_HINTS, Unreachable

KEPT_SECONDS = 24 * 3600  # a site that nobody works for any more leaves nothing behind


class RedisLine:
    """Pushed at the left, popped at the right, by a pop that waits on the server."""

    def __init__(self, url: ServiceUrl, store: str) -> None:
        self.name = str(url)
        self._key = f"sitecms:{store}:hints"
        self._asking = _client(url, ANSWER_SECONDS)
        self._waiting = _client(url, LISTEN_SECONDS + ANSWER_SECONDS)

    def push(self, data: bytes) -> None:
        """Put it at the end, and wake one of those who wait."""
        with _translated(), self._asking.pipeline(transaction=False) as pipeline:
            pipeline.lpush(self._key, data)
            pipeline.ltrim(self._key, -MOST_HINTS, -1)
            pipeline.expire(self._key, KEPT_SECONDS)
            pipeline.execute()

    def pop(self, seconds: float) -> bytes | None:
        """Take the first one; None if there is none and none comes within that time."""
        with _translated():
            found = self._waiting.brpop([self._key], timeout=seconds)
        return cast(bytes, found[1]) if found else None

    def length(self) -> int:
        """How many there are."""
        with _translated():
            return int(self._asking.llen(self._key))

    def clear(self) -> None:
        """Drop them all."""
        with _translated():
            self._asking.delete(self._key)

    def close(self) -> None:
        """Let go of the connections."""
        self._asking.connection_pool.disconnect()
        self._waiting.connection_pool.disconnect()


def _client(url: ServiceUrl, seconds: float) -> Redis:
    """Tries nothing twice: what fails is told, and the sweep is there."""
    pool = ConnectionPool.from_url(
        url.reveal(),
        socket_connect_timeout=ANSWER_SECONDS,
        socket_timeout=seconds,
        retry=Retry(NoBackoff(), 0),
    )
    return Redis(connection_pool=pool)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (RedisError, OSError) as error:
        raise Unreachable(str(error)) from error
