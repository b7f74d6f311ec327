"""Authors, in the order they were made."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import orjson
from msgspec.structs import asdict, replace
from peewee import SQL, fn

from sitecms.content.author import Author
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.former_archives import AUTHOR, keep_former_archives
from sitecms.store.entries.working_copies import rename_in_copies
from sitecms.store.models.accounts import AccountLinkRow, UserRow
from sitecms.store.models.entries import PRESENT, AuthorRow, VersionRow
from sitecms.store.prepared import prepared
from sitecms.store.sql import json_numbers

_NAMES = [name for name in Author.__struct_fields__ if name != "aliases"]
_COLUMNS = [getattr(AuthorRow, name) for name in _NAMES]
_POSTS = VersionRow.select(SQL("1")).where(VersionRow.author_id == AuthorRow.id)


@prepared
def _of_ids(ids: str) -> Any:
    return AuthorRow.select(AuthorRow.id, *_COLUMNS).where(AuthorRow.id.in_(json_numbers(ids)))


@prepared
def _id_of_slug(slug: str) -> Any:
    return AuthorRow.select(AuthorRow.id).where(AuthorRow.slug == slug)


@prepared
def _id_of_email(email: str) -> Any:
    return AuthorRow.select(AuthorRow.id).where(AuthorRow.email == email).order_by(AuthorRow.id).limit(1)


@prepared
def _slug_of_name(name: str) -> Any:
    has_slug, has_email = AuthorRow.slug == name, fn.LOWER(AuthorRow.email) == fn.LOWER(name)
    authors = AuthorRow.select(AuthorRow.slug).where(has_slug | has_email)
    return authors.order_by(has_slug.desc(), AuthorRow.id).limit(1)


@prepared
def _first(most: int) -> Any:
    return AuthorRow.select(AuthorRow.id, *_COLUMNS).order_by(AuthorRow.id).limit(most)


def is_of_author(slug: str) -> Any:
    """Return the condition of versions that the author wrote."""
    return VersionRow.author_id == AuthorRow.select(AuthorRow.id).where(AuthorRow.slug == slug)


def find_authors(session: Session, *, as_listed: bool = False) -> tuple[Author, ...]:
    """Return all authors, in order of creation; `as_listed`: in the order of their file, then the others by slug."""
    order = (AuthorRow.position == 0, AuthorRow.position, AuthorRow.slug) if as_listed else (AuthorRow.id,)
    rows = session.rows(AuthorRow.select(*_COLUMNS, AuthorRow.aliases).order_by(*order))
    return tuple(replace(Author(*row[:-1]), aliases=tuple(row[-1])) for row in rows)


def first_authors(session: Session, most: int) -> dict[int, Author]:
    """Return at most `most` authors by id, the oldest first."""
    return {row[0]: Author(*row[1:]) for row in session.rows(_first(most))}


def some_authors(session: Session, ids: Collection[int]) -> dict[int, Author]:
    """Return the authors of these ids, by id."""
    return {row[0]: Author(*row[1:]) for row in session.rows(_of_ids(orjson.dumps([*ids]).decode()))}


def get_author(session: Session, slug: str) -> Author:
    """Return the author of that slug. Raises NotFound."""
    row = session.row(AuthorRow.select(*_COLUMNS).where(AuthorRow.slug == slug))
    if row is None:
        raise NotFound("Not found.")
    return Author(*row)


def find_author_id(session: Session, *, slug: str = "", email: str = "") -> int | None:
    """Return the id of the author with that slug or, without a slug, that email."""
    row = session.row(_id_of_slug(slug) if slug else _id_of_email(email))
    return int(row[0]) if row else None


def find_renamed_author_id(session: Session, slug: str) -> int | None:
    """Return the id of the one author who has a former address that ends with that slug; None if there is none."""
    rows = session.rows(AuthorRow.select(AuthorRow.id, AuthorRow.aliases))
    found = {int(row[0]) for row in rows for alias in row[1] if alias.rstrip("/").rpartition("/")[2] == slug}
    return found.pop() if len(found) == 1 else None


def find_author_slug(session: Session, name: str) -> str | None:
    """Return the slug of the author with that slug or, if there is none, that email in any case."""
    row = session.row(_slug_of_name(name))
    return str(row[0]) if row else None


def find_only_author(session: Session) -> str | None:
    """Return the slug of the only author; None if there are none or several."""
    rows = session.rows(AuthorRow.select(AuthorRow.slug).limit(2))
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
    """The result of `save_listed_authors`.

    `renamed` are pairs of slugs; `gone` are authors that are no longer listed, `new` those that are for the first time.
    """

    is_changed: bool
    renamed: tuple[tuple[str, str], ...]
    gone: tuple[str, ...]
    new: tuple[str, ...]


def save_listed_authors(transaction: Transaction, listed: Sequence[Author]) -> ListedAuthors:
    """Store the authors that the file lists, in its order.

    A new one with the name of the one author that is no longer listed is that author with another slug, and so is one
    with the same e-mail address, or with all other values the same. Others that are no longer listed stay as long as
    a post or user names them.
    """
    rows = transaction.rows(AuthorRow.select(AuthorRow.slug, AuthorRow.position, AuthorRow.id).order_by(AuthorRow.id))
    places = {slug: (position, author_id) for slug, position, author_id in rows}
    stored = {author.slug: author for author in find_authors(transaction)}
    slugs = {author.slug for author in listed}
    gone = [stored[slug] for slug, (position, _id) in places.items() if position and slug not in slugs]
    new = [author for author in listed if author.slug not in stored]
    renamed = []
    for author, former in _renamed(gone, new, listed):
        keep_former_archives(transaction, [(AUTHOR, former.slug, places[former.slug][1])])
        rename_author(transaction, former.slug, author.slug)
        renamed.append((former.slug, author.slug))
        gone.remove(former)
        new.remove(author)
    is_changed = bool(renamed)
    for number, author in enumerate(listed, 1):
        is_changed |= save_author(transaction, author)
        query = AuthorRow.update(position=number).where(AuthorRow.slug == author.slug, AuthorRow.position != number)
        is_changed |= bool(transaction.run(query))
    for author in gone:
        transaction.run(AuthorRow.update(position=0).where(AuthorRow.slug == author.slug))
        transaction.run(AuthorRow.delete().where(AuthorRow.slug == author.slug, ~_is_named()))
    slugs_of = [tuple(author.slug for author in each) for each in (gone, new)]
    return ListedAuthors(is_changed or bool(gone), tuple(renamed), *slugs_of)


def _renamed(gone: Sequence[Author], new: Sequence[Author], listed: Sequence[Author]) -> list[tuple[Author, Author]]:
    """Return the new authors that are certainly one who is gone, each with that one."""
    pairs: list[tuple[Author, Author]] = []
    for is_same, among in ((_has_same_name, listed), (_has_same_email, listed), (_has_same_values, new)):
        for author in new:
            left = [each for each in gone if each not in [former for _new, former in pairs]]
            same = [each for each in left if is_same(author, each)]
            namesakes = [each for each in among if is_same(author, each)]
            if author not in [found for found, _former in pairs] and len(same) == len(namesakes) == 1:
                pairs.append((author, same[0]))
    return pairs


def _has_same_name(one: Author, other: Author) -> bool:
    return one.name == other.name


def _has_same_email(one: Author, other: Author) -> bool:
    return one.email != "" and one.email.lower() == other.email.lower()


def _has_same_values(one: Author, other: Author) -> bool:
    return replace(one, slug=other.slug) == other


def _is_named() -> Any:
    """Return the condition of authors that a post, a user or an invitation names."""
    names = (UserRow.select(UserRow.author), AccountLinkRow.select(AccountLinkRow.author))
    return fn.EXISTS(_POSTS) | AuthorRow.slug.in_(names[0]) | AuthorRow.slug.in_(names[1])


def _posts_of(slug: str) -> Any:
    return VersionRow.select().where(is_of_author(slug))


def count_posts_of(session: Session, slug: str) -> int:
    """Return the number of posts of an author outside the trash."""
    return session.count(_posts_of(slug).where(PRESENT))


def rename_author(transaction: Transaction, old: str, new: str) -> None:
    """Give an author another slug, which is free; users, invitations and working copies that name it follow."""
    transaction.run(AuthorRow.update(slug=new).where(AuthorRow.slug == old))
    transaction.run(UserRow.update(author=new).where(UserRow.author == old))
    transaction.run(AccountLinkRow.update(author=new).where(AccountLinkRow.author == old))
    rename_in_copies(transaction, "author", old, new)


def delete_author(transaction: Transaction, slug: str) -> None:
    """Delete an author, whom no post names."""
    transaction.run(AuthorRow.delete().where(AuthorRow.slug == slug))


def count_uses_of_author(session: Session, slug: str) -> tuple[int, int]:
    """Return the number of the author's posts, and of those among them that are in the trash."""
    posts = _posts_of(slug)
    counts = _posts_of(slug).select(fn.COUNT(SQL("*")), fn.COUNT(VersionRow.deleted_at).coerce(False))
    ((posts, in_trash),) = session.rows(counts)
    return int(posts), int(in_trash)


def has_unlisted_authors(session: Session) -> bool:
    """Return whether posts belong to an author who is in no file."""
    posts = VersionRow.select(VersionRow.author_id).where(VersionRow.author_id.is_null(False))
    authors = AuthorRow.select(AuthorRow.id).where(AuthorRow.position == 0, AuthorRow.id.in_(posts))
    return session.row(authors.limit(1)) is not None
