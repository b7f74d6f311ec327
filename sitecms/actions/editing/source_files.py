"""The files of the site folder that entries, authors and terms of the studio live in too."""

from datetime import datetime

from msgspec import Struct

from sitecms.content.change import Origin
from sitecms.content.kinds import EntryKind
from sitecms.documents import read_yaml
from sitecms.errors import InvalidFiles
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database, Session
from sitecms.store.entries.entry_state import origin_of
from sitecms.store.site_state.loaded_files import file_of_entry, find_loaded_file


class EntryFile(Struct, frozen=True):
    """A file that was loaded. `is_edited`: its entry was changed by other means since; always False for names."""

    path: str
    loaded_at: datetime
    is_edited: bool = False


def find_source(database: Database, kind: EntryKind, entry_id: int) -> EntryFile | None:
    """Return the file that an entry was loaded from, or None."""
    with database.reading() as session:
        file = file_of_entry(session, kind, entry_id)
        if file is None:
            return None
        return EntryFile(file.path, file.loaded_at, origin_of(session, kind.value, entry_id) == Origin.API)


def find_source_of_name(session: Session, settings: SiteSettings, path: str, key: str, name: str) -> EntryFile | None:
    """Return the file if it declares an author or term with the name under the key; also if it cannot be read now."""
    loaded = find_loaded_file(session, path)
    if loaded is None:
        return None
    found = EntryFile(path, loaded.loaded_at)
    try:
        entries = read_yaml(settings.folder / path, path)
    except (InvalidFiles, OSError):
        return found
    listed = entries if isinstance(entries, list) else []
    is_listed = any(isinstance(each, dict) and str(each.get(key) or "") == name for each in listed)
    return found if is_listed else None
