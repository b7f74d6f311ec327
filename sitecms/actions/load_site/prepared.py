"""All changed files, read and checked as far as can be without the store."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sitecms.actions.load_site.files import ContentFile, FileKind
from sitecms.actions.load_site.media_import import FileMedia, MediaImport
from sitecms.actions.load_site.prepare_entries import RawItems, RawPage, prepare_items, prepare_page
from sitecms.actions.load_site.prepare_posts import media_faults, prepare_post
from sitecms.actions.load_site.prepare_terms import prepare_authors, prepare_terms
from sitecms.content.author import Author
from sitecms.content.schema import ContentSchema
from sitecms.content.term import Term
from sitecms.content.write import PostChange
from sitecms.errors import Fault, InvalidFiles
from sitecms.settings import SiteSettings

Content: TypeAlias = PostChange | RawPage | RawItems | tuple[Author, ...] | tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A changed file, what it says, the media it names, and what its author may not have meant."""

    file: ContentFile
    content: Content
    media: FileMedia
    notes: tuple[str, ...] = ()


def prepare(
    files: Sequence[ContentFile],
    settings: SiteSettings,
    schema: ContentSchema,
    source: MediaImport,
    tick: Callable[[], None],
) -> tuple[list[Prepared], list[Fault]]:
    """Read the files; those with faults are left out. `tick` is called after each."""
    prepared: list[Prepared] = []
    faults: list[Fault] = []
    for file in files:
        media = FileMedia(source)
        try:
            notes: list[str] = []
            content = _content(file, settings, schema, media, notes)
        except InvalidFiles as error:
            faults += error.faults
        else:
            missing = media_faults(file, media)
            faults += missing
            if not missing:
                prepared.append(Prepared(file, content, media, tuple(notes)))
        tick()
    return prepared, faults


def _content(
    file: ContentFile, settings: SiteSettings, schema: ContentSchema, media: FileMedia, notes: list[str]
) -> Content:
    match file.kind:
        case FileKind.AUTHORS:
            return prepare_authors(file, media)
        case FileKind.CATEGORIES | FileKind.TAGS:
            return prepare_terms(file)
        case FileKind.POST:
            return prepare_post(file, settings, media, notes)
        case FileKind.PAGE:
            return prepare_page(file, settings, schema, media)
        case FileKind.ITEMS:
            return prepare_items(file, settings, schema)
