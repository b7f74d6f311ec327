"""Posts and pages in files of their own: one, or one Markdown file for each locale.

A file is read as a load does; where it says something else than the store, it is changed.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from sitecms.actions.exporting.entry_files import FormerPaths, drafts_over, file_name, path_of
from sitecms.actions.loading.reading.files import ContentFile, page_name
from sitecms.actions.syncing.edits import Edit, NotWritten, Plan, removed_files
from sitecms.actions.syncing.entry_merge import EntryMerge
from sitecms.actions.syncing.media_places import place_media
from sitecms.actions.syncing.site_files import SiteFiles
from sitecms.actions.syncing.whole_entries import WholeEntry, entries_in_file, stored_entries, variants_of
from sitecms.actions.syncing.written_form import new_text
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS, EntryKind, declared_fields
from sitecms.content.permalink import day_of
from sitecms.content.schema import FieldSpec
from sitecms.documents import read_front_matter, read_yaml
from sitecms.documents.rewriting import rewrite_file, rewrite_yaml
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_rows import find_identity, find_named
from sitecms.store.site_state.file_changes import note_file_change
from sitecms.store.site_state.loaded_files import LoadedFile, file_of_entry

_NOWHERE = "it is in no locale of the site"


def plan_entry(site: SiteFiles, session: Session, kind: EntryKind, entry_id: int) -> Plan:
    """Return the edits that make the files of an entry say what the store has; those that go are kept for a restore."""
    loaded, keep_as = file_of_entry(session, kind, entry_id), f"{kind}-{entry_id}"
    file = site.current(loaded) if loaded else None
    identity = find_identity(session, kind, entry_id)
    if identity is None or identity.deleted_at is not None:
        paths = (file.path, *file.variants) if file else ()
        edits = tuple(Edit(path, (site.folder / path).read_bytes(), None) for path in paths)
        others = partial(_note_translations, site, kind, entry_id, identity.group_id) if identity else None
        return Plan(edits, keep_as=keep_as, gone=loaded.path if loaded else "", note_others=others)
    try:
        specs = declared_fields(site.schema, kind, identity.type, identity.slug or "")
    except NotFound:
        raise NotWritten(f"the {KINDS[kind].type_label} {identity.type} is not declared") from None
    stored = stored_entries(session, site, kind, (entry_id,))[entry_id]
    entry = replace(stored, versions=tuple(_with_former_paths(site, session, stored.versions)))
    if loaded is None or file is None:
        return _addition(site, session, entry, specs, keep_as)
    return _change(site, session, entry, specs, loaded, file)


def _note_translations(
    site: SiteFiles, kind: EntryKind, entry_id: int, group_id: int | None, transaction: Transaction
) -> None:
    """Note the other entries of a locale group: their files name the slug of the original."""
    for each in variants_of(transaction, site, kind, group_id or 0):
        if each != entry_id:
            note_file_change(transaction, kind, each)


def _with_former_paths(site: SiteFiles, session: Session, versions: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the versions with their former addresses as aliases, but those that another entry has now."""
    former, first = FormerPaths(session, site.settings, versions), versions[0]

    def is_free(path: str) -> bool:
        name = path.strip("/").rpartition("/")[2]
        return find_named(session, first.kind, first.type, name) in (None, first.id)

    return (former.of(version, is_free) for version in versions)


def _addition(site: SiteFiles, session: Session, entry: WholeEntry, specs: Sequence[FieldSpec], keep_as: str) -> Plan:
    """Return the plan that gives an entry files: those that it had before it was deleted, else a new one."""
    kept = removed_files(site.settings.state_dir, keep_as)
    media = place_media(session, site.folder, entry.texts, None)
    merge = EntryMerge(site, media, specs, entry)
    files = kept or dict([_new_file(merge)])
    edits = []
    for path, data in files.items():
        there = site.check_free(session, path)
        edits.append(Edit(path, there, data if there is None else there))

    def finish(transaction: Transaction) -> None:
        if kept:  # they say what they said before the deletion
            note_file_change(transaction, entry.first.kind, entry.first.id)

    return replace(_plan(merge, edits, next(iter(files)), None), finish=finish)


