"""The live versions of posts in queries: a post has one; its draft is a working copy, which only editors see.

Statements written by hand call the version `post`. Constants stand in all of them as text, which selects the indexes
of posts.
"""

from peewee import SQL

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.store.entries.versions import EntryTables
from sitecms.store.models.entries import EntryRow, VersionRow

POSTS = EntryTables(EntryKind.POST)
IS_POST_ENTRY = POSTS.is_of_kind(EntryRow)
IS_POST = POSTS.is_of_kind(VersionRow) & (VersionRow.version == SQL(f"'{Version.LIVE.value}'"))
IS_PRESENT = IS_POST & VersionRow.deleted_at.is_null()
IS_SHOWN = IS_PRESENT & (VersionRow.status == SQL(f"'{Status.PUBLISHED.value}'"))
IS_COPY = POSTS.is_of_kind(VersionRow) & (VersionRow.version == SQL(f"'{Version.DRAFT.value}'"))
"""The condition of working copies."""

LIVE = "post.kind = 'post' AND post.version = 'live'"
PRESENT = LIVE + " AND post.deleted_at IS NULL"
SHOWN = PRESENT + " AND post.status = 'published'"
