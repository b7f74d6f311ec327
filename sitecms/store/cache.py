"""What was worked out from the store, kept in memory until the store changes."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

ENTRY_BYTES = 300  # about what key and bookkeeping of an entry take beside its value


class Memory:
    """Values of one change number of the store, bounded in bytes; what was used longest ago goes first.

    Asking with another number forgets everything: whoever asks has just read the number, so the store has changed.
    Safe to share between threads.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.used_bytes = 0
        self._number = -1
        self._entries: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, number: int, key: Hashable) -> Any:
        """What is kept under the key, or None."""
        with self._lock:
            if number != self._number:
                self._entries.clear()
                self.used_bytes = 0
                self._number = number
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def keep(self, number: int, key: Hashable, value: object, size_bytes: int) -> None:
        """Keep a value that was read at that change number, unless the store has changed since."""
        size_bytes += ENTRY_BYTES
        with self._lock:
            if number != self._number or size_bytes > self.max_bytes:
                return
            replaced = self._entries.pop(key, None)
            self.used_bytes += size_bytes - (replaced[1] if replaced else 0)
            self._entries[key] = value, size_bytes
            while self.used_bytes > self.max_bytes:
                _key, (_value, freed_bytes) = self._entries.popitem(last=False)
                self.used_bytes -= freed_bytes

    def kept_keys(self) -> tuple[Hashable, ...]:
        """What is kept, used longest ago first."""
        with self._lock:
            return tuple(self._entries)
