"""Names that entries gave up, as the triggers of the store keep them (see `store.schema.migrations`).

Those that readers saw (`was_shown`) lead to their entries on the built site. A translation in a file finds its original
by any name that a request has changed since. One that a file changed is an error of the files that still use it: what a
load makes of files does not depend on what they said before.
"""

from sitecms.content.change import EntryKind
from sitecms.content.former_name import FormerName
from sitecms.store.database import Session

_FIND = """
SELECT kind, place, slug, entry_id FROM former_name
WHERE was_shown = 1 AND CASE kind
 WHEN 'post' THEN EXISTS (SELECT 1 FROM post WHERE id = entry_id AND deleted_at IS NULL)
 ELSE EXISTS (SELECT 1 FROM page WHERE id = entry_id AND deleted_at IS NULL) END
ORDER BY kind, place, slug"""
_FIND_POST = """
SELECT entry_id FROM former_name JOIN post ON post.id = entry_id
WHERE kind = 'post' AND former_name.slug = ? AND place <> ? AND deleted_at IS NULL AND origin = 'api'
ORDER BY was_shown DESC, entry_id LIMIT 1"""


def find_former_names(session: Session) -> tuple[FormerName, ...]:
    """Return the former names of every post and page outside the trash; a name belongs to its last holder."""
    return tuple(FormerName(EntryKind(kind), *rest) for kind, *rest in session.sql(_FIND))


def find_renamed_original(session: Session, slug: str, locale: str) -> int | None:
    """Return the id of the post that had this slug, in another locale than this one, before a request renamed it."""
    row = session.sql_row(_FIND_POST, slug, locale)
    return int(row[0]) if row else None
