"""Look-up of host names within a time limit, by a bounded number of threads.

The system's resolver has no time limit, so a slow look-up continues in its thread. Requests for the same host wait for
it, and the number of look-ups is bounded.
"""

import socket
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock, Thread

from sitecms.guarded_http.errors import ExchangeFailed, ExchangeRejected

MAX_UNDER_WAY = 32
_NO_SUCH_NAME = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})  # not on Windows
Resolver = Callable[[str, int], Sequence[str]]
_Key = tuple[Resolver, str, int]
_Found = Future[tuple[str, ...]]


class Lookups:
    """Running look-ups of one process; at most MAX_UNDER_WAY, one for each host and port."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._under_way: dict[_Key, _Found] = {}

    def __len__(self) -> int:
        """Return the number of running look-ups, abandoned ones included."""
        return len(self._under_way)

    def find(self, resolve: Resolver, host: str, port: int, seconds: float) -> tuple[str, ...]:
        """Return the resolver's result.

        Raises ExchangeRejected if there is no such name, ExchangeFailed if the resolver fails, takes too long, or too
        many look-ups are running.
        """
        try:
            return self._join((resolve, host, port)).result(seconds)
        except TimeoutError as error:
            raise ExchangeFailed(f"looking up {host} took more than {seconds:.1f} s") from error
        except (OSError, ValueError) as error:  # UnicodeError, a ValueError: a label that no name may have
            reason = f"{host} cannot be looked up ({error})"
            if isinstance(error, ValueError) or error.errno in _NO_SUCH_NAME:
                raise ExchangeRejected(reason, "There is no such host.") from error
            raise ExchangeFailed(reason) from error

    def _join(self, key: _Key) -> _Found:
        with self._lock:
            found = self._under_way.get(key)
            if found is None:
                if len(self._under_way) >= MAX_UNDER_WAY:
                    raise ExchangeFailed(f"{MAX_UNDER_WAY} names are being looked up, and none of them is found")
                found = self._under_way[key] = Future()
                Thread(target=self._look_up, args=(key, found), name="resolver", daemon=True).start()
        return found

    def _look_up(self, key: _Key, found: _Found) -> None:
        resolve, host, port = key
        try:
            answer = tuple(resolve(host, port))
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            self._forget(key)
            found.set_exception(error)
        else:
            self._forget(key)
            found.set_result(answer)

    def _forget(self, key: _Key) -> None:
        """Remove an ended look-up, so that the next request starts another one."""
        with self._lock:
            del self._under_way[key]
