"""The years in which posts of one locale were published, and where the posts of each are listed."""

import re
from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.site.routes import Routes
from sitecms.site.template_values import Link, YearLink

MOVED_ASIDE = "-posts"


class Years:
    """Posts by year, in the time zone of the site, the newest year first."""

    def __init__(self, posts: Sequence[Post], pages: Sequence[Page], locale: str, routes: Routes) -> None:
        self._routes = routes
        self._zone = ZoneInfo(routes.settings.timezone)
        by_year: dict[int, list[Post]] = {}
        for post in posts:
            by_year.setdefault(self.of(post), []).append(post)
        self.posts: Mapping[int, list[Post]] = dict(sorted(by_year.items(), reverse=True))
        self._paths = self._found_paths(posts, pages, locale)

    def of(self, post: Post) -> int:
        """The year in which the post was published."""
        return (post.published_at or post.created_at).astimezone(self._zone).year

    def path(self, year: int) -> str:
        """Where the posts of the year are listed."""
        return self._paths[year]

    def link(self, year: int) -> Link:
        """A link there."""
        return Link(str(year), self._routes.url(self._paths[year]))

    def links(self) -> tuple[YearLink, ...]:
        """Links to all years, with how many posts each has."""
        return tuple(
            YearLink(str(year), self._routes.url(self._paths[year]), len(posts)) for year, posts in self.posts.items()
        )

    def _found_paths(self, posts: Sequence[Post], pages: Sequence[Page], locale: str) -> dict[int, str]:
        """By the permalink; a year moves aside for a post or page that has its address."""
        routes = self._routes
        digits = re.compile("|".join(map(str, self.posts)) or "(?!)")
        taken = {routes.post(post) for post in posts if digits.search(post.slug)}
        taken |= {routes.page(page) for page in pages if digits.search(page.slug)}
        paths = {}
        for year in self.posts:
            path = routes.year(locale, str(year))
            paths[year] = routes.year(locale, f"{year}{MOVED_ASIDE}") if path in taken else path
        return paths
