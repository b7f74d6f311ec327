"""Files that were renamed: a file that is gone and a new one with the same text are the same entry under another name.

Where more than one file could be meant, none is: then the new file is a new entry, and the other one is gone.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence

from sitecms.actions.loading.reading.files import ContentFile, FileKind
from sitecms.actions.loading.reading.prepared import Prepared
from sitecms.content.change import EntryKind, PostChange
from sitecms.store.database import Session
from sitecms.store.entries import entry_state, pages, posts
from sitecms.store.site_state.loaded_files import LoadedFile

_KINDS = {FileKind.POST: EntryKind.POST, FileKind.PAGE: EntryKind.PAGE}
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
    if file.kind not in _KINDS:
        return
    place = (_KINDS[file.kind], file.group)
    yield *place, file.digest
    if isinstance(new, Prepared) and isinstance(new.content, PostChange):
        post = new.content
        if (post.markdown or "").strip():
            yield *place, post.locale, post.markdown
        if post.times.published_at:
            yield *place, post.locale, post.title, post.times.published_at
        if file.dates.first:  # Git follows a renamed file
            yield *place, post.locale, post.title, file.dates.first


def _marks_of_entry(session: Session, file: LoadedFile) -> Iterator[Mark]:
    ((kind, entry_id),) = file.entries
    if not entry_state.is_there(session, kind, entry_id):
        return
    if kind == EntryKind.PAGE:
        name = pages.find_page_name(session, entry_id)
        yield EntryKind.PAGE, name[0] if name else "", file.digest
    elif kind == EntryKind.POST:
        yield EntryKind.POST, "", file.digest
        post, markdown = posts.get_post_by_id(session, entry_id), posts.find_markdown(session, entry_id)
        if (markdown or "").strip():
            yield EntryKind.POST, "", post.locale, markdown
        yield EntryKind.POST, "", post.locale, post.title, post.published_at
        if file.git_dates.first:
            yield EntryKind.POST, "", post.locale, post.title, file.git_dates.first
