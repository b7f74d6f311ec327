"""The search index: rows written in the transaction of their entry."""

from sitecms.store.database import Transaction


def index_post(transaction: Transaction, post_id: int, title: str, body: str) -> None:
    """Make the post found by the words of its title and plain-text body."""
    forget_post(transaction, post_id)
    transaction.sql("INSERT INTO post_search (rowid, title, body) VALUES (?, ?, ?)", post_id, title, body)


def forget_post(transaction: Transaction, post_id: int) -> None:
    """Search finds the post no more."""
    transaction.sql("DELETE FROM post_search WHERE rowid = ?", post_id)
