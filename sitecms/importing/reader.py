"""The interface of readers, and what they may use: options, HTTP access, lookup of records."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, tzinfo
from typing import Protocol

from msgspec import Struct

from sitecms.content.fingerprint import digest
from sitecms.content.text.slug import RESERVED_SLUGS, slugify
from sitecms.errors import FetchFailed
from sitecms.guarded_http.client import BROKEN_EXCHANGE
from sitecms.importing.formats.times import zone_of
from sitecms.importing.formats.xml_repair import OnRepair
from sitecms.importing.html.addresses import Replace
from sitecms.importing.records import EntryRecord, Media, Note, NoteKind, Place, Record
from sitecms.importing.shortcodes import ShortcodeTable
from sitecms.importing.source import Source, SourceFile
from sitecms.media.fetching.fetch import FetchRules, followed

UNFORESEEN = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors of code that met data it was not written for; a full disk or memory ends the run."""
_TYPE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_FIELD_NAME = re.compile(r"[a-z][a-z0-9_]*")
_MAX_PROBLEM_LENGTH = 100


class Answer(Struct, frozen=True):
    """An HTTP response: status, headers with names in lower case, body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Fetcher = Callable[[str, Mapping[str, str]], Answer]
"""Requests an address with headers, within limits; readers use no other network access. Raises FetchFailed."""


class ReaderOptions(Struct, frozen=True):
    """Options of one run, for all readers.

    `timezone` and `locale` override the values in the source; `site_timezone` is the time zone of an existing site, for
    times of which neither the source nor `timezone` tells it. `is_partial` accepts a truncated source. `members` makes
    entries for members public. `page_types`, `collections` and `locales` name what cannot be discovered. `token` is
    a secret from the environment, which must not go into a record. `fetch` is None where the reader may not fetch.
    `max_calls` limits the calls of an API, which accounts pay for. `shortcodes` says what names of shortcodes mean.
    """

    old_url: str = ""
    timezone: str = ""
    site_timezone: str = "UTC"
    locale: str = ""
    locales: tuple[str, ...] = ()
    is_partial: bool = False
    members: str = "draft"
    page_types: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    token: str = ""
    fetch: Fetcher | None = None
    max_calls: int = 5_000
    shortcodes: ShortcodeTable = ShortcodeTable()

    def __repr__(self) -> str:
        """Leave the token out, because texts of options may reach a log."""
        shown = (f"{name}={getattr(self, name)!r}" for name in self.__struct_fields__ if name != "token")
        return f"{type(self).__name__}({', '.join(shown)})"

    def zone(self, of_source: str = "") -> tzinfo:
        """Return the time zone of times that state none; `of_source` is the name of the zone in the source."""
        named = (self.timezone or of_source, self.site_timezone)
        return next(filter(None, map(zone_of, named)), UTC)


def noting_repairs(file: SourceFile, notes: list[Note]) -> OnRepair:
    """Return a function that adds a note for each repair of an XML file."""

    def on_repair(what: str, line: int, column: int) -> None:
        notes.append(Note(NoteKind.REPAIRED, what, Place(f"{file.name}:{line}:{column}")))

    return on_repair


def guarded(records: Iterator[Record], place: Place) -> Iterator[Record]:
    """Yield the records made of one part of a source; a part that no reader foresaw costs itself, not the run."""
    try:
        yield from records
    except UNFORESEEN as error:
        remedy = "please report this with the part of the export"
        yield Note(NoteKind.SKIPPED, f"an entry that cannot be read: {problem_of(error)}", place, remedy)


def problem_of(error: BaseException) -> str:
    """Return the kind and the message of an error on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:_MAX_PROBLEM_LENGTH]}"


def type_name(text: str) -> str:
    """Return the name of a page type or collection made of a text, as files of schema/ and addresses have it."""
    name = slugify(text)
    if not _TYPE_NAME.fullmatch(name):
        name = f"type-{digest(text.encode())[:6]}" if name else "entry"
    return f"{name}-type" if name in RESERVED_SLUGS else name


def field_name(text: str) -> str:
    """Return the name of a field made of a text; "" for a text of which none can be made."""
    name = slugify(text).replace("-", "_")
    return name if _FIELD_NAME.fullmatch(name) else ""


class RecordLookup(Protocol):
    """Records by key, for `Reader.finish`: it is called after all records of the source are known."""

    def media(self, key: str) -> Media | None:
        """Return the media record with that key."""

    def children(self, parent: str) -> Iterable[Media]:
        """Yield the media records whose `parent` is that entry, in the order of the source."""

    def has_entry(self, key: str) -> bool:
        """Return whether an entry has that key."""

    def note(self, note: Note) -> None:
        """Add a line to the report."""

    def resolve_addresses(self, key: str, resolve: Replace) -> None:
        """Have the reader itself resolve each address of the entry's body, before the planner does; no parse more."""


class Reader(Protocol):
    """Reader of one kind of source. Instances live for one run and may keep state between `read` and `finish`.

    `finish` may run in a forked process: changes of `self` are lost, notes are not.
    """

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield all records, in any order, once; never keep bodies. Raises InvalidRequest for an unreadable source."""

    def finish(self, entry: EntryRecord, lookup: RecordLookup) -> EntryRecord:
        """Return the entry with its body in HTML or Markdown, its addresses in a form of `records`."""


def fetcher(rules: FetchRules) -> Fetcher:
    """Return a function that requests an address with headers; it raises FetchFailed and FetchRefused."""

    def fetch(url: str, headers: Mapping[str, str]) -> Answer:
        with followed("GET", url, {"Accept": "*/*", **headers}, rules, rules.total_seconds) as response:
            try:
                body = response.raw.read(rules.max_bytes + 1, decode_content=False)
            except BROKEN_EXCHANGE as error:
                raise FetchFailed(f"the response is incomplete: {error}", "The response is incomplete.") from error
            if len(body) > rules.max_bytes:
                raise FetchFailed("the response is too large", "The response is too large.")
            found = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status_code, found, body)

    return fetch
