"""Files that were renamed: a file that is gone and a new one with the same text are the same entry under another name.

Where more than one file could be meant, none is: then the new file is a new entry, and the other one is gone.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from sitecms.actions.loading.reading.files import ENTRY_KINDS, ContentFile
from sitecms.actions.loading.reading.prepared import Prepared
from sitecms.actions.loading.storing.entry_names import name_of
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.store.database import Session
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.site_state.loaded_files import LoadedFile

Mark = tuple[Hashable, ...]
"""Marks by which a renamed file is recognised; kind and place of its entry come first."""


def find_renamed(
    session: Session, known: Mapping[str, LoadedFile], present: frozenset[str], new: Sequence[ContentFile | Prepared]
) -> dict[str, str]:
    """Return the former path of each renamed file; `new` are the new files, those that were read with their content."""
    gone = {path: file for path, file in known.items() if path not in present and len(file.entries) == 1}
    if not gone or not new:
        return {}
    owned = {pair for path, file in known.items() if path in present for pair in file.present}
    marks_of_gone = {
        path: {*_marks_of_entry(session, file)} for path, file in gone.items() if file.entries[0] not in owned
    }
    marks_of_new = {(each if isinstance(each, ContentFile) else each.file).path: {*_marks(each)} for each in new}
    pairs = [
        (path, former)
        for path, marks in marks_of_new.items()
        for former, others in marks_of_gone.items()
        if not marks.isdisjoint(others)
    ]
    of_new, of_gone = Counter(path for path, _former in pairs), Counter(former for _path, former in pairs)
    return {path: former for path, former in pairs if of_new[path] == of_gone[former] == 1}


def _marks(new: ContentFile | Prepared) -> Iterator[Mark]:
    file = new if isinstance(new, ContentFile) else new.file
    kind = ENTRY_KINDS.get(file.kind)
    if kind is None or not KINDS[kind].has_slug:
        return
    yield kind, file.group, file.digest
    for entry in () if isinstance(new, ContentFile) else new.entries:
        if KINDS[entry.kind].has_body:
            version = entry.versions[0].change
            times = (version.times.published_at, file.dates.first)
            names = entry.kind, version.locale, entry.title
            yield from _marks_of_text(names, version.markdown, [time for time in times if time])


def _marks_of_entry(session: Session, file: LoadedFile) -> Iterator[Mark]:
    ((kind, entry_id),) = file.entries
    _kind, group, slug = name_of(session, (kind, entry_id))
    if not slug:
        return
    yield kind, group, file.digest
    if KINDS[EntryKind(kind)].has_body:
        entry, first = versions_of(session, EntryKind(kind), entry_id)[-1], file.git_dates.first
        times = [entry.published_at, *([first] if first else [])]
        yield from _marks_of_text((entry.kind, entry.locale, entry.title), entry.markdown, times)


def _marks_of_text(
    names: tuple[EntryKind, str, str], markdown: str | None, times: Iterable[datetime | int | None]
) -> Iterator[Mark]:
    """Yield the text of a post, and its title with each time; `names` are kind, locale and title."""
    kind, locale, title = names
    if (markdown or "").strip():
        yield kind, "", locale, markdown
    yield from ((kind, "", locale, title, time) for time in times)
