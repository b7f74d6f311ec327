"""The trash: deleted entries, and former versions of entries that files replaced, until the trash is emptied."""

from datetime import datetime

from msgspec import Struct

from sitecms.content.kinds import EntryKind


class TrashedEntry(Struct, frozen=True):
    """A deleted entry. `name` is a post's slug, a page's `page_type/slug` (`*/slug`), an item's collection.

    One locale of a page or item is named with the locale: `guide/knots (es)`, `team 41 (es)`.
    `former_of` is the id of the entry of which this is a former version; None: it is an entry of its own.
    """

    kind: EntryKind
    id: int
    name: str
    deleted_at: datetime
    former_of: int | None = None
