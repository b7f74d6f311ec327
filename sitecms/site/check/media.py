"""Unused media: files in media/ and files of the library."""

from collections.abc import Iterator
from datetime import datetime

from sitecms.content.text.media_links import MEDIA_FOLDER
from sitecms.documents.folders import is_fit_name
from sitecms.findings import Finding
from sitecms.media.library import open_library
from sitecms.settings.site import SiteSettings
from sitecms.site.check.entries import Entries
from sitecms.site.check.finding import CheckKind, check_finding
from sitecms.store.database import Session
from sitecms.store.maintenance.media_usage import used_media

_SHOWN = 3


def media_findings(entries: Entries, session: Session, settings: SiteSettings, at: datetime) -> Iterator[Finding]:
    """Return findings about unused media; `settings` are those of the real site."""
    named = {path for file in entries.sources.loaded.values() for path in file.media}
    folder = settings.folder / MEDIA_FOLDER
    files = [path.relative_to(settings.folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    paths = [path.as_posix() for path in files if not any(part.startswith(".") for part in path.parts)]
    paths = [path for path in paths if is_fit_name(path)]  # the load of a check names the others
    left = [path for path in paths if path not in named]
    elsewhere = entries.sources.naming(left)  # in a template or stylesheet, or in a file with an error
    for path in left:
        if path not in elsewhere:
            yield check_finding(CheckKind.MEDIA_UNUSED, "no entry names this file", "remove it, or name it", path)
    yield from library_findings(session, settings, at)


def library_findings(session: Session, settings: SiteSettings, at: datetime) -> Iterator[Finding]:
    """Yield one finding if the library has files that nothing in the store names."""
    unused = sorted(set(open_library(settings).old_names(at)) - used_media(session).keys())
    if unused:
        names = ", ".join(unused[:_SHOWN]) + (f" and {len(unused) - _SHOWN} more" if len(unused) > _SHOWN else "")
        what = f"the media library holds what nothing names: {names}"
        remedy = f"the worker removes it {settings.housekeeping.keep_media_days} days after it was last added"
        yield check_finding(CheckKind.LIBRARY_UNUSED, what, remedy, place="media library")
