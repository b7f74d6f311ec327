"""All changed files, read and checked as far as can be without the store."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sitecms.actions.loading.reading.files import ContentFile, FileKind
from sitecms.actions.loading.reading.media_import import FileMedia, MediaImport
from sitecms.actions.loading.reading.prepare_posts import media_errors, prepare_post
from sitecms.actions.loading.reading.raw import RawItems, RawPage
from sitecms.actions.writing.new_posts import DerivedTexts, derived_texts
from sitecms.content.author import Author
from sitecms.content.change import PostChange
from sitecms.content.media import MediaFile
from sitecms.content.schema import ContentSchema
from sitecms.content.term import Term
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.site import SiteSettings
from sitecms.store.site_state.loaded_files import MediaStamp

POSTS_WORTH_PROCESSES = 200

Content: TypeAlias = PostChange | RawPage | RawItems | tuple[Author, ...] | tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A changed file, what it says, the media it names, and what its author may not have meant."""

    file: ContentFile
    content: Content
    media: FileMedia
    notes: tuple[str, ...] = ()
    derived: DerivedTexts | None = None


@dataclass(frozen=True, slots=True)
class _Read:
    """Result of reading one file, which can be sent between processes; `content` None: the file has errors."""

    content: Content | None
    errors: tuple[FileError, ...]
    notes: tuple[str, ...]
    used: Mapping[str, MediaStamp]
    derived: DerivedTexts | None = None


@dataclass(frozen=True, slots=True)
class _Reads:
    """Results of reading a few files, and the media that were taken into the library for them."""

    by_path: Mapping[str, _Read]
    taken: Mapping[str, MediaStamp]
    new: Mapping[str, MediaFile]


def prepare(
    files: Sequence[ContentFile],
    settings: SiteSettings,
    schema: ContentSchema,
    source: MediaImport,
    tick: Callable[[], None],
) -> tuple[list[Prepared], list[FileError]]:
    """Read the files without errors, and return them and the errors of the others. `tick` is called after each file.

    Many posts are read in several processes, since rendering them takes most of the time of a load.
    """
    prepared: list[Prepared] = []
    errors: list[FileError] = []
    made: dict[str, _Read] = {}
    posts = [file for file in files if file.kind is FileKind.POST]
    if len(posts) >= POSTS_WORTH_PROCESSES and hasattr(os, "fork"):
        for reads in _read_in_processes(posts, settings, schema, source):
            made |= reads.by_path
            source.note_taken(reads.taken, reads.new)
            for _path in reads.by_path:
                tick()
    for file in files:
        read = made.get(file.path)
        if read is None:
            read = _read(file, settings, schema, source)
            tick()
        errors += read.errors
        if read.content is not None:
            prepared.append(Prepared(file, read.content, FileMedia(source, read.used), read.notes, read.derived))
    return prepared, errors


def _read_in_processes(
    posts: Sequence[ContentFile], settings: SiteSettings, schema: ContentSchema, source: MediaImport
) -> Iterator[_Reads]:
    from sitecms.fork_pool import run_in_processes

    def carry_out(batch: range, _nothing: None) -> list[_Reads]:
        by_path = {posts[at].path: _derived(_read(posts[at], settings, schema, source)) for at in batch}
        return [_Reads(by_path, *source.taken_since())]

    return run_in_processes(os.cpu_count() or 1, len(posts), lambda _batch: None, carry_out)


def _derived(read: _Read) -> _Read:
    """Add what is derived from the body: the process that stores the posts has the most to do."""
    return replace(read, derived=derived_texts(read.content)) if isinstance(read.content, PostChange) else read


def _read(file: ContentFile, settings: SiteSettings, schema: ContentSchema, source: MediaImport) -> _Read:
    media = FileMedia(source)
    notes: list[str] = []
    try:
        content = _content(file, settings, schema, media, notes)
    except InvalidFiles as error:
        return _Read(None, tuple(error.errors), (), {})
    missing = media_errors(file, media)
    return _Read(None if missing else content, tuple(missing), tuple(notes), media.used)


def _content(
    file: ContentFile, settings: SiteSettings, schema: ContentSchema, media: FileMedia, notes: list[str]
) -> Content:
    """Read the file. Most loads are of posts alone, so the readers of other kinds are imported when needed."""
    if file.kind is FileKind.POST:
        return prepare_post(file, settings, media, notes)
    from sitecms.actions.loading.reading.prepare_entries import (
        prepare_authors,
        prepare_items,
        prepare_page,
        prepare_terms,
    )

    match file.kind:
        case FileKind.AUTHORS:
            return prepare_authors(file, media)
        case FileKind.CATEGORIES | FileKind.TAGS:
            return prepare_terms(file)
        case FileKind.PAGE:
            return prepare_page(file, settings, schema, media, notes)
        case FileKind.ITEMS:
            return prepare_items(file, settings, schema, media.at, notes)
