"""Many posts: read by several processes into a temporary file, then stored.

All are read before the first is stored, so that the store is locked for other writers as shortly as possible.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.media_import import FileMedia, MediaImport
from sitecms.actions.loading.reading.prepared import InvalidFile, Prepared, Reading, read_file
from sitecms.actions.loading.reading.raw import RawEntry
from sitecms.actions.writing.new_entries import DerivedTexts, derived_texts
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.media import MediaFile
from sitecms.errors import FileError
from sitecms.spool import Spool, packed
from sitecms.store.site_state.loaded_files import FileLink, MediaStamp

POSTS_WORTH_PROCESSES = 200
_AT_ONCE = 8
_UNCOMPRESSED = 20_000  # posts at most; a temporary file of more of them is compressed


class EntryHead(NamedTuple):
    """The values of an entry with a slug that are needed before any is stored; an `id` of 0 means none.

    The locale is that of an entry in one locale, else "".
    """

    kind: EntryKind
    group: str
    slug: str
    id: int
    locale: str
    is_translation: bool

    @property
    def name(self) -> tuple[str, str, str]:
        """The name by which the entry is unique: kind, page type and slug."""
        return self.kind.value, self.group, self.slug


def head_of(entry: RawEntry) -> EntryHead:
    """Return the head of an entry that was read."""
    locale = "" if KINDS[entry.kind].has_locales else entry.versions[0].change.locale
    return EntryHead(entry.kind, entry.group, entry.slug, entry.id or 0, locale, bool(entry.translation_of))


class _Read(NamedTuple):
    """Result of reading one file, as it is sent between processes; `entry` None: the file has errors."""

    entry: RawEntry | None
    errors: tuple[FileError, ...] = ()
    notes: tuple[str, ...] = ()
    used: Mapping[str, MediaStamp | FileLink] | None = None
    derived: DerivedTexts | None = None
    packed: str = ""


class _Batch(NamedTuple):
    """Results of reading a few files as they are spooled, and the media that were taken into the library for them."""

    reads: list[bytes]
    taken: Mapping[str, MediaStamp]
    new: Mapping[str, MediaFile]


class PostStream:
    """Posts of one load that are read into a temporary file, so that they can be stored more than once."""

    def __init__(
        self, files: Sequence[ContentFile], numbers: Mapping[str, int], reads: Spool[_Read], source: MediaImport
    ) -> None:
        self.files = files
        self._numbers = numbers
        self._reads = reads
        self._source = source

    def without(self, paths: Collection[str]) -> "PostStream":
        """Return the stream of the other files."""
        left = [file for file in self.files if file.path not in paths]
        return PostStream(left, self._numbers, self._reads, self._source)

    def heads(self, *, all_matter: bool) -> dict[str, EntryHead]:
        """Return the heads of the posts by path, of readable files; {} if no head is needed.

        `all_matter`: the load changes posts that are there; else heads matter only where a file names an id or another
        post.
        """
        if not all_matter and not any(file.names_posts for file in self.files):
            return {}
        entries = ((file.path, self._reads[self._numbers[file.path]].entry) for file in self.files)
        return {path: head_of(entry) for path, entry in entries if entry}

    def read(self, files: Sequence[ContentFile]) -> Iterator[Prepared | InvalidFile]:
        """Yield the content of the files, in this order."""
        for file in files:
            read = self._reads[self._numbers[file.path]]
            if read.entry is None:
                yield InvalidFile(file, read.errors)
            else:
                media = FileMedia(self._source, read.used, path=file.path, links=self._source.links)
                yield Prepared(file, media, (read.entry,), (), read.notes, read.derived, read.packed)


@contextmanager
def read_post_files(
    files: Sequence[ContentFile], reading: Reading, tick: Callable[[], None]
) -> Iterator[PostStream | None]:
    """Read files by several processes, calling `tick` after each; the stream is None without files."""
    if not files:
        yield None
        return
    source = reading.source

    def carry_out(batch: range, _nothing: None) -> list[_Batch]:
        is_compressed = len(files) > _UNCOMPRESSED
        reads = [packed(_read(files[at], reading), is_compressed=is_compressed) for at in batch]
        return [_Batch(reads, *source.taken_since())]

    from sitecms.pool import run_in_processes  # concurrent.futures, which loads of few files do without

    work = run_in_processes(os.cpu_count() or 1, len(files), carry_out, lambda _batch: None, at_once=_AT_ONCE)
    with Spool[_Read]() as spool:
        for batch in work:
            source.note_taken(batch.taken, batch.new)
            for read in batch.reads:
                spool.append_packed(read)
                tick()
        spool.flush()
        yield PostStream(files, {file.path: number for number, file in enumerate(files)}, spool, source)


def _read(file: ContentFile, reading: Reading) -> _Read:
    """Read a file in another process, and derive values here, because the storing process is the bottleneck."""
    found = read_file(file, reading)
    if isinstance(found, InvalidFile):
        return _Read(None, found.errors)
    (entry,) = found.entries
    derived = derived_texts(entry.change(0)) if KINDS[entry.kind].has_body else None
    return _Read(entry, (), found.notes, found.media.used, derived, found.packed)
