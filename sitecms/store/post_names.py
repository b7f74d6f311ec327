"""What a post is called, without what it holds."""

from dataclasses import dataclass

from sitecms.errors import NotFound
from sitecms.store.database import Session


@dataclass(frozen=True, slots=True)
class PostName:
    """Where a post is found."""

    id: int
    slug: str
    locale: str


def get_post_name(session: Session, post_id: int) -> PostName:
    """The name of the post of that id, published or not. Raises NotFound."""
    row = session.sql_row("SELECT id, slug, locale FROM post WHERE id = ? AND deleted_at IS NULL", post_id)
    if row is None:
        raise NotFound("Not found.")
    return PostName(*row)
