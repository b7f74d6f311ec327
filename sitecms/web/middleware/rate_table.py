"""Request rates of the last minutes, in a file of fixed size that all web processes of a host map into memory.

The algorithm is GCRA. Each requester has one number: the time at which all requests so far would have been due if they
had come evenly at the allowed rate. The distance of that time from now is the part of the burst that is used up. Times
that have passed count as none, so nothing has to be cleaned up. There is no lock: of two requests of one requester that
two processes answer in the same microsecond, one may not be counted.

The file holds 16 random bytes, then slots of two 64-bit words: the requester's tag (a keyed digest) and its time in
nanoseconds of the monotonic clock, which all processes of a host share. A tag can stand in any of WAYS slots. If all of
them are taken, the requester with the earliest time is forgotten, so that none is refused for requests of another.

The library `limits` is not used. Its memory storage counts for each process alone, so that a token could send as many
times the limit as there are processes; it takes 5 µs for a request instead of 0.3, and grows with the number of
addresses (93 MB for 300,000; this file is 1 MB). Its Redis storage takes 120 µs for each limit and request, longer than
a cached response, on the thread that answers reads.
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
_FIRST_SLOT = 2
_SLOT_WORDS = 2
SIZE_BYTES = KEY_BYTES + SETS * WAYS * _SLOT_WORDS * 8
_MINUTE_NS = 60_000_000_000
_log = structlog.get_logger("sitecms.api")


class Rate:
    """A number of requests a minute, of which those of `burst_seconds`, and at least one, may come at once."""

    __slots__ = ("ahead_ns", "interval_ns", "max_ahead_ns")

    def __init__(self, per_minute: int, burst_seconds: int) -> None:
        self.interval_ns = _MINUTE_NS // per_minute
        self.ahead_ns = max(0, burst_seconds * 1_000_000_000 - self.interval_ns)
        self.max_ahead_ns = self.ahead_ns + self.interval_ns + _MINUTE_NS
        """No time is further ahead, even in a process that was suspended since it read the clock."""


class Requester:
    """The tag of a token or an address, and the slot where it was last. Tag 0 marks free slots."""

    __slots__ = ("slot", "tag")

    def __init__(self, tag: int) -> None:
        self.tag = tag
        self.slot = 0


class RateTable:
    """The table of all requesters: in the file, or in this process alone if there is no room for a file."""

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
        """Return the requester of that name."""
        digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=8, key=self._key).digest()
        return Requester(int.from_bytes(digest, "little", signed=True) or 1)

    def due_ns(self, requester: Requester, rate: Rate, now_ns: int) -> int:
        """Return the requester's time, or now if it has passed."""
        words = self._words
        slot = requester.slot
        if words[slot] != requester.tag:
            slot = requester.slot = self._slot_of(requester.tag)
        due_ns: int = words[slot + 1]
        # A time too far ahead was written before the machine was restarted.
        return due_ns if now_ns < due_ns < now_ns + rate.max_ahead_ns else now_ns

    def put(self, requester: Requester, due_ns: int) -> None:
        """Set the requester's time, right after `due_ns` has found its slot."""
        self._words[requester.slot + 1] = due_ns

    def _slot_of(self, tag: int) -> int:
        """Return the slot of the tag; a tag without one takes the slot with the earliest time."""
        words = self._words
        first = _FIRST_SLOT + tag % SETS * WAYS * _SLOT_WORDS
        slots = range(first, first + WAYS * _SLOT_WORDS, _SLOT_WORDS)
        for slot in slots:
            if words[slot] == tag:
                return slot
        slot = min(slots, key=lambda slot: words[slot + 1])
        words[slot + 1] = 0
        words[slot] = tag
        return slot


def _open(path: Path) -> mmap.mmap:
    """Map the file, and create it with all of its blocks if it is incomplete, as on a full disk. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_size != SIZE_BYTES:
            os.ftruncate(handle, 0)  # no process has mapped it: they map complete files, under the lock
            if os.write(handle, os.urandom(KEY_BYTES) + bytes(SIZE_BYTES - KEY_BYTES)) < SIZE_BYTES:
                raise OSError("the disk is full")
        return mmap.mmap(handle, SIZE_BYTES)
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)  # closing is not enough: the map has a handle of its own
        os.close(handle)
