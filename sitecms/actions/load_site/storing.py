"""Prepared files into the store, in one transaction: each file whole, or nothing of it.

Pages and items are first put in by name alone, so that files may refer to each other in any order, cycles included.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sitecms.actions.delete_entry import delete_entry
from sitecms.actions.load_site.claims import Claims, claim_items, claim_page, claim_post
from sitecms.actions.load_site.files import FileKind
from sitecms.actions.load_site.lookup import ItemsByValues, StoreLookup
from sitecms.actions.load_site.media_import import MediaImport
from sitecms.actions.load_site.prepare_entries import RawItems, RawPage
from sitecms.actions.load_site.prepared import Prepared
from sitecms.actions.load_site.store_entries import FieldCleaner, store_items, store_page
from sitecms.actions.save_post import save_post
from sitecms.content.author import Author
from sitecms.content.schema import ContentSchema
from sitecms.content.term import Term
from sitecms.content.write import EntryKind, Origin, PostChange
from sitecms.documents import locator
from sitecms.errors import Fault, InvalidFields, InvalidFiles
from sitecms.settings import SiteSettings
from sitecms.store import authors, entries, items, loaded_files, media_files, pages, posts, taxonomy
from sitecms.store.database import Transaction
from sitecms.store.loaded_files import LoadedFile

Pairs = tuple[tuple[str, int], ...]


class Storing:
    """One load's writes; gathers what was loaded, what was replaced and what was wrong."""

    def __init__(
        self,
        transaction: Transaction,
        settings: SiteSettings,
        schema: ContentSchema,
        known: Mapping[str, LoadedFile],
        present: frozenset[str],
        at: datetime,
    ) -> None:
        self._transaction = transaction
        self._settings = settings
        self._schema = schema
        self._known = known
        self._at = at
        self._claims = Claims(known, present)
        self._wheres = ItemsByValues()
        self._claimed: dict[str, Pairs] = {}
        self._new: dict[str, Pairs] = {}
        self._parked: dict[int, str] = {}
        self.loaded: list[str] = []
        self.replaced: dict[str, dict[str, str]] = {}
        self.faults: list[Fault] = []

    def media(self, source: MediaImport) -> None:
        """Remember the files taken into the library."""
        for media in source.new.values():
            media_files.save_media(self._transaction, media)

    def files(self, prepared: Sequence[Prepared]) -> None:
        """Store all files: authors and terms, then names of pages and items, then what all entries hold."""
        by_name = [each for each in prepared if each.file.kind in (FileKind.ITEMS, FileKind.PAGE)]
        named = [each for each in by_name if self._attempt(each, self._claim)]
        post_files = [each for each in prepared if each.file.kind is FileKind.POST]
        post_files.sort(key=lambda each: isinstance(each.content, PostChange) and bool(each.content.translation_of))
        self._park_slugs(post_files)
        first = [each for each in prepared if each.file.kind not in (FileKind.ITEMS, FileKind.PAGE, FileKind.POST)]
        for each in (*first, *post_files, *named):
            if self._attempt(each, self._store):
                self._remember(each)
            else:
                self._forget(each)
        self._unpark_slugs()

    def gone(self, paths: Sequence[str], *, prune: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Files that are no longer there: (those whose entries stay, those whose entries were deleted).

        A file that was only moved is neither: its entries belong to the new file now.
        """
        owned = {pair for pairs in self._claimed.values() for pair in pairs}
        owned |= {pair for path, file in self._known.items() if path not in paths for pair in file.entries}
        vanished, pruned = [], []
        for path in paths:
            left = [pair for pair in self._known[path].entries if pair not in owned]
            left = [pair for pair in left if entries.is_there(self._transaction, *pair)]
            if left and not prune:
                vanished.append(path)
                continue
            for kind, key in left:
                delete_entry(self._transaction, EntryKind(kind), key, self._at)
            loaded_files.forget_loaded_file(self._transaction, path)
            if left:
                pruned.append(path)
        return tuple(vanished), tuple(pruned)

    def _attempt(self, prepared: Prepared, step: Callable[[Prepared], None]) -> bool:
        """Carry out a step for one file; if the file turns out faulty, nothing of the step stays."""
        try:
            with self._transaction.savepoint():
                step(prepared)
        except InvalidFiles as error:
            self.faults += error.faults
        except InvalidFields as error:
            locate = locator(prepared.file.file)
            for name, texts in error.messages.items():
                fault = Fault(prepared.file.path, name, " ".join(texts), line=locate((name,)))
                self.faults.append(fault)
        else:
            return True
        return False

    def _claim(self, prepared: Prepared) -> None:
        """Find or make the entries that the file means, by name alone."""
        file, content = prepared.file, prepared.content
        if isinstance(content, RawPage):
            page_type = file.group or None
            page_id, is_new = claim_page(self._transaction, file.path, page_type, content, self._claims, self._at)
            self._claimed[file.path] = ((EntryKind.PAGE.value, page_id),)
            self._new[file.path] = self._claimed[file.path] if is_new else ()
        elif isinstance(content, RawItems):
            collection = self._schema.collection(file.group)
            ids, new = claim_items(self._transaction, file.path, collection, content, self._claims, self._at)
            self._claimed[file.path] = tuple((EntryKind.ITEM.value, item_id) for item_id in ids)
            self._new[file.path] = tuple((EntryKind.ITEM.value, item_id) for item_id in new)
            for item_id, item in zip(ids, content.items, strict=True):
                for version in item.versions:
                    self._wheres.add(file.group, item_id, dict(version.fields))

    def _store(self, prepared: Prepared) -> None:
        """Store what the file's entries hold."""
        path, content = prepared.file.path, prepared.content
        if isinstance(content, PostChange):
            self._store_post(path, content)
        elif isinstance(content, RawPage | RawItems):
            self._store_fields(prepared, content)
        else:
            self._store_terms(content)

    def _store_terms(self, content: tuple[Author, ...] | tuple[Term, ...]) -> None:
        for each in content:
            if isinstance(each, Author):
                authors.save_author(self._transaction, each)
            else:
                taxonomy.save_term(self._transaction, each)

    def _store_post(self, path: str, change: PostChange) -> None:
        post_id = claim_post(self._transaction, path, change, self._claims)
        edited = post_id is not None and self._was_edited(EntryKind.POST.value, post_id)
        applied = save_post(
            self._transaction,
            replace(change, id=post_id),
            owner=self._settings.owner,
            origin=Origin.FILE,
            at=self._at,
        )
        self._claims.check(path, EntryKind.POST, applied.id, "slug", change.slug)
        self._claimed[path] = ((EntryKind.POST.value, applied.id),)
        if edited and applied.replaced:
            self.replaced[path] = dict(applied.replaced)

    def _store_fields(self, prepared: Prepared, content: RawPage | RawItems) -> None:
        file, pairs = prepared.file, self._claimed[prepared.file.path]
        edited = any(self._was_edited(*pair) for pair in pairs)
        lookup = StoreLookup(self._transaction, prepared.media, self._wheres)
        cleaner = FieldCleaner(file.path, self._schema, lookup, content.locate)
        if isinstance(content, RawPage):
            specs = self._schema.page_fields(file.group or None)
            page_id, page_type = pairs[0][1], file.group or None
            replaced = store_page(self._transaction, page_id, page_type, content, cleaner, specs, self._at)
        else:
            specs = self._schema.collection(file.group).fields
            ids = [key for _kind, key in pairs]
            replaced = store_items(self._transaction, ids, file.group, content, cleaner, specs, self._at)
            for item_id in set(self._claims.earlier(file.path, EntryKind.ITEM)) - set(ids):
                items.delete_item(self._transaction, item_id, self._at)
                replaced[str(item_id)] = "removed"
        if edited and replaced:
            self.replaced[file.path] = replaced

    def _was_edited(self, kind: str, entry_id: int) -> bool:
        """Whether a request wrote the entry since its file was loaded."""
        return entries.origin_of(self._transaction, kind, entry_id) == Origin.API.value

    def _remember(self, prepared: Prepared) -> None:
        file = prepared.file
        pairs, used = self._claimed.get(file.path, ()), prepared.media.used
        row = LoadedFile(file.path, file.digest, file.context, pairs, used, self._at)
        loaded_files.save_loaded_file(self._transaction, row)
        self.loaded.append(file.path)

    def _forget(self, prepared: Prepared) -> None:
        """Take back the entries that were made for a faulty file by name alone."""
        for kind, key in self._new.get(prepared.file.path, ()):
            forget = pages.forget_page if kind == EntryKind.PAGE.value else items.forget_item
            forget(self._transaction, key)
        self._claimed.pop(prepared.file.path, None)

    def _park_slugs(self, post_files: Sequence[Prepared]) -> None:
        """Free the slugs that posts of this load give up, so that two posts can trade theirs."""
        wanted = {each.content.slug for each in post_files if isinstance(each.content, PostChange)}
        for each in post_files:
            for post_id in self._claims.earlier(each.file.path, EntryKind.POST):
                slug = posts.find_slug(self._transaction, post_id)
                if isinstance(each.content, PostChange) and slug in wanted and slug != each.content.slug:
                    self._parked[post_id] = slug
                    posts.update_post(self._transaction, post_id, {"slug": f"~{post_id}"})

    def _unpark_slugs(self) -> None:
        """Give their slugs back to posts whose files turned out faulty; one that was taken gets a number."""
        for post_id, slug in self._parked.items():
            if posts.find_slug(self._transaction, post_id) == f"~{post_id}":
                free = slug if posts.find_post_id(self._transaction, slug) is None else f"{slug}-{post_id}"
                posts.update_post(self._transaction, post_id, {"slug": free})
