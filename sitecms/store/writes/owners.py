"""Who holds writes and messages: a worker is alive while it holds the lock of its name (`store.engines.locks`)."""

import threading

from sitecms.store.engines.locks import Lock, Locks


class Owners:
    """The workers of one site. Needs no timer: live work is never run again."""

    def __init__(self, locks: Locks) -> None:
        self._locks = locks

    def enter(self) -> "Owner":
        """A new owner, alive from now on."""
        return Owner(self._locks.acquire_unique())

    def is_alive(self, name: str) -> bool:
        """Whether the owner still holds its lock."""
        return self._locks.is_held(name)


class Owner:
    """One living worker."""

    def __init__(self, lock: Lock) -> None:
        self.name = lock.name
        self._lock = lock

    def is_alive(self) -> bool:
        """Whether others still see it as alive: if not, it may claim nothing more, and a new one takes its place."""
        return self._lock.is_held()

    def leave(self) -> None:
        """Be dead from now on."""
        self._lock.release()


class Membership:
    """One worker among the owners: entered when it is first asked for, anew after it was lost. Safe to share."""

    def __init__(self, owners: Owners) -> None:
        self._owners = owners
        self._lock = threading.Lock()
        self._owner: Owner | None = None

    def name(self) -> str:
        """Under which to claim now."""
        with self._lock:
            if self._owner is None or not self._owner.is_alive():
                self._owner = self._owners.enter()
            return self._owner.name

    def is_now(self, name: str) -> bool:
        """Whether that name may claim still."""
        with self._lock:
            return self._owner is not None and self._owner.name == name and self._owner.is_alive()

    def leave(self) -> str | None:
        """Be known as dead, until asked for again; the name so far."""
        with self._lock:
            owner, self._owner = self._owner, None
        if owner is None:
            return None
        owner.leave()
        return owner.name
