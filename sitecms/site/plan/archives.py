"""The archives of one locale: a list of posts for each category, tag, author and year that has any."""

from collections.abc import Iterable, Iterator

from sitecms.content.author import Author
from sitecms.content.post import Post
from sitecms.content.term import Term, TermKind
from sitecms.site.plan.lists import PostList
from sitecms.site.routes import Routes
from sitecms.site.views.alternates import Alternates
from sitecms.site.views.page_metadata import DESCRIPTION_LENGTH
from sitecms.site.views.view_builder import ViewBuilder
from sitecms.site.views.years import Years


class Archives:
    """Which lists there are besides that of all posts."""

    def __init__(self, views: ViewBuilder, routes: Routes, alternates: Alternates, years: Years) -> None:
        self._views = views
        self._routes = routes
        self._alternates = alternates
        self._locale = views.locale
        self._years = years

    def lists(self, terms: Iterable[Term], authors: Iterable[Author]) -> Iterator[PostList]:
        """Those of the terms, of the authors and of the years, in this order."""
        by_term: dict[tuple[TermKind, str], list[Post]] = {}
        by_author: dict[str, list[Post]] = {}
        for post in self._views.posts:
            by_author.setdefault(post.author.slug, []).append(post)
            for term in post.categories + post.tags:
                by_term.setdefault((term.kind, term.slug), []).append(post)
        for term in terms:
            if found := by_term.get((term.kind, term.slug)):
                yield self._of_term(term, found)
        for author in authors:
            if found := by_author.get(author.slug):
                yield self._of_author(author, found)
        for year, found in self._years.posts.items():
            yield self._of_year(year, found)

    def _of_term(self, term: Term, posts: list[Post]) -> PostList:
        translations = self._alternates.links((term.kind, term.slug), self._locale)
        path, extra = self._routes.term(term, self._locale), {"kind": term.kind.value}
        return PostList(path, "term.html", term.name, posts, translations, "", extra)

    def _of_author(self, author: Author, posts: list[Post]) -> PostList:
        translations = self._alternates.links(("author", author.slug), self._locale)
        path, extra = self._routes.author(author.slug, self._locale), {"author": self._views.author(author)}
        bio = author.bio[:DESCRIPTION_LENGTH]
        return PostList(path, "author.html", author.name, posts, translations, bio, extra)

    def _of_year(self, year: int, posts: list[Post]) -> PostList:
        translations = self._alternates.links(("year", year), self._locale)
        extra = {"year": self._years.link(year), "years": self._years.links()}
        return PostList(self._years.path(year), "year.html", str(year), posts, translations, "", extra)
