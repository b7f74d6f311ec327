"""Lists of what entries share: authors, categories, tags, and what people say of media files."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import asdict

from sitecms.actions.exporting.entry_files import author_facts, media_facts, term_facts
from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.prepare_media import DescribedMedia
from sitecms.actions.syncing.edits import Edit, NotWritten, Plan, read_bytes
from sitecms.actions.syncing.media_places import place_media
from sitecms.actions.syncing.site_files import CHANGED, SiteFiles
from sitecms.content.author import AUTHORS_FILE, Author
from sitecms.content.media import DETAILS_FILE, NO_DETAILS, MediaDetails
from sitecms.content.term import TERM_FILES, Term, TermKind, name_key
from sitecms.content.text.media_links import MEDIA_FOLDER
from sitecms.documents import read_yaml
from sitecms.documents.comparison import apply_changes
from sitecms.documents.rewriting import rewrite_file, rewrite_yaml
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.authors import find_authors
from sitecms.store.entries.media_files import find_media, forget_media, save_loaded_details, uploaded_or_described_media
from sitecms.store.entries.terms import find_terms, save_terms, stored_terms
from sitecms.store.maintenance.media_usage import find_places
from sitecms.store.site_state.documents import load_deleted_media, save_deleted_media
from sitecms.store.site_state.file_changes import ListKind
from sitecms.store.site_state.loaded_files import FileLink, LoadedFile, MediaStamp, find_loaded_file

_PATHS = {
    ListKind.AUTHORS: AUTHORS_FILE,
    ListKind.CATEGORIES: TERM_FILES[TermKind.CATEGORY],
    ListKind.TAGS: TERM_FILES[TermKind.TAG],
    ListKind.MEDIA: DETAILS_FILE,
}
_TERMS = {ListKind.CATEGORIES: TermKind.CATEGORY, ListKind.TAGS: TermKind.TAG}
_BY = ("slug", "email", "name", "file")
"""The keys by which an entry is found again, in this order."""
Facts = dict[str, Any]
Used = Mapping[str, MediaStamp | FileLink]


def plan_list(site: SiteFiles, session: Session, kind: ListKind) -> Plan:
    """Return the edit that makes a list say what the store has."""
    match kind:
        case ListKind.AUTHORS:
            return _plan_authors(site, session)
        case ListKind.MEDIA:
            return _plan_media(site, session)
    return _plan_terms(site, session, kind)


def _plan_authors(site: SiteFiles, session: Session) -> Plan:
    stored = find_authors(session, as_listed=True)
    loaded, file = _file(site, session, AUTHORS_FILE)
    texts = [each.profile_image for each in stored]
    media = place_media(session, site.folder, texts, loaded)
    old: list[Facts] = []
    if file is not None:
        listed = site.read(session, file, loaded, texts).listed
        old = [author_facts(author, media) for author in listed if isinstance(author, Author)]
    new = [author_facts(author, media) for author in stored]
    edit = _edit(site, session, AUTHORS_FILE, file, old, new)

    def used(session: Session, file: ContentFile) -> Used:
        return site.read(session, file, loaded, texts).media.used

    return Plan((edit,), media.copies(), row=partial(_row, site, AUTHORS_FILE, loaded, used))


def _plan_terms(site: SiteFiles, session: Session, kind: ListKind) -> Plan:
    """Plan the terms that the file lists, and those whose slug was chosen: that of others follows from their name."""
    path = _PATHS[kind]
    loaded, file = _file(site, session, path)
    read = site.read(session, file, loaded, ()).listed if file else ()
    listed = [term for term in read if isinstance(term, Term)]
    there = {name_key(term.name) for term in listed} | {term.slug for term in listed if term.slug}
    bases = {term.slug: term.base for term in stored_terms(session, _TERMS[kind])}
    written = {name_key(term.name): term for term in listed}
    old = [_without_empty(term_facts(term)) for term in listed]
    new = []
    for term in find_terms(session, _TERMS[kind], as_listed=True):
        base, same = bases[term.slug], written.get(name_key(term.name))
        if base and not same and term.slug not in there:
            continue
        facts = term_facts(term)
        if same and not same.slug and base:
            del facts["slug"]
        new.append(facts)
    edit = _edit(site, session, path, file, old, new)

    def finish(transaction: Transaction) -> None:
        """Give the terms the places that they have in the file, as a load does."""
        now = site.find(path, loaded)
        found = site.read(transaction, now, loaded, ()).listed if now else ()
        save_terms(transaction, _TERMS[kind], [term for term in found if isinstance(term, Term)])

    return Plan((edit,), row=partial(_row, site, path, loaded, lambda _session, _file: {}), finish=finish)


def _without_empty(facts: Facts) -> Facts:
    return {key: value for key, value in facts.items() if value not in ("", [])}


def _plan_media(site: SiteFiles, session: Session) -> Plan:
    """Plan the media files that users uploaded or people describe; a deleted upload loses its file in `media/`."""
    loaded, file = _file(site, session, DETAILS_FILE)
    kept, deleted = uploaded_or_described_media(session), load_deleted_media(session)

    def read(session: Session, file: ContentFile) -> tuple[tuple[DescribedMedia, ...], Used]:
        found = site.read(session, file, loaded, [*kept])
        return tuple(each for each in found.listed if isinstance(each, DescribedMedia)), found.media.used

    listed: tuple[DescribedMedia, ...] = ()
    if file is not None:
        listed = read(session, file)[0]
    names = {each.file.name for each in listed}
    known = find_media(session, sorted({*kept, *names}))
    gone = {name for name in deleted if not find_places(session, name, 1, but_listed=True)}
    unlisted = [name for name in kept if name not in names | gone]
    media = place_media(session, site.folder, [known[name].url for name in unlisted], loaded)
    old = [media_facts(each.address, _details(each)) for each in listed]
    new, removals = [], list[Edit]()
    for each in listed:
        name = each.file.name
        if name in gone:
            is_ours = deleted[name] and each.address.startswith(MEDIA_FOLDER)
            removals += [Edit(each.address, read_bytes(site.folder / each.address), None)] if is_ours else []
        elif name not in known:
            _check_unchanged(loaded, each)
        elif (details := known[name].details) != NO_DETAILS or details == _details(each) or kept.get(name):
            new.append(media_facts(each.address, details))
    new += [media_facts(media.address(known[name].url), known[name].details) for name in unlisted]
    edit = _edit(site, session, DETAILS_FILE, file, old, new)

    def finish(transaction: Transaction) -> None:
        now = site.find(DETAILS_FILE, loaded)
        for each in read(transaction, now)[0] if now else ():
            save_loaded_details(transaction, each.file.name, each.given)
        for name in gone:  # a load may have taken it in again meanwhile
            forget_media(transaction, name)
        left = {name: was for name, was in load_deleted_media(transaction).items() if name not in deleted}
        save_deleted_media(transaction, left)

    row = partial(_row, site, DETAILS_FILE, loaded, lambda session, file: read(session, file)[1])
    return Plan((edit, *removals), media.copies(), keep_as="media" if removals else "", row=row, finish=finish)


def _check_unchanged(loaded: LoadedFile | None, listed: DescribedMedia) -> None:
    """Raise NotWritten for a picture that is not the one that was loaded."""
    stamp = loaded.media.get(listed.address) if loaded else None
    if stamp is None or stamp.name != listed.file.name:
        raise NotWritten(CHANGED.format(path=listed.address))


def _details(described: DescribedMedia) -> MediaDetails:
    """Return what the file says, and the default for what it does not say."""
    return MediaDetails(**{**asdict(NO_DETAILS), **described.given})


def _file(site: SiteFiles, session: Session, path: str) -> tuple[LoadedFile | None, ContentFile | None]:
    loaded = find_loaded_file(session, path)
    return loaded, site.current(loaded) if loaded else None


def _edit(
    site: SiteFiles, session: Session, path: str, file: ContentFile | None, old: Sequence[Facts], new: Sequence[Facts]
) -> Edit:
    """Return the edit of a list from the old entries, which it says, to the new ones."""
    if file is None:
        before = site.check_free(session, path)
        after = rewrite_yaml("", list(new)).encode() if new else None
        return Edit(path, before, before if before is not None else after)
    before = file.file.read_bytes()
    written: Any = read_yaml(file.file, path) or []
    left = list(new)
    matches = _matches(old, left)
    entries = [
        apply_changes(entry, before_entry, match)
        for entry, before_entry, match in zip(written, old, matches, strict=True)
        if match is not None
    ]
    entries += [facts for facts in left if not any(facts is match for match in matches)]
    return Edit(path, before, rewrite_file(path, before, entries))


def _matches(old: Sequence[Facts], new: Sequence[Facts]) -> list[Facts | None]:
    """Return for each old entry the new one that it became, None for one that is gone."""
    matches: list[Facts | None] = [None] * len(old)
    for key in _BY:
        for number, entry in enumerate(old):
            if matches[number] is None and entry.get(key):
                free = (each for each in new if not any(each is match for match in matches))
                value = name_key(str(entry[key]))
                matches[number] = next((each for each in free if name_key(str(each.get(key, ""))) == value), None)
    gone = [number for number, match in enumerate(matches) if match is None]
    left = [each for each in new if not any(each is match for match in matches)]
    if len(gone) == len(left) == 1:  # it has another slug and another name
        matches[gone[0]] = left[0]
    return matches


def _row(
    site: SiteFiles,
    path: str,
    loaded: LoadedFile | None,
    used: Callable[[Session, ContentFile], Used],
    session: Session,
) -> LoadedFile | None:
    file = site.find(path, loaded)
    return site.record(path, loaded, (), used(session, file)) if file else None