def _new_file(merge: EntryMerge) -> tuple[str, bytes]:
    """Return path and bytes of the file of a new entry."""
    site, first = merge.site, merge.new.first
    if KINDS[first.kind].has_body:
        path = path_of(first, site.settings.default_locale, _name_of(site, first))
        return path, new_text(*merge.new_text_file(first.locale))
    if not merge.in_locales():
        raise NotWritten(_NOWHERE)
    return path_of(first, site.settings.default_locale), rewrite_yaml("", merge.new_entry()).encode()


def _name_of(site: SiteFiles, entry: Entry) -> str:
    """Return the name of the file of a new entry with a text, as site.toml forms it."""
    day = day_of(entry.published_at or entry.created_at, site.settings.timezone)
    name = site.settings.files.names
    for key, text in (("year", f"{day:%Y}"), ("month", f"{day:%m}"), ("day", f"{day:%d}")):
        name = name.replace(f"{{{key}}}", text)
    return name.replace("{slug}", file_name(entry.slug))


def _change(
    site: SiteFiles,
    session: Session,
    entry: WholeEntry,
    specs: Sequence[FieldSpec],
    loaded: LoadedFile,
    file: ContentFile,
) -> Plan:
    """Return the plan that changes the files of an entry where they say something else."""
    entry_id = entry.first.id
    old = entries_in_file(session, site, file, loaded, {entry_id: entry}, {entry_id: 0})[0][entry_id]
    media = place_media(session, site.folder, [*entry.texts, *old.texts], loaded)
    merge = EntryMerge(site, media, specs, entry, old)
    places, known = dict(old.locales), {code for codes in old.locales.values() for code in codes}
    for code in (code for code in merge.in_locales() if merge.codes and code not in known):
        path = _sibling(site, file.path, code) if file.path.endswith(".md") else file.path
        places[path] = (*places.get(path, ()), code)
    edits = []
    for path, locales in places.items():
        before = (site.folder / path).read_bytes() if path in old.locales else site.check_free(session, path)
        edits.append(Edit(path, before, _changed_file(merge, path, before, locales, is_part=len(places) > 1)))
    left = [edit.path for edit in edits if edit.after is not None]
    if not left:
        raise NotWritten(_NOWHERE)
    main = file.path if file.path in left else left[0]
    return replace(_plan(merge, edits, main, loaded), gone=file.path if main != file.path else "")


def _sibling(site: SiteFiles, path: str, locale: str) -> str:
    """Return the path of the Markdown file of a page in another locale."""
    stem, _own = page_name(path, site.settings.locales)
    return f"{path.rpartition('/')[0]}/{stem}.{locale}.md"


def _changed_file(
    merge: EntryMerge, path: str, before: bytes | None, locales: Sequence[str], *, is_part: bool
) -> bytes | None:
    """Return the new bytes of a file, which has these locales of an entry; None if the entry is in none of them."""
    if not merge.in_locales(locales):
        return None
    if before is None:
        return new_text(*merge.new_text_file(locales[0], is_part=True))
    file = merge.site.folder / path
    if not path.endswith(".md"):
        written: Any = read_yaml(file, path)
        return rewrite_file(path, before, *merge.merged(written, None, locales))
    front = read_front_matter(file, path)
    return rewrite_file(path, before, *merge.merged(front.data, front.body, locales, is_part=is_part))


def _plan(merge: EntryMerge, edits: Sequence[Edit], path: str, loaded: LoadedFile | None) -> Plan:
    """Return the plan of edits of the files of an entry, whose record is under this path."""
    site, first, old = merge.site, merge.new.first, merge.old
    others = partial(_note_translations, site, first.kind, first.id, first.group_id)
    return Plan(
        tuple(edits),
        merge.media.copies(),
        f"{first.kind}-{first.id}",
        row=partial(_row, site, path, loaded, merge.new),
        note_others=others if old is None or old.first.slug != first.slug else None,
        with_drafts=frozenset({first.id} if drafts_over(merge.new.versions, merge.codes) else ()),
    )


def _row(
    site: SiteFiles, path: str, loaded: LoadedFile | None, entry: WholeEntry, session: Session
) -> LoadedFile | None:
    file, first = site.find(path, loaded), entry.first
    if file is None:
        return None
    _found, used = entries_in_file(session, site, file, loaded, {first.id: entry}, {first.id: 0})
    return site.record(file.path, loaded, ((first.kind.value, first.id),), used)
