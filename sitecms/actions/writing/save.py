"""Changes of entries of every kind: rows, terms, versions, history and search index, in the caller's transaction."""

from collections.abc import Iterator, Mapping
from typing import Any

from sitecms.actions.writing.entry_terms import has_terms, save_entry_terms
from sitecms.actions.writing.new_entries import NewEntries, new_version
from sitecms.actions.writing.save_context import (
    SaveContext,
    author_id_of,
    check_slug,
    columns_of,
    derived_columns,
    group_of,
    own_columns,
)
from sitecms.actions.writing.search_rows import index_entry, index_rows, unindex_rows
from sitecms.content.addresses import NO_ADDRESSES, read_addresses
from sitecms.content.change import Applied, EntryChange, Origin, VersionChange
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields
from sitecms.content.kinds import KINDS
from sitecms.content.status import Status, Version
from sitecms.content.term import TermKind
from sitecms.store.entries import authors, entry_rows, terms
from sitecms.store.entries.entry_rows import EntryIdentity, VersionPlace
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.entries.revisions import StoredState, keep_state
from sitecms.store.entries.term_names import settle_new_terms
from sitecms.store.site_state.documents import load_content_schema

SHORTENED = 60
ADDED = "fields.added."
"""Mark before the name of a field that a version did not have: no value of it was replaced."""
_ABSENT = object()
_SEARCHED = {"title", "titles", "body", "status", "fields", "deleted", *Version}
_NAMES = {"slug", "title", "titles"}
_NOT_COMPARED = {"fields", "author_id"}


def save_entry(context: SaveContext, change: EntryChange) -> Applied:
    """Create or change an entry, with all its versions, and what search finds of it; an equal entry stays as it is.

    An entry in the trash leaves it. What a change replaces is kept in the history. Raises InvalidFields when the author
    or the original of a translation of a post does not exist, or its slug or its place in the locale group is taken.
    """
    transaction, kind = context.transaction, change.kind
    identity = entry_rows.find_identity(transaction, kind, change.id)
    if identity is None:
        return _create(context, change)
    former_rows = index_rows(transaction, kind, change.id)
    replaced = _Saving(context, change, identity).save()
    schema = context.schema or load_content_schema(transaction)
    if replaced and has_terms(schema, kind):
        save_entry_terms(transaction, schema, kind, change.id)
        _settle_terms(context)
    if _is_searched(replaced):
        unindex_rows(transaction, kind, former_rows)
        index_entry(transaction, kind, change.id, context.schema)
    return Applied(change.id, created=False, replaced=replaced)


def _is_searched(replaced: Mapping[str, str]) -> bool:
    """Return whether search may find an entry otherwise now."""
    return not _SEARCHED.isdisjoint(part for name in replaced for part in name.split("."))


def _create(context: SaveContext, change: EntryChange) -> Applied:
    check_slug(context.transaction, change)
    new = NewEntries(context)
    applied = new.add(change)
    new.flush()
    _settle_terms(context)
    return applied


def _settle_terms(context: SaveContext) -> None:
    """Give new terms their slugs; a load does it once for all entries."""
    if context.origin is Origin.API:
        settle_new_terms(context.transaction)


