"""Report of an import: counts, and notes grouped by kind and subject."""

from collections import Counter
from collections.abc import Iterable, Set
from typing import Any

from msgspec import Struct, field

from sitecms.importing.records import Note, NoteKind, Place

TEXTS = (".md", ".mdx", ".markdown", ".mdown", ".mkd", ".rst", ".org", ".adoc", ".asciidoc")
"""Endings of the names of files that are texts, whatever the system."""
FIRST_PLACES = 3
MAX_PLACES = 200


class NoteGroup(Struct):
    """All notes of one kind and subject: how many there were, and the first places."""

    count: int = 0
    places: list[Place] = field(default_factory=list)
    remedy: str = ""


class ImportReport:
    """Counts and notes, which grow while the import runs."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.notes: dict[tuple[NoteKind, str], NoteGroup] = {}
        self.failures: list[str] = []

    def count(self, group: str, name: str, number: int = 1) -> None:
        """Add a number to a count, as in `count("posts", "written")`."""
        self.counts[group, name] += number

    def note(self, note: Note) -> None:
        """Add a note to its group."""
        group = self.notes.setdefault((note.kind, note.subject), NoteGroup(remedy=note.remedy))
        group.count += note.count
        if len(group.places) < MAX_PLACES and str(note.place):
            group.places.append(note.place)

    def add(
        self, kind: NoteKind, subject: str, place: Place | None = None, remedy: str = "", *, count: int = 1
    ) -> None:
        """Add a note by its parts."""
        self.note(Note(kind, subject, place or Place(), remedy, count))

    def count_texts(self, names: Iterable[str], read: Set[str]) -> None:
        """Count the texts of each folder of a source, and those of them that were read; readers name the others.

        `names` are the files of the source, `read` those that entries and notes come from.
        """
        for name in names:
            if not name.lower().endswith(TEXTS):
                continue
            folder = "/".join(name.split("/")[:-1][:2]) or "."
            self.count(f"texts in {folder}", "in the source")
            if name in read:
                self.count(f"texts in {folder}", "read")

    def as_json(self) -> dict[str, Any]:
        """Return counts by group and name, and notes with their first places."""
        counts: dict[str, dict[str, int]] = {}
        for (group, name), number in sorted(self.counts.items()):
            counts.setdefault(group, {})[str(name)] = number
        notes = [
            {
                "kind": kind.value,
                "what": subject,
                "count": group.count,
                "places": [str(place) for place in group.places],
                "remedy": group.remedy,
            }
            for (kind, subject), group in sorted(self.notes.items())
        ]
        return {"format": 1, "counts": counts, "notes": notes}

    def lines(self) -> list[str]:
        """Return the report for people: a line for each group of counts, then one for each group of notes."""
        counts: dict[str, list[str]] = {}
        for (group, name), number in sorted(self.counts.items()):
            counts.setdefault(group, []).append(f"{number} {name}")
        lines = [f"{group}: {', '.join(parts)}" for group, parts in counts.items()]
        for (kind, subject), found in sorted(self.notes.items()):
            places = ", ".join(str(place) for place in found.places[:FIRST_PLACES])
            more = ", ..." if len(found.places) > FIRST_PLACES else ""
            where = f" ({places}{more})" if places else ""
            remedy = f"; {found.remedy}" if found.remedy else ""
            lines.append(f"{kind.value}: {subject}, {found.count}x{where}{remedy}")
        return lines
