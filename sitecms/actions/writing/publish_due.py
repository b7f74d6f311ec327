"""What is due is published: its status and times, its place in the search index, its event."""

from datetime import datetime

from sitecms.actions.events.entry_events import Teller, tell_saved
from sitecms.actions.writing.index_entry import index_page, index_post
from sitecms.actions.writing.publish_scheduled import find_due
from sitecms.content.change import EntryKind
from sitecms.content.status import Status
from sitecms.store.database import Transaction
from sitecms.store.entries.items import ITEMS
from sitecms.store.entries.pages import PAGES, version_ids
from sitecms.store.entries.posts import get_post_by_id, update_post
from sitecms.store.entries.versions import publish_version
from sitecms.store.site_state.documents import load_content_schema


def publish_due(transaction: Transaction, at: datetime, default_locale: str) -> int:
    """Publish everything that is due; how many entries."""
    due, teller = find_due(transaction, at), Teller(default_locale, at)
    for post_id in due.posts:
        _publish_post(transaction, post_id, teller)
    schema = load_content_schema(transaction)
    for version_id, page_id in due.pages:
        before = version_ids(transaction, page_id)
        locale = publish_version(transaction, PAGES, version_id)
        index_page(transaction, page_id, before, schema)
        tell_saved(transaction, EntryKind.PAGE, page_id, locale, Status.PUBLISHED, teller)
    for version_id, item_id in due.items:
        locale = publish_version(transaction, ITEMS, version_id)
        tell_saved(transaction, EntryKind.ITEM, item_id, locale, Status.PUBLISHED, teller)
    return len(due)


def _publish_post(transaction: Transaction, post_id: int, teller: Teller) -> None:
    post = get_post_by_id(transaction, post_id)
    values = {"status": Status.PUBLISHED.value, "published_at": post.scheduled_at, "updated_at": post.scheduled_at}
    update_post(transaction, post_id, {**values, "scheduled_at": None})
    index_post(transaction, post_id, post.title, post.body, Status.PUBLISHED)
    tell_saved(transaction, EntryKind.POST, post_id, post.locale, Status.PUBLISHED, teller)
