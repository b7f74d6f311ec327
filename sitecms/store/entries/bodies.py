"""Bodies of entries, the Markdown that they were rendered from, and the columns that are derived from them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_rows import DERIVED_COLUMNS
from sitecms.store.entries.entry_tables import POSTS
from sitecms.store.models.entries import VersionBodyRow, VersionRow
from sitecms.store.prepared import prepared
from sitecms.store.sql import json_numbers

_IS_BODY = VersionBodyRow.version_id == VersionRow.id
_CHUNK = 200
_DERIVED = tuple(getattr(VersionRow, name) for name in DERIVED_COLUMNS)


@prepared
def _bodies(ids: str) -> Any:
    bodies = VersionRow.select(VersionRow.entry_id, VersionBodyRow.html).join(VersionBodyRow, on=_IS_BODY)
    return bodies.where(POSTS.is_own, VersionRow.entry_id.in_(json_numbers(ids)))


def bodies_of(session: Session, ids: Sequence[int]) -> dict[int, str]:
    """Return the bodies of these posts, by id."""
    return dict(session.rows(_bodies(orjson.dumps(ids).decode())))


@prepared
def _markdown(post_id: int) -> Any:
    of_post = (VersionRow.entry_id == post_id) & POSTS.is_own
    return VersionBodyRow.select(VersionBodyRow.markdown).join(VersionRow, on=_IS_BODY).where(of_post)


def find_markdown(session: Session, post_id: int) -> str | None:
    """Return the text that the body was rendered from, or None for a body that came as HTML."""
    row = session.row(_markdown(post_id))
    return row[0] if row else None


@prepared
def _bodies_after(post_id: int) -> Any:
    bodies = VersionRow.select(VersionRow.entry_id, VersionRow.slug, VersionBodyRow.html, *_DERIVED)
    bodies = bodies.join(VersionBodyRow, on=_IS_BODY).where(POSTS.is_own, VersionRow.entry_id > post_id)
    return bodies.order_by(VersionRow.entry_id).limit(_CHUNK)


def each_body(session: Session) -> Iterator[tuple[int, str, dict[str, object], str]]:
    """Yield (id, slug, derived columns by name, body) of all posts, in the trash or not, 200 in memory at a time."""
    last = 0
    while rows := session.rows(_bodies_after(last)):
        for post_id, slug, body, *held in rows:
            yield post_id, slug, dict(zip(DERIVED_COLUMNS, held, strict=True)), body
        last = rows[-1][0]


@prepared
def _with_pictures(last: int) -> Any:
    bodies = VersionRow.select(VersionRow.entry_id, VersionBodyRow.html).join(VersionBodyRow, on=_IS_BODY)
    bodies = bodies.where(POSTS.is_live, VersionBodyRow.html.contains("<img"), VersionRow.entry_id > last)
    return bodies.order_by(VersionRow.entry_id).limit(_CHUNK)


def bodies_with_pictures(session: Session) -> Iterator[tuple[int, str]]:
    """Yield (id, body) of each post with a picture, by id, 200 in memory at a time."""
    last = 0
    while rows := session.rows(_with_pictures(last)):
        yield from rows
        last = rows[-1][0]


def set_columns(transaction: Transaction, post_id: int, values: Mapping[str, object]) -> None:
    """Store columns of the version of a post; its entry stays as it is."""
    transaction.run(VersionRow.update(**values).where(VersionRow.entry_id == post_id, POSTS.is_own))
