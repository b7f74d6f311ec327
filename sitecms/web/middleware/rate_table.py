"""How often who asked lately, shared by the web processes of a host: a file of fixed size that each maps into memory.

A requester has one number: the moment at which all requests so far would have been due had they come evenly at the
allowed rate. As far as that lies ahead of now, a burst was used up. Nothing has to be cleaned up: a moment that has
passed counts as none. There is no lock; two processes that answer one requester in the same microsecond may count one
request less.

The file: sixteen random bytes, then slots of two words, a requester's tag (a keyed digest) and that moment (nanoseconds
of the monotonic clock, which is the same for all processes of a host). A tag has WAYS slots to stand in. Where all are
taken, the requester whose moment is the earliest is forgotten: nobody is refused for what another did.
"""

import fcntl
import mmap
import os
from hashlib import blake2b
from pathlib import Path

import structlog

SETS = 16_384
WAYS = 4
KEY_BYTES = 16
_FIRST = 2
_WORDS = 2
SIZE_BYTES = KEY_BYTES + SETS * WAYS * _WORDS * 8
_MINUTE_NS = 60_000_000_000
_log = structlog.get_logger("sitecms.api")


class Rate:
    """So many requests a minute, of which those of `burst_seconds` may come at once, and one in any case."""

    __slots__ = ("ahead_ns", "interval_ns", "never_ns")

    def __init__(self, per_minute: int, burst_seconds: int) -> None:
        self.interval_ns = _MINUTE_NS // per_minute
        self.ahead_ns = max(0, burst_seconds * 1_000_000_000 - self.interval_ns)
        self.never_ns = self.ahead_ns + self.interval_ns + _MINUTE_NS
        """No moment lies so far ahead, not even for a process that was held up since it looked at the clock."""


class Requester:
    """Somebody's tag, and where it was found last; tag 0, which marks free slots, is nobody's."""

    __slots__ = ("place", "tag")

    def __init__(self, tag: int) -> None:
        self.tag = tag
        self.place = 0


class RateTable:
    """The numbers of all requesters, in the file; where it cannot be had (a full disk), in this process's memory."""

    def __init__(self, path: Path | None = None) -> None:
        self._memory = mmap.mmap(-1, SIZE_BYTES)
        if path is not None:
            try:
                self._memory = _open(path)
            except OSError as error:
                _log.warning("rate_limits_not_shared", problem=str(error))
        self._words = memoryview(self._memory).cast("q")
        self._key = self._memory[:KEY_BYTES]

    def requester(self, name: str) -> Requester:
        """Who goes by that name."""
        digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=8, key=self._key).digest()
        return Requester(int.from_bytes(digest, "little", signed=True) or 1)

    def due_ns(self, requester: Requester, rate: Rate, now_ns: int) -> int:
        """The requester's moment; now, where it has passed."""
        words = self._words
        place = requester.place
        if words[place] != requester.tag:
            place = requester.place = self._place_of(requester.tag)
        due_ns: int = words[place + 1]
        # What lies too far ahead was written before the machine was started anew.
        return due_ns if now_ns < due_ns < now_ns + rate.never_ns else now_ns

    def put(self, requester: Requester, due_ns: int) -> None:
        """Set the requester's moment, just after it was asked for."""
        self._words[requester.place + 1] = due_ns

    def _place_of(self, tag: int) -> int:
        """Where the tag stands; if nowhere, it takes the slot whose moment is the earliest."""
        words = self._words
        first = _FIRST + tag % SETS * WAYS * _WORDS
        places = range(first, first + WAYS * _WORDS, _WORDS)
        for place in places:
            if words[place] == tag:
                return place
        place = min(places, key=lambda place: words[place + 1])
        words[place + 1] = 0
        words[place] = tag
        return place


def _open(path: Path) -> mmap.mmap:
    """The file; where it is not whole, as after a full disk, it is made, with all of its blocks. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_size != SIZE_BYTES:
            os.ftruncate(handle, 0)  # nobody has mapped it: that is done under the lock, of whole files only
            if os.write(handle, os.urandom(KEY_BYTES) + bytes(SIZE_BYTES - KEY_BYTES)) < SIZE_BYTES:
                raise OSError("the disk is full")
        return mmap.mmap(handle, SIZE_BYTES)
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)  # closing is not enough: the memory has a handle of its own on the file
        os.close(handle)
