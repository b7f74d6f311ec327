"""Storage of prepared files in one transaction: each file completely, or nothing of it.

Pages and items are inserted by name alone first, so that files may refer to each other in any order, cycles included.
If a file turns out to be invalid, everything is undone and done again without it, so that nothing depends on it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from msgspec.structs import asdict, replace

from sitecms.actions.loading.reading.files import TERM_KINDS, ContentFile, FileKind
from sitecms.actions.loading.reading.media_import import MediaImport
from sitecms.actions.loading.reading.post_stream import PostHead, PostStream
from sitecms.actions.loading.reading.prepare_media import DescribedMedia
from sitecms.actions.loading.reading.prepared import InvalidFile, Prepared
from sitecms.actions.loading.reading.raw import RawItems, RawPage
from sitecms.actions.loading.report import FormerVersion
from sitecms.actions.loading.storing.archives import store_authors
from sitecms.actions.loading.storing.changed_entries import WHOLE, ChangedEntries
from sitecms.actions.loading.storing.claims import AdoptionGuard, Claims, Pair, check_post_id, claim_post, draft_notes
from sitecms.actions.loading.storing.clashes import PathGuard, PathsUnknown
from sitecms.actions.loading.storing.freed_names import detach_translations, entry_with, free_slugs, heads_of, names_of
from sitecms.actions.loading.storing.missing_files import GoneEntries
from sitecms.actions.loading.storing.renamed_files import find_renamed
from sitecms.actions.writing.new_posts import DerivedTexts, NewPosts
from sitecms.actions.writing.save import SaveContext, find_original, save_entry
from sitecms.clock import format_timestamp
from sitecms.content.author import Author
from sitecms.content.change import Applied, EntryKind, Origin, PostChange
from sitecms.content.media import NO_DETAILS
from sitecms.content.revision import ChangeCause, ChangeSource
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.term import Term
from sitecms.documents import Step, locator
from sitecms.errors import FileError, InvalidFields, InvalidFiles
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Transaction
from sitecms.store.entries import entry_state, media_files, posts
from sitecms.store.entries.terms import save_terms
from sitecms.store.entries.version_changes import ADDED
from sitecms.store.site_state import loaded_files
from sitecms.store.site_state.last_ids import reserve_ids
from sitecms.store.site_state.loaded_files import FileLink, LoadedFile, MediaStamp, dates_json, loaded_file
from sitecms.store.writes.webhooks import all_webhooks

if TYPE_CHECKING:
    from sitecms.actions.loading.storing.store_named import NamedEntries

Pairs: TypeAlias = tuple[Pair, ...]


class _Invalid(Exception):
    """Ends an attempt in which files turned out to be invalid, and undoes it."""


class _StoredFile(NamedTuple):
    """The record of a file that is stored."""

    file: ContentFile
    used: Mapping[str, MediaStamp | FileLink]
    notes: tuple[str, ...]


class Storing:
    """Writes of one load; collects what was loaded and replaced, errors and notes.

    With `prune`, entries of files that are gone are deleted.
    """

    def __init__(
        self,
        transaction: Transaction,
        settings: SiteSettings,
        schema: ContentSchema,
        known: Mapping[str, LoadedFile],
        present: frozenset[str],
        at: datetime,
        *,
        prune: bool = False,
        adopt: bool = False,
    ) -> None:
        self._transaction = transaction
        self._settings = settings
        self._schema = schema
        self.known = known
        self._present = present
        self._gone = tuple(path for path in known if path not in present)
        self._prune = prune
        self._adopt = adopt
        self._at = at.replace(microsecond=0)  # the date of posts without one, which their files can give
        self._context = SaveContext(transaction, Origin.FILE, self._at, owner=settings.owner, schema=schema)
        self._has_webhooks = bool(all_webhooks(transaction))
        self._renamed: list[str] = []
        self._begin(())
        self.errors: list[FileError] = []
        self._unreadable: set[str] = set()
        self._paths = PathGuard(transaction, schema, settings, self._owner_of)

    def _begin(self, prepared: Sequence[Prepared]) -> None:
        """Forget the last attempt."""
        contents = [each.content for each in prepared]
        given = frozenset(item.id for raw in contents if isinstance(raw, RawItems) for item in raw.items if item.id)
        self._guard = AdoptionGuard(self._transaction, self._at, given, adopt=self._adopt)
        self._claims = Claims(self.known, self._present, self._guard, given, prune=self._prune)
        self._claimed: dict[str, Pairs] = {}
        self._undated: dict[str, Pairs] = {}
        self._remembered: dict[str, LoadedFile] = {}
        self._slugs: dict[tuple[str, int], str] = {}
        self._yielding: dict[Pair, str] = {}
        self.loaded: list[str] = []
        self.notes: list[str] = [*self._renamed]
        self.replaced: dict[str, Mapping[str, str]] = {}
        self.changed = ChangedEntries(keeps_live=self._has_webhooks)
        self.former: tuple[FormerVersion, ...] = ()
        self._named_entries: NamedEntries | None = None
        self._new = NewPosts(self._context)

    def follow_renames(self, prepared: Sequence[Prepared], stream: PostStream | None = None) -> None:
        """Let files that were renamed keep their entries; call it before `files`."""
        new: list[ContentFile | Prepared] = [each for each in prepared if each.file.path not in self.known]
        new += [file for file in (stream.files if stream else ()) if file.path not in self.known]
        renamed = find_renamed(self._transaction, self.known, self._present, new)
        if renamed:
            known = dict(self.known)
            for path, former in renamed.items():
                known[path] = known.pop(former)._replace(path=path, digest="", stamp="")
                loaded_files.delete_loaded_file(self._transaction, former)
                loaded_files.save_loaded_file(self._transaction, known[path])
                self._renamed.append(f"{path}: is {former} under another name, so it stays the same entry")
            self.known = known
            self._gone = tuple(path for path in known if path not in self._present)

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

        def attempt(each: Prepared, step: Callable[[Prepared], None]) -> None:
            if each.file.path in invalid:
                return
            try:
                step(each)
            except (InvalidFiles, InvalidFields) as error:
                self.errors += _errors(each, error)
                invalid.add(each.file.path)

        heads = self._free_names(prepared, stream)
        in_turn = sorted(prepared, key=_storing_order)
        plain = [each for each in in_turn if not isinstance(each.content, RawPage | RawItems)]
        last = in_turn[len(plain) :]
        named = self._named_entries = self._named(prepared) if last or self._schema.post_fields else None
        if named:
            for each in last:
                attempt(each, partial(self._claim, named))
        for each in plain:
            attempt(each, self._store_plain)
        read: dict[str, _StoredFile] = {}
        for each in self._read(stream, heads, invalid) if stream else ():
            attempt(each, self._store_plain)
            read[each.file.path] = _StoredFile(each.file, each.media.used, each.notes)
        self._new.flush()
        if named:
            for step in (named.clean, partial(self._store_fields, named)):
                for each in last:
                    attempt(each, step)
        noted = [
            _StoredFile(each.file, each.media.used, tuple(dict.fromkeys((*each.notes, *each.media.notes))))
            for each in prepared
        ]
        noted += [read[file.path] for file in (stream.files if stream else ()) if file.path in read]
        for note in noted:
            if note.file.path not in invalid:
                self._remember(note)
                self.notes += (*note.notes, *(named.notes.get(note.file.path, ()) if named else ()))
        loaded_files.save_loaded_files(self._transaction, tuple(self._remembered.values()))
        self.former = self._guard.finish()

    def _hold_back(self, invalid: set[str]) -> None:
        """Hold the files back whose entries came to the path of another one. Raises PathsUnknown."""
        owned = {pair for pairs in self._claimed.values() for pair in pairs}
        gone = {pair: path for path in self._gone for pair in self.known[path].entries if pair not in owned}
        self._yielding = {
            pair: self._owner_of(entry_with(self._transaction, pair, slug))
            for pair, slug in self._slugs.items()
            if pair in gone
        }
        errors = self._paths.check(self._claimed, gone, self._yielding)
        self.errors += errors
        invalid.update(error.file for error in errors)

    def _owner_of(self, pair: Pair) -> str:
        return self._claims.owner_of(pair)

    def _free_names(self, prepared: list[Prepared], stream: PostStream | None) -> dict[str, PostHead]:
        """Reserve the ids that files give, keep copies of edited entries, and free names; return the posts' heads."""
        heads = heads_of(prepared)
        if stream:
            is_change = bool(self._gone) or any(file.path in self.known for file in stream.files)
            heads |= stream.heads(all_matter=is_change)
        posts.reserve_ids(self._transaction, [head.id for head in heads.values()])
        page_ids = [each.content.id or 0 for each in prepared if isinstance(each.content, RawPage)]
        reserve_ids(self._transaction, EntryKind.PAGE.value, page_ids)
        for path in ({each.file.path for each in prepared} | heads.keys()) & self.known.keys():
            for kind, key in self.known[path].entries:
                self._guard.keep(EntryKind(kind), key)
        gone = frozenset(self._gone)
        self._slugs |= free_slugs(self._transaction, names_of(prepared, heads), self.known, gone)
        detach_translations(self._transaction, heads, self._claims)
        return heads

    def _read(self, stream: PostStream, heads: Mapping[str, PostHead], invalid: set[str]) -> Iterator[Prepared]:
        """Yield the posts of the stream, translations after their originals.

        A file with errors counts as invalid, as if it were not there, if names were freed for the posts of this load.
        """
        for found in stream.read(sorted(stream.files, key=lambda file: _is_translation(heads.get(file.path)))):
            path = found.file.path
            if isinstance(found, InvalidFile):
                self.errors += found.errors
                self._unreadable.add(path)
                if heads:
                    invalid.add(path)
            else:
                yield found

    def gone(self) -> GoneEntries:
        """Return the entries that the files of the folder no longer have."""
        owned = {pair for pairs in self._claimed.values() for pair in pairs}
        known = {**self.known, **self._remembered}
        return GoneEntries(
            self._transaction,
            known,
            self._gone,
            owned,
            self._slugs,
            self._yielding,
            self._at,
            self.changed,
            self._prune,
        )

    def _named(self, prepared: Sequence[Prepared]) -> "NamedEntries":
        """Prepare pages and items; what they need is imported here, since most loads have none."""
        from sitecms.actions.loading.storing.store_named import NamedEntries

        named = NamedEntries(self._transaction, self._settings, self._schema, self._claims, self._at, self.changed)
        for each in prepared:
            named.release(each)
        return named

    def _claim(self, named: "NamedEntries", prepared: Prepared) -> None:
        self._claimed[prepared.file.path] = named.claim(prepared)

    def _store_fields(self, named: "NamedEntries", prepared: Prepared) -> None:
        for pair, replaced in named.store(prepared):
            self._note(prepared.file.path, pair, replaced)

    def _store_plain(self, prepared: Prepared) -> None:
        """Store a post, authors or terms."""
        content = prepared.content
        if isinstance(content, PostChange):
            self._store_post(prepared, content)
        elif not isinstance(content, RawPage | RawItems):
            kind = prepared.file.kind
            if kind is FileKind.AUTHORS:
                self._store_authors([each for each in content if isinstance(each, Author)])
            elif kind in TERM_KINDS:
                listed = [each for each in content if isinstance(each, Term)]
                self.changed.is_shown |= save_terms(self._transaction, TERM_KINDS[kind], listed)
            media = store_details(self._transaction, [each for each in content if isinstance(each, DescribedMedia)])
            self.changed.is_shown |= media.is_changed
            self.replaced |= {prepared.file.path: media.replaced} if media.replaced else {}

    def _store_authors(self, listed: Sequence[Author]) -> None:
        stored = store_authors(self._transaction, self._settings, listed)
        self.changed.is_shown |= stored.is_changed
        self.notes += stored.notes

    def _store_post(self, prepared: Prepared, change: PostChange) -> None:
        path, locate = prepared.file.path, partial(_locate, prepared.file)
        if self._schema.post_fields and self._named_entries:
            change = self._named_entries.clean_post(prepared, change)
        post_id = claim_post(self._transaction, path, change, self._claims, self._new, locate)
        check_post_id(self._transaction, path, change, post_id, self._new, locate)
        applied = self._save_post(path, change, post_id, prepared.derived)
        self._claims.check(path, EntryKind.POST, applied.id, "slug", change.slug)
        self._claimed[path] = ((EntryKind.POST.value, applied.id),)
        if change.status is Status.PUBLISHED and change.times.published_at is None:
            self._undated[path] = self._claimed[path]
            self._note_undated(path, post_id)
        if applied.changed:
            self.changed.save(self._claimed[path][0], {WHOLE: ""})
        self._note(path, self._claimed[path][0], applied.replaced)
        self._note_renamed_original(path, change)
        self.notes += draft_notes(self._transaction, path, applied)

    def _save_post(self, path: str, change: PostChange, post_id: int | None, derived: DerivedTexts | None) -> Applied:
        if post_id is None:
            return Applied(self._new.add(change, derived), created=True)
        self._new.flush()
        context = replace(self._context, cause=ChangeCause(ChangeSource.FILE, path))
        return save_entry(context, replace(change, id=post_id))

    def _note_renamed_original(self, path: str, change: PostChange) -> None:
        named = change.translation_of
        original = find_original(self._transaction, named, change.locale) if named else None
        if original and (slug := posts.find_slug(self._transaction, original)) not in (None, named):
            self.notes.append(f"{path}: translation_of names {named}, which has the slug {slug} now (write that)")

    def _note_undated(self, path: str, post_id: int | None) -> None:
        published_at = posts.get_post_by_id(self._transaction, post_id).published_at if post_id else None
        written = format_timestamp(published_at or self._at)
        self.notes.append(f"{path}: has no date, and a clone would have another one (add published: {written})")

    def _note(self, path: str, pair: tuple[str, int], replaced: Mapping[str, str]) -> None:
        """Record what was replaced in an entry that was edited through the API, or belonged to another writer.

        Raises InvalidFiles if the file may not replace it.
        """
        replaced = {
            name: value
            for name, value in replaced.items()
            if ADDED not in name and name != f"{pair[1]}.deleted"  # neither replaces a value that a person wrote
        }
        self._guard.check(pair, replaced)
        slug = {"slug": self._slugs[pair]} if pair in self._slugs else {}
        if not self._guard.was_edited(pair):
            return
        if replaced or slug:
            self.replaced[path] = {**self.replaced.get(path, {}), **replaced, **slug}
            self._guard.note_changed(path, pair)
        else:
            entry_state.set_origin(self._transaction, EntryKind(pair[0]), pair[1], Origin.FILE)

    def _remember(self, noted: _StoredFile) -> None:
        file, pairs = noted.file, self._claimed.get(noted.file.path, ())
        row = loaded_file(
            file.path, file.digest, file.context, pairs, noted.used, self._at, file.stamp, self._absent(file.path)
        )
        undated = self._undated.get(file.path) or (
            self._named_entries.undated(file.path) if self._named_entries else ()
        )
        self._remembered[file.path] = row._replace(dates_json=dates_json(file.dates, undated))
        self.loaded.append(file.path)

    def _absent(self, path: str) -> list[tuple[str, int]]:
        """Return the items that the file listed before, does not list now, and did not leave to another file."""
        claims, claimed = self._claims, self._claimed.get(path, ())
        pairs = [(EntryKind.ITEM.value, item_id) for item_id in claims.earlier(path, EntryKind.ITEM)]
        return [
            pair
            for pair in pairs
            if pair not in claimed
            and not claims.is_elsewhere(path, EntryKind.ITEM, pair[1])
            and entry_state.is_there(self._transaction, *pair)
        ]


