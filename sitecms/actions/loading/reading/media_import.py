"""Import of media files of the site folder into the library, when an entry names them."""

import os
import posixpath
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol
from unicodedata import normalize
from urllib.parse import unquote

from sitecms.actions.loading.reading.files import CONTENT_ENDINGS, ContentFile, FileKind
from sitecms.content.media import MEDIA_PREFIX, MediaFile
from sitecms.content.text.media_links import MEDIA_FOLDER, ResolvedImage
from sitecms.documents.folders import link_out, link_problem
from sitecms.errors import InvalidInput
from sitecms.media.library import MediaLibrary
from sitecms.media.storage import FileProgress
from sitecms.store.site_state.loaded_files import FileLink, MediaStamp

CONTENT_FOLDER = "content/"
_UPLOADED_AT_ONCE = 256
_NAMED = re.compile(r"media/[^\n\"'()<>\[\]{},]+")
MEDIA_REMEDY = "name a file in media/, as media/sea.jpg, or one beside the text"
LINK_REMEDY = "name the file of a post or page, as first-steps.md or ../pages/_single/about.md"
_SHOWN = 200
_UPWARDS = re.compile(r"^(?:\.\./)+(?=media/)")
_ABSOLUTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|#|$")
_PATH = re.compile(r"[^?#]*")


class LinkTargets(Protocol):
    """Addresses of the content files that texts link to."""

    def link(self, path: str, locale: str) -> FileLink:
        """Return the address of the page of the file, "" for an unknown one. Raises InvalidInput if it has no page."""

    def is_guessed(self, path: str) -> bool:
        """Return whether the address of a file with errors is made from its name, or unknown."""

    def state(self, path: str) -> FileLink:
        """Return the present state of a template or collection, which may be missing."""


