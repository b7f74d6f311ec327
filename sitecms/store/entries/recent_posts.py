"""The newest posts of each author and each term, for all of them at once: four queries, however many there are."""

from collections.abc import Sequence
from typing import Any

from peewee import fn

from sitecms.content.post import Post
from sitecms.content.status import Status
from sitecms.content.term import Term
from sitecms.store.database import Session
from sitecms.store.entries.posts import posts_of_ids
from sitecms.store.schema.tables import AuthorRow, PostRow, PostTermRow, TermRow

MOST = 10


def by_author(session: Session, locale: str, slugs: Sequence[str]) -> dict[str, tuple[Post, ...]]:
    """The ten newest published posts of each of these authors in that locale, newest first, by the author's slug."""
    ranked = (
        _ranked(PostRow.author_id, locale)
        .join(AuthorRow, on=(AuthorRow.id == PostRow.author_id))
        .where(AuthorRow.slug.in_(slugs))
    )
    found: dict[str, tuple[Post, ...]] = {}
    for post in posts_of_ids(session, _newest(session, ranked)):
        found[post.author.slug] = (*found.get(post.author.slug, ()), post)
    return found


def by_term(session: Session, locale: str, terms: Sequence[Term]) -> dict[Term, tuple[Post, ...]]:
    """The ten newest published posts of each of these terms of one kind in that locale, newest first."""
    found: dict[Term, tuple[Post, ...]] = dict.fromkeys(terms, ())
    if not terms:
        return found
    ranked = (
        _ranked(PostTermRow.term_id, locale)
        .join(PostTermRow, on=(PostTermRow.post_id == PostRow.id))
        .join(TermRow, on=(TermRow.id == PostTermRow.term_id))
        .where(TermRow.kind == terms[0].kind.value, TermRow.slug.in_([term.slug for term in terms]))
    )
    for post in posts_of_ids(session, _newest(session, ranked)):
        for term in post.categories + post.tags:
            if term in found and len(found[term]) < MOST:  # a post may be here for the sake of another term
                found[term] = (*found[term], post)
    return found


def _ranked(owner: Any, locale: str) -> Any:
    """Ids of published posts with their place among those of the same owner, 1 for the newest."""
    order = [PostRow.published_at.desc(), PostRow.id.desc()]
    place = fn.ROW_NUMBER().over(partition_by=[owner], order_by=order)
    return PostRow.select(PostRow.id.alias("post_id"), place.alias("place")).where(
        PostRow.locale == locale, PostRow.status == Status.PUBLISHED.value, PostRow.deleted_at.is_null()
    )


def _newest(session: Session, ranked: Any) -> list[int]:
    inner = ranked.alias("ranked")
    query = PostRow.select(inner.c.post_id).from_(inner).where(inner.c.place <= MOST)
    return [row[0] for row in session.rows(query)]
