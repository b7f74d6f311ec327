"""The interface of readers, and the interfaces that they may use: options, fetcher, lookup of records."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sitecms.importing.records import Entry, Media, Note, Record
from sitecms.importing.source import Source


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response: status, headers with names in lower case, body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Fetcher = Callable[[str, Mapping[str, str]], Answer]
"""Requests an address with headers, within limits; readers use no other network access. Raises FetchFailed."""


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """Options of one run, for all readers.

    `timezone` and `locale` override the values in the source. `is_partial` accepts a truncated source. `members` makes
    entries for members public. `page_types`, `collections` and `locales` name what cannot be discovered. `token` is
    a secret from the environment, which must not go into a record. `fetch` is None where the reader may not fetch.
    `max_calls` limits the calls of an API, which accounts pay for.
    """

    old_url: str = ""
    timezone: str = ""
    locale: str = ""
    locales: tuple[str, ...] = ()
    is_partial: bool = False
    members: str = "draft"
    page_types: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    token: str = field(default="", repr=False)
    fetch: Fetcher | None = None
    max_calls: int = 5_000


class Lookup(Protocol):
    """Records by key, for `Reader.finish`: it is called after all records of the source are known."""

    def media(self, key: str) -> Media | None:
        """Return the media record with that key."""

    def children(self, parent: str) -> Iterable[Media]:
        """Yield the media records whose `parent` is that entry, in the order of the source."""

    def entry(self, key: str) -> Entry | None:
        """Return the entry with that key, as it was read."""

    def has_entry(self, key: str) -> bool:
        """Return whether an entry has that key; cheaper than `entry`."""

    def find_old(self, url: str) -> str:
        """Return `entry:KEY` or `media:KEY` for an old address, a URL or a path; "" if it is unknown."""

    def note(self, note: Note) -> None:
        """Add a line to the report."""


class Reader(Protocol):
    """Reader of one kind of source. Instances live for one run and may keep state between `read` and `finish`.

    `finish` may run in a forked process: changes of `self` are lost, notes are not.
    """

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield all records, in any order, once; never keep bodies. Raises InvalidRequest for an unreadable source."""

    def finish(self, entry: Entry, lookup: Lookup) -> Entry:
        """Return the entry with its body in HTML or Markdown, its addresses in a form of `records`."""