class MediaImport:
    """Import of media files into the library, each once per load; `known` are the records of the store by name.

    For a remote library, files are collected when they are taken, and uploaded by `upload`, which reports progress.
    """

    def __init__(
        self,
        folder: Path,
        library: MediaLibrary,
        known: Mapping[str, MediaFile],
        at: datetime,
        progress: FileProgress | None = None,
    ) -> None:
        self._folder = folder
        self._library = library
        self._progress = progress
        self._there: frozenset[str] | None = None
        self._uploaded: set[str] = set()
        self._known = dict(known)
        self.at = at
        self.links: LinkTargets | None = None
        self._taken: dict[str, MediaStamp] = {}
        self.new: dict[str, MediaFile] = {}

    @property
    def is_remote(self) -> bool:
        """True if files have to be uploaded."""
        return self._library.is_remote

    def take(self, address: str) -> MediaStamp | None:
        """Take the file at `media/...` into the library and return its stamp; None if there is no such file.

        Raises InvalidInput for a file type that the library does not accept, and for a link out of the site folder.
        """
        if address not in self._taken:
            path = self._path(address)
            if path is None:
                if target := self._linked_elsewhere(address):
                    raise InvalidInput(f"{_shortened(address)} {link_problem(target)}")
                return None
            stat = path.stat()
            keep = self._library.describe if self._library.is_remote else self._library.add
            media = keep(path.read_bytes(), path.name, self.at)
            known = self._known.get(media.name)
            if known is None or (known.is_unnamed and not media.is_unnamed):
                self.new[media.name] = self._known[media.name] = media
            self._taken[address] = MediaStamp(media.name, stat.st_size, stat.st_mtime_ns)
        return self._taken[address]

    def upload(self) -> None:
        """Upload all imported files to a remote library, before entries that name them are stored."""
        wanted = {stamp.name: address for address, stamp in self._taken.items() if stamp.name not in self._uploaded}
        if wanted and self._library.is_remote:
            self._put({name: address for name, address in wanted.items() if not self._is_there(name)})
            self._uploaded.update(wanted)

    def make_sure(self) -> None:
        """Upload files again that housekeeping on another machine may have removed meanwhile."""
        if self._uploaded:
            there = frozenset(self._library.names())
            self._put({stamp.name: address for address, stamp in self._taken.items() if stamp.name not in there})

    def taken_since(self) -> tuple[dict[str, MediaStamp], dict[str, MediaFile]]:
        """Return what was taken since the last call: stamps by address, and files new to the store by name."""
        found = (dict(self._taken), dict(self.new))
        self._taken.clear()
        self.new.clear()
        return found

    def note_taken(self, taken: Mapping[str, MediaStamp], new: Mapping[str, MediaFile]) -> None:
        """Record files that another process of this load has taken."""
        self._taken.update(taken)
        self.new.update(new)
        self._known.update(new)

    def is_current(self, address: str, stamp: MediaStamp) -> bool:
        """Return whether the file is unchanged since it was stamped: by size and time, else by its content."""
        path = self._path(address)
        if path is None or not self._is_there(stamp.name):
            return False
        stat = path.stat()
        if (stat.st_size, stat.st_mtime_ns) == (stamp.size_bytes, stamp.modified_ns):
            return True
        try:
            taken = self.take(address)
        except InvalidInput:
            return False
        return taken is not None and taken.name == stamp.name

    def file(self, name: str) -> MediaFile | None:
        """Return the record of a stored media file."""
        return self._known.get(name)

    def _is_there(self, name: str) -> bool:
        """Return whether the library has the file; a remote library is asked once for all files."""
        if not self._library.is_remote:
            return self._library.exists(name)
        if self._there is None:
            self._there = frozenset(self._library.names())
        return name in self._there

    def _put(self, wanted: Mapping[str, str]) -> None:
        """Upload the files that are still in the site's folder; `wanted` are their addresses by name.

        A few files at a time are written without their metadata, as they are published.
        """
        from sitecms.media.published_form import published
        from sitecms.temporary_folders import temporary_folder

        left = iter(wanted.items())
        for done in range(0, len(wanted), _UPLOADED_AT_ONCE):
            with temporary_folder("upload") as folder:
                files = {}
                for name, address in islice(left, _UPLOADED_AT_ONCE):
                    if path := self._path(address):
                        files[name] = folder / name
                        files[name].write_bytes(published(path.read_bytes(), path.name, self.at)[1])
                self._library.storage.put_files(files, partial(self._report_progress, done, len(wanted)))

    def _report_progress(self, before: int, total: int, done: int, _of: int) -> None:
        if self._progress:
            self._progress(before + done, total)

    def form_on_disk(self, path: str) -> str:
        """Return the path of a file in the Unicode form that its name has in the site folder, else as it is written.

        Some systems keep names decomposed, and git carries them to systems on which the two forms are two files.
        """
        if path.isascii():
            return path
        forms = (path, normalize("NFC", path), normalize("NFD", path))
        return next((form for form in forms if os.path.lexists(self._folder / form)), path)

    def collection_file(self, key: str) -> str:
        """Return the path of the file that lists the items of a collection."""
        paths = [f"{CONTENT_FOLDER}collections/{key}{ending}" for ending in (".yaml", ".yml")]
        return next((path for path in paths if (self._folder / path).is_file()), paths[0])

    def _linked_elsewhere(self, address: str) -> str:
        """Return where a file in `media` or `content` leads if it is a link out of the site folder; "" if not."""
        try:
            return link_out(self._folder, address) if _is_media_place(address) else ""
        except (OSError, ValueError):
            return ""

    def _path(self, address: str) -> Path | None:
        """Return the path of the file in `media`, or beside a text in `content`; None for any other path."""
        if not _is_media_place(address):
            return None
        path = self._folder / address
        try:
            return path if path.is_file() and not link_out(self._folder, address) else None
        except (OSError, ValueError):  # too long, NUL
            return None


def _is_media_place(address: str) -> bool:
    return posixpath.normpath(address).startswith((MEDIA_FOLDER, CONTENT_FOLDER))


def take_named(files: Iterable[ContentFile], source: MediaImport, *, in_posts: bool) -> None:
    """Take the files that entries with fields seem to name into a remote library before the store is locked.

    Fields are read while they are stored, and an upload at that time would block all writers. `in_posts`: posts have
    fields.
    """
    if not source.is_remote:
        return
    kinds = (FileKind.PAGE, FileKind.ITEMS, *((FileKind.POST,) if in_posts else ()))
    for file in files:
        if file.kind in kinds:
            with suppress(OSError, UnicodeDecodeError):
                for found in _NAMED.findall(file.file.read_text("utf-8")):
                    for address in {found.strip(), unquote(found.split()[0])}:
                        with suppress(InvalidInput):
                            source.take(address)


class MediaProblem(NamedTuple):
    """A file that a text names and that cannot be used: the address as written, the problem, the remedy."""

    address: str
    message: str
    remedy: str = MEDIA_REMEDY


