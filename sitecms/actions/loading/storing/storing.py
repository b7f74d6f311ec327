"""Storage of prepared files in one transaction: each file completely, or nothing of it.

Entries that references can name are inserted by name alone first, so that files may refer to each other in any order,
cycles included. If a file turns out to be invalid, everything is undone and done again without it, so that nothing
depends on it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from sitecms.actions.loading.reading.files import TERM_KINDS, ContentFile, FileKind
from sitecms.actions.loading.reading.last_load import LastLoad
from sitecms.actions.loading.reading.media_import import MediaImport
from sitecms.actions.loading.reading.post_stream import EntryHead, PostStream
from sitecms.actions.loading.reading.prepare_media import DescribedMedia
from sitecms.actions.loading.reading.prepared import InvalidFile, Prepared
from sitecms.actions.loading.report import FormerVersion
from sitecms.actions.loading.storing.archives import StoredArchives, store_authors, unlisted_authors
from sitecms.actions.loading.storing.changed_entries import hears_of_events
from sitecms.actions.loading.storing.clashes import PathGuard, PathsUnknown
from sitecms.actions.loading.storing.context import LoadContext
from sitecms.actions.loading.storing.entry_names import Pair, entry_with
from sitecms.actions.loading.storing.freed_names import detach_translations, free_slugs, heads_of, reserve_given_ids
from sitecms.actions.loading.storing.media_details import store_details
from sitecms.actions.loading.storing.missing_files import GoneEntries
from sitecms.actions.loading.storing.renamed_files import find_renamed
from sitecms.actions.loading.storing.store_entries import EntryStorage
from sitecms.content.author import Author
from sitecms.content.kinds import KINDS
from sitecms.content.term import Term
from sitecms.documents import locator
from sitecms.errors import FileError, InvalidFields, InvalidFiles
from sitecms.store.entries import media_files
from sitecms.store.entries.terms import save_terms
from sitecms.store.site_state import loaded_files
from sitecms.store.site_state.loaded_files import LoadedFile, dates_json, loaded_file


class _Invalid(Exception):
    """Ends an attempt in which files turned out to be invalid, and undoes it."""


class Storing:
    """Writes of one load; collects what was loaded and replaced, errors and notes."""

    def __init__(self, context: LoadContext, known: Mapping[str, LoadedFile]) -> None:
        self._context = context
        self._transaction = context.transaction
        self.known = known
        self._gone = tuple(path for path in known if path not in context.present)
        self._renamed: list[str] = []
        self.errors: list[FileError] = []
        self._unreadable: set[str] = set()
        self._last = LastLoad(self._transaction, context.reading)
        self._has_listeners = hears_of_events(self._transaction)
        self._begin(())
        self._paths = PathGuard(context.transaction, context.schema, context.settings, self._owner_of)

    def _begin(self, prepared: Sequence[Prepared]) -> None:
        """Forget the last attempt."""
        self.entries = EntryStorage(self._context, self.known, prepared, keeps_live=self._has_listeners)
        self.notes = self.entries.notes
        self.notes += self._renamed
        self.replaced = self.entries.replaced
        self._remembered: dict[str, LoadedFile] = {}
        self._texts: dict[str, str] = {}
        self._yielding: dict[Pair, str] = {}
        self.loaded: list[str] = []
        self.former: tuple[FormerVersion, ...] = ()
        self._authors = StoredArchives(is_changed=False)

    def follow_renames(self, prepared: Sequence[Prepared], stream: PostStream | None = None) -> None:
        """Let files that were renamed keep their entries; call it before `files`."""
        new: list[ContentFile | Prepared] = [each for each in prepared if each.file.path not in self.known]
        new += [file for file in (stream.files if stream else ()) if file.path not in self.known]
        renamed = find_renamed(self._transaction, self.known, self._context.present, new)
        if renamed:
            known = dict(self.known)
            for path, former in renamed.items():
                known[path] = known.pop(former)._replace(path=path, digest="", stamp="")
                loaded_files.rename_loaded_file(self._transaction, former, known[path])
                self._renamed.append(f"{path}: is {former} under another name, so it stays the same entry")
            self.known = known
            self._gone = tuple(path for path in known if path not in self._context.present)

    def media(self, source: MediaImport) -> None:
        """Remember the files taken into the library."""
        for media in source.new.values():
            media_files.save_media(self._transaction, media)

    def files(self, prepared: Sequence[Prepared], stream: PostStream | None = None) -> None:
        """Store all valid files."""
        sound, is_done = list(prepared), False
        while not is_done:
            invalid: set[str] = set()
            try:
                with self._transaction.savepoint():
                    self._begin(sound)
                    self._store_all(sound, stream, invalid)
                    if not invalid:
                        self._hold_back(invalid)
                    if invalid:
                        raise _Invalid
            except PathsUnknown:  # the store is as before the load again
                self._paths.look()
                stream = stream and stream.without(self._unreadable)
            except _Invalid:
                sound = [each for each in sound if each.file.path not in invalid]
                stream = stream and stream.without(invalid | self._unreadable)
            else:
                is_done = True

    def _store_all(self, prepared: list[Prepared], stream: PostStream | None, invalid: set[str]) -> None:
        """Store names of pages and items, authors and terms, posts, and last the fields of pages and items."""

        def attempt(each: Prepared, *steps: Callable[[Prepared], None]) -> None:
            try:
                for step in steps if each.file.path not in invalid else ():
                    step(each)
            except (InvalidFiles, InvalidFields) as error:
                self.errors += _errors(each, error)
                invalid.add(each.file.path)

        heads, entries = self._free_names(prepared, stream), self.entries
        prepared = list(map(entries.renamed, prepared))
        targets = [each for each in prepared if each.has_entries and KINDS[each.kind].is_target]
        others = [each for each in prepared if each.has_entries and not KINDS[each.kind].is_target]
        for each in targets:
            entries.entry_claims.release(each)
        for each in targets:
            attempt(each, entries.claim)
        for each in prepared:
            if not each.has_entries:
                attempt(each, self._store_listed)
        for each in sorted(others, key=_is_translation):
            attempt(each, entries.clean, entries.claim, entries.save)
        read: dict[str, Prepared] = {}
        for each in self._read(stream, heads, invalid) if stream else ():
            attempt(each, entries.clean, entries.claim, entries.save)
            read[each.file.path] = replace(each, entries=(), derived=None)
        entries.new.flush()
        for step in (entries.clean, entries.save):
            for each in targets:
                attempt(each, step)
        entries.new.flush()
        streamed = [read[file.path] for file in (stream.files if stream else ()) if file.path in read]
        for each in (*prepared, *streamed):
            if each.file.path not in invalid:
                self._remember(each)
                removed = entries.removed.get(each.file.path, ())
                self.notes += (*dict.fromkeys((*each.notes, *each.media.notes)), *removed)
        loaded_files.save_loaded_files(self._transaction, tuple(self._remembered.values()))
        loaded_files.save_loaded_texts(self._transaction, self._texts)
        self.former = entries.guard.finish()
        self._check_authors(invalid)

    def _hold_back(self, invalid: set[str]) -> None:
        """Hold the files back whose entries came to the path of another one. Raises PathsUnknown."""
        claimed, slugs = self.entries.claimed, self.entries.slugs
        owned = {pair for pairs in claimed.values() for pair in pairs}
        gone = {pair: path for path in self._gone for pair in self.known[path].entries if pair not in owned}
        self._yielding = {
            pair: self._owner_of(entry_with(self._transaction, pair, slug))
            for pair, slug in slugs.items()
            if pair in gone
        }
        errors = self._paths.check(claimed, gone, self._yielding)
        self.errors += errors
        invalid.update(error.file for error in errors)

    def _owner_of(self, pair: Pair) -> str:
        return self.entries.claims.owner_of(pair)

    def _free_names(self, prepared: list[Prepared], stream: PostStream | None) -> dict[str, EntryHead]:
        """Reserve the ids that files give, keep copies of edited entries, and free names.

        Return the heads of the stream.
        """
        streamed = dict[str, EntryHead]()
        if stream:
            is_change = bool(self._gone) or any(file.path in self.known for file in stream.files)
            streamed = stream.heads(all_matter=is_change)
        heads = {**heads_of(prepared), **streamed}
        reserve_given_ids(self._transaction, heads)
        files = {file.path: file for file in (stream.files if streamed and stream else ())}
        files |= {each.file.path: each.file for each in prepared}
        for path in files.keys() & self.known.keys():
            find = partial(self._last.find, files[path], self.known[path])
            self.entries.keep(self.known[path].entries, find)
        heads = {path: self.entries.with_kept_slug(path, head) for path, head in heads.items()}
        self.entries.slugs |= free_slugs(self._transaction, heads, self.known, frozenset(self._gone))
        detach_translations(self._transaction, heads, self.known)
        return streamed

    def _read(self, stream: PostStream, heads: Mapping[str, EntryHead], invalid: set[str]) -> Iterator[Prepared]:
        """Yield the posts of the stream, translations after their originals.

        A file with errors counts as invalid, as if it were not there, if names were freed for the posts of this load.
        """
        in_turn = sorted(stream.files, key=lambda file: file.path in heads and heads[file.path].is_translation)
        for read in stream.read(in_turn):
            path = read.file.path
            if isinstance(read, InvalidFile):
                self.errors += read.errors
                self._unreadable.add(path)
                if heads:
                    invalid.add(path)
            else:
                yield self.entries.renamed(read)

    def _check_authors(self, invalid: set[str]) -> None:
        """Report authors that are no longer listed and have posts still."""
        folder, authors = self._context.settings.folder, self._authors
        for problem in unlisted_authors(self._transaction, folder, authors.gone, authors.new):
            if isinstance(problem, FileError):
                self.errors.append(problem)
                invalid.add(problem.file)
            else:
                self.notes.append(problem)

    def gone(self) -> GoneEntries:
        """Return the entries that the files of the folder no longer have."""
        known = {**self.known, **self._remembered}
        return GoneEntries(self._context, known, self._gone, self.entries, self._yielding)

    def _store_listed(self, prepared: Prepared) -> None:
        """Store authors, terms or media."""
        kind, listed, changed = prepared.file.kind, prepared.listed, self.entries.changed
        if kind is FileKind.AUTHORS:
            authors = [each for each in listed if isinstance(each, Author)]
            stored = store_authors(self._transaction, self._context.settings, authors)
            changed.is_shown |= stored.is_changed
            self.notes += stored.notes
            self._authors = stored
        elif kind in TERM_KINDS:
            terms = [each for each in listed if isinstance(each, Term)]
            changed.is_shown |= save_terms(self._transaction, TERM_KINDS[kind], terms)
        before = self.known.get(prepared.file.path) if kind is FileKind.MEDIA else None
        stamps = before.media.values() if before else ()
        described = [each for each in listed if isinstance(each, DescribedMedia)]
        media = store_details(self._transaction, described, frozenset(stamp.name for stamp in stamps))
        changed.is_shown |= media.is_changed
        self.replaced |= {prepared.file.path: media.replaced} if media.replaced else {}

    def _remember(self, prepared: Prepared) -> None:
        """Record the file as loaded."""
        file, entries = prepared.file, self.entries
        absent, at = entries.absent(file.path), self._context.at
        pairs, used = entries.claimed.get(file.path, ()), prepared.media.used
        row = loaded_file(file.path, file.digest, file.context, pairs, used, at, file.stamp, absent)
        dates = dates_json(file.dates, entries.undated.get(file.path, ()))
        self._remembered[file.path] = row._replace(dates_json=dates)
        self._texts |= {file.path: prepared.packed} if prepared.packed else {}
        self.loaded.append(file.path)


def _is_translation(prepared: Prepared) -> bool:
    return any(entry.translation_of for entry in prepared.entries)


def _errors(prepared: Prepared, error: InvalidFiles | InvalidFields) -> Iterator[FileError]:
    if isinstance(error, InvalidFiles):
        yield from error.errors
        return
    locate = locator(prepared.file.file)
    for name, texts in error.messages.items():
        yield FileError(prepared.file.path, name, " ".join(texts), line=locate((name,)))
