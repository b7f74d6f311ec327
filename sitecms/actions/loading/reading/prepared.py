"""Changed files, read and checked as far as possible without the store."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from sitecms.actions.loading.reading.files import ContentFile, FileKind
from sitecms.actions.loading.reading.media_import import FileMedia, MediaImport
from sitecms.actions.loading.reading.prepare_media import DescribedMedia, prepare_media
from sitecms.actions.loading.reading.prepare_posts import media_errors, prepare_post
from sitecms.actions.loading.reading.raw import RawItems, RawPage
from sitecms.actions.writing.new_posts import DerivedTexts
from sitecms.content.author import Author
from sitecms.content.change import PostChange
from sitecms.content.schema import ContentSchema
from sitecms.content.term import Term
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.site import SiteSettings

Listed: TypeAlias = tuple[Author, ...] | tuple[Term, ...] | tuple[DescribedMedia, ...]
Content: TypeAlias = PostChange | RawPage | RawItems | Listed


class Prepared(Struct, frozen=True):
    """A changed file: its content, the media it names, and notes for its author."""

    file: ContentFile
    content: Content
    media: FileMedia
    notes: tuple[str, ...] = ()
    derived: DerivedTexts | None = None


class InvalidFile(Struct, frozen=True):
    """A changed file with errors."""

    file: ContentFile
    errors: tuple[FileError, ...]


def prepare(
    files: Sequence[ContentFile],
    settings: SiteSettings,
    schema: ContentSchema,
    source: MediaImport,
    tick: Callable[[], None],
) -> tuple[list[Prepared], list[FileError]]:
    """Read the files without errors, and return them and the errors of the others. `tick` is called after each file."""
    prepared: list[Prepared] = []
    errors: list[FileError] = []
    for file in files:
        read = read_file(file, settings, schema, source)
        tick()
        if isinstance(read, Prepared):
            prepared.append(read)
        else:
            errors += read.errors
    return prepared, errors


def read_file(
    file: ContentFile, settings: SiteSettings, schema: ContentSchema, source: MediaImport
) -> Prepared | InvalidFile:
    """Read one file, and take the media that it names into the library."""
    media = FileMedia(source, path=file.path, links=source.links)
    notes: list[str] = []
    try:
        content = _content(file, settings, schema, media, notes)
    except InvalidFiles as error:
        return InvalidFile(file, tuple(error.errors))
    missing = media_errors(file, media)
    return InvalidFile(file, tuple(missing)) if missing else Prepared(file, content, media, (*notes, *media.notes))


def _content(
    file: ContentFile, settings: SiteSettings, schema: ContentSchema, media: FileMedia, notes: list[str]
) -> Content:
    """Read the file. Most loads are of posts alone, so the readers of other kinds are imported when needed."""
    if file.kind is FileKind.POST:
        return prepare_post(file, settings, schema, media, notes)
    from sitecms.actions.loading.reading.prepare_entries import (
        prepare_authors,
        prepare_items,
        prepare_page,
        prepare_terms,
    )

    match file.kind:
        case FileKind.MEDIA:
            return prepare_media(file, media)
        case FileKind.AUTHORS:
            return prepare_authors(file, media)
        case FileKind.CATEGORIES | FileKind.TAGS:
            return prepare_terms(file)
        case FileKind.PAGE:
            return prepare_page(file, settings, schema, media, notes)
        case FileKind.ITEMS:
            return prepare_items(file, settings, schema, media.at, notes)
