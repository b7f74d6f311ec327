"""Former slugs and addresses of published entries, which lead to their present ones on the built site."""

from datetime import datetime

from sitecms.content.change import EntryKind
from sitecms.values import dataclass


@dataclass(frozen=True, slots=True)
class FormerName:
    """A former slug of an entry. `place` is the locale of a post, the page type of a page ("" for a Single Page)."""

    kind: EntryKind
    place: str
    slug: str
    entry_id: int


@dataclass(frozen=True, slots=True)
class FormerAddress:
    """A former address of an entry: an own path, or the slug and time of publication that its pattern was filled with.

    `place` is the page type of a page, else "".
    """

    kind: EntryKind
    place: str
    locale: str
    path: str
    slug: str
    published_at: datetime
    entry_id: int
