"""The file of the site folder in which an entry of the studio lives too."""

from dataclasses import dataclass
from datetime import datetime

from sitecms.content.change import EntryKind, Origin
from sitecms.store.entries.entry_state import origin_of
from sitecms.store.site_state.loaded_files import file_of_entry
from sitecms.studio.visit import Visit


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that an entry was loaded from; `is_edited` if the entry was changed by other means since."""

    path: str
    loaded_at: datetime
    is_edited: bool


def find_source(visit: Visit, kind: EntryKind, entry_id: int) -> SourceFile | None:
    """Return the file that an entry was loaded from, or None."""
    with visit.studio.runtime.database.reading() as session:
        file = file_of_entry(session, kind, entry_id)
        is_edited = file is not None and origin_of(session, kind.value, entry_id) == Origin.API
    return SourceFile(file.path, file.loaded_at, is_edited) if file else None