def _is_translation(head: PostHead | None) -> bool:
    return head is not None and head.is_translation


def _locate(file: ContentFile, steps: Sequence[Step]) -> int | None:
    """Return the line of a place in the file, which errors alone need."""
    return locator(file.file)(steps)


def _storing_order(prepared: Prepared) -> int:
    """Return the sort key: authors and terms first, translations after their originals, pages and items last."""
    content = prepared.content
    if isinstance(content, PostChange):
        return 2 if content.translation_of else 1
    return 3 if isinstance(content, RawPage | RawItems) else 0


def _errors(prepared: Prepared, error: InvalidFiles | InvalidFields) -> Iterator[FileError]:
    if isinstance(error, InvalidFiles):
        yield from error.errors
        return
    locate = locator(prepared.file.file)
    for name, texts in error.messages.items():
        yield FileError(prepared.file.path, name, " ".join(texts), line=locate((name,)))


class StoredDetails(NamedTuple):
    """The result of storing entries: whether anything changed, and the former values of edits that were replaced."""

    is_changed: bool
    replaced: Mapping[str, str]


def store_details(transaction: Transaction, described: Sequence[DescribedMedia]) -> StoredDetails:
    """Store the alt texts and focal points that content/media.yaml has changed since it was last loaded.

    Other values stay as the store has them, so that an edit made in the studio is kept.
    """
    each = [_store(transaction, one) for one in described]
    replaced = {name: value for stored in each for name, value in stored.replaced.items()}
    return StoredDetails(any(stored.is_changed for stored in each), replaced)


def _store(transaction: Transaction, described: DescribedMedia) -> StoredDetails:
    name, given = described.file.name, described.given
    media_files.save_media(transaction, described.file)
    before = media_files.find_media(transaction, [name])[name].details
    loaded = media_files.find_loaded_details(transaction, name)
    changed: dict[str, Any] = {key: value for key, value in given.items() if loaded.get(key) != value}
    after = replace(before, **changed)
    if loaded != given:
        media_files.save_loaded_details(transaction, name, given)
    if after == before:
        return StoredDetails(is_changed=False, replaced={})
    media_files.save_details(transaction, name, after)
    known, new = {**asdict(NO_DETAILS), **loaded}, asdict(after)
    edits = {key: value for key, value in asdict(before).items() if value not in (known[key], new[key])}
    replaced = {f"{described.address}: {key}": str(value) for key, value in edits.items()}
    return StoredDetails(is_changed=True, replaced=replaced)
