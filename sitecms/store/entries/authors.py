"""Authors, in the order they were made."""

from collections.abc import Collection
from dataclasses import asdict, replace

import orjson

from sitecms.content.author import Author
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.working_copies import rename_in_copies
from sitecms.store.schema.tables import AuthorRow
from sitecms.store.sql import JSON_NUMBERS

_NAMES = [name for name in Author.__dataclass_fields__ if name != "aliases"]
_COLUMNS = [getattr(AuthorRow, name) for name in _NAMES]
_SOME = f"SELECT id, {', '.join(_NAMES)} FROM author WHERE id IN " + JSON_NUMBERS


def find_authors(session: Session) -> tuple[Author, ...]:
    """Return all authors, in order of creation."""
    rows = session.rows(AuthorRow.select(*_COLUMNS, AuthorRow.aliases).order_by(AuthorRow.id))
    return tuple(replace(Author(*row[:-1]), aliases=tuple(row[-1])) for row in rows)


def first_authors(session: Session, most: int) -> dict[int, Author]:
    """Return at most `most` authors by id, the oldest first."""
    query = AuthorRow.select(AuthorRow.id, *_COLUMNS).order_by(AuthorRow.id).limit(most)
    return {row[0]: Author(*row[1:]) for row in session.rows(query)}


def some_authors(session: Session, ids: Collection[int]) -> dict[int, Author]:
    """Return the authors of these ids, by id."""
    return {row[0]: Author(*row[1:]) for row in session.sql(_SOME, orjson.dumps([*ids]).decode())}


def get_author(session: Session, slug: str) -> Author:
    """Return the author of that slug. Raises NotFound."""
    row = session.row(AuthorRow.select(*_COLUMNS).where(AuthorRow.slug == slug))
    if row is None:
        raise NotFound("Not found.")
    return Author(*row)


def find_author_id(session: Session, *, slug: str = "", email: str = "") -> int | None:
    """Return the id of the author with that slug or, without a slug, that email."""
    column, value = ("slug", slug) if slug else ("email", email)
    rows = session.sql(f"SELECT id FROM author WHERE {column} = ? ORDER BY id LIMIT 1", value)
    return int(rows[0][0]) if rows else None


def find_author_slug(session: Session, named: str) -> str | None:
    """Return the slug of the author with that slug or, if there is none, that email in any case."""
    rows = session.sql(
        "SELECT slug FROM author WHERE slug = ? OR lower(email) = lower(?) ORDER BY slug = ? DESC, id LIMIT 1",
        named, named, named,
    )  # fmt: skip
    return str(rows[0][0]) if rows else None


def find_only_author(session: Session) -> str | None:
    """Return the slug of the only author; None if there are none or several."""
    rows = session.sql("SELECT slug FROM author LIMIT 2")
    return str(rows[0][0]) if len(rows) == 1 else None


def save_author(transaction: Transaction, author: Author) -> bool:
    """Store the author under its slug; return whether a value changed."""
    row = transaction.row(AuthorRow.select(*_COLUMNS, AuthorRow.aliases).where(AuthorRow.slug == author.slug))
    if row is None:
        transaction.run(AuthorRow.insert(**asdict(author)))
        return True
    if Author(*row[:-1]) == author and tuple(row[-1]) == author.aliases:
        return False
    transaction.run(AuthorRow.update(**asdict(author)).where(AuthorRow.slug == author.slug))
    return True


def rename_author(transaction: Transaction, old: str, new: str) -> None:
    """Give an author another slug, which is free; users, invitations and working copies that name it follow."""
    transaction.run(AuthorRow.update(slug=new).where(AuthorRow.slug == old))
    transaction.sql("UPDATE studio_user SET author = ? WHERE author = ?", new, old)
    transaction.sql("UPDATE account_link SET author = ? WHERE author = ?", new, old)
    rename_in_copies(transaction, "author", old, new)


def delete_author(transaction: Transaction, slug: str) -> None:
    """Delete an author, whom no post names."""
    transaction.run(AuthorRow.delete().where(AuthorRow.slug == slug))


def count_uses_of_author(session: Session, slug: str) -> tuple[int, int]:
    """Return the number of the author's posts, and of those among them that are in the trash."""
    rows = session.sql(
        "SELECT count(*), count(deleted_at) FROM post WHERE author_id = (SELECT id FROM author WHERE slug = ?)", slug
    )
    return int(rows[0][0]), int(rows[0][1])
