"""Merge of files with entries that were edited through the API since: reads what the store and the last load have."""

from contextlib import suppress

from msgspec.structs import replace

from sitecms.actions.loading.reading.bodies import render_body
from sitecms.actions.loading.reading.last_load import LastEntry
from sitecms.actions.loading.reading.prepared import Prepared
from sitecms.actions.loading.reading.raw import RawEntry
from sitecms.actions.loading.storing.context import LoadContext
from sitecms.actions.loading.storing.field_cleaner import FieldCleaner, StoreLookup
from sitecms.actions.loading.storing.merging import Former, Merge, merge_entry
from sitecms.actions.references import ItemsByValues
from sitecms.actions.writing.save_context import default_author
from sitecms.content.change import EntryChange, change_of_entry
from sitecms.content.kinds import KINDS, declared_fields
from sitecms.documents import nowhere, read_front_matter
from sitecms.errors import InvalidFields, InvalidFiles
from sitecms.store.entries.authors import find_author_slug
from sitecms.store.entries.entry_rows import find_identity
from sitecms.store.entries.entry_state import versions_of


class EntryMerger:
    """Merges of one attempt; `by_values` finds items of its files."""

    def __init__(self, context: LoadContext, by_values: ItemsByValues) -> None:
        self._context = context
        self._transaction = context.transaction
        self._by_values = by_values

    def merge(
        self, last: LastEntry, prepared: Prepared, entry: RawEntry, change: EntryChange
    ) -> tuple[EntryChange, Merge]:
        """Return the change that a file makes, merged with the stored entry; `last` is what the file said before."""
        former, specs = self._former(last), declared_fields(self._context.schema, entry.kind, entry.group, entry.slug)
        raw, former = self._with_author(entry), replace(former, entry=self._with_author(former.entry))

        def render(text: str) -> str | None:
            file, settings, notes = prepared.file, self._context.settings, list[str]()
            with suppress(InvalidFiles):
                front = replace(read_front_matter(file.file, file.path), body=text)
                return render_body(file, front, settings, prepared.media, change.only.locale, notes)
            return None

        return merge_entry(former, raw, change, self._stored(change), specs, render)

    def _stored(self, change: EntryChange) -> EntryChange:
        """Return the change that stores an entry as it is."""
        transaction, kind = self._transaction, change.kind
        versions = versions_of(transaction, kind, change.id)
        stored = change_of_entry(versions) if versions else replace(change, versions=(), addresses=None)
        named = find_identity(transaction, kind, change.id)
        if named is None or change.title is None or stored.title is not None:
            return stored
        return replace(stored, title=named.title, titles=dict(named.titles))

    def _with_author(self, entry: RawEntry) -> RawEntry:
        """Return an entry of a file with its authors as slugs."""
        if not KINDS[entry.kind].has_author:
            return entry
        changes = (replace(each.change, author=self._author(each.change.author)) for each in entry.versions)
        named = (replace(each, change=change) for each, change in zip(entry.versions, changes, strict=True))
        return replace(entry, versions=tuple(named))

    def _former(self, last: LastEntry) -> Former:
        """Return what the file said with clean fields; what is invalid by now counts as empty."""
        schema, settings = self._context.schema, self._context.settings
        lookup = StoreLookup(self._transaction, last.media, self._by_values, settings)
        return Former(last.entry, FieldCleaner(last.file, schema, lookup, nowhere).versions(last.entry))

    def _author(self, name: str) -> str:
        """Return the slug of the author that a file names by slug or email, or names by leaving it out."""
        with suppress(InvalidFields):
            return (find_author_slug(self._transaction, name) if name else None) or (
                name or default_author(self._transaction, self._context.settings.owner)
            )
        return name
