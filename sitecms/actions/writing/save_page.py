"""Apply one change of a page: row, versions and search index, in the caller's transaction."""

from datetime import datetime

from sitecms.actions.writing.index_entry import index_page
from sitecms.content.change import Origin, PageChange
from sitecms.content.schema.types import ContentSchema
from sitecms.store.database import Transaction
from sitecms.store.entries import pages


def save_page(
    transaction: Transaction, change: PageChange, schema: ContentSchema, *, origin: Origin, at: datetime
) -> dict[str, str]:
    """Keep the page as it stands in the change; what was replaced, shortened. Saving what is there does nothing."""
    before = pages.version_ids(transaction, change.id)
    replaced = pages.save_page(transaction, change, origin, at)
    if replaced:
        index_page(transaction, change.id, before, schema)
    return replaced
