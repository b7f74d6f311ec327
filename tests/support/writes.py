"""Fixtures that apply accepted writes, with a stand-in for the hosts of remote media."""

from collections.abc import Callable
from datetime import datetime

import pytest

from sitecms.actions.writing.apply.applying import Worker, apply_entry
from sitecms.content.media import MediaFile
from sitecms.errors import RemoteMissing
from sitecms.media.library import MediaLibrary, open_library
from sitecms.runtime import Runtime
from sitecms.settings.site import SiteSettings
from sitecms.store.writes.writes import get_write, open_entries


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
    return Worker(
        database=runtime.database,
        settings=runtime.settings,
        library=media_library,
        fetch=remote.fetch,
        clock=runtime.clock,
        owner="me",
        is_alive=lambda _name: False,
    )


@pytest.fixture
def apply_all(worker: Worker) -> Callable[[], int]:
    """Apply everything that is open; how many writes."""

    def apply() -> int:
        count = 0
        while True:
            with worker.database.reading() as session:
                waiting = [get_write(session, write_id) for write_id, *_ in open_entries(session, worker.clock(), 1000)]
            done = sum(apply_entry(worker, write.entry_key) for write in waiting)
            if not done:
                return count
            count += done

    return apply
