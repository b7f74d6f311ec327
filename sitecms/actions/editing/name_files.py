"""Files of the site folder that declare authors, categories and tags: content/authors.yaml and its like."""

from dataclasses import dataclass
from datetime import datetime

from sitecms.documents import read_yaml
from sitecms.errors import InvalidFiles
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.site_state.loaded_files import find_loaded_file


@dataclass(frozen=True, slots=True)
class NameFile:
    """A file that was loaded and declares an author or term; a load after a change of it stores what it says."""

    path: str
    loaded_at: datetime
    is_edited: bool = False


def find_name_file(session: Session, settings: SiteSettings, path: str, key: str, name: str) -> NameFile | None:
    """Return the file if an entry of it has the name under the key; also if it cannot be read any more."""
    loaded = find_loaded_file(session, path)
    if loaded is None:
        return None
    try:
        entries = read_yaml(settings.folder / path, path)
    except (InvalidFiles, OSError):
        return NameFile(path, loaded.loaded_at)
    listed = entries if isinstance(entries, list) else []
    is_listed = any(isinstance(each, dict) and str(each.get(key) or "") == name for each in listed)
    return NameFile(path, loaded.loaded_at) if is_listed else None
