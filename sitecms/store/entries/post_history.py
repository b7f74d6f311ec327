"""States of posts with their Markdown and working copy, and keeping them as revisions before a change."""

from datetime import datetime

import orjson
from msgspec import Struct
from msgspec.structs import replace

from sitecms.clock import from_microseconds
from sitecms.content.change import EntryKind, Origin, change_of_post
from sitecms.content.post import Post
from sitecms.content.revision import Change, ChangeCause, post_state, state_token
from sitecms.content.status import Status
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.revisions import keep_revision
from sitecms.store.entries.working_copies import WorkingCopy

_BESIDE = """
SELECT origin, markdown, values_json, name, saved_at FROM post LEFT JOIN post_source ON post_source.post_id = post.id
 LEFT JOIN working_copy ON working_copy.post_id = post.id LEFT JOIN studio_user ON studio_user.id = user_id
WHERE post.id = ?"""


class PostState(Struct, frozen=True):
    """A stored post, its Markdown (None for a body that came as HTML), its working copy, and its last origin."""

    post: Post
    markdown: str | None
    copy: WorkingCopy | None
    origin: Origin

    @property
    def state(self) -> bytes:
        """The state as a revision keeps it. The HTML of Markdown is left out."""
        body = self.post.body if self.markdown is None else ""
        return post_state(replace(change_of_post(self.post), body=body, markdown=self.markdown), self.copy)

    @property
    def token(self) -> str:
        """The token of the state."""
        return state_token(self.state)


def read_state(session: Session, post: Post) -> PostState:
    """Return the state of a stored post."""
    row = session.sql_row(_BESIDE, post.id)
    if row is None:
        return PostState(post, None, None, Origin.API)
    copy = WorkingCopy(orjson.loads(row[2]), str(row[3]), from_microseconds(row[4])) if row[2] is not None else None
    return PostState(post, row[1], copy, Origin(row[0]))


def keep_post(
    transaction: Transaction,
    before: PostState,
    cause: ChangeCause,
    after: Status,
    at: datetime,
    *,
    changes_post: bool = True,
) -> None:
    """Keep the state of a post that a change replaces; `changes_post`: not its working copy alone."""
    post = before.post
    kind = cause.kind_of(post.status, after) if changes_post else cause.kind or cause.kind_of(None, Status.DRAFT)
    was_public = changes_post and post.status is Status.PUBLISHED
    keep_revision(
        transaction, EntryKind.POST, post.id, post.locale, before.state, (post.updated_at, before.origin),
        Change(at, kind, cause.source, cause.name), was_public=was_public,
    )  # fmt: skip
