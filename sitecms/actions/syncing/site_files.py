"""The context of reading and writing one file: settings, schema, library, and the record of the file."""

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from msgspec import Struct

from sitecms.actions.exporting.entry_files import EntryWriter, written_locales
from sitecms.actions.exporting.media_paths import MediaPaths
from sitecms.actions.loading.reading.files import ContentFile, find_file
from sitecms.actions.loading.reading.linked_files import LinkedFiles
from sitecms.actions.loading.reading.media_import import MediaImport
from sitecms.actions.loading.reading.post_front_matter import field_locator
from sitecms.actions.loading.reading.prepared import InvalidFile, Prepared, Reading, read_file
from sitecms.actions.loading.reading.raw import RawEntry
from sitecms.actions.loading.storing.field_cleaner import FieldCleaner, StoreLookup
from sitecms.actions.references import ItemsByValues, page_types_of
from sitecms.actions.syncing.edits import NotWritten, read_bytes
from sitecms.clock import parse_timestamp
from sitecms.content.change import VersionChange
from sitecms.content.fields import ItemMatch, RawReference
from sitecms.content.fingerprint import digest
from sitecms.content.locale import Locales
from sitecms.content.media import MEDIA_NAME
from sitecms.content.references import ItemTarget, PageTarget, Target
from sitecms.content.schema import ContentSchema
from sitecms.errors import InvalidFiles
from sitecms.files import is_in_git
from sitecms.media.library import MediaLibrary
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries.media_files import find_media
from sitecms.store.site_state.loaded_files import (
    NO_DATES,
    FileLink,
    LoadedFile,
    MediaStamp,
    dates_json,
    find_loaded_file,
    loaded_file,
)

CHANGED = "{path} changed since it was loaded; load it first (sitecms load, or sitecms sync)"
UNKNOWN = "{path} is there, and was not loaded; load it first (sitecms load, or sitecms sync)"


class _LookupAsWritten(StoreLookup):
    """Lookup for the comparison of a file with the store: the target of a reference may have another name by now."""

    def find_reference(self, targets: tuple[str, ...], raw: RawReference) -> Target | None:
        """Return the entry that a file means; one that is not there as the file names it."""
        if target := super().find_reference(targets, raw):
            return target
        page_types = page_types_of(targets)
        match raw:
            case str() if page_types:
                return PageTarget(page_types[0], raw)
            case int() if not page_types:
                return ItemTarget(targets[0], raw)
            case ItemMatch():
                return ItemTarget(raw.collection, 0)
        return raw if isinstance(raw, ItemTarget | PageTarget) else None


class SiteFiles(Struct, frozen=True):
    """The site folder with what its files are read and written by. `at` is the time of the write-back.

    `written` are digests of bytes that an interrupted write-back may have written already.
    """

    settings: SiteSettings
    schema: ContentSchema
    library: MediaLibrary
    at: datetime
    written: frozenset[str] = frozenset()

    @property
    def folder(self) -> Path:
        """The site folder."""
        return self.settings.folder

    @property
    def locales(self) -> Locales:
        """The locales of the site."""
        return Locales(self.settings.locales, self.settings.default_locale)

    @property
    def zone(self) -> tzinfo:
        """The time zone of times that state none."""
        return self.settings.zone

    @property
    def is_in_git(self) -> bool:
        """True if the folder is in a work tree of Git, which has dates of the files."""
        return is_in_git(self.folder)

    def writer(self, media: MediaPaths, *, omits_unset: bool = False) -> EntryWriter:
        """Return the writer of entries; `omits_unset`: fields that are unset are left out, as in new files."""
        return EntryWriter(self.schema, self.locales, media, [], omits_unset=omits_unset)

    def current(self, loaded: LoadedFile) -> ContentFile | None:
        """Return the file as it is now, None if it is gone. Raises NotWritten if it is not the one that was loaded."""
        file = self.find(loaded.path, loaded)
        if file is None or file.digest == loaded.digest:
            return file
        paths = (file.path, *file.variants)
        if not all(digest(read_bytes(self.folder / path) or b"") in self.written for path in paths):
            raise NotWritten(CHANGED.format(path=loaded.path))
        return file

    def find(self, path: str, loaded: LoadedFile | None) -> ContentFile | None:
        """Return the file at a path as it is now; `loaded` is its record."""
        dates = {"dates": loaded.git_dates} if loaded else {}
        return find_file(self.settings, self.schema, path, self.at, **dates)

    def check_free(self, session: Session, path: str) -> bytes | None:
        """Return the bytes at the path of a new file, None for no file.

        Raises NotWritten if a file is there that an interrupted write-back has not written.
        """
        there = read_bytes(self.folder / path)
        if there is not None and (find_loaded_file(session, path) or digest(there) not in self.written):
            raise NotWritten(UNKNOWN.format(path=path))
        return there

    def read(self, session: Session, file: ContentFile, loaded: LoadedFile | None, texts: Sequence[str]) -> Prepared:
        """Return what a load reads in a file; `texts` are what the store has of its entries. Raises InvalidFiles."""
        stamps = loaded.media.values() if loaded else ()
        names = {stamp.name for stamp in stamps} | {name for text in texts for name in MEDIA_NAME.findall(text)}
        moment = loaded.loaded_at if loaded and loaded.digest == file.digest else self.at  # else just written
        source = MediaImport(self.folder, self.library, find_media(session, sorted(names)), moment)
        source.links = LinkedFiles(self.settings)
        found = read_file(file, Reading(self.settings, self.schema, source))
        if isinstance(found, InvalidFile):
            raise InvalidFiles(found.errors)
        return found

    def versions(
        self, session: Session, read: Prepared, entries: Sequence[RawEntry]
    ) -> tuple[tuple[VersionChange, ...], ...]:
        """Return the cleaned versions of entries in a file. Raises InvalidFiles."""
        lookup = _LookupAsWritten(session, read.media, ItemsByValues(), self.settings)
        cleaner, found = FieldCleaner(read.file, self.schema, lookup, field_locator(read.file)), []
        for entry in entries:
            if not written_locales(entry.kind, self.settings.locales):
                read.media.locale = entry.versions[0].change.locale
            found.append(cleaner.versions(entry))
        cleaner.raise_errors()
        return tuple(found)

    def record(
        self,
        path: str,
        loaded: LoadedFile | None,
        pairs: Sequence[tuple[str, int]],
        used: Mapping[str, MediaStamp | FileLink],
        undated: Sequence[tuple[str, int]] = (),
    ) -> LoadedFile | None:
        """Return the record of a file as it is now, as a load keeps it; None if it is gone."""
        file = self.find(path, loaded)
        if file is None:
            return None
        absent = loaded.absent if loaded else ()
        row = loaded_file(file.path, file.digest, file.context, tuple(pairs), used, self.at, file.stamp, absent)
        return row._replace(dates_json=dates_json(loaded.git_dates if loaded else NO_DATES, undated))


def is_same_moment(written: Any, text: Any, zone: tzinfo) -> bool:
    """Return whether a file's time is the moment that a text says."""
    if not isinstance(written, str) or not isinstance(text, str):
        return False
    try:
        return parse_timestamp(written, zone) == parse_timestamp(text, zone)
    except ValueError:
        return False
