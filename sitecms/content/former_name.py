"""A name that an entry had and readers saw: its old address goes on leading to it."""

from dataclasses import dataclass

from sitecms.content.change import EntryKind


@dataclass(frozen=True, slots=True)
class FormerName:
    """`place` is the locale of a post, the page type of a page ("" for a Single Page)."""

    kind: EntryKind
    place: str
    slug: str
    entry_id: int
