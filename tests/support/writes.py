"""Writes that are accepted as by the API and applied as by its workers, with a stand-in for hosts of remote media."""

from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Caller, EntryName, WriteContext
from sitecms.actions.writing.apply.applying import Worker, apply_entry
from sitecms.content.kinds import EntryKind
from sitecms.content.locale import Locales
from sitecms.content.media import MediaFile
from sitecms.content.writes import Write
from sitecms.errors import RemoteMissing
from sitecms.media.library import MediaLibrary, open_library
from sitecms.runtime import Runtime
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.writes.writes import get_write, open_entries


def is_there(_url: str) -> str:
    """No remote file has a problem."""
    return ""


def write_context(
    database: Database, settings: SiteSettings, clock: Callable[[], datetime], probe: Callable[[str], str] = is_there
) -> WriteContext:
    """What accepting a write needs; ids of writes are w1, w2 and so on."""
    locales, numbers = Locales(settings.locales, settings.default_locale), count(1)
    return WriteContext(database, settings, locales, probe, clock, lambda: f"w{next(numbers)}")


def worker_of(context: WriteContext, fetch: Callable[..., MediaFile]) -> Worker:
    """Who applies writes that were accepted in this context; every other owner is dead."""
    library = open_library(context.settings)
    return Worker(context.database, context.settings, library, fetch, context.clock, "me", lambda _name: False)


def apply_open(worker: Worker) -> int:
    """Apply everything that is open; return how many writes."""
    total = 0
    while True:
        with worker.database.reading() as session:
            waiting = [get_write(session, write_id) for write_id, *_ in open_entries(session, worker.clock(), 1000)]
        done = sum(apply_entry(worker, write.entry_key) for write in waiting)
        if not done:
            return total
        total += done


class Writes:
    """Requests of one caller, by the ids of their writes, and a worker that applies them."""

    def __init__(self, context: WriteContext, caller: Caller, worker: Worker) -> None:
        self.context, self.caller, self.worker = context, caller, worker

    def create(self, kind: EntryKind, body: Mapping[str, Any], locale: str = "") -> str:
        """Create an entry."""
        return accept.create(self.context, self.caller, kind, dict(body), locale).write_id

    def update(self, kind: EntryKind, name: str, body: Mapping[str, Any], locale: str = "", *, type_: str = "") -> str:
        """Change an entry."""
        return accept.update(self.context, self.caller, EntryName(kind, name, type_), dict(body), locale).write_id

    def delete(self, kind: EntryKind, name: str, type_: str = "") -> None:
        """Delete an entry."""
        accept.delete(self.context, self.caller, EntryName(kind, name, type_))

    def get(self, write_id: str) -> Write:
        """The write as it is now."""
        return self.context.database.read(get_write, write_id)

    def key(self, write_id: str) -> str:
        """The key of its entry, whose writes are applied together."""
        return self.get(write_id).entry_key

    def apply(self, write_id: str) -> Write:
        """Apply the writes to its entry; return it as it is then."""
        apply_entry(self.worker, self.key(write_id))
        return self.get(write_id)


class Remote:
    """The outside world of writes: files by URL. `fetch` takes a file into the library."""

    def __init__(self, library: MediaLibrary, at: datetime) -> None:
        self.files: dict[str, bytes] = {}
        self.missing: set[str] = set()
        self.fetched: list[str] = []
        self._library = library
        self._at = at

    def probe(self, url: str) -> str:
        """Why it can never be had."""
        return str(RemoteMissing(404)) if url in self.missing else ""

    def fetch(self, url: str, _budget: object = None) -> MediaFile:
        """The file; RemoteMissing where there is none."""
        self.fetched.append(url)
        if url not in self.files:
            raise RemoteMissing(404)
        return self._library.add(self.files[url], url.rpartition("/")[2], self._at)


@pytest.fixture
def media_library(site: SiteSettings) -> MediaLibrary:
    """Where writes put their media."""
    return open_library(site)


@pytest.fixture
def remote(media_library: MediaLibrary, noon: datetime) -> Remote:
    """The outside world, empty."""
    return Remote(media_library, noon)


@pytest.fixture
def worker(runtime: Runtime, media_library: MediaLibrary, remote: Remote) -> Worker:
    """Who applies accepted writes; every other owner is dead."""
    context = write_context(runtime.database, runtime.settings, runtime.clock)
    return replace(worker_of(context, remote.fetch), library=media_library)


@pytest.fixture
def apply_all(worker: Worker) -> Callable[[], int]:
    """Apply everything that is open; how many writes."""
    return lambda: apply_open(worker)
