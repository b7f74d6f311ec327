"""Authors, in the order they were made."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import orjson
from msgspec.structs import asdict, replace

from sitecms.content.author import Author
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.former_archives import AUTHOR, keep_former_archives
from sitecms.store.entries.working_copies import rename_in_copies
from sitecms.store.models.entries import AuthorRow
from sitecms.store.sql import JSON_NUMBERS

_NAMES = [name for name in Author.__struct_fields__ if name != "aliases"]
_COLUMNS = [getattr(AuthorRow, name) for name in _NAMES]
_SOME = f"SELECT id, {', '.join(_NAMES)} FROM author WHERE id IN " + JSON_NUMBERS
_NAMED = (
    "EXISTS (SELECT 1 FROM post WHERE author_id = author.id) OR slug IN (SELECT author FROM studio_user) "
    "OR slug IN (SELECT author FROM account_link)"
)
_REMOVE = f"DELETE FROM author WHERE slug = ? AND NOT ({_NAMED})"
_POSTS_OF = "SELECT count(*) FROM post WHERE deleted_at IS NULL AND author_id = (SELECT id FROM author WHERE slug = ?)"


def find_authors(session: Session, *, as_listed: bool = False) -> tuple[Author, ...]:
    """Return all authors, in order of creation; `as_listed`: in the order of their file, then the others by slug."""
    order = (AuthorRow.position == 0, AuthorRow.position, AuthorRow.slug) if as_listed else (AuthorRow.id,)
    rows = session.rows(AuthorRow.select(*_COLUMNS, AuthorRow.aliases).order_by(*order))
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


class ListedAuthors(NamedTuple):
    """The result of `save_listed_authors`: `renamed` are pairs of slugs; `left`: posts of authors no longer listed."""

    is_changed: bool
    renamed: tuple[tuple[str, str], ...]
    left: Mapping[str, int]


def save_listed_authors(transaction: Transaction, listed: Sequence[Author]) -> ListedAuthors:
    """Store the authors that the file lists, in its order.

    A new one with the name of the one author that is no longer listed is that author with another slug. Others that
    are no longer listed stay as long as a post or user names them.
    """
    rows = transaction.rows(AuthorRow.select(AuthorRow.slug, AuthorRow.position, AuthorRow.id).order_by(AuthorRow.id))
    places = {slug: (position, author_id) for slug, position, author_id in rows}
    stored = {author.slug: author for author in find_authors(transaction)}
    slugs = {author.slug for author in listed}
    gone = [stored[slug] for slug, (position, _id) in places.items() if position and slug not in slugs]
    renamed = []
    for author in listed:
        same = [each for each in gone if each.name == author.name]
        namesakes = [each for each in listed if each.name == author.name]
        if author.slug not in stored and len(same) == len(namesakes) == 1:
            keep_former_archives(transaction, [(AUTHOR, same[0].slug, places[same[0].slug][1])])
            rename_author(transaction, same[0].slug, author.slug)
            renamed.append((same[0].slug, author.slug))
            gone.remove(same[0])
    is_changed = bool(renamed)
    for number, author in enumerate(listed, 1):
        is_changed |= save_author(transaction, author)
        query = AuthorRow.update(position=number).where(AuthorRow.slug == author.slug, AuthorRow.position != number)
        is_changed |= bool(transaction.run(query))
    for author in gone:
        transaction.run(AuthorRow.update(position=0).where(AuthorRow.slug == author.slug))
        transaction.sql(_REMOVE, author.slug)
    left = {author.slug: int(transaction.sql(_POSTS_OF, author.slug)[0][0]) for author in gone}
    return ListedAuthors(
        is_changed or bool(gone), tuple(renamed), {slug: posts for slug, posts in left.items() if posts}
    )


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
