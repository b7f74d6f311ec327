"""Former names of published entries, whose old addresses still lead to them."""

from dataclasses import dataclass

from sitecms.content.change import EntryKind


@dataclass(frozen=True, slots=True)
class FormerName:
    """A former slug of an entry. `place` is the locale of a post, the page type of a page ("" for a Single Page)."""

    kind: EntryKind
    place: str
    slug: str
    entry_id: int
