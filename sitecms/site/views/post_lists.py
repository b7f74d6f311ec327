"""Lists of posts that other pages show: related posts of a post, and the years of the archives."""

import re
from collections.abc import Mapping, Sequence
from math import inf, log2

from sitecms.content.entry import Entry
from sitecms.content.term import Term
from sitecms.site.routes import Routes
from sitecms.site.template_values import CountedLink, Link

FEATURED, SERIES, SERIES_PART = "featured", "series", "series_part"
"""Fields of schema/post.yaml that themes understand."""
YEAR_SUFFIX = "-posts"
RELATED_POSTS = 3
_PRECISION = 10_000
_MAX_COMPARED = 512
_MIN_REACH = 3


def featured_first(posts: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the posts, before the others those whose field `featured` is on."""
    return tuple(sorted(posts, key=lambda post: post.fields.get(FEATURED) is not True))


def series_of_posts(posts: Sequence[Entry]) -> Mapping[int, tuple[Entry, ...]]:
    """Return the parts of the series that each post belongs to, in their order, by id; posts are given newest first.

    A series are the posts whose field `series` has the same text. The field `series_part` is the place in it; parts
    without one follow, the oldest first.
    """
    by_name: dict[str, list[Entry]] = {}
    for post in reversed(posts):
        name = post.fields.get(SERIES)
        if isinstance(name, str) and name.strip():
            by_name.setdefault(name.strip(), []).append(post)
    return {
        post.id: ordered
        for parts in by_name.values()
        for ordered in (tuple(sorted(parts, key=_part)),)
        for post in parts
    }


def _part(post: Entry) -> float:
    number = post.fields.get(SERIES_PART)
    return float(number) if isinstance(number, int | float) else inf


class Years:
    """Posts by year in the time zone of the site, the newest year first."""

    def __init__(self, posts: Sequence[Entry], pages: Sequence[Entry], locale: str, routes: Routes) -> None:
        self._routes = routes
        self._zone = routes.settings.zone
        by_year: dict[int, list[Entry]] = {}
        for post in posts:
            by_year.setdefault(self.of(post), []).append(post)
        self.posts: Mapping[int, list[Entry]] = dict(sorted(by_year.items(), reverse=True))
        self._paths = self._free_paths(posts, pages, locale)

    def of(self, post: Entry) -> int:
        """Return the year in which the post was published."""
        return (post.published_at or post.created_at).astimezone(self._zone).year

    def path(self, year: int) -> str:
        """Return the path of the archive of a year."""
        return self._paths[year]

    def link(self, year: int) -> Link:
        """Return a link to the archive of a year."""
        return Link(str(year), self._routes.url(self._paths[year]))

    def links(self) -> tuple[CountedLink, ...]:
        """Return links to all years, with their numbers of posts."""
        return tuple(
            CountedLink(str(year), self._routes.url(self._paths[year]), len(posts))
            for year, posts in self.posts.items()
        )

    def _free_paths(self, posts: Sequence[Entry], pages: Sequence[Entry], locale: str) -> dict[int, str]:
        """Return the path of each year by the permalink; with a suffix if a post or page has that path."""
        routes = self._routes
        digits = re.compile("|".join(map(str, self.posts)) or "(?!)")
        entries: Sequence[Entry] = (*posts, *pages)
        entry_paths = {routes.path(entry) for entry in entries if entry.path or digits.search(entry.slug)}
        paths = {}
        for year in self.posts:
            path = routes.year(locale, str(year))
            paths[year] = routes.year(locale, f"{year}{YEAR_SUFFIX}") if path in entry_paths else path
        return paths


def related_posts(posts: Sequence[Entry], only: int | None = None) -> list[tuple[Entry, ...]]:
    """Return up to RELATED_POSTS related posts for each of these posts of one locale, newest first.

    With `only`, the place of a post, those of the others are left out.

    A shared term has the more weight the fewer posts have it; of equal posts the newer comes first. Of a term that many
    posts have, only posts published at about the same time are compared, so the time is linear in the number of posts.
    """
    total = len(posts)
    members, of_post = _by_term(posts)
    weights = [round(_PRECISION / log2(1 + len(each))) for each in members]
    reaches = [max(_MIN_REACH, _MAX_COMPARED // len(each)) for each in members]
    places = [0] * len(members)
    related: list[tuple[Entry, ...]] = []
    for number, terms in enumerate(of_post):
        if only is not None and number != only:
            for term in terms:
                places[term] += 1
            related.append(())
            continue
        scores: dict[int, int] = {}
        for term in terms:
            place, weight, reach = places[term], weights[term], reaches[term]
            places[term] = place + 1
            for other in members[term][place - reach if place > reach else 0 : place + reach + 1]:
                scores[other] = scores.get(other, 0) + weight
        scores.pop(number, None)
        best = sorted([score * total - other for other, score in scores.items()], reverse=True)[:RELATED_POSTS]
        related.append(tuple([posts[-code % total] for code in best]))
    return related


def _by_term(posts: Sequence[Entry]) -> tuple[list[list[int]], list[list[int]]]:
    """Return the numbers of the posts of each term, and the terms of each post by number, without duplicates."""
    positions: dict[int, int] = {}  # by identity of the terms
    canonical: dict[tuple[str, str], int] = {}
    members: list[list[int]] = []
    of_post = []
    for number, post in enumerate(posts):
        own_terms = []
        for term in post.categories + post.tags:
            index = positions.get(id(term))
            if index is None:
                index = positions[id(term)] = _index(term, canonical, members)
            if members[index][-1:] != [number]:
                members[index].append(number)
                own_terms.append(index)
        of_post.append(own_terms)
    return members, of_post


def _index(term: Term, canonical: dict[tuple[str, str], int], members: list[list[int]]) -> int:
    key = (term.kind.value, term.slug)
    if key not in canonical:
        canonical[key] = len(members)
        members.append([])
    return canonical[key]
