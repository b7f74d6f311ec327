"""Stream of posts: several processes read files while earlier posts are stored."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.media_import import FileMedia, MediaImport
from sitecms.actions.loading.reading.prepare_posts import post_slug
from sitecms.actions.loading.reading.prepared import Prepared, Unreadable, read_file
from sitecms.actions.writing.new_posts import DerivedTexts, derived_texts
from sitecms.content.change import PostChange
from sitecms.content.media import MediaFile
from sitecms.content.schema import ContentSchema
from sitecms.documents import read_front_matter
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.site import SiteSettings
from sitecms.store.site_state.loaded_files import MediaStamp

POSTS_WORTH_PROCESSES = 200
_AT_ONCE = 16


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
    used: Mapping[str, MediaStamp] | None = None
    derived: DerivedTexts | None = None


class _Batch(NamedTuple):
    """Results of reading a few files, and the media that were taken into the library for them."""

    reads: Sequence[_Read]
    taken: Mapping[str, MediaStamp]
    new: Mapping[str, MediaFile]


class PostStream:
    """Post files of one load. They can be read more than once, and are not kept."""

    def __init__(
        self,
        files: Sequence[ContentFile],
        settings: SiteSettings,
        schema: ContentSchema,
        source: MediaImport,
        tick: Callable[[], None],
    ) -> None:
        self.files = files
        self._settings = settings
        self._schema = schema
        self._source = source
        self._tick = tick

    def without(self, paths: Collection[str]) -> "PostStream":
        """Return the stream of the other files."""
        left = [file for file in self.files if file.path not in paths]
        return PostStream(left, self._settings, self._schema, self._source, self._tick)

    def heads(self, *, all_matter: bool) -> dict[str, PostHead]:
        """Return the heads of the posts by path, of readable files; {} if no head is needed.

        `all_matter`: the load changes posts that are there; else heads matter only where a file names an id or another
        post.
        """
        if not all_matter and not any(file.names_posts for file in self.files):
            return {}
        heads = {}
        for file in self.files:
            if head := self._head(file):
                heads[file.path] = head
        return heads

    def _head(self, file: ContentFile) -> PostHead | None:
        try:
            data = read_front_matter(file.file, file.path).data
        except InvalidFiles:
            return None
        named, locale = data.get("id"), data.get("locale")
        slug = post_slug(data, file, self._settings) if isinstance(data.get("title"), str) else ""
        return PostHead(
            slug,
            locale if isinstance(locale, str) and locale else self._settings.default_locale,
            named if isinstance(named, int) else 0,
            bool(data.get("translation_of")),
        )

    def read(self, files: Sequence[ContentFile]) -> Iterator[Prepared | Unreadable]:
        """Yield the content of the files, in their order."""

        def carry_out(batch: range) -> list[_Batch]:
            reads = [self._read(files[at]) for at in batch]
            return [_Batch(reads, *self._source.taken_since())]

        from sitecms.fork_pool import run_in_order  # multiprocessing, which loads of few files do without

        left, tick, self._tick = iter(files), self._tick, _no_tick
        for batch in run_in_order(os.cpu_count() or 1, len(files), _AT_ONCE, carry_out):
            self._source.note_taken(batch.taken, batch.new)
            for read, file in zip(batch.reads, left, strict=False):
                tick()
                if read.content is None:
                    yield Unreadable(file, read.errors)
                else:
                    media = FileMedia(self._source, read.used)
                    yield Prepared(file, read.content, media, read.notes, read.derived)

    def read_all(self) -> tuple[list[Prepared], list[FileError]]:
        """Return the content of all files, and the errors of invalid ones."""
        found = list(self.read(self.files))
        errors = [error for each in found if isinstance(each, Unreadable) for error in each.errors]
        return [each for each in found if isinstance(each, Prepared)], errors

    def _read(self, file: ContentFile) -> _Read:
        """Read a file in another process, and derive values here, because the storing process is the bottleneck."""
        found = read_file(file, self._settings, self._schema, self._source)
        if isinstance(found, Unreadable) or not isinstance(found.content, PostChange):
            return _Read(None, found.errors if isinstance(found, Unreadable) else ())
        return _Read(found.content, (), found.notes, found.media.used, derived_texts(found.content))


def _no_tick() -> None:
    """Report no progress: the files were counted when they were read first."""
