"""Media files of an import: from local copies or the network into media/, each once, with a record in the state."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.content.addresses import path_problem
from sitecms.content.fingerprint import digest
from sitecms.content.media import MEDIA_ENDINGS
from sitecms.documents.folders import STATIC_FOLDER, is_fit_name
from sitecms.errors import InvalidMedia, InvalidRequest
from sitecms.files import write_atomically
from sitecms.importing.media.downloads import fetch_all
from sitecms.importing.media.needed_media import (
    EXTENSIONS,
    SOURCE_SCHEME,
    NeededMedia,
    is_hidden,
    is_settings,
    media_path,
)
from sitecms.importing.records import NoteKind, Place
from sitecms.importing.report import ImportReport
from sitecms.importing.source import Source, SourceFile
from sitecms.importing.state import ImportState, Journal, MediaState
from sitecms.media.decoding.file_types import identify
from sitecms.media.fetching.fetch import FetchRules
from sitecms.progress import Progress
from sitecms.settings.site import STATE_FOLDER
from sitecms.web_address import split_address

_SAME = {"jpe": "jpg", "jpeg": "jpg", "oga": "ogg", "opus": "ogg", "m4v": "mp4"}
WAITING = "waiting"
_BLOCKED = "a file has the name of its folder, or a folder its name"
MEDIA = "media"
_STATIC = f"{STATIC_FOLDER}/"
_PICTURES = frozenset({"jpe", "bmp", "tif", "tiff", "ico", "heic"})
"""Endings of pictures that no browser, or none of today, shows; a converter makes others of them."""


class LocalMedia:
    """Index of local files by the path of their upload."""

    def __init__(self, source: Source, given: Iterable[str]) -> None:
        self._source = source
        self._by_path: dict[str, SourceFile] = {}
        places = [Source([each]) for each in given]
        for place in places:
            for file in place.files:
                self._by_path.setdefault(file.name, file)
                self._by_path.setdefault(media_path(f"/{file.name}"), file)
                self._by_path.setdefault(media_path(f"/content/{file.name}"), file)  # of Ghost's folder content/ itself

    def find(self, media: NeededMedia) -> SourceFile | None:
        """Return the local copy of a media file, that of the original if it exists."""
        for address in media.addresses:
            if address.startswith(SOURCE_SCHEME):
                return self._source.find(address.removeprefix(SOURCE_SCHEME))
            path = unquote(split_address(address).path).lstrip("/")
            for key in (path, media_path(address), path.removeprefix("media/")):
                if found := self._by_path.get(key):
                    return found
        return self._by_path.get(media.path)


class MediaChoice(StrEnum):
    """Choice for media: download them, link to the old site, or skip them in this run."""

    DOWNLOAD = "download"
    LINK = "link"
    SKIP = "skip"


class MediaOptions(Struct, frozen=True):
    """Options of media: `given` are folders and archives with copies; `is_retry` tries again what failed.

    `takes_all`: also files that no text names.
    """

    choice: MediaChoice = MediaChoice.DOWNLOAD
    given: tuple[str, ...] = ()
    is_retry: bool = False
    takes_all: bool = False
    rules: FetchRules = field(default_factory=lambda: FetchRules(max_bytes=200 * 1024**2, total_seconds=600.0))


class MediaCollector:
    """Collector of the media that texts name.

    A document of a type that the media library does not take is published from `static/`, where it keeps its address.
    `missing` are the placeholders of files that this run did not get.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        state: ImportState,
        local: LocalMedia,
        options: MediaOptions,
        report: ImportReport,
        *,
        is_dry: bool,
        served: Mapping[str, str],
    ) -> None:
        self._served = served
        self._folder, self._name, self._state, self._local = folder, name, state, local
        self._options, self._report, self._is_dry = options, report, is_dry
        self._taken = {each.file.lower(): url for url, each in state.media.items() if each.file}
        self._wished: dict[str, str] = {}
        self._unnamed: frozenset[str] = frozenset()
        self.missing: set[str] = set()

    def collect(
        self, named: Mapping[str, NeededMedia], unnamed: Mapping[str, NeededMedia], progress: Progress | None
    ) -> dict[str, str]:
        """Copy or download all files; return their addresses by placeholder: `media/...`, or the old address.

        Those that no text names are published at their old addresses, from `static/`.
        """
        media = {**named, **unnamed}
        self._unnamed = frozenset(each.addresses[0] for each in unnamed.values())
        missing: list[NeededMedia] = []
        settled = (each for each in self._state.media.values() if each.file and each.status != WAITING)
        before = {each.digest: each.file for each in settled}
        for each in media.values():
            if (path := self._free_path(each)) != f"{MEDIA}/{each.path}":
                self._wished[each.addresses[0]] = path
        self._taken.clear()  # of a large site, it is much memory
        for each in media.values():
            self._report.count("media", "named in no text" if each.token in unnamed else "named in texts")
            known = self._state.media.get(each.addresses[0])
            if known and known.file and (self._folder / known.file).is_file():
                self._report.count("media", "there already")
            elif file := self._may_copy(each) and self._local.find(each):
                self._report.count("media", "local")
                self._take_local(each, file)
            elif each.addresses[0].startswith(SOURCE_SCHEME):
                self._fail(each, "is not in the source")
            elif each.addresses[0].startswith("/"):
                self._state.media.setdefault(each.addresses[0], MediaState(status=WAITING))
                remedy = "name it with --old-url, or the folder of the files with --media-from"
                self._report.count("media", "without an address")
                self._report.add(
                    NoteKind.MEDIA, "the address of the old site is not known", Place(each.addresses[0]), remedy
                )
            elif known and known.status and known.status != WAITING and not self._options.is_retry:
                self._report.count("media", "failed before")
                self._note_failure(each, known.status)
            elif self._options.choice is MediaChoice.DOWNLOAD:
                self._report.count("media", "to download")
                missing.append(each)
            else:
                self._report.count("media", "left on the old site")
                self._state.media.setdefault(each.addresses[0], MediaState(status=WAITING))
        if self._is_dry:
            self._expect(missing)
        elif missing:
            self._download(missing, progress)
        self._deduplicate(media.values(), before)
        return {token: self._address(token, each) for token, each in media.items()}

    def _address(self, token: str, media: NeededMedia) -> str:
        """Return the new address of a file, or the old one of a file that is missing."""
        known = self._state.media.get(media.addresses[0])
        if known and known.file.startswith(_STATIC):
            return "/" + quote(known.file.removeprefix(_STATIC))
        if known and known.file:
            return known.file
        self.missing.add(token)
        old = self._old_address(media)
        return f"/.{old}" if old.startswith(f"/{MEDIA}/") else old  # else `load` would look for it in the site folder

    def _may_copy(self, media: NeededMedia) -> bool:
        """Return whether a copy in the source is taken: always if there is no old site to link to."""
        return self._options.choice is not MediaChoice.LINK or media.addresses[0].startswith(SOURCE_SCHEME)

    def _old_address(self, media: NeededMedia) -> str:
        last = media.addresses[-1]
        if not last.startswith(SOURCE_SCHEME):
            return last
        return self._served.get(last) or media.old or "/" + quote(last.removeprefix(SOURCE_SCHEME))

    def _take_local(self, media: NeededMedia, file: object) -> None:
        from sitecms.importing.source import SourceFile

        if not isinstance(file, SourceFile):
            return
        try:
            data = file.read(self._options.rules.max_bytes)
        except InvalidRequest as error:
            self._fail(media, str(error))
            return
        self._keep(media, data, PurePosixPath(file.name).name, "")

    def _expect(self, missing: Iterable[NeededMedia]) -> None:
        """Plan for files that a dry run does not fetch as if the old site had all of them."""
        for each in missing:
            wished = self._wished.get(each.addresses[0], f"{MEDIA}/{each.path}")
            self._state.media[each.addresses[0]] = MediaState(wished)
            self._report.count("media results", "written")

    def _download(self, missing: Iterable[NeededMedia], progress: Progress | None) -> None:
        """Fetch the files, and write down each of them, so that no later run fetches it again."""
        listed = list(missing)
        for each in listed:
            self._state.media.setdefault(each.addresses[0], MediaState(status=WAITING))
        parts = self._folder / STATE_FOLDER / f"import-{self._name}"
        with Journal(self._folder, self._name) as journal:
            for done, outcome in enumerate(fetch_all(listed, parts, self._options.rules), 1):
                if outcome.file:
                    data = outcome.file.path.read_bytes()
                    self._keep(outcome.media, data, outcome.file.name, outcome.file.validator)
                else:
                    self._fail(outcome.media, outcome.problem)
                journal.add(outcome.media.addresses[0], self._state.media[outcome.media.addresses[0]])
                if outcome.file:
                    outcome.file.path.unlink()
                if progress:
                    progress("Fetching media", done, len(listed))

    def _keep(self, media: NeededMedia, data: bytes, name: str, etag: str) -> None:
        """Write a file below media/, unless its bytes are there already; a page in place of a picture is a failure."""
        if media.addresses[0] in self._unnamed:
            self._keep_document(media, data, etag)
            return
        try:
            extension = identify(data, name).extension
        except InvalidMedia as error:
            if _is_document(media, data):
                self._keep_document(media, data, etag)
            else:
                self._fail(media, _short(str(error), data))
            return
        wished = PurePosixPath(self._wished.get(media.addresses[0], f"{MEDIA}/{media.path}"))
        suffix = wished.suffix.lower().lstrip(".")
        if _SAME.get(suffix, suffix) != _SAME.get(extension, extension):
            wished = wished.with_name(f"{wished.name}.{extension}")
        if self._is_blocked(wished):
            self._fail(media, _BLOCKED)
            return
        target = self._folder / wished
        if target.is_file() and target.read_bytes() != data:  # a person's file, or one that differs only in its type
            wished = _renamed(wished, media)
            target = self._folder / wished
        if not target.is_file():
            self._put(target, data)
        self._report.count("media results", "written")
        self._state.media[media.addresses[0]] = MediaState(str(wished), digest(data), etag, WAITING)

    def _is_blocked(self, path: PurePosixPath) -> bool:
        """Return whether a file has the name of one of the folders of the path, or a folder that of the path."""
        blocking = (self._folder / parent for parent in path.parents)
        return (self._folder / path).is_dir() or any(each.is_file() for each in blocking)

    def _put(self, path: Path, data: bytes) -> None:
        if not self._is_dry:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data)

    def _keep_document(self, media: NeededMedia, data: bytes, etag: str) -> None:
        """Write a file that the media library does not take to `static/`, at its old path where that is known."""
        old = unquote(split_address(self._old_address(media)).path).lstrip("/")
        keeps = is_fit_name(old) and not is_hidden(old) and not path_problem(f"/{old}")
        target = PurePosixPath(STATIC_FOLDER) / (old if keeps else media.path)
        if self._is_blocked(target) or is_settings(str(target.relative_to(STATIC_FOLDER))):
            self._fail(media, _BLOCKED if self._is_blocked(target) else "it would be settings of the site")
            return
        if (self._folder / target).exists() and (self._folder / target).read_bytes() != data:
            target = _renamed(target, media)
        self._put(self._folder / target, data)
        self._report.count("media results", "published as it is")
        self._state.media[media.addresses[0]] = MediaState(str(target), digest(data), etag, WAITING)

    def _free_path(self, media: NeededMedia) -> str:
        """Return the preferred path; another one if a different file has it, even in another letter case."""
        identity, wished = media.addresses[0], PurePosixPath(MEDIA) / media.path
        if self._taken.setdefault(str(wished).lower(), identity) == identity:
            return str(wished)
        path = _renamed(wished, media)
        self._taken[str(path).lower()] = identity
        self._report.add(NoteKind.MEDIA, "renamed, since another file has the same name", Place(str(path)))
        return str(path)

    def _deduplicate(self, media: Iterable[NeededMedia], before: Mapping[str, str]) -> None:
        """Keep the first of equal files in the order of the texts; this runs last, whatever the order of downloads.

        Files have the status "waiting" until then, so that the run after an interrupted one knows them.
        """
        first = dict(before)
        for each in media:
            known = self._state.media.get(each.addresses[0])
            if not known or not known.file or not known.digest:
                continue
            kept = first.setdefault(known.digest, known.file)
            if known.status != WAITING:
                continue
            if kept != known.file and (self._is_dry or (self._folder / kept).is_file()):
                if not self._is_dry:
                    (self._folder / known.file).unlink(missing_ok=True)
                self._report.count("media results", "equal to another one")
            else:
                kept = known.file
            self._state.media[each.addresses[0]] = replace(known, file=kept, status="")

    def _fail(self, media: NeededMedia, problem: str) -> None:
        self._report.count("media results", "failed")
        self._state.media[media.addresses[0]] = MediaState(status=problem)
        self._note_failure(media, problem)

    def _note_failure(self, media: NeededMedia, problem: str) -> None:
        host = split_address(media.addresses[0]).hostname or "the source"
        self._report.failures.append(f"{media.addresses[-1]}: {problem}")
        remedy = "its old address stays; try again with --retry"
        self._report.add(NoteKind.MEDIA, f"failed, from {host}: {problem}", Place(media.addresses[-1]), remedy)


def _is_document(media: NeededMedia, data: bytes) -> bool:
    """Return whether a file is one to download, of a type that the media library does not know, and no page."""
    extension = PurePosixPath(split_address(media.addresses[-1]).path).suffix.lower().lstrip(".")
    is_page = data[:500].lstrip().lower().startswith((b"<!doctype html", b"<html"))
    return extension in EXTENSIONS - MEDIA_ENDINGS - _PICTURES and not is_page


def _renamed(path: PurePosixPath, media: NeededMedia) -> PurePosixPath:
    """Return the path with a digest of the address of the file in its name."""
    return path.with_name(f"{path.stem}-{digest(media.addresses[0].encode())[:6]}{path.suffix}")


def _short(problem: str, data: bytes) -> str:
    head = data[:500].lstrip().lower()
    if head.startswith((b"<!doctype html", b"<html")) or b"<html" in head:
        return "the host sent an HTML page in place of the file"
    return problem.partition(": ")[2] or problem
