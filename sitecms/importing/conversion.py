"""Conversion of all entries into draft files, in several processes, kept in a temporary file."""

import os
from collections.abc import Iterator, Sequence

from msgspec import Struct

from sitecms.content.status import Status
from sitecms.importing.media.needed_media import NeededMedia
from sitecms.importing.plan.catalogue import Catalogue
from sitecms.importing.plan.entries import Planned
from sitecms.importing.plan.files import DraftFile, FileMaker
from sitecms.importing.plan.texts import TextNotes
from sitecms.importing.records import Kind
from sitecms.importing.report import ImportReport
from sitecms.pool import run_in_processes
from sitecms.progress import Progress
from sitecms.spool import Spool, packed

WORTH_PROCESSES = 200
_FEW = 15_000
"""Entries up to which drafts are not compressed in their file."""
_FOR_ONE_FORK = 8_000
"""Entries after which the processes are replaced: each copies the memory of the parent that it touches."""


class _ConvertedEntry(Struct, frozen=True):
    """A converted entry as a process returns it: its number, the packed draft, and notes about its texts."""

    number: int
    packed: bytes
    found: TextNotes


class Conversion:
    """Drafts of files, in the order of the entries; `media` are all media that they name, by placeholder.

    `public` are the placeholders of media that published entries name.
    """

    def __init__(self, catalogue: Catalogue, maker: FileMaker, report: ImportReport) -> None:
        self._catalogue, self._maker, self._report = catalogue, maker, report
        self._spool: Spool[DraftFile]
        self._places: list[int] = []
        self.done: Sequence[Planned] = ()
        self.media: dict[str, NeededMedia] = {}
        self.public: set[str] = set()

    def __enter__(self) -> "Conversion":
        """Open the temporary file."""
        self._spool = Spool()
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the temporary file."""
        self._spool.__exit__(*error)

    def convert(self, changed: Sequence[Planned], progress: Progress | None) -> None:
        """Convert the entries; merge their notes and media in the order of the entries, not of the processes."""
        self.done = changed
        self._places = [-1] * len(changed)
        notes: Spool[TextNotes] = Spool()
        note_places = [-1] * len(changed)
        with notes:
            for number, converted in enumerate(self._converted(changed), 1):
                self._places[converted.number] = self._spool.append_packed(converted.packed)
                note_places[converted.number] = notes.append(converted.found)
                if progress:
                    progress("Converting", number, len(changed))
            notes.flush()
            for planned, place in zip(changed, note_places, strict=True):
                found = notes[place]
                self._merge(found)
                if planned.known.status is Status.PUBLISHED:
                    self.public.update(found.media)
        self._spool.flush()

    def drafts(self) -> Iterator[tuple[Planned, DraftFile]]:
        """Yield each converted entry with its draft, in order."""
        return ((planned, self._spool[place]) for planned, place in zip(self.done, self._places, strict=True))

    def _converted(self, changed: Sequence[Planned]) -> Iterator[_ConvertedEntry]:
        processes = os.cpu_count() or 1
        if len(changed) < WORTH_PROCESSES or processes == 1 or not hasattr(os, "fork"):
            yield from (self._convert_entry(number, planned) for number, planned in enumerate(changed))
            return

        def convert_batch(batch: range, _nothing: None) -> list[_ConvertedEntry]:
            return [self._convert_entry(start + number, changed[start + number]) for number in batch]

        for start in range(0, len(changed), _FOR_ONE_FORK):
            count = min(_FOR_ONE_FORK, len(changed) - start)
            yield from run_in_processes(processes, count, convert_batch, lambda _batch: None)

    def _convert_entry(self, number: int, planned: Planned) -> _ConvertedEntry:
        entry = self._catalogue.spool[planned.known.number]
        variants = tuple(self._catalogue.variants(planned.known))
        make = self._maker.make_item if planned.known.kind is Kind.ITEM else self._maker.make
        draft, found = make(planned, entry, variants)
        return _ConvertedEntry(number, packed(draft, is_compressed=len(self.done) > _FEW), found)

    def _merge(self, found: TextNotes) -> None:
        for note in found.notes:
            self._report.note(note)
        for name, count in found.counts.items():
            self._report.count("texts", name, count)
        for token, wanted in found.media.items():
            self.media.setdefault(token, wanted)
