"""Keep the search index true to an entry, in the transaction that changed it: found while published, else not."""

from collections.abc import Iterable

from sitecms.actions.references.expand import specs_of
from sitecms.content.schema.types import ContentSchema
from sitecms.content.search_text import searched_text
from sitecms.content.status import Status
from sitecms.content.text.html import plain_text
from sitecms.store.database import Transaction
from sitecms.store.entries import pages
from sitecms.store.search import index


def index_post(transaction: Transaction, post_id: int, title: str, body: str, status: Status) -> None:
    """After the post was saved; `body` is its HTML."""
    if status is Status.PUBLISHED:
        index.index_post(transaction, post_id, title, plain_text(body))
    else:
        index.forget_post(transaction, post_id)


def index_page(transaction: Transaction, page_id: int, before: Iterable[int], schema: ContentSchema) -> None:
    """After the page was saved: `before` are the ids of the versions it had, which may be gone or used anew."""
    index.forget_page_versions(transaction, before)
    index_published_versions(transaction, page_id, schema)


def index_published_versions(transaction: Transaction, page_id: int, schema: ContentSchema) -> bool:
    """The page's title with the searchable fields of each published version; whether there is one."""
    versions = pages.published_versions(transaction, page_id)
    for version_id, page in versions.items():
        body = searched_text(page.fields, specs_of(page, schema), schema)
        index.index_page_version(transaction, version_id, page.title, body)
    return bool(versions)
