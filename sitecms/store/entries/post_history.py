"""States of posts with their Markdown and working copy, and keeping them as revisions before a change."""

from datetime import datetime
from typing import Any

from msgspec import Struct
from peewee import JOIN

from sitecms.content.change import Origin
from sitecms.content.entry import Entry
from sitecms.content.revision import Change, ChangeCause, post_state, state_token
from sitecms.content.status import Status, Version
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.live_posts import IS_POST, POSTS
from sitecms.store.entries.revisions import keep_revision
from sitecms.store.entries.working_copies import WorkingCopy
from sitecms.store.models.accounts import UserRow
from sitecms.store.models.entries import EntryRow, VersionBodyRow, VersionRow
from sitecms.store.prepared import prepared

_DRAFT = VersionRow.alias()


@prepared
def _beside(post_id: int) -> Any:
    """Return the query of what a post does not contain: its last origin, its Markdown and its working copy."""
    is_draft = POSTS.is_of_kind(_DRAFT) & (_DRAFT.entry_id == EntryRow.id) & (_DRAFT.version == Version.DRAFT)
    return (
        EntryRow.select(
            EntryRow.origin, VersionBodyRow.markdown,
            _DRAFT.fields, UserRow.name, _DRAFT.updated_at, _DRAFT.scheduled_at,
        )
        .join(VersionRow, on=POSTS.joined)
        .join(VersionBodyRow, on=VersionBodyRow.version_id == VersionRow.id)
        .join_from(EntryRow, _DRAFT, JOIN.LEFT_OUTER, on=is_draft)
        .join_from(_DRAFT, UserRow, JOIN.LEFT_OUTER, on=UserRow.id == _DRAFT.saved_by)
        .where(EntryRow.id == post_id, IS_POST)
    )  # fmt: skip


class PostState(Struct, frozen=True):
    """A stored post, its Markdown (None for a body that came as HTML), its working copy, and its last origin."""

    post: Entry
    markdown: str | None
    copy: WorkingCopy | None
    origin: Origin

    @property
    def state(self) -> bytes:
        """The state as a revision keeps it. The HTML of Markdown is left out."""
        body = self.post.body if self.markdown is None else ""
        return post_state(self.post, body, self.markdown, self.copy)

    @property
    def token(self) -> str:
        """The token of the state."""
        return state_token(self.state)


def read_state(session: Session, post: Entry) -> PostState:
    """Return the state of a stored post."""
    row = session.row(_beside(post.id))
    if row is None:
        return PostState(post, None, None, Origin.API)
    origin, markdown, *draft = row
    return PostState(post, markdown, None if draft[0] is None else WorkingCopy(*draft), Origin(origin))


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
        transaction, post.kind, post.id, post.locale, before.state, (post.updated_at, before.origin),
        Change(at, kind, cause.source, cause.name), was_public=was_public,
    )  # fmt: skip
