"""Media that requests name: files of the library under any address, and remote files that are fetched."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Protocol

from sitecms.content.entry import Entry
from sitecms.content.field_value import stored_media
from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX, NO_SUCH_FILE, MediaFile
from sitecms.content.text.media_links import MEDIA_FOLDER, ResolvedImage, resolve_media
from sitecms.errors import InvalidRequest
from sitecms.guarded_http.addresses import is_fetchable
from sitecms.store.database import Session
from sitecms.store.entries.media_files import find_fetched, find_media, is_media_known
from sitecms.web_address import split_address

MAX_REMOTE = 100
NO_ADDRESS = "Enter a valid URL: http or https."
_AT_THE_END = re.compile(f"{MEDIA_NAME.pattern}$")
_PROBES_AT_ONCE = 8
PROBE_SECONDS = 3.5  # for all files of a request together: one hangs for 3 s at most

Probe = Callable[[str], str]
"""Returns why a remote file can never be retrieved, "" if it may be, within a few seconds; never raises."""


class MediaSource(Protocol):
    """Resolver of media addresses: `AskedMedia` at acceptance, `FetchedMedia` when a write is applied.

    `session` is the one in which addresses are asked for. `stored` are the addresses that the entry shows now; their
    files are not fetched again.
    """

    session: Session
    stored: frozenset[str]

    def address(self, url: str) -> str | None:
        """Return the address to store; None if the file is not available."""

    def problem(self, url: str) -> str:
        """Return why `address` was None."""


def own_address(session: Session, url: str) -> str | None:
    """Return `/media/<name>` if the URL, whatever its host, names a file of the library, else None.

    The name is the digest of the content, so a file with that name is the one that is meant. The store lists the
    files; the library itself, which may be across a network, is not asked.
    """
    match = _AT_THE_END.search("/" + split_address(url).path.removeprefix("/"))
    return match[0] if match and is_media_known(session, match[1]) else None


def stored_address(session: Session, url: str, stored: frozenset[str]) -> str | None:
    """Return the one of the stored addresses that the URL means: itself, its path, or the file fetched from it before.

    None if the URL means something else.
    """
    if url in stored:
        return url
    names = find_fetched(session, url) if stored and is_fetchable(url) else frozenset()
    return next((address for address in sorted(stored) if address.removeprefix(MEDIA_PREFIX) in names), None)


def media_of(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the addresses of all media that these versions show."""
    addresses: set[str] = set()
    for entry in entries:
        addresses.update(url for url, _alt in stored_media(entry.fields))
        addresses.update((entry.featured_image, *(MEDIA_PREFIX + name for name in entry.body_media)))
    return frozenset(filter(None, addresses))


def problem_of(url: str) -> str:
    """Return the error message of a URL that names no file of the library and none that could be fetched."""
    return NO_SUCH_FILE.format(url=url) if url.removeprefix("/").startswith(MEDIA_FOLDER) else NO_ADDRESS


def remote_images(html: str, session: Session) -> Iterator[str]:
    """Return the addresses of remote pictures in clean HTML, each once: of images, their sources, and posters."""
    urls: dict[str, None] = {}

    def note(written: str) -> None:
        url = _with_scheme(written)
        if is_fetchable(url) and own_address(session, url) is None:
            urls[url] = None

    resolve_media(html, note)
    return iter(urls)


def _with_scheme(url: str) -> str:
    """Return the address with a scheme; `//host/path` gets https."""
    return f"https:{url}" if url.startswith("//") else url


class AskedMedia:
    """Media of a request that is being accepted: the remote files that it names, and why some cannot be retrieved.

    `session` is set to the one in which addresses are asked for. `names_remote` is true if a remote file is named,
    also one that the entry shows already. `problems` are messages by URL.
    """

    def __init__(self, session: Session, problems: Mapping[str, str] | None = None) -> None:
        self.session = session
        self.stored = frozenset[str]()
        self.names_remote = False
        self._asked: dict[str, None] = {}
        self.problems: Mapping[str, str] = problems or {}

    def address(self, url: str) -> str | None:
        """Return the address in the library, or the remote one unless it cannot be retrieved."""
        if own := own_address(self.session, url):
            return own
        self.names_remote = self.names_remote or is_fetchable(url)
        if known := stored_address(self.session, url, self.stored):
            return known
        if not is_fetchable(url):
            return None
        self._asked[url] = None
        if len(self._asked) > MAX_REMOTE:
            raise InvalidRequest(f"There can be at most {MAX_REMOTE} remote media in one request.")
        return None if url in self.problems else url

    @property
    def asked(self) -> tuple[str, ...]:
        """The remote files that were named so far and are not stored."""
        return tuple(self._asked)

    def problem(self, url: str) -> str:
        """Return why the address cannot be stored."""
        return self.problems.get(url) or problem_of(url)

    def probe(self, probe: Probe, seconds: float = PROBE_SECONDS) -> None:
        """Probe the files, several at once; a file without a result in time has no problem."""
        if not self._asked:
            return
        pool = ThreadPoolExecutor(min(_PROBES_AT_ONCE, len(self._asked)), "probe")
        try:
            asked = {pool.submit(probe, url): url for url in self._asked}
            ended = wait(asked, seconds).done
            self.problems = {asked[each]: problem for each in ended if (problem := each.result())}
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


class FetchedMedia:
    """Media of a write that is being applied: `fetched` are the remote files by URL, fetched before.

    `session` is set to the one in which addresses are asked for.
    """

    def __init__(self, session: Session, fetched: Mapping[str, MediaFile]) -> None:
        self.session = session
        self.stored = frozenset[str]()
        self._fetched = fetched

    def address(self, url: str) -> str | None:
        """Return the address in the library; None for a file that is not there."""
        if known := own_address(self.session, url) or stored_address(self.session, url, self.stored):
            return known
        fetched = self._fetched.get(url)
        return fetched.url if fetched else None

    def problem(self, url: str) -> str:
        """Return why the address names no file."""
        return problem_of(url)

    def place_in(self, html: str) -> str:
        """Return clean HTML in which images of the library are named by their path there, and have their size."""
        names = MEDIA_NAME.findall(" ".join((html, *self.stored)))
        sizes = find_media(self.session, names) if names else {}
        return resolve_media(html, lambda url: self._image(url, sizes))

    def files(self) -> Mapping[str, MediaFile]:
        """Return the files that were fetched, by URL."""
        return self._fetched

    def _image(self, url: str, sizes: Mapping[str, MediaFile]) -> ResolvedImage | None:
        """Return where an image is shown from; None leaves its address as it is."""
        address = self.address(_with_scheme(url))
        if address is None:
            return None
        known = self._fetched.get(_with_scheme(url)) or sizes.get(address.removeprefix(MEDIA_PREFIX))
        return ResolvedImage(address, known.width, known.height) if known else ResolvedImage(address)