class FileMedia:
    """The files that one content file names: resolves their addresses, and notes those that are missing.

    `used` are the media, and the content files that it links to; `notes` are about links to files with errors. Relative
    addresses start at the folder of `path`.
    """

    def __init__(
        self,
        source: MediaImport,
        used: Mapping[str, MediaStamp | FileLink] | None = None,
        *,
        path: str = "",
        links: LinkTargets | None = None,
    ) -> None:
        self._source = source
        self._path = path
        self._folder = posixpath.dirname(path)
        self._links = links
        self.used: dict[str, MediaStamp | FileLink] = dict(used or {})
        self.problems: list[MediaProblem] = []
        self.notes: list[str] = []
        self.locale = ""

    @property
    def at(self) -> datetime:
        """Time of the load."""
        return self._source.at

    def address(self, written: str) -> str:
        """Return the address that serves a media file; remote and stored addresses are returned unchanged."""
        found = self.resolve(written)
        return found.src if found else written

    def file(self, written: str) -> MediaFile | None:
        """Return the media file at the address; None for another address, or a file that becomes a problem."""
        found = self.resolve(written)
        return self._source.file(found.src.removeprefix(MEDIA_PREFIX)) if found else None

    def resolve(self, written: str) -> ResolvedImage | None:
        """Return the address that serves the file at `media/...`, and its size; or that of the page of a content file.

        `../../media/...`, the relative path that editors insert, means the same. Any other relative path is that of a
        file beside the text; one without a file is a problem, since it is broken on the built site.
        """
        plain = _UPWARDS.sub("", written) if written.startswith("../") else written
        address = plain.removeprefix("/") if plain.startswith("/" + MEDIA_FOLDER) else plain
        if not address.startswith((MEDIA_FOLDER, "/")) and not _ABSOLUTE.match(address):
            return self._beside(written)
        name = address.removeprefix(MEDIA_FOLDER)
        if not address.startswith(MEDIA_FOLDER) or (plain != address and self._source.file(name)):
            return self._sized(name) if self._source.file(name) else None
        return self._taken(written, address)

    def depend_on(self, path: str) -> None:
        """Note that the file is to be read again when a template or collection changes."""
        if self._links is not None:
            self.used[path] = self._links.state(path)

    def depend_on_collection(self, key: str) -> None:
        """Note that the file names an item of a collection by its values."""
        self.depend_on(self._source.collection_file(key))

    def _taken(self, written: str, address: str) -> ResolvedImage | None:
        """Take a file of the site folder into the library."""
        address = self._source.form_on_disk(address)
        try:
            stamp = self._source.take(address)
        except InvalidInput as error:
            self.problems.append(MediaProblem(written, str(error)))
            return None
        if stamp is None:
            self._note(written, f"{_shortened(address)} does not exist in the site folder")
            return None
        self.used[address] = stamp
        return self._sized(stamp.name)

    def _beside(self, written: str) -> ResolvedImage | None:
        """Resolve a path that starts at the folder of the text."""
        path = _PATH.match(written)[0]  # type: ignore[index]  # matches any text
        place = posixpath.normpath(posixpath.join(self._folder, path))
        if not path.endswith(CONTENT_ENDINGS):
            if not self._folder or not path:
                self._note(written, f"{_shortened(written)} leads nowhere on the built site")
                return None
            return self._taken(written, place)
        if self._links is None:
            return None
        place = self._source.form_on_disk(place)
        try:
            link = self._links.link(place, self.locale)
        except InvalidInput as error:
            self._note(written, f"{_shortened(written)} {error}", LINK_REMEDY)
            return None
        self.used[place] = link
        if not link.address or self._links.is_guessed(place):
            what = "made from its name" if link.address else "not known, so the link is broken"
            self.notes.append(f"{self._path}: links to {place}, which has errors: its address is {what}")
        if not link.address:
            return None
        return ResolvedImage(link.address + written[len(path) :])

    def _note(self, written: str, message: str, remedy: str = MEDIA_REMEDY) -> None:
        problem = MediaProblem(written, message, remedy)
        if problem not in self.problems:
            self.problems.append(problem)

    def _sized(self, name: str) -> ResolvedImage:
        media = self._source.file(name)
        width, height = (media.width, media.height) if media else (None, None)
        return ResolvedImage(MEDIA_PREFIX + name, width, height)


def _shortened(address: str) -> str:
    """Return the address in a form that fits into a message."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in address[:_SHOWN])
