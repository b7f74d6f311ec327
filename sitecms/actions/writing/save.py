"""Changes of entries of every kind: rows, terms, versions, history and search index, in the caller's transaction."""

from collections.abc import Mapping
from datetime import datetime

from sitecms.actions.writing.entry_terms import has_terms, save_entry_terms
from sitecms.actions.writing.new_posts import NewPosts
from sitecms.actions.writing.save_context import (
    SaveContext,
    author_id_of,
    check_slug,
    columns_of,
    derived_columns,
    group_of,
)
from sitecms.actions.writing.search_rows import index_entry, index_rows, unindex_rows
from sitecms.content.addresses import NO_ADDRESSES, OwnAddresses
from sitecms.content.change import Applied, EntryChange, Origin, Times
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS
from sitecms.content.term import TermKind
from sitecms.store.database import Transaction
from sitecms.store.entries import authors, posts, terms, version_changes
from sitecms.store.entries.entry_state import exists
from sitecms.store.entries.revisions import keep_state, read_state
from sitecms.store.entries.term_names import settle_new_terms
from sitecms.store.entries.version_changes import replaced_fields
from sitecms.store.site_state.documents import load_content_schema

_SHORTENED = 60
_SEARCHED = {"title", "body", "status", "fields"}
_NOT_COMPARED = frozenset({"author_id", "origin", "addresses"})


def save_entry(context: SaveContext, change: EntryChange) -> Applied:
    """Create or change an entry, with all its versions, and what search finds of it; an equal entry stays as it is.

    What a change replaces is kept in the history. Raises InvalidFields when the author or the original of a translation
    of a post does not exist, or its slug or its place in the locale group is taken.
    """
    transaction, kind = context.transaction, change.kind
    former_rows = index_rows(transaction, kind, change.id)
    if not KINDS[kind].has_versions:
        if not exists(transaction, kind, change.id):
            unindex_rows(transaction, kind, former_rows)
            return _create_post(context, change)
        replaced = _save_post(context, change)
    else:
        replaced = version_changes.save_entry(transaction, change, context.origin, context.at, context.cause)
        schema = context.schema or load_content_schema(transaction) if replaced else None
        if schema and has_terms(schema):
            save_entry_terms(transaction, schema, kind, change.id)
            if context.origin is Origin.API:
                settle_new_terms(transaction)
    if replaced and (KINDS[kind].has_versions or _is_searched(replaced)):
        unindex_rows(transaction, kind, former_rows)
        index_entry(transaction, kind, change.id, context.schema, change)
    return Applied(change.id, created=False, replaced=replaced)


def _is_searched(replaced: Mapping[str, str]) -> bool:
    """Return whether search may find a post otherwise now."""
    return not _SEARCHED.isdisjoint(name.partition(".")[0] for name in replaced)


def _create_post(context: SaveContext, change: EntryChange) -> Applied:
    check_slug(context.transaction, change)
    new = NewPosts(context)
    post_id = new.add(change)
    new.flush()
    if context.origin is Origin.API:
        settle_new_terms(context.transaction)
    return Applied(post_id, created=True)


def _save_post(context: SaveContext, change: EntryChange) -> dict[str, str]:
    """Change the row, the terms and the text of a post; return the replaced values, shortened.

    Raises NotFound for a post in the trash.
    """
    transaction, version = context.transaction, change.only
    current = posts.get_post_by_id(transaction, change.id)
    values = {
        **columns_of(change, current, context.at),
        "group_id": group_of(transaction, change, current, context.origin),
        "author_id": author_id_of(transaction, version.author, context.owner),
        "origin": context.origin.value,
    }
    spelt = terms.ensure_terms(transaction, TermKind.CATEGORY, version.categories)
    spelt |= terms.ensure_terms(transaction, TermKind.TAG, version.tags)
    replaced = _change_post(context, change, current, values, spelt)
    if "terms" in replaced:
        terms.set_terms(transaction, change.id, spelt)
        if context.origin is Origin.API:
            settle_new_terms(transaction)
    return replaced


def _change_post(
    context: SaveContext,
    change: EntryChange,
    current: Entry,
    values: Mapping[str, object],
    spelt: Mapping[int, str],
) -> dict[str, str]:
    """Change the row and the text of a post, and keep what it replaces; return the replaced values, shortened."""
    transaction, before, version = context.transaction, read_state(context.transaction, (current,)), change.only
    replaced = _replaced(transaction, current, change, values, spelt)
    if context.origin is Origin.API and version.markdown != before.markdown:
        replaced.setdefault("markdown", "")  # also a text that renders to the same body
    if replaced:
        keep_state(transaction, before, context.cause, (version.version, version.status), context.at)
    if version.markdown != before.markdown:
        posts.set_markdown(transaction, current.id, version.markdown)
    if replaced:
        derived = derived_columns(version.body) if "body" in replaced else {}
        updated_at = _updated_at(version.times, context.at)
        posts.update_post(transaction, current.id, {**values, "updated_at": updated_at, **derived})
    return replaced


def _updated_at(times: Times, at: datetime) -> datetime:
    """Return the time of the update. A file with a date of publication was not updated by the load."""
    return times.updated_at or times.published_at or at


def _replaced(
    transaction: Transaction,
    current: Entry,
    change: EntryChange,
    values: Mapping[str, object],
    spelt: Mapping[int, str],
) -> dict[str, str]:
    """Return the stored values that differ, shortened, by name."""
    values = {**values, **_own_addresses(change.addresses or NO_ADDRESSES, change.only.locale)}
    before: dict[str, object] = {name: getattr(current, name) for name in values if name not in _NOT_COMPARED}
    before |= _own_addresses(current.addresses, current.locale)
    before["author_id"] = authors.find_author_id(transaction, slug=current.author.slug)
    differing = [name for name in values if name in before and before[name] != values[name]]
    replaced = {name: str(before[name])[:_SHORTENED] for name in differing if name != "fields"}
    if "fields" in differing:
        replaced |= replaced_fields(current.fields, values["fields"])  # type: ignore[arg-type]
    if [*terms.terms_of_post(transaction, current.id).items()] != [*spelt.items()]:
        names = (term.name for term in (*current.categories, *current.tags))
        replaced["terms"] = ", ".join(names)[:_SHORTENED]
    return replaced


def _own_addresses(addresses: OwnAddresses, locale: str) -> dict[str, object]:
    return {
        "path": addresses.path(locale),
        "guid": addresses.guid,
        "aliases": list(addresses.aliases.get(locale, ())),
    }
