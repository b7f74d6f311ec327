"""Posts: found newest first, kept with their terms."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from peewee import fn

from sitecms.content.post import Post, PostLink
from sitecms.content.query import Found, PostQuery, Window
from sitecms.content.status import Status
from sitecms.content.term import Term, TermKind
from sitecms.errors import NotFound
from sitecms.store.authors import authors_by_id
from sitecms.store.database import Session, Transaction
from sitecms.store.tables import AuthorRow, PostRow, PostTermRow, TermRow
from sitecms.store.taxonomy import terms_of_posts

_PLAIN = (
    "id", "group_id", "locale", "slug", "title", "created_at", "updated_at", "published_at", "scheduled_at",
    "featured_image", "featured_image_alt", "body", "summary", "seo_title", "meta_description",
)  # fmt: skip
_COLUMNS = [getattr(PostRow, name) for name in _PLAIN]
_HERE = PostRow.deleted_at.is_null()
_BODY = _PLAIN.index("body")


def _select(*, with_body: bool = True) -> Any:
    columns = list(_COLUMNS)
    if not with_body:
        columns[_BODY] = PostRow.id  # the body is the bulk of a row: not even read
    return PostRow.select(PostRow.status, PostRow.author_id, PostRow.aliases, *columns)


def _posts(session: Session, query: Any, *, with_body: bool = True, everything: bool = False) -> tuple[Post, ...]:
    """The posts of a query with authors and terms: three queries, however many posts."""
    rows = session.rows(query)
    terms = terms_of_posts(session, None if everything else [row[3] for row in rows]) if rows else {}
    authors = authors_by_id(session, None if everything else {row[1] for row in rows}) if rows else {}
    made = []
    for status, author_id, aliases, *plain in rows:
        values: dict[str, Any] = dict(zip(_PLAIN, plain, strict=True))
        if not with_body:
            values["body"] = ""
        mine = terms.get(values["id"], ())
        made.append(
            Post(
                **values,
                status=Status(status),
                author=authors[author_id],
                aliases=tuple(aliases),
                categories=_of_kind(mine, TermKind.CATEGORY),
                tags=_of_kind(mine, TermKind.TAG),
            )
        )
    return tuple(made)


def _of_kind(terms: Sequence[Term], kind: TermKind) -> tuple[Term, ...]:
    return tuple(term for term in terms if term.kind is kind)


def _visible(*, preview: bool) -> Any:
    return _HERE if preview else _HERE & (PostRow.status == Status.PUBLISHED.value)


def find_posts(session: Session, query: PostQuery, window: Window) -> Found[Post]:
    """The posts a query asks for, newest published first (drafts by their creation), then by id."""
    wanted = _visible(preview=query.preview) & (PostRow.locale == query.locale)
    if query.author_slug:
        wanted &= PostRow.author_id.in_(AuthorRow.select(AuthorRow.id).where(AuthorRow.slug == query.author_slug))
    for kind, slug in ((TermKind.CATEGORY, query.category_slug), (TermKind.TAG, query.tag_slug)):
        if slug:
            wanted &= PostRow.id.in_(_carrying(kind, slug))
    shown_at: Any = PostRow.published_at
    if query.preview:
        shown_at = fn.COALESCE(PostRow.published_at, PostRow.created_at)
    listing = _select(with_body=query.with_body).where(wanted).order_by(shown_at.desc(), PostRow.id.desc())
    entries = _posts(session, listing.limit(window.limit).offset(window.offset), with_body=query.with_body)
    return Found(_count(session, wanted), entries)


def _carrying(kind: TermKind, slug: str) -> Any:
    term = TermRow.select(TermRow.id).where(TermRow.kind == kind.value, TermRow.slug == slug)
    return PostTermRow.select(PostTermRow.post_id).where(PostTermRow.term_id.in_(term))


def _count(session: Session, wanted: Any) -> int:
    return int(session.rows(PostRow.select(fn.COUNT(PostRow.id)).where(wanted))[0][0])


def published_posts(session: Session) -> tuple[Post, ...]:
    """Every published post of every locale, newest first: what the static site is made of."""
    order = (PostRow.published_at.desc(), PostRow.id.desc())
    return _posts(session, _select().where(_visible(preview=False)).order_by(*order), everything=True)


def posts_of_ids(session: Session, ids: Any) -> tuple[Post, ...]:
    """The posts whose ids a query of the store gives, newest published first."""
    order = (PostRow.published_at.desc(), PostRow.id.desc())
    return _posts(session, _select().where(PostRow.id.in_(ids)).order_by(*order))


def get_post(session: Session, slug: str, *, preview: bool = False) -> Post:
    """The post of that slug, in whatever locale it is. Raises NotFound."""
    return _one(session, PostRow.slug == slug, preview=preview)


def get_sibling(session: Session, group_id: int, locale: str, *, preview: bool = False) -> Post:
    """The variant of a post in another locale. Raises NotFound."""
    return _one(session, (PostRow.group_id == group_id) & (PostRow.locale == locale), preview=preview)


def get_post_by_id(session: Session, post_id: int) -> Post:
    """The post of that id, published or not. Raises NotFound."""
    return _one(session, PostRow.id == post_id, preview=True)


def _one(session: Session, match: Any, *, preview: bool) -> Post:
    posts = _posts(session, _select().where(match & _visible(preview=preview)))
    if not posts:
        raise NotFound("Not found.")
    return posts[0]


def neighbours(session: Session, post: Post) -> tuple[PostLink | None, PostLink | None]:
    """The published posts of the same locale just after and just before this one."""
    if post.published_at is None:
        return None, None
    here = (post.published_at, post.id)
    at, number = PostRow.published_at, PostRow.id
    later = (at > here[0]) | ((at == here[0]) & (number > here[1]))
    earlier = (at < here[0]) | ((at == here[0]) & (number < here[1]))
    return (
        _link(session, post.locale, later, (at.asc(), number.asc())),
        _link(session, post.locale, earlier, (at.desc(), number.desc())),
    )


def _link(session: Session, locale: str, side: Any, order: tuple[Any, Any]) -> PostLink | None:
    query = PostRow.select(PostRow.slug, PostRow.title, PostRow.featured_image)
    row = session.row(query.where(_visible(preview=False), PostRow.locale == locale, side).order_by(*order))
    return PostLink(*row) if row else None


def find_post_id(session: Session, slug: str) -> int | None:
    """The id of the post that holds this slug."""
    row = session.row(PostRow.select(PostRow.id).where(PostRow.slug == slug, _HERE))
    return int(row[0]) if row else None


def find_slug(session: Session, post_id: int) -> str | None:
    """The slug of the post; None if it is in the trash."""
    row = session.row(PostRow.select(PostRow.slug).where(PostRow.id == post_id, _HERE))
    return str(row[0]) if row else None


def insert_post(transaction: Transaction, values: Mapping[str, object]) -> int:
    """A new row; a `group_id` of 0 makes the post the first of its own group."""
    post_id = transaction.run(PostRow.insert(**values))
    if not values["group_id"]:
        transaction.run(PostRow.update(group_id=post_id).where(PostRow.id == post_id))
    return post_id


def update_post(transaction: Transaction, post_id: int, values: Mapping[str, object]) -> None:
    """Change columns of a row."""
    transaction.run(PostRow.update(**values).where(PostRow.id == post_id))


def delete_post(transaction: Transaction, post_id: int, at: datetime) -> None:
    """To the trash: no read shows it any more, its slug is free."""
    transaction.run(PostRow.update(deleted_at=at).where(PostRow.id == post_id))


def due_posts(session: Session, at: datetime) -> tuple[int, ...]:
    """Scheduled posts whose time has come."""
    due = (PostRow.status == Status.SCHEDULED.value) & (PostRow.scheduled_at <= at) & _HERE
    return tuple(row[0] for row in session.rows(PostRow.select(PostRow.id).where(due).order_by(PostRow.id)))
