"""Search index of posts and pages: updated in the transaction that changes an entry. Only published ones are found."""

from collections.abc import Iterable

from sitecms.actions.references import specs_of
from sitecms.content.schema import ContentSchema
from sitecms.content.search_text import searched_text
from sitecms.content.status import Status
from sitecms.content.text.html import plain_text
from sitecms.store.database import Transaction
from sitecms.store.entries import pages
from sitecms.store.search import index


def index_post(transaction: Transaction, post_id: int, title: str, body: str, status: Status) -> None:
    """Update the index after a post was saved; `body` is its HTML."""
    if status is Status.PUBLISHED:
        index.index_post(transaction, post_id, title, plain_text(body))
    else:
        index.unindex_post(transaction, post_id)


def index_page(transaction: Transaction, page_id: int, before: Iterable[int], schema: ContentSchema) -> None:
    """Update the index after a page was saved; `before` are the ids of the versions that it had until then."""
    index.unindex_page_versions(transaction, before)
    index_published_versions(transaction, page_id, schema)


def index_published_versions(transaction: Transaction, page_id: int, schema: ContentSchema) -> bool:
    """Index title and searchable fields of each published version; return whether there is one."""
    versions = pages.published_versions(transaction, page_id)
    for version_id, page in versions.items():
        body = searched_text(page.fields, specs_of(page, schema), schema)
        index.index_page_version(transaction, version_id, page.title, body)
    return bool(versions)
