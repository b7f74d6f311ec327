"""Many posts: read by several processes into a temporary file, then stored.

Storing is the work of one process, so it begins while the others read, unless that would lock the store for other
writers much longer.
"""

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import NamedTuple

from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.media_import import FileMedia, MediaImport
from sitecms.actions.loading.reading.prepared import InvalidFile, Prepared, read_file
from sitecms.actions.writing.new_posts import DerivedTexts, derived_texts
from sitecms.content.change import PostChange
from sitecms.content.media import MediaFile
from sitecms.content.schema import ContentSchema
from sitecms.errors import FileError
from sitecms.settings.site import SiteSettings
from sitecms.spool import Bounds, SharedSpool, packed
from sitecms.store.site_state.loaded_files import FileLink, MediaStamp

POSTS_WORTH_PROCESSES = 200
_AT_ONCE = 8
_UNCOMPRESSED = 20_000  # posts at most; a temporary file of more of them is compressed
_FIRST = 0.3  # of all posts are read before the first is stored
_MOST_SECONDS = 3.0  # that reading the others may take, so that posts with many pictures do not lock the store for long


class PostHead(NamedTuple):
    """The values of a post that are needed before any post is stored; an `id` of 0 means none."""

    slug: str
    locale: str
    id: int
    is_translation: bool


def head_of(change: PostChange) -> PostHead:
    """Return the head of a post that was read."""
    return PostHead(change.slug, change.locale, change.id or 0, bool(change.translation_of))


class _Read(NamedTuple):
    """Result of reading one file, as it is sent between processes; `content` None: the file has errors."""

    content: PostChange | None
    errors: tuple[FileError, ...] = ()
    notes: tuple[str, ...] = ()
    used: Mapping[str, MediaStamp | FileLink] | None = None
    derived: DerivedTexts | None = None


class _Batch(NamedTuple):
    """Places of the results of reading a few files, and the media that were taken into the library for them."""

    reads: Bounds
    taken: Mapping[str, MediaStamp]
    new: Mapping[str, MediaFile]


class _Reading:
    """Results of reading files, in order, in a temporary file."""

    def __init__(
        self,
        count: int,
        batches: Iterator[_Batch],
        spool: SharedSpool[_Read],
        source: MediaImport,
        tick: Callable[[], None],
    ) -> None:
        self._count = count
        self._batches = batches
        self._spool = spool
        self._source = source
        self._tick = tick

    def __getitem__(self, number: int) -> _Read:
        """Return the result of that number; waits for it."""
        while len(self._spool) <= number:
            self._take_next()
        return self._spool[number]

    def read_on(self, *, to_end: bool) -> None:
        """Take results, to the end or until the others can arrive while these are stored."""
        started = time.monotonic()
        while (left := self._count - len(self._spool)) and (to_end or not self._is_nearly_done(started, left)):
            self._take_next()

    def _is_nearly_done(self, started: float, left: int) -> bool:
        done = self._count - left
        return done >= _FIRST * self._count and (time.monotonic() - started) / done * left <= _MOST_SECONDS

    def _take_next(self) -> None:
        batch = next(self._batches)
        self._source.note_taken(batch.taken, batch.new)
        before = len(self._spool)
        self._spool.append(batch.reads)
        for _read in range(before, len(self._spool)):
            self._tick()


class PostStream:
    """Posts of one load that are read into a temporary file, so that they can be stored more than once."""

    def __init__(
        self, files: Sequence[ContentFile], numbers: Mapping[str, int], reading: _Reading, source: MediaImport
    ) -> None:
        self.files = files
        self._numbers = numbers
        self._reading = reading
        self._source = source

    def without(self, paths: Collection[str]) -> "PostStream":
        """Return the stream of the other files."""
        left = [file for file in self.files if file.path not in paths]
        return PostStream(left, self._numbers, self._reading, self._source)

    def heads(self, *, all_matter: bool) -> dict[str, PostHead]:
        """Return the heads of the posts by path, of readable files; {} if no head is needed.

        `all_matter`: the load changes posts that are there; else heads matter only where a file names an id or another
        post.
        """
        if not all_matter and not any(file.names_posts for file in self.files):
            return {}
        contents = ((file.path, self._reading[self._numbers[file.path]].content) for file in self.files)
        return {path: head_of(content) for path, content in contents if content}

    def read(self, files: Sequence[ContentFile]) -> Iterator[Prepared | InvalidFile]:
        """Yield the content of the files, in this order."""
        for file in files:
            read = self._reading[self._numbers[file.path]]
            if read.content is None:
                yield InvalidFile(file, read.errors)
            else:
                media = FileMedia(self._source, read.used, path=file.path, links=self._source.links)
                yield Prepared(file, read.content, media, read.notes, read.derived)


@contextmanager
def read_post_files(
    files: Sequence[ContentFile],
    settings: SiteSettings,
    schema: ContentSchema,
    source: MediaImport,
    tick: Callable[[], None],
    *,
    to_end: bool,
) -> Iterator[PostStream | None]:
    """Read files by several processes, calling `tick` after each; the stream is None without files.

    `to_end`: all have been read when the block begins; else the last ones are read while the first are stored.
    """
    if not files:
        yield None
        return

    def carry_out(batch: range) -> list[_Batch]:
        is_compressed = len(files) > _UNCOMPRESSED
        reads = [packed(_read(files[at], settings, schema, source), is_compressed=is_compressed) for at in batch]
        return [_Batch(spool.write(reads), *source.taken_since())]

    from sitecms.fork_pool import can_fork, run_in_order  # multiprocessing, which loads of few files do without

    processes = os.cpu_count() or 1
    batches = run_in_order(processes, len(files), _AT_ONCE, carry_out)
    is_forked = can_fork(processes)
    with SharedSpool[_Read]() as spool, closing(batches):
        reading = _Reading(len(files), batches, spool, source, tick)
        reading.read_on(to_end=to_end or not is_forked)
        yield PostStream(files, {file.path: number for number, file in enumerate(files)}, reading, source)


def _read(file: ContentFile, settings: SiteSettings, schema: ContentSchema, source: MediaImport) -> _Read:
    """Read a file in another process, and derive values here, because the storing process is the bottleneck."""
    found = read_file(file, settings, schema, source)
    if isinstance(found, InvalidFile) or not isinstance(found.content, PostChange):
        return _Read(None, found.errors if isinstance(found, InvalidFile) else ())
    return _Read(found.content, (), found.notes, found.media.used, derived_texts(found.content))
