"""Names that entries gave up, as the triggers of the store keep them (see `store.migrations`)."""

from sitecms.content.former_name import FormerName
from sitecms.content.write import EntryKind
from sitecms.store.database import Session

_FIND = """
SELECT kind, place, slug, entry_id FROM former_name
WHERE CASE kind
 WHEN 'post' THEN EXISTS (SELECT 1 FROM post WHERE id = entry_id AND deleted_at IS NULL)
 ELSE EXISTS (SELECT 1 FROM page WHERE id = entry_id AND deleted_at IS NULL) END
ORDER BY kind, place, slug"""


def find_former_names(session: Session) -> tuple[FormerName, ...]:
    """Those of every post and page outside the trash; a name is its last holder's."""
    return tuple(FormerName(EntryKind(kind), *rest) for kind, *rest in session.sql(_FIND))
