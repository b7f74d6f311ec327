"""Entries as their files had them at the last load, read from the texts that the store keeps of the files."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.loading.reading.files import ContentFile, joint_digest
from sitecms.actions.loading.reading.media_import import FileMedia
from sitecms.actions.loading.reading.prepare_entries import EntryReader
from sitecms.actions.loading.reading.prepared import Reading
from sitecms.actions.loading.reading.raw import RawEntry, RawVersion
from sitecms.content.fingerprint import digest
from sitecms.errors import InvalidFiles
from sitecms.store.database import Session
from sitecms.store.site_state.loaded_files import LoadedFile, find_loaded_texts
from sitecms.temporary_folders import temporary_folder

Pair: TypeAlias = tuple[str, int]


class LastEntry(Struct, frozen=True):
    """An entry as its file had it, and the media that the file names."""

    entry: RawEntry
    file: ContentFile
    media: FileMedia


class LastLoad:
    """Entries of files at the last load; each file is read once."""

    def __init__(self, session: Session, reading: Reading) -> None:
        self._session = session
        self._reading = reading
        self._entries: dict[str, Mapping[Pair, LastEntry]] = {}

    def find(self, file: ContentFile, known: LoadedFile) -> Mapping[Pair, LastEntry]:
        """Return the entries that the file had, by kind and id; none where its text is not kept, or not readable now.

        `known` is the record of the file at the last load.
        """
        if file.path not in self._entries:
            self._entries[file.path] = self._read(file, known)
        return self._entries[file.path]

    def _read(self, file: ContentFile, known: LoadedFile) -> Mapping[Pair, LastEntry]:
        texts, reading = find_loaded_texts(self._session, known.path), self._reading
        if not texts or known.digest not in ("", _digest_of(texts.values())):
            return {}
        with temporary_folder("load") as folder:
            for path, content in texts.items():
                place = folder / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            main, *variants = texts  # the paths of then: slugs and locales follow from them
            former = file._replace(path=main, variants=tuple(variants), texts=folder)
            media = FileMedia(reading.source, path=main, links=reading.source.links)
            try:
                entries = EntryReader(former, reading.settings, reading.schema, media).entries()
            except InvalidFiles:
                return {}
        if len(entries) != len(known.present):
            return {}
        lasting = (replace(entry, versions=tuple(map(_without_file, entry.versions))) for entry in entries)
        return {pair: LastEntry(entry, former, media) for pair, entry in zip(known.present, lasting, strict=True)}


def _without_file(version: RawVersion) -> RawVersion:
    return replace(version, origin=None)


def _digest_of(contents: Iterable[bytes]) -> str:
    digests = [digest(content) for content in contents]
    return digests[0] if len(digests) == 1 else joint_digest(digests)
