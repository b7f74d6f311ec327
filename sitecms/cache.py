"""Bounded caches in memory, which the whole package uses."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

V = TypeVar("V")
ENTRY_BYTES = 300
"""About what the key and the bookkeeping of an entry need, for caches whose sizes are bytes."""


class BoundedCache(Generic[V]):
    """Cache of limited size that removes the least recently used entries first. Safe to share between threads.

    Sizes are what the caller counts: entries by default, or bytes. All entries belong to one version, such as the
    store's change number; `get` with another version empties the cache.

    cachetools has no versions, and its LRUCache needs a lock around it.
    """

    def __init__(self, max_size: int) -> None:
        self.max_size = max_size
        self.used_size = 0
        self._version = 0
        self._entries: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, version: int = 0) -> V | None:
        """Return the value of that key, or None."""
        with self._lock:
            if version != self._version:
                self._entries.clear()
                self.used_size = 0
                self._version = version
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: V, size: int = 1, version: int = 0) -> None:
        """Store a value, unless it is larger than the whole cache or belongs to a version that has passed."""
        with self._lock:
            if version != self._version or size > self.max_size:
                return
            replaced = self._entries.pop(key, None)
            self.used_size += size - (replaced[1] if replaced else 0)
            self._entries[key] = value, size
            while self.used_size > self.max_size:
                _key, (_value, freed) = self._entries.popitem(last=False)
                self.used_size -= freed

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def keys(self) -> tuple[Hashable, ...]:
        """Return all keys, least recently used first."""
        with self._lock:
            return tuple(self._entries)
