"""The years in which posts of one locale were published, and the paths of their archives."""

import re
from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.site.routes import Routes
from sitecms.site.template_values import Link, YearLink

YEAR_SUFFIX = "-posts"


class Years:
    """Posts by year in the time zone of the site, the newest year first."""

    def __init__(self, posts: Sequence[Post], pages: Sequence[Page], locale: str, routes: Routes) -> None:
        self._routes = routes
        self._zone = ZoneInfo(routes.settings.timezone)
        by_year: dict[int, list[Post]] = {}
        for post in posts:
            by_year.setdefault(self.of(post), []).append(post)
        self.posts: Mapping[int, list[Post]] = dict(sorted(by_year.items(), reverse=True))
        self._paths = self._free_paths(posts, pages, locale)

    def of(self, post: Post) -> int:
        """Return the year in which the post was published."""
        return (post.published_at or post.created_at).astimezone(self._zone).year

    def path(self, year: int) -> str:
        """Return the path of the archive of a year."""
        return self._paths[year]

    def link(self, year: int) -> Link:
        """Return a link to the archive of a year."""
        return Link(str(year), self._routes.url(self._paths[year]))

    def links(self) -> tuple[YearLink, ...]:
        """Return links to all years, with their numbers of posts."""
        return tuple(
            YearLink(str(year), self._routes.url(self._paths[year]), len(posts)) for year, posts in self.posts.items()
        )

    def _free_paths(self, posts: Sequence[Post], pages: Sequence[Page], locale: str) -> dict[int, str]:
        """Return the path of each year by the permalink; with a suffix if a post or page has that path."""
        routes = self._routes
        digits = re.compile("|".join(map(str, self.posts)) or "(?!)")
        taken = {routes.post(post) for post in posts if digits.search(post.slug)}
        taken |= {routes.page(page) for page in pages if digits.search(page.slug)}
        paths = {}
        for year in self.posts:
            path = routes.year(locale, str(year))
            paths[year] = routes.year(locale, f"{year}{YEAR_SUFFIX}") if path in taken else path
        return paths
