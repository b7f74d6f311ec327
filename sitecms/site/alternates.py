"""The same page in other locales: posts by locale group, pages by id, lists by what they list."""

from collections.abc import Hashable

from sitecms.content.post import Post
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from sitecms.site.translations import babel_locale
from sitecms.site.views import LocaleLink


class Alternates:
    """Which locales have which page, and where."""

    def __init__(self, snapshot: Snapshot, routes: Routes) -> None:
        self._routes = routes
        self._paths: dict[Hashable, dict[str, str]] = {}
        for locale in routes.settings.locales:
            self._add("home", locale, routes.root(locale))
            self._add("blog", locale, routes.blog(locale))
        for post in snapshot.posts:
            self._add_post(post)
        for page in snapshot.pages:
            if page.locale in routes.settings.locales:
                self._add(("page", page.id), page.locale, routes.page(page))

    def links(self, key: Hashable, locale: str) -> tuple[LocaleLink, ...]:
        """Links to the other locales that have the page, in the order of the settings."""
        paths = self._paths.get(key, {})
        others = (code for code in self._routes.settings.locales if code != locale and code in paths)
        return tuple(
            LocaleLink(code, language_name(code), self._routes.url(paths[code]), self._routes.absolute(paths[code]))
            for code in others
        )

    def _add_post(self, post: Post) -> None:
        routes, locale = self._routes, post.locale
        if locale not in routes.settings.locales:
            return
        self._add(("post", post.group_id), locale, routes.post(post))
        self._add(("author", post.author.slug), locale, routes.author(post.author.slug, locale))
        for term in post.categories + post.tags:
            self._add((term.kind, term.slug), locale, routes.term(term, locale))

    def _add(self, key: Hashable, locale: str, path: str) -> None:
        self._paths.setdefault(key, {})[locale] = path


def language_name(code: str) -> str:
    """The language's own name for itself, `Español`."""
    name = babel_locale(code).get_language_name() or code
    return name[:1].upper() + name[1:]


def text_direction(code: str) -> str:
    """`ltr` or `rtl`."""
    return str(babel_locale(code).text_direction)
