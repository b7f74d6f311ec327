"""What a reader's answer needs of the references in it: entries as deep as asked, and which others exist beyond."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sitecms.actions.references.expand import Entry, expand_references, targets_of
from sitecms.content.query import Scope
from sitecms.content.references import Target
from sitecms.content.response_size import SizeLimit
from sitecms.content.schema.types import ContentSchema
from sitecms.store.database import Session
from sitecms.store.entries.reference_targets import find_targets, visible_targets
from sitecms.store.entries.version_lists import MAX_STORED_BYTES


@dataclass(frozen=True, slots=True)
class References:
    """Entries within the asked levels, and `beyond` them the targets that may be named at least."""

    entries: Mapping[Target, Entry]
    beyond: frozenset[Target]

    def may_name(self, target: Target) -> bool:
        """Whether the reader may know that it exists."""
        return target in self.beyond or target in self.entries


def resolve_references(
    session: Session, entries: Sequence[Entry], schema: ContentSchema, scope: Scope, levels: int
) -> References:
    """Follow the entries' references `levels` deep: two queries a level, however many entries.

    What is unpublished or absent in the locale is left out, at the last level too. Raises InvalidRequest where
    more would have to be read than an answer can hold.
    """
    limit = SizeLimit(MAX_STORED_BYTES)
    found = expand_references(
        entries, schema, levels=levels, find=lambda targets: find_targets(session, targets, scope, limit)
    )
    named = {target for entry in (*entries, *found.values()) for target in targets_of(entry, schema)}
    return References(found, visible_targets(session, named - found.keys(), scope))
