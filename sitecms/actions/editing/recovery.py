"""Restoring entries from the trash, and trying rejected and failed writes again."""

from datetime import datetime

from sitecms.actions.accounts.permissions import require
from sitecms.actions.writing.accept.acceptance import retry_write
from sitecms.actions.writing.entry_events import EventCause
from sitecms.actions.writing.trash import Restored, restore_entry
from sitecms.content.change import EntryKind, Write
from sitecms.content.status import Status
from sitecms.content.user import Action, Reach, User
from sitecms.errors import NotFound
from sitecms.settings.site import SiteSettings
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Database, Session
from sitecms.store.entries.posts import get_trashed_post
from sitecms.store.maintenance.media_usage import entry_label

NOT_FOUND = "Not found."


def restore(
    database: Database, settings: SiteSettings, user: User, kind: EntryKind, entry_id: int, at: datetime
) -> Restored:
    """Restore an entry, a locale of one or a former version. Raises NotFound, Forbidden and Conflict."""
    with database.writing() as transaction:
        _require(transaction, user, kind, entry_id)
        label = entry_label(transaction, kind, entry_id)
        cause = EventCause(settings.default_locale, at, user.name)
        restored = restore_entry(transaction, kind, entry_id, settings.limits, cause)
        record_action(transaction, user, "restore", label, at)
    return restored


def _require(session: Session, user: User, kind: EntryKind, entry_id: int) -> None:
    """Check the permission for the entry itself: a post comes back as it was, which may be published."""
    if kind is not EntryKind.POST:
        if user.reach(Action.RESTORE) is not Reach.ALL:
            raise NotFound(NOT_FOUND)
        return
    post = get_trashed_post(session, entry_id)
    if not user.may(Action.RESTORE, post.author.slug):
        raise NotFound(NOT_FOUND)
    if post.status is not Status.DRAFT:
        require(user, Action.PUBLISH, post.author.slug)


def retry(database: Database, user: User, write_id: str, at: datetime) -> Write:
    """Accept a rejected or failed write again. Raises NotFound, Forbidden, and Conflict as `retry_write`."""
    require(user, Action.RETRY_WRITES)
    with database.writing(counts_as_change=False) as transaction:
        write = retry_write(transaction, write_id, is_forced=False)
        record_action(transaction, user, "try again", f"write {write_id}", at)
    return write
