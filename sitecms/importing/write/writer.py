"""Writer of site files that never overwrites what a person edited."""

from enum import StrEnum
from pathlib import Path

from sitecms.content.fingerprint import digest
from sitecms.files import write_atomically
from sitecms.importing.records import NoteKind, Place
from sitecms.importing.report import Report
from sitecms.importing.state import FOLDER, EntryState, ImportState


class Outcome(StrEnum):
    """The result for a file."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    CONFLICT = "conflicts"
    KEPT = "kept as edited"


class Writer:
    """Writes files below the site folder, and records them in the state. A dry run writes nothing."""

    def __init__(self, folder: Path, name: str, state: ImportState, report: Report, *, is_dry: bool) -> None:
        self._folder, self._name, self._state, self._report, self._is_dry = folder, name, state, report, is_dry

    def write_entry(self, key: str, text: bytes, source: str, *, is_waiting: bool) -> Outcome:
        """Write the file of an entry whose source changed, unless a person edited or deleted it."""
        record = self._state.entries[key]
        outcome, written = self._write(record.file, text, record.written)
        if not self._is_dry:
            self._state.entries[key] = EntryState(record.file, record.slug, source, written, is_waiting)
        return outcome

    def write_shared(self, path: str, text: bytes) -> Outcome:
        """Write a file that several records share, or that belongs to the site."""
        outcome, written = self._write(path, text, self._state.files.get(path, ""))
        if not self._is_dry:
            self._state.files[path] = written
        return outcome

    def write_new(self, path: str, data: bytes) -> None:
        """Write a file if there is none."""
        if self._current(path) is None:
            self._put(self._folder / path, data)

    def add_to(self, path: str, text: bytes, added: bytes, *, is_valid: bool) -> Outcome:
        """Write an edited file with an addition if the result is valid; else save the addition as a conflict."""
        if not is_valid:
            self._conflict(path, added)
            return Outcome.CONFLICT
        self._put(self._folder / path, text)
        return Outcome.WRITTEN

    def remove(self, record: EntryState) -> bool:
        """Remove a file unless a person edited it; return whether it no longer exists."""
        current = self._current(record.file)
        if current is None:
            return True
        if digest(current) != record.written:
            return False
        if not self._is_dry:
            (self._folder / record.file).unlink()
        return True

    def is_own(self, path: str, text: bytes) -> bool:
        """Return whether the file is missing, equal to `text`, or as the import wrote it."""
        current = self._current(path)
        return current is None or current == text or digest(current) == self._state.files.get(path, "")

    def _write(self, path: str, text: bytes, before: str) -> tuple[Outcome, str]:
        """Write the file unless a person edited it; return the outcome, and the digest for the state."""
        current, new = self._current(path), digest(text)
        if current is not None and digest(current) == new:
            return Outcome.UNCHANGED, new
        if current is None and before:
            remedy = f"to have it again, remove its key from {FOLDER}/{self._name}.json"
            self._report.add(NoteKind.FILE, "deleted by hand, not written again", Place(path), remedy)
            return Outcome.KEPT, before
        if current is not None and digest(current) != before:
            self._conflict(path, text)
            return Outcome.CONFLICT, before
        self._put(self._folder / path, text)
        return Outcome.WRITTEN, new

    def _conflict(self, path: str, text: bytes) -> None:
        aside = f"{FOLDER}/{self._name}.conflicts/{path}"
        remedy = f"compare it with the new text in {FOLDER}/{self._name}.conflicts/"
        self._report.add(NoteKind.FILE, "edited by hand, so it was not overwritten", Place(path), remedy)
        self._put(self._folder / aside, text)

    def _put(self, path: Path, data: bytes) -> None:
        if self._is_dry or (path.is_file() and path.read_bytes() == data):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)

    def _current(self, path: str) -> bytes | None:
        file = self._folder / path
        return file.read_bytes() if file.is_file() else None