class _Saving:
    """The change of a stored entry. `replaced` has the former values by name, shortened, as it goes on.

    Names are `locale.version.field`, for kinds with one locale `field`.
    """

    def __init__(self, context: SaveContext, change: EntryChange, identity: EntryIdentity) -> None:
        self._context, self._change, self._identity = context, change, identity
        self._transaction = context.transaction
        self._kind = KINDS[change.kind]
        in_trash = identity.deleted_at is not None
        stored = versions_of(self._transaction, change.kind, change.id, in_trash=in_trash)
        self._state = StoredState(stored, identity.origin)
        self._stored = [each for each in stored if not each.saved_by]  # working copies stay
        self.replaced: dict[str, str] = {}

    def save(self) -> dict[str, str]:
        """Store the change; return the replaced values.

        The row of the entry comes first: a trigger keeps its former name and addresses, as its versions still have
        them. Meanwhile it has a temporary slug, with which no address is kept: the new slug never had the former time
        of publication.
        """
        change, transaction, identity = self._change, self._transaction, self._identity
        own = self._own_values()
        meanwhile = {**own, "slug": f"~{change.id}"} if "slug" in own else own
        entry_rows.change_entry(transaction, change.kind, change.id, meanwhile)
        if "locale" in own:
            entry_rows.move_versions(transaction, change.kind, change.id, own["locale"])
        self._save_versions()
        for state, changed in self._ended_states():
            keep_state(transaction, state, self._context.cause, changed, self._context.at)
        last: dict[str, Any] = {"slug": own["slug"]} if "slug" in own else {}
        if identity.deleted_at is not None:
            self.replaced["deleted"] = "restored"
            last["deleted_at"] = None
        if self.replaced and self._context.origin != identity.origin:
            last["origin"] = self._context.origin.value
        entry_rows.change_entry(transaction, change.kind, change.id, last)
        return self.replaced

    def _own_values(self) -> dict[str, Any]:
        """Return the values in which the row of the entry differs, and note what they replace."""
        change, identity = self._change, self._identity
        values = own_columns(change, group_of(self._transaction, change, self._stored, self._context.origin))
        differing = {name: value for name, value in values.items() if getattr(identity, name) != value}
        former = {name: getattr(identity, name) for name in differing}
        if "addresses" in former and not self._kind.has_locales:
            former |= self._former_addresses(former.pop("addresses"))
        if "type" in former:
            former["page_type"] = former.pop("type")
        self.replaced |= {name: str(value)[:SHORTENED] for name, value in former.items()}
        return differing

    def _former_addresses(self, addresses: Mapping[str, Any]) -> dict[str, object]:
        """Return the addresses of an entry with one locale that it had and has no longer."""
        former, now = read_addresses(addresses), self._change.addresses or NO_ADDRESSES
        locales = self._identity.locale or "", self._change.only.locale
        pairs = (
            (each.path(locale), each.guid, [*each.aliases.get(locale, ())])
            for each, locale in zip((former, now), locales, strict=True)
        )
        return {name: old for name, old, new in zip(("path", "guid", "aliases"), *pairs, strict=True) if old != new}

    def _save_versions(self) -> None:
        """Make those of the change the only versions of the entry."""
        before = {self._key(each): each for each in self._stored}
        begun = {locale: entry.created_at for (locale, _), entry in sorted(before.items(), reverse=True)}
        stay = set(map(self._key, self._change.versions))
        ended = {key[0]: entry for key, entry in before.items() if key not in stay}
        for version in self._change.versions:
            key = self._key(version)
            old, at = before.pop(key, None), self._context.at
            values = columns_of(self._change, version, at, old, begun.get(key[0]), ended.get(key[0]))
            spelt = self._spelt(version)
            if self._kind.has_author:
                values["author_id"] = author_id_of(self._transaction, version.author, self._context.owner)
            if old is None:
                new = new_version(self._change, self._change.id, version, values, spelt)
                entry_rows.insert_versions(self._transaction, [new])
                self.replaced[f"{version.locale}.{version.version}"] = "new"
            else:
                self._update(version, old, values, spelt)
        for entry in before.values():
            entry_rows.remove_version(self._transaction, self._place(entry.locale, entry.version))
            self.replaced[f"{entry.locale}.{entry.version}"] = "removed"

    def _key(self, version: VersionChange | Entry) -> tuple[str, Version]:
        return self._kind.locale_key(version.locale), version.version

    def _place(self, locale: str, version: Version) -> VersionPlace:
        return VersionPlace(self._change.kind, self._change.id, locale, version)

    def _spelt(self, version: VersionChange) -> dict[int, str]:
        """Return the spelling of the terms of a version by id; create the missing ones."""
        spelt = terms.ensure_terms(self._transaction, TermKind.CATEGORY, version.categories)
        return spelt | terms.ensure_terms(self._transaction, TermKind.TAG, version.tags)

    def _update(self, version: VersionChange, old: Entry, values: dict[str, Any], spelt: dict[int, str]) -> None:
        """Change what differs of a version: its row, body and terms."""
        transaction, place = self._transaction, self._place(version.locale, version.version)
        differing = self._differing(old, values, spelt)
        body = values.pop("body", None)
        is_other_source = version.markdown != old.markdown
        if is_other_source and self._context.origin is Origin.API:
            differing.setdefault("markdown", "")  # also a text that renders to the same body
        if is_other_source or "body" in differing:
            entry_rows.change_body(transaction, place, body, version.markdown)
        names = self._kind.place(version.locale, version.version)
        self.replaced |= {f"{names}{name}": text for name, text in differing.items()}
        if not (differing if names else self.replaced):  # the slug of an entry with one version is one of its values
            return
        values["updated_at"] = version.times.updated_at or version.times.published_at or self._context.at
        derived = derived_columns(version.body) if "body" in differing else {}
        entry_rows.change_version(transaction, place, {**values, **derived})
        if "terms" in differing:
            (version_id,) = entry_rows.version_ids(transaction, self._change.kind, self._change.id)
            terms.set_terms(transaction, version_id, spelt)
            _settle_terms(self._context)

    def _differing(self, old: Entry, values: Mapping[str, Any], spelt: Mapping[int, str]) -> dict[str, str]:
        """Return the values of a stored version that differ, shortened, by name."""
        compared = [name for name in values if name not in _NOT_COMPARED and getattr(old, name) != values[name]]
        differing = {name: str(getattr(old, name))[:SHORTENED] for name in compared}
        differing |= _replaced_fields(old.fields, values["fields"])
        if self._kind.has_author:
            author_id = authors.find_author_id(self._transaction, slug=old.author.slug)
            if author_id != values["author_id"]:
                differing["author_id"] = str(author_id)
            (version_id,) = entry_rows.version_ids(self._transaction, self._change.kind, self._change.id)
            before = terms.terms_of_versions(self._transaction, (version_id,)).get(version_id, {})
            if [*before.items()] != [*spelt.items()]:
                names = (term.name for term in (*old.categories, *old.tags))
                differing["terms"] = ", ".join(names)[:SHORTENED]
        return differing

    def _ended_states(self) -> Iterator[tuple[StoredState, tuple[Version, Status | None]]]:
        """Yield the state of each locale in which the change replaces something, and the version that it is about.

        That is the one that readers see before or afterwards if it changes, else the draft, with its status afterwards.
        An entry with one version is about that.
        """
        change, replaced = self._change, self.replaced
        if not self._kind.has_locales:
            if replaced:
                yield self._state, (change.only.version, change.only.status)
            return
        is_renamed = not _NAMES.isdisjoint(replaced)
        places = {tuple(place.split(".", 2)[:2]) for place in replaced}
        locales = {each.locale for each in self._state.versions}
        for locale in sorted(locales if is_renamed else locales & {place[0] for place in places}):
            state = self._state.in_locale(locale)
            after = {each.version: each.status for each in change.versions if each.locale == locale}
            is_public = after.get(Version.LIVE) is Status.PUBLISHED or any(each.is_live for each in state.versions)
            if is_public and (is_renamed or (locale, Version.LIVE) in places):
                yield state, (Version.LIVE, after.get(Version.LIVE))
            else:
                yield state, (Version.DRAFT, after.get(Version.DRAFT, Status.DRAFT))


def _replaced_fields(old: Fields, new: Fields) -> dict[str, str]:
    """Return the old values that differ, shortened, by `fields.<name>`; ADDED marks fields that had no value."""
    found = {}
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            found[f"{ADDED}{name}"] = ""
        elif old[name] != new.get(name, _ABSENT):
            found[f"fields.{name}"] = str(old[name])[:SHORTENED]
    return found
