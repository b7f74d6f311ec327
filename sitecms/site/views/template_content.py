"""Content that templates ask for beside that of their page: collections, lists of posts and pages, data files.

A template's source tells what it asks for (`theme.template_source`). The digests of the answers are inputs of all its
pages, so that a page is stale when one of them changes. Where the source does not tell, its pages depend on all.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from jinja2 import TemplateRuntimeError
from msgspec import Struct
from msgspec.structs import replace

from sitecms.content.fingerprint import digest
from sitecms.content.term import Term
from sitecms.documents import suggest
from sitecms.settings.site import SiteSettings
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import PageView, PostCard, SiteView
from sitecms.site.theme.assets import plain_json
from sitecms.site.theme.environment import NamedValues
from sitecms.site.theme.template_source import Query
from sitecms.site.theme.theme import Theme
from sitecms.site.views.view_builder import ViewBuilder, published_at

_SINGLE = "_single"


class SharedContent(Struct, frozen=True):
    """Values that all pages of a template see; `inputs` are their inputs, `media` the names of media they show."""

    site: SiteView
    collections: Mapping[str, object]
    functions: Mapping[str, Callable[..., object]]
    inputs: tuple[object, ...]
    media: tuple[str, ...]

    def context(self) -> dict[str, object]:
        """Return the values by the names that they have in templates."""
        return {"site": self.site, "collections": self.collections, **self.functions}


class _FoundContent(Struct, frozen=True):
    """The content that templates asked for, the input of the pages that show it, and names of media that it shows."""

    content: object
    inputs: object
    media: tuple[str, ...] = ()


class _Collections(NamedValues):
    """Items of collections by key. `boats_for_sale` is another name of the key `boats-for-sale`."""

    def __missing__(self, name: str) -> object:
        """Return the items of the collection whose key has hyphens in place of underscores. Raises KeyError."""
        for key, items in self.items():
            if _plain(key) == name:
                return items
        raise KeyError(name)


def _plain(key: str) -> str:
    return key.replace("-", "_")


class TemplateContent:
    """Finds the content that templates ask for on the pages of one locale. `data`: the values of the data files."""

    def __init__(
        self,
        snapshot: Snapshot,
        settings: SiteSettings,
        theme: Theme,
        views_in: Callable[[str], ViewBuilder],
        views: ViewBuilder,
        data: Mapping[str, object],
    ) -> None:
        self._snapshot = snapshot
        self._locales = settings.locales
        self._zone = settings.zone
        self._theme = theme
        self._views_in = views_in
        self._views = views
        self._data = data
        self._collections: dict[str, _FoundContent] = {}
        self._answers: dict[Query | None, _FoundContent] = {}
        self._functions: Mapping[str, Callable[..., object]] = {"posts": self.posts, "pages": self.pages}

    def shown_by(self, template: str, site: SiteView) -> SharedContent:
        """Return what the template, or one that it uses, asks for."""
        used, declared = self._theme.content(template), self._snapshot.schema.collections.keys()
        collection_names = used.collections
        keys = sorted(
            key
            for key in declared
            if collection_names is None or key in collection_names or _plain(key) in collection_names
        )
        data = {key: value for key, value in self._data.items() if used.data is None or key in used.data}
        queries = [None] if used.queries is None else sorted(used.queries, key=repr)
        collections = {key: self._collection(key) for key in keys}
        answers = [*collections.values(), *map(self._answer, queries)]
        return SharedContent(
            site=replace(site, data=NamedValues("site.data", self._data, data))
            if self._data and used.data != frozenset()
            else site,
            collections=_Collections(
                "collections", map(_plain, declared), {key: answer.content for key, answer in collections.items()}
            ),
            functions=self._functions,
            inputs=(*(answer.inputs for answer in answers), *((key, digest(plain_json(data[key]))) for key in data)),
            media=tuple(name for answer in answers for name in answer.media),
        )

    def _collection(self, key: str) -> _FoundContent:
        if key not in self._collections:
            items = self._views.collection(key)
            inputs, media = self._views.inputs_of(items)
            self._collections[key] = _FoundContent(items, (key, inputs), media)
        return self._collections[key]

    def _answer(self, query: Query | None) -> _FoundContent:
        """Return the answer to a query of a template; None stands for any query, which depends on all entries."""
        if query not in self._answers:
            try:
                answer: object = self._functions[query.name](*query.arguments, **dict(query.named)) if query else None
            except (TypeError, TemplateRuntimeError) as error:
                answer = str(error)  # the page fails in the same way when it is rendered
            inputs, media = self._views.inputs_of(answer)
            self._answers[query] = _FoundContent(answer, inputs if query else self._everything(), media)
        return self._answers[query]

    def _everything(self) -> tuple[object, ...]:
        """Return inputs that change with any post or page in any locale."""
        in_locales = [self._views_in(locale) for locale in self._locales]
        posts = [digest("".join(map(views.card_digest, views.posts)).encode()) for views in in_locales]
        return (*posts, self._views.inputs_of([views.page(page) for views in in_locales for page in views.pages]))

    def posts(
        self,
        limit: int | None = None,
        *,
        category: str = "",
        tag: str = "",
        author: str = "",
        year: int | None = None,
        locale: str = "",
        offset: int = 0,
    ) -> tuple[PostCard, ...]:
        """Return published posts as lists show them, newest first: `posts(3, category="tides")`.

        `limit` is the largest number of posts, and `offset` the number that are left out before them. `category` and
        `tag` are slugs or names, `author` is a slug; `locale` is that of the page by default. A term, author or locale
        that the site does not have is an error.
        """
        views, terms = self._in(locale), self._terms(category, tag)
        _check("author", author, [each.slug for each in self._snapshot.authors])
        matches = (
            post
            for post in views.posts
            if all(term in post.categories + post.tags for term in terms)
            and author in ("", post.author.slug)
            and year in (None, published_at(post).astimezone(self._zone).year)
        )
        return tuple(map(views.card, islice(matches, offset, None if limit is None else offset + limit)))

    def pages(
        self, page_type: str = "", *, limit: int | None = None, locale: str = "", category: str = "", tag: str = ""
    ) -> tuple[PageView, ...]:
        """Return published pages with their fields, newest first: `pages("guide", tag="moon")`.

        They are those of a page type, Single Pages for `_single`, or all. `limit` is the largest number of pages;
        `locale` is that of the page by default. `category` and `tag` are slugs or names, of types that declare terms. A
        page type, term or locale that the site does not have is an error.
        """
        views, terms = self._in(locale), self._terms(category, tag)
        _check("page type", page_type, [_SINGLE, *self._snapshot.schema.page_types])
        pages = (
            page
            for page in views.pages
            if page_type in ("", page.type or _SINGLE) and all(term in views.terms_of(page) for term in terms)
        )
        return tuple(map(views.page, islice(pages, limit)))

    def _terms(self, category: str, tag: str) -> list[Term]:
        """Return the terms of these slugs or names, without those that are "". Raises TemplateRuntimeError."""
        named = (self._snapshot.categories, category), (self._snapshot.tags, tag)
        return [_term(terms, slug) for terms, slug in named if slug]

    def _in(self, locale: str) -> ViewBuilder:
        _check("locale", locale, self._locales)
        return self._views_in(locale) if locale else self._views


def _term(terms: Sequence[Term], slug: str) -> Term:
    """Return the term of that slug or name. Raises TemplateRuntimeError."""
    for term in terms:
        if slug in (term.slug, term.name):
            return term
    raise _unknown(terms[0].kind.value if terms else "term", slug, [term.slug for term in terms])


def _check(kind: str, name: str, names: Sequence[str]) -> None:
    if name and name not in names:
        raise _unknown(kind, name, names)


def _unknown(kind: str, name: str, names: Sequence[str]) -> TemplateRuntimeError:
    return TemplateRuntimeError(f"there is no {kind} {name!r} ({suggest(name, names)})")
