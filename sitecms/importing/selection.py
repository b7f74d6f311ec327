"""Selection of the entries of a source by kind, type and time."""

from collections.abc import Iterable, Iterator
from datetime import UTC, tzinfo

from msgspec import Struct, field

from sitecms.importing.formats.times import read_time, zone_of
from sitecms.importing.records import EntryRecord, Note, NoteKind, Record, Site


class Selection(Struct):
    """The wanted entries: those changed `since` a time, and `only` kinds (post, page, item), page types, collections.

    `since` is a text that `read_time` reads, in `zone` if it states none; None is the zone of the source. `left_out`
    collects the keys of the others. Drafts and translations follow their entry.
    """

    since: str = ""
    zone: tzinfo | None = None
    only: frozenset[str] = frozenset()
    left_out: set[str] = field(default_factory=set)

    @property
    def is_partial(self) -> bool:
        """True if some entries may be left out."""
        return bool(self.since or self.only)

    def wanted(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records without entries that are not wanted; these are noted."""
        if not self.is_partial:
            yield from records
            return
        for record in records:
            if isinstance(record, Site) and self.zone is None:
                self.zone = zone_of(record.timezone)
            if not isinstance(record, EntryRecord):
                yield record
            elif reason := self._reason(record):
                self.left_out.add(record.key)
                yield Note(NoteKind.LEFT_OUT, reason, record.place)
            else:
                yield record

    def _reason(self, entry: EntryRecord) -> str:
        """Return why an entry is left out; "" for a wanted one."""
        if main := entry.draft_of or entry.translation_of:
            return "versions of entries that are left out" if main in self.left_out else ""
        if self.only and not self.only & {entry.kind.value, entry.group}:
            return f"entries other than {', '.join(sorted(self.only))}"
        changed = max((at for at in (entry.published_at, entry.created_at, entry.updated_at) if at), default=None)
        since = read_time(self.since, self.zone or UTC)
        if since and changed and changed < since:
            return f"entries not changed since {self.since}"
        return ""
