"""Warnings about the texts of a site folder, loaded now or before."""

from collections.abc import Iterator
from datetime import datetime

from sitecms.actions.loading.reading.bodies import BODY, body_warnings
from sitecms.actions.loading.reading.file_checks import RemovedMarkup, removed_warnings
from sitecms.actions.loading.reading.files import ENTRY_KINDS, ContentFile, find_files
from sitecms.actions.loading.reading.linked_files import LinkedFiles
from sitecms.actions.loading.reading.media_import import FileMedia, MediaImport
from sitecms.actions.loading.reading.post_front_matter import field_locator
from sitecms.actions.loading.reading.prepare_entries import EntryReader
from sitecms.actions.loading.storing.field_cleaner import FieldCleaner, StoreLookup
from sitecms.actions.references import ItemsByValues
from sitecms.content.entry import FIELDS
from sitecms.content.schema import ContentSchema
from sitecms.errors import FileError, InvalidFiles
from sitecms.media.library import open_library
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries import media_files
from sitecms.store.site_state import documents


def text_warnings(session: Session, settings: SiteSettings, at: datetime) -> Iterator[FileError]:
    """Yield removed markup and all other warnings about texts and fields in files, each with file and line."""
    source = MediaImport(settings.folder, open_library(settings), media_files.all_media(session), at)
    links, schema = LinkedFiles(settings), documents.load_content_schema(session)
    for file in find_files(settings, schema, {}, at).files:
        if file.kind not in ENTRY_KINDS:
            continue
        is_markdown = file.path.endswith(".md")
        if is_markdown:
            yield from body_warnings(file, settings, FileMedia(source, path=file.path, links=links))
        if "<" in file.file.read_text(encoding="utf-8", errors="replace"):
            media = FileMedia(source, path=file.path, links=links)
            removed = _removed_from_fields(session, file, settings, schema, media)
            own = [each for each in removed if not (is_markdown and each.place == f"{FIELDS}.{BODY}")]
            yield from removed_warnings(file, own)


def _removed_from_fields(
    session: Session, file: ContentFile, settings: SiteSettings, schema: ContentSchema, media: FileMedia
) -> list[RemovedMarkup]:
    """Return the markup that was removed from fields; none of a file with errors, which each load reports."""
    lookup = StoreLookup(session, media, ItemsByValues(), settings)
    cleaner = FieldCleaner(file, schema, lookup, field_locator(file))
    try:
        for entry in EntryReader(file, settings, schema, media).entries():
            cleaner.versions(entry)
    except InvalidFiles:
        return []
    return cleaner.removed
