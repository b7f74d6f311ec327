"""Columns of a post that are worked out from its body (actions.writing.save_post)."""

from collections.abc import Iterator, Mapping

from sitecms.store.database import Session, Transaction
from sitecms.store.schema.tables import PostRow

NAMES = ("reading_minutes", "body_digest", "body_media")
_CHUNK = 200
_SOME = f"SELECT id, slug, body, {', '.join(NAMES)} FROM post WHERE id > ? ORDER BY id LIMIT {_CHUNK}"


def each_post(session: Session) -> Iterator[tuple[int, str, dict[str, object], str]]:
    """(id, slug, the columns by name, body) of every post, in the trash or not, some hundreds in memory at a time."""
    last = 0
    while rows := session.sql(_SOME, last):
        for post_id, slug, body, *held in rows:
            yield post_id, slug, dict(zip(NAMES, held, strict=True)), body
        last = rows[-1][0]


def set_columns(transaction: Transaction, post_id: int, values: Mapping[str, object]) -> None:
    """Keep these; the post itself, and when it was updated, stay as they are."""
    transaction.run(PostRow.update(**values).where(PostRow.id == post_id))
