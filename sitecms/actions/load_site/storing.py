"""Prepared files into the store, in one transaction: each file whole, or nothing of it.

Pages and items are first put in by name alone, so that files may refer to each other in any order, cycles included.
Where a file turns out faulty all is undone and done again without it, so that nothing rests on what was not stored.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias

from sitecms.actions.delete_entry import delete_entry
from sitecms.actions.load_site.claims import Claims, check_post_id, claim_items, claim_page, claim_post, release_items
from sitecms.actions.load_site.lookup import ItemsByValues, StoreLookup
from sitecms.actions.load_site.media_import import MediaImport
from sitecms.actions.load_site.prepare_entries import RawItems, RawPage
from sitecms.actions.load_site.prepared import Prepared
from sitecms.actions.load_site.store_entries import FieldCleaner, clean_items, clean_page
from sitecms.actions.save_page import save_page
from sitecms.actions.save_post import save_post
from sitecms.content.author import Author
from sitecms.content.schema import ContentSchema
from sitecms.content.write import EntryKind, ItemChange, Origin, PageChange, PostChange
from sitecms.documents import locator
from sitecms.errors import Fault, InvalidFields, InvalidFiles
from sitecms.settings import SiteSettings
from sitecms.store import authors, entries, items, loaded_files, media_files, pages, posts, taxonomy
from sitecms.store.database import Transaction
from sitecms.store.loaded_files import LoadedFile

Pairs: TypeAlias = tuple[tuple[str, int], ...]
Name: TypeAlias = tuple[str, str, str]
"""Kind, page type and slug of a post or page."""


class _Faulty(Exception):
    """Ends an attempt in which files turned out faulty, and undoes it."""


class Storing:
    """One load's writes; gathers what was loaded, what was replaced, what was wrong and what is to be noted.

    `gone` are the known files that are no longer there; with `prune` their entries go with them.
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
    ) -> None:
        self._transaction = transaction
        self._settings = settings
        self._schema = schema
        self._known = known
        self._present = present
        self._gone = tuple(path for path in known if path not in present)
        self._prune = prune
        self._at = at
        self._begin(())
        self.faults: list[Fault] = []

    def _begin(self, prepared: Sequence[Prepared]) -> None:
        """Forget the last attempt."""
        contents = [each.content for each in prepared]
        given = frozenset(item.id for raw in contents if isinstance(raw, RawItems) for item in raw.items if item.id)
        self._claims = Claims(self._known, self._present, given)
        self._wheres = ItemsByValues()
        self._claimed: dict[str, Pairs] = {}
        self._changes: dict[str, PageChange | tuple[ItemChange, ...]] = {}
        self._slugs: dict[tuple[str, int], str] = {}
        paths = {*self._gone, *(each.file.path for each in prepared)} & self._known.keys()
        self._edited = {pair for path in paths for pair in self._known[path].entries if self._was_edited(pair)}
        self.loaded: list[str] = []
        self.notes: list[str] = []
        self.replaced: dict[str, dict[str, str]] = {}

    def media(self, source: MediaImport) -> None:
        """Remember the files taken into the library."""
        for media in source.new.values():
            media_files.save_media(self._transaction, media)

    def files(self, prepared: Sequence[Prepared]) -> None:
        """Store all files that are sound."""
        sound, is_done = list(prepared), False
        while not is_done:
            faulty: set[str] = set()
            try:
                with self._transaction.savepoint():
                    self._begin(sound)
                    self._store_all(sound, faulty)
                    if faulty:
                        raise _Faulty
            except _Faulty:
                sound = [each for each in sound if each.file.path not in faulty]
            else:
                is_done = True

    def _store_all(self, prepared: Sequence[Prepared], faulty: set[str]) -> None:
        """Authors and terms, posts, then names of pages and items, and last what these hold."""

        def attempt(each: Prepared, step: Callable[[Prepared], None]) -> None:
            if each.file.path in faulty:
                return
            try:
                step(each)
            except (InvalidFiles, InvalidFields) as error:
                self.faults += _faults(each, error)
                faulty.add(each.file.path)

        in_turn = sorted(prepared, key=_turn)
        posts.reserve_ids(
            self._transaction, [each.content.id or 0 for each in prepared if isinstance(each.content, PostChange)]
        )
        self._park_slugs(prepared)
        self._park_locales(prepared)
        for each in prepared:
            if isinstance(each.content, RawItems):
                collection = self._schema.collection(each.file.group)
                release_items(self._transaction, each.file.path, collection, each.content, self._claims)
        named = [each for each in in_turn if isinstance(each.content, RawPage | RawItems)]
        for each in in_turn:
            attempt(each, self._claim if isinstance(each.content, RawPage | RawItems) else self._store_plain)
        for step in (self._clean, self._store_fields):
            for each in named:
                attempt(each, step)
        for each in prepared:
            if each.file.path not in faulty:
                self._remember(each)
                self.notes += each.notes

    def gone(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Files that are no longer there: (those whose entries stay, those whose entries were deleted).

        A file that was only moved is neither: its entries belong to the new file now. Authors and terms always stay.
        """
        owned = {pair for pairs in self._claimed.values() for pair in pairs}
        owned |= {pair for path, file in self._known.items() if path not in self._gone for pair in file.entries}
        vanished, pruned = [], []
        for path in self._gone:
            held = self._known[path].entries
            left = [pair for pair in held if pair not in owned and entries.is_there(self._transaction, *pair)]
            is_told = bool(left) or not held
            if is_told and not self._prune:
                vanished.append(path)
                continue
            for kind, key in left:
                delete_entry(self._transaction, EntryKind(kind), key, self._at)
                if (kind, key) in self._slugs:
                    self._rename((kind, key), self._slugs[kind, key])  # in the trash it takes nobody's place
            loaded_files.forget_loaded_file(self._transaction, path)
            if is_told:
                pruned.append(path)
        return tuple(vanished), tuple(pruned)

    def _claim(self, prepared: Prepared) -> None:
        """Find or make the entries that the file means, by name alone."""
        file, content = prepared.file, prepared.content
        if isinstance(content, RawPage):
            page_id = claim_page(self._transaction, file.path, file.group or None, content, self._claims, self._at)
            self._claimed[file.path] = ((EntryKind.PAGE.value, page_id),)
        elif isinstance(content, RawItems):
            collection = self._schema.collection(file.group)
            limit = self._settings.limits.collection_items
            ids = claim_items(self._transaction, file.path, collection, content, self._claims, self._at, limit)
            self._claimed[file.path] = tuple((EntryKind.ITEM.value, item_id) for item_id in ids)
            for item_id, item in zip(ids, content.items, strict=True):
                for version in item.versions:
                    self._wheres.add(file.group, item_id, dict(version.fields))

    def _clean(self, prepared: Prepared) -> None:
        """Check what the file's entries hold."""
        file, content = prepared.file, prepared.content
        ids = [key for _kind, key in self._claimed[file.path]]
        lookup = StoreLookup(self._transaction, prepared.media, self._wheres)
        if isinstance(content, RawPage):
            cleaner = FieldCleaner(file.path, self._schema, lookup, content.locate, self._at)
            self._changes[file.path] = clean_page(ids[0], file.group or None, content, cleaner, self._schema)
        elif isinstance(content, RawItems):
            cleaner = FieldCleaner(file.path, self._schema, lookup, content.locate, self._at)
            self._changes[file.path] = clean_items(ids, file.group, content, cleaner, self._schema)

    def _store_fields(self, prepared: Prepared) -> None:
        """Store what the file's entries hold."""
        path, change = prepared.file.path, self._changes[prepared.file.path]
        if isinstance(change, PageChange):
            found = save_page(self._transaction, change, self._schema, origin=Origin.FILE, at=self._at)
            self._note(path, (EntryKind.PAGE.value, change.id), found)
            return
        for each in change:
            found = items.save_item(self._transaction, each, Origin.FILE, self._at)
            pair = (EntryKind.ITEM.value, each.id)
            self._note(path, pair, {f"{each.id}.{name}": value for name, value in found.items()})
        kept = {each.id for each in change}
        for item_id in self._claims.earlier(path, EntryKind.ITEM):
            pair = (EntryKind.ITEM.value, item_id)
            is_moved = self._claims.is_elsewhere(path, EntryKind.ITEM, item_id)
            if item_id not in kept and not is_moved and entries.is_there(self._transaction, *pair):
                delete_entry(self._transaction, EntryKind.ITEM, item_id, self._at)
                self._note(path, pair, {str(item_id): "removed"})

    def _store_plain(self, prepared: Prepared) -> None:
        """Store a post, authors or terms."""
        content = prepared.content
        if isinstance(content, PostChange):
            self._store_post(prepared, content)
        elif not isinstance(content, RawPage | RawItems):
            for each in content:
                if isinstance(each, Author):
                    authors.save_author(self._transaction, each)
                else:
                    taxonomy.save_term(self._transaction, each)

    def _store_post(self, prepared: Prepared, change: PostChange) -> None:
        path, locate = prepared.file.path, locator(prepared.file.file)
        post_id = claim_post(self._transaction, path, change, self._claims, locate)
        check_post_id(self._transaction, path, change, post_id, locate)
        applied = save_post(
            self._transaction,
            replace(change, id=post_id),
            owner=self._settings.owner,
            origin=Origin.FILE,
            at=self._at,
            new_id=change.id,
        )
        self._claims.check(path, EntryKind.POST, applied.id, "slug", change.slug)
        self._claimed[path] = ((EntryKind.POST.value, applied.id),)
        self._note(path, self._claimed[path][0], applied.replaced)
        self._note_move(path, self._slugs.get(self._claimed[path][0]) or applied.replaced.get("slug", ""), change.slug)

    def _note_move(self, path: str, old_slug: str, slug: str) -> None:
        if old_slug not in ("", slug):
            self.notes.append(f"{path}: moved from {old_slug} to {slug} (slug: {old_slug} keeps the old address)")

    def _note(self, path: str, pair: tuple[str, int], replaced: Mapping[str, str]) -> None:
        """Remember what was replaced of an entry that a request had edited."""
        slug = {"slug": self._slugs[pair]} if pair in self._slugs else {}
        if pair in self._edited and (replaced or slug):
            self.replaced[path] = {**self.replaced.get(path, {}), **replaced, **slug}

    def _was_edited(self, pair: tuple[str, int]) -> bool:
        """Whether a request wrote the entry since its file was loaded."""
        return entries.origin_of(self._transaction, *pair) == Origin.API.value

    def _remember(self, prepared: Prepared) -> None:
        file = prepared.file
        pairs, used = self._claimed.get(file.path, ()), prepared.media.used
        row = LoadedFile(file.path, file.digest, file.context, pairs, used, self._at, file.stamp)
        loaded_files.save_loaded_file(self._transaction, row)
        self.loaded.append(file.path)

    def _park_slugs(self, prepared: Sequence[Prepared]) -> None:
        """Free the slugs that entries give up in this load, so that two can trade theirs."""
        for pair, slug in self._given_up(prepared):
            self._slugs[pair] = slug
            self._rename(pair, f"~{pair[1]}")

    def _park_locales(self, prepared: Sequence[Prepared]) -> None:
        """Take translations that change their locale out of their group meanwhile, so that two can trade theirs."""
        for each in prepared:
            content = each.content
            for post_id in self._claims.earlier(each.file.path, EntryKind.POST):
                place = posts.find_group(self._transaction, post_id)
                if isinstance(content, PostChange) and place and post_id != place[0] and content.locale != place[1]:
                    posts.update_post(self._transaction, post_id, {"group_id": post_id})

    def _rename(self, pair: tuple[str, int], slug: str) -> None:
        kind, entry_id = pair
        if kind == EntryKind.POST:
            posts.update_post(self._transaction, entry_id, {"slug": slug})
        else:
            pages.rename_page(self._transaction, entry_id, slug, Origin.FILE)

    def _given_up(self, prepared: Sequence[Prepared]) -> Iterator[tuple[tuple[str, int], str]]:
        """Entries with a slug that a file of this load wants and their own gives up; with prune, is gone with."""
        names = {each.file.path: _name(each) for each in prepared}
        wanted = set(names.values())
        taken_over = {name for path, name in names.items() if path not in self._known}
        for path in self._known if wanted else ():
            is_gone = self._prune and path in self._gone
            for kind, entry_id in self._known[path].entries if path in names or is_gone else ():
                name = self._stored_name(kind, entry_id)
                if name in wanted and name != names.get(path) and not (is_gone and name in taken_over):
                    yield (kind, entry_id), name[2]

    def _stored_name(self, kind: str, entry_id: int) -> Name:
        if kind == EntryKind.POST:
            return kind, "", posts.find_slug(self._transaction, entry_id) or ""
        found = pages.find_page_name(self._transaction, entry_id) if kind == EntryKind.PAGE else None
        return (kind, *found) if found else (kind, "", "")


def _name(prepared: Prepared) -> Name:
    """What must be unique of a post or page; slug "" for anything else."""
    content = prepared.content
    if isinstance(content, PostChange):
        return EntryKind.POST.value, "", content.slug
    if isinstance(content, RawPage):
        return EntryKind.PAGE.value, prepared.file.group, content.slug
    return "", "", ""


def _turn(prepared: Prepared) -> int:
    """Authors and terms come first, translations after their originals, pages and items last."""
    content = prepared.content
    if isinstance(content, PostChange):
        return 2 if content.translation_of else 1
    return 3 if isinstance(content, RawPage | RawItems) else 0


def _faults(prepared: Prepared, error: InvalidFiles | InvalidFields) -> Iterator[Fault]:
    if isinstance(error, InvalidFiles):
        yield from error.faults
        return
    locate = locator(prepared.file.file)
    for name, texts in error.messages.items():
        yield Fault(prepared.file.path, name, " ".join(texts), line=locate((name,)))
