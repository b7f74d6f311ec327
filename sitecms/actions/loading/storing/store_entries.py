"""Storage of the entries of files: claimed by name, their fields cleaned, and saved."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sitecms.actions.item_order import is_set_in_studio, with_items_of_file
from sitecms.actions.loading.reading.bodies import BODY
from sitecms.actions.loading.reading.file_checks import removed_notes
from sitecms.actions.loading.reading.last_load import LastEntry
from sitecms.actions.loading.reading.post_front_matter import field_locator
from sitecms.actions.loading.reading.post_stream import EntryHead
from sitecms.actions.loading.reading.prepared import Prepared
from sitecms.actions.loading.reading.raw import RawEntry
from sitecms.actions.loading.report import Conflict
from sitecms.actions.loading.storing.changed_entries import WHOLE, ChangedEntries
from sitecms.actions.loading.storing.claim_entries import EntryClaims
from sitecms.actions.loading.storing.claims import AdoptionGuard, Claims, requested
from sitecms.actions.loading.storing.context import LoadContext
from sitecms.actions.loading.storing.entry_names import Pair, name_of
from sitecms.actions.references import ItemsByValues
from sitecms.actions.writing.new_entries import NewEntries
from sitecms.actions.writing.save import ADDED, SHORTENED, save_entry
from sitecms.actions.writing.save_context import SaveContext, find_original
from sitecms.clock import format_timestamp
from sitecms.content.change import Applied, EntryChange, Origin, VersionChange
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.revision import ChangeCause, ChangeSource
from sitecms.content.status import Status
from sitecms.documents import Step, locator, read_front_matter
from sitecms.store.entries import entry_state, items
from sitecms.store.entries.entry_rows import find_present
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.entries.working_copies import find_saved
from sitecms.store.site_state.loaded_files import LoadedFile

if TYPE_CHECKING:
    from sitecms.actions.loading.storing.merging import Merge


class EntryStorage:
    """Storage of the entries of one attempt; `slugs` are those of entries that have a temporary one.

    `new` are entries that wait to be stored, `guard` keeps former versions of those of other writers. `claimed` are the
    entries of each file, `undated` the published ones whose time of publication no file says, `replaced` the former
    values of edits by other writers, and `removed` notes about removed markup and order, by path.
    """

    def __init__(
        self,
        context: LoadContext,
        known: Mapping[str, LoadedFile],
        prepared: Sequence[Prepared],
        *,
        keeps_live: bool = False,
    ) -> None:
        self._context = context
        self._transaction = context.transaction
        given_ids = frozenset(
            entry.id for each in prepared for entry in each.entries if entry.id and not KINDS[entry.kind].has_slug
        )
        self.guard = AdoptionGuard(context, given_ids)
        self.claims = Claims(context, known, self.guard)
        self._saves = SaveContext(
            context.transaction, Origin.FILE, context.at, owner=context.settings.owner, schema=context.schema
        )
        self.new = NewEntries(self._saves)
        self.entry_claims = EntryClaims(context, self.claims, self.new, given_ids)
        self._by_values = ItemsByValues()
        self._ids: dict[str, tuple[int | None, ...]] = {}
        self._clean: dict[str, list[tuple[VersionChange, ...]]] = {}
        self.slugs: dict[Pair, str] = {}
        self.claimed: dict[str, tuple[Pair, ...]] = {}
        self.undated: dict[str, list[Pair]] = {}
        self.replaced: dict[str, Mapping[str, str]] = {}
        self.removed: dict[str, tuple[str, ...]] = {}
        self._kept_slugs: dict[str, str] = {}
        self.conflicts: list[Conflict] = []
        self.notes: list[str] = []
        self.changed = ChangedEntries(keeps_live)

    def keep(self, pairs: Sequence[Pair], find: Callable[[], Mapping[Pair, LastEntry]]) -> None:
        """Keep those of the entries of a file that were edited; `find` returns them as the file had them."""
        for pair in pairs:
            self.guard.keep(EntryKind(pair[0]), pair[1], find)

    def with_kept_slug(self, path: str, head: EntryHead) -> EntryHead:
        """Return the head of an entry with the slug that it was given through the API, unless the file changed it."""
        pairs = self.claims.known[path].entries if path in self.claims.known else ()
        last = self.guard.last.get(pairs[0]) if pairs else None
        slug = name_of(self._transaction, pairs[0])[2] if last else head.slug
        if last and last.entry.slug == head.slug != slug:
            self._kept_slugs[path] = slug
            return head._replace(slug=slug)
        if last and slug not in (head.slug, last.entry.slug):  # both changed it: a slug that is freed is in no history
            self.guard.copy(head.kind, pairs[0][1])
        return head

    def renamed(self, prepared: Prepared) -> Prepared:
        """Return the file, its entry with the slug that it keeps."""
        slug = self._kept_slugs.get(prepared.file.path)
        if slug is None:
            return prepared
        (entry,) = prepared.entries
        return replace(prepared, entries=(replace(entry, slug=slug),))

    def claim(self, prepared: Prepared) -> None:
        """Find or make the entries that the file means, by name alone. Raises InvalidFiles."""
        path, kind = prepared.file.path, prepared.kind
        ids = self._ids[path] = self.entry_claims.claim(prepared)
        self.claimed[path] = tuple((kind.value, entry_id) for entry_id in ids if entry_id is not None)
        for entry, entry_id in () if KINDS[kind].has_slug else zip(prepared.entries, ids, strict=True):
            for version in entry.versions:
                self._by_values.add(entry.group, entry_id or 0, dict(version.change.fields))

    def clean(self, prepared: Prepared) -> None:
        """Validate the fields of the file's entries, once their targets are claimed. Raises InvalidFiles."""
        file, schema = prepared.file, self._context.schema
        has_fields = schema.post_fields or any(entry.versions[0].change.fields for entry in prepared.entries)
        if not KINDS[prepared.kind].has_draft_version and not has_fields:
            return
        from sitecms.actions.loading.storing.field_cleaner import FieldCleaner, StoreLookup  # most posts have no fields

        lookup = StoreLookup(self._transaction, prepared.media, self._by_values, self._context.settings)
        cleaner, versions = FieldCleaner(file, schema, lookup, field_locator(file)), list[tuple[VersionChange, ...]]()
        for entry in prepared.entries:
            if not KINDS[entry.kind].has_locales:
                prepared.media.locale = entry.versions[0].change.locale
            versions.append(cleaner.versions(entry))
        cleaner.raise_errors()
        self._clean[file.path] = versions
        self.removed[file.path] = tuple(removed_notes(file, cleaner.removed))

    def save(self, prepared: Prepared) -> None:
        """Store the file's entries. Raises InvalidFiles, also where the file may not replace what it would replace."""
        path, ids = prepared.file.path, self._ids[prepared.file.path]
        stored = [entry_id for entry_id in ids if entry_id is not None]
        if self.changed.keeps_live:
            self.changed.remember(self._transaction, prepared.kind, stored)
        clean: Sequence[tuple[VersionChange, ...] | None] = self._clean.get(path) or [None] * len(prepared.entries)
        undated = self.undated[path] = list[Pair]()
        for entry, entry_id, versions in zip(prepared.entries, ids, clean, strict=True):
            change, merge = self._merged(prepared, entry, entry.change(entry_id or entry.id or 0, versions))
            applied = self._save(prepared, change)
            pair = (entry.kind.value, applied.id)
            if entry_id is None:
                self.claims.check(applied.id, requested(prepared, entry))
                self.claimed[path] = (*self.claimed[path], pair)
            if any(_is_undated(version.change) for version in entry.versions):
                undated.append(pair)
                self._note_undated(path, entry, entry_id)
            self._note_change(entry, pair, applied)
            label = "" if KINDS[entry.kind].has_slug else f"{applied.id}."
            if merge:
                self._note_merge(path, pair, (entry.place, label), merge)
                self._record_conflicts(path, change, merge)
            else:
                self._note_replaced(path, pair, {f"{label}{name}": value for name, value in applied.replaced.items()})
            self.notes += self._notes_of_post(path, entry, applied)
        if not KINDS[prepared.kind].has_slug:
            self._place(prepared, stored)

    def absent(self, path: str) -> list[Pair]:
        """Return the entries that the file listed before, does not list now, and did not leave to another file."""
        known, claimed = self.claims.known.get(path), frozenset(self.claimed.get(path, ()))
        return [
            pair
            for pair in (known.entries if known else ())
            if pair not in claimed
            and not self.claims.is_elsewhere(path, pair)
            and entry_state.is_there(self._transaction, *pair)
        ]

    def _save(self, prepared: Prepared, change: EntryChange) -> Applied:
        """Store one entry; new ones are stored together."""
        pair = (change.kind.value, change.id)
        is_named = pair in self.entry_claims.inserted
        self.entry_claims.inserted.discard(pair)
        if is_named or (not KINDS[change.kind].is_target and self._ids[prepared.file.path] == (None,)):
            return self.new.add(change, prepared.derived, is_named=is_named)
        self.new.flush()
        return save_entry(replace(self._saves, cause=ChangeCause(ChangeSource.FILE, prepared.file.path)), change)

    def _note_change(self, entry: RawEntry, pair: Pair, applied: Applied) -> None:
        """Note the versions that changed, for the events of the load."""
        if applied.changed:
            self.changed.save(pair, applied.replaced)
        if pair in self.claims.renamed:
            self.changed.save(pair, {WHOLE: entry.slug})

    def _note_replaced(self, path: str, pair: Pair, values: Mapping[str, str]) -> None:
        """Record what was replaced in an entry that was edited through the API, or belonged to another writer.

        Raises InvalidFiles if the file may not replace it.
        """
        replaced = {
            name: value
            for name, value in values.items()
            if ADDED not in name and name != f"{pair[1]}.deleted"  # neither replaces a value that a person wrote
        }
        self.guard.check(pair, replaced)
        slug = {"slug": self.slugs[pair]} if pair in self.slugs else {}
        if not self.guard.was_edited(pair):
            return
        if replaced or slug:
            self.replaced[path] = {**self.replaced.get(path, {}), **replaced, **slug}
            self.guard.note_changed(path, pair)
        else:
            entry_state.set_origin(self._transaction, EntryKind(pair[0]), pair[1], Origin.FILE)

    def _merged(self, prepared: Prepared, entry: RawEntry, change: EntryChange) -> "tuple[EntryChange, Merge | None]":
        """Return the change merged with what was edited through the API since the last load, if it was."""
        pair = (entry.kind.value, change.id)
        last = self.guard.last.get(pair)
        if last is None or self.guard.is_requested(pair):
            return change, None
        from sitecms.actions.loading.storing.merge_entries import EntryMerger  # most loads merge nothing

        change, merge = EntryMerger(self._context, self._by_values).merge(last, prepared, entry, change)
        fields = {conflict.field for conflict in merge.conflicts}
        if not KINDS[entry.kind].has_body and fields & {"path", "aliases"}:  # which their histories do not have
            self.guard.copy(entry.kind, pair[1])
        return change, merge

    def _note_merge(self, path: str, pair: Pair, at: tuple[Sequence[Step], str], merge: "Merge") -> None:
        """Record what was merged; `at` is the place of the entry in its file, and its label.

        An entry that is not as its file says stays one of the API.
        """
        kind, entry_id, (place, label) = EntryKind(pair[0]), pair[1], at
        kept = [f"{label}{name}" for name in merge.kept] + ["slug"] * (path in self._kept_slugs)
        for each in merge.conflicts:
            value, former = (str(text)[:SHORTENED] for text in (each.value, each.former))
            line = _line_of(self._context.settings.folder / path, place, each.field)
            self.conflicts.append(Conflict(path, kind, entry_id, f"{label}{each.field}", value, former, line))
        if kept:
            edited = f"of the {kind} {entry_id} as edited in the studio or through the API"
            self.notes.append(f"{path}: keeps {', '.join(dict.fromkeys(kept))} {edited}")
        if self.guard.was_edited(pair):
            self.guard.note_changed(path, pair)
        entry_state.set_origin(self._transaction, kind, entry_id, Origin.API if kept else Origin.FILE)

    def _record_conflicts(self, path: str, change: EntryChange, merge: "Merge") -> None:
        if merge.conflicts:
            from sitecms.actions.loading.storing.conflict_records import record_conflicts  # most loads have none

            record_conflicts(self._context, path, change, merge.conflicts)

    def _note_undated(self, path: str, entry: RawEntry, entry_id: int | None) -> None:
        if KINDS[entry.kind].is_dated:
            published_at = VERSIONS[EntryKind.POST].get(self._transaction, entry_id).published_at if entry_id else None
            date = format_timestamp(published_at or self._context.at)
            self.notes.append(f"{path}: has no date, and a clone would have another one (add published: {date})")

    def _notes_of_post(self, path: str, entry: RawEntry, applied: Applied) -> Iterator[str]:
        """Yield notes if the original has another slug, and if a user has unpublished changes of what was changed."""
        if slug := entry.translation_of:
            original = find_original(self._transaction, slug, entry.versions[0].change.locale)
            now = find_present(self._transaction, entry.kind, original or 0)
            if now and now.slug != slug:
                yield f"{path}: translation_of names {slug}, which has the slug {now.slug} now (write that)"
        is_changed = KINDS[entry.kind].has_body and applied.replaced and not applied.created
        for name, saved_at in find_saved(self._transaction, applied.id) if is_changed else ():
            stays = "the draft stays, and publishing it replaces the file's values of the same fields"
            yield f"{path}: {name} saved a draft of this post in the studio on {saved_at:%Y-%m-%d}; {stays}"

    def _place(self, prepared: Prepared, ids: Sequence[int]) -> None:
        """Keep the order of the file; entries that changed places among those it had before count as changed.

        Those that it no longer lists come last, like those of requests, unless another file has them. An order that was
        set in the studio stays, unless the file has another one than when it was last loaded.
        """
        path, kind, claims = prepared.file.path, prepared.kind.value, self.claims
        before, absent = claims.earlier(path), claims.absent(path)
        listed = [each for each in before if each not in absent]
        here, there, former = set(ids), set(before), set(listed)
        places = items.places_of(self._transaction, prepared.file.group)
        others = [each for each in places if each not in here | former and not claims.is_elsewhere(path, (kind, each))]
        last = [each for each in listed if each not in here and not claims.is_elsewhere(path, (kind, each))]
        order = ids
        if is_set_in_studio(places, listed, others):
            stayed = [each for each in ids if each in former]
            if stayed in ([each for each in some if each in here & former] for some in (listed, places)):
                order = with_items_of_file(list(places), former, ids)
            else:
                last += others
                shown = ", ".join(map(str, places))
                note = f"{path}: its order of items replaces the one set in the studio ({shown})"
                self.removed[path] = (*self.removed[path], note)
        if items.place_items(self._transaction, order):
            self.changed.is_shown = True
        items.place_last(self._transaction, last)
        for old, new in zip(
            (each for each in before if each in here), (each for each in ids if each in there), strict=True
        ):
            if old != new:
                self.changed.save((kind, new), {WHOLE: ""})


def _is_undated(version: VersionChange) -> bool:
    return version.status is Status.PUBLISHED and version.times.published_at is None


def _line_of(file: Path, place: Sequence[Step], field: str) -> int | None:
    """Return the line of a file that says a field, as `title` or `en.fields.name`; None if no line does."""
    *around, name = field.split(".")
    if name == BODY and file.suffix == ".md":
        return read_front_matter(file).body_line
    locate = locator(file)
    ways = ((*around[1:], *around[:1], name), (*around[1:], name), (*around, name), (name,))
    return max((line for way in ways if (line := locate((*place, *way)))), default=None)
