"""Changed files, read and checked as far as possible without the store."""

from collections.abc import Callable, Sequence
from typing import TypeAlias
from urllib.parse import quote

from msgspec import Struct

from sitecms.actions.loading.reading.files import ENTRY_KINDS, ContentFile, FileKind
from sitecms.actions.loading.reading.media_import import FileMedia, MediaImport
from sitecms.actions.loading.reading.prepare_entries import EntryReader
from sitecms.actions.loading.reading.prepare_media import DescribedMedia, prepare_media
from sitecms.actions.loading.reading.raw import RawEntry
from sitecms.actions.writing.new_entries import DerivedTexts
from sitecms.content.author import Author
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.content.term import Term
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.site import SiteSettings
from sitecms.store.site_state.loaded_files import packed_texts

Listed: TypeAlias = tuple[Author, ...] | tuple[Term, ...] | tuple[DescribedMedia, ...]


class Reading(Struct, frozen=True):
    """The settings, schema and media that the content of a file depends on besides its text."""

    settings: SiteSettings
    schema: ContentSchema
    source: MediaImport


class Prepared(Struct, frozen=True):
    """A changed file: its entries or what else it lists, the media it names, and notes for its author.

    `derived` are the texts of a post that were derived by another process, `packed` what the file says, as it is kept.
    """

    file: ContentFile
    media: FileMedia
    entries: tuple[RawEntry, ...] = ()
    listed: Listed = ()
    notes: tuple[str, ...] = ()
    derived: DerivedTexts | None = None
    packed: str = ""

    @property
    def has_entries(self) -> bool:
        """True for a file of posts, pages or items, false for one that lists something else."""
        return self.file.kind in ENTRY_KINDS

    @property
    def kind(self) -> EntryKind:
        """The kind of the entries in a file that has entries."""
        return ENTRY_KINDS[self.file.kind]


class InvalidFile(Struct, frozen=True):
    """A changed file with errors."""

    file: ContentFile
    errors: tuple[FileError, ...]


def prepare(
    files: Sequence[ContentFile], reading: Reading, tick: Callable[[], None]
) -> tuple[list[Prepared], list[FileError]]:
    """Read the files without errors, and return them and the errors of the others. `tick` is called after each file."""
    prepared: list[Prepared] = []
    errors: list[FileError] = []
    for file in files:
        read = read_file(file, reading)
        tick()
        if isinstance(read, Prepared):
            prepared.append(read)
        else:
            errors += read.errors
    return prepared, errors


def read_file(file: ContentFile, reading: Reading) -> Prepared | InvalidFile:
    """Read one file, and take the media that it names into the library."""
    media = FileMedia(reading.source, path=file.path, links=reading.source.links)
    reader = EntryReader(file, reading.settings, reading.schema, media)
    try:
        entries = reader.entries() if file.kind in ENTRY_KINDS else ()
        listed = () if file.kind in ENTRY_KINDS else _listed(file, media)
    except InvalidFiles as error:
        return InvalidFile(file, tuple(error.errors))
    if missing := tuple(media_errors(file, media)):
        return InvalidFile(file, missing)
    notes, paths = (*reader.notes, *media.notes), (file.path, *file.variants)
    texts = {path: file._replace(path=path).file.read_bytes() for path in paths} if file.kind in ENTRY_KINDS else {}
    return Prepared(file, media, entries, listed, notes, packed=packed_texts(texts) if texts else "")


def _listed(file: ContentFile, media: FileMedia) -> Listed:
    """Return what a file without entries lists. Most loads have none that changed, so its reader is imported here."""
    from sitecms.actions.loading.reading.prepare_archives import prepare_authors, prepare_terms

    match file.kind:
        case FileKind.MEDIA:
            return prepare_media(file, media)
        case FileKind.AUTHORS:
            return prepare_authors(file, media)
        case _:
            return prepare_terms(file)


def media_errors(file: ContentFile, media: FileMedia) -> list[FileError]:
    """Return errors for the media that the file names and the site does not have."""
    return [
        FileError(file.path, "", problem.message, problem.remedy, *_place_of(problem.address, file))
        for problem in media.problems
    ]


def _place_of(address: str, file: ContentFile) -> tuple[int | None, int | None]:
    """Return the first line and column at which the address is written."""
    lines = file.file.read_text(encoding="utf-8-sig").split("\n")
    for written in (address, quote(address)):
        for number, line in enumerate(lines, 1):
            if (column := line.find(written)) >= 0:
                return number, column + 1
    return None, None
