"""What a post is called, without what it holds."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from sitecms.content.status import Status
from sitecms.errors import NotFound
from sitecms.store.database import Session
from sitecms.store.sql import JSON_NUMBERS

_STATES = "SELECT id, slug, locale, status, deleted_at FROM post WHERE id IN " + JSON_NUMBERS + " ORDER BY id"


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


@dataclass(frozen=True, slots=True)
class PostState:
    """The name of a post, its status, and whether it is in the trash."""

    name: PostName
    status: Status
    is_in_trash: bool


def find_post_states(session: Session, ids: Sequence[int]) -> tuple[PostState, ...]:
    """Return the states of these posts, by id, of those in the trash too."""
    rows = session.sql(_STATES, orjson.dumps(list(ids)).decode()) if ids else []
    return tuple(PostState(PostName(*row[:3]), Status(row[3]), row[4] is not None) for row in rows)
