"""Feeds and sitemap as the API answers them, rendered from the present content of the store.

They have the templates and contexts of the built site, so that both ways show a reader the same feed.
"""

from functools import cached_property, partial

from jinja2 import Environment
from msgspec.structs import replace

from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.media import MEDIA_PREFIX
from sitecms.content.query import PostQuery, Window
from sitecms.content.schema import ContentSchema
from sitecms.content.term import Term, TermKind
from sitecms.errors import NotFound
from sitecms.settings.site import SiteSettings
from sitecms.site.images.media_links import make_linker
from sitecms.site.plan.feeds import FEED_KINDS, Subject, feed_context
from sitecms.site.plan.locale_plan import LocalePlan
from sitecms.site.plan.sitemap import in_one_file, sitemap_page, sitemap_url
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from sitecms.site.theme.assets import plan_assets
from sitecms.site.theme.environment import make_environment
from sitecms.site.theme.theme import Theme, load_theme
from sitecms.site.views.page_metadata import Alternates
from sitecms.site.views.view_builder import ViewBuilder
from sitecms.store.database import Session
from sitecms.store.entries import authors, media_files, posts, terms
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state import documents
from sitecms.translations import Translations

FEEDS = ("rss", "atom")
SITEMAP = "sitemap"


class FeedTexts:
    """Renders the feeds of one site. Theme and templates are read at the first request, and cached."""

    def __init__(self, settings: SiteSettings) -> None:
        self._settings = settings
        self._routes = Routes(settings)
        self._linked = make_linker(settings)

    def text(self, session: Session, name: str, query: PostQuery) -> str:
        """Return the XML of `rss`, `atom` or `sitemap` for the posts of the query. Raises NotFound for another name."""
        if name in FEEDS:
            return self._feed(session, name, query)
        if name == SITEMAP:
            return self._sitemap(session, query)
        raise NotFound("Not found.")

    def _feed(self, session: Session, kind: str, query: PostQuery) -> str:
        newest = posts.find_posts(session, query, Window(self._settings.feeds.length)).entries
        snapshot = _snapshot_of_posts(session, newest)
        views = self._views(snapshot, query.locale)
        bodies = {post.id: post.body for post in newest}
        terms = _terms(newest, query)
        page = self._routes.term(terms[0], query.locale) if terms else self._routes.root(query.locale)
        subject = Subject(page, ", ".join(views.term(term).label for term in terms))
        context = feed_context(subject, self._self_path(kind, page, terms), newest, bodies, views, self._routes)
        site = self._locale_plan(snapshot, snapshot, query.locale).site()
        text = self._environment.get_template(FEED_KINDS[kind].template).render(site=site, **context)
        return self._linked(text.encode()).decode()

    def _self_path(self, kind: str, page: str, terms: tuple[Term, ...]) -> str:
        """Return the path of the feed on the built site; "" if the site has none of the kind, or of these terms."""
        feeds = self._settings.feeds
        exists = len(terms) <= 1 and kind in (feeds.archives if terms else feeds.kinds)
        return page + FEED_KINDS[kind].file if exists else ""

    def _sitemap(self, session: Session, query: PostQuery) -> str:
        """Return the sitemap of all pages of the locale; with a category or tag, of its posts.

        Raises InvalidRequest for more addresses than one sitemap may hold.
        """
        everything = _snapshot_of_addresses(session)
        if query.category_slug or query.tag_slug:
            selection = tuple(post for post in everything.posts if _is_of(post, query))
            selected = replace(everything, by_kind={**everything.by_kind, EntryKind.POST: selection})
            local = self._locale_plan(selected, everything, query.locale)
            planned = list(local.post_pages())
        else:
            local = self._locale_plan(everything, everything, query.locale)
            planned = [each for each in local.pages() if each.listed]
        urls = in_one_file(sitemap_url(sitemap_page(each, query.locale), self._routes) for each in planned)
        return self._environment.get_template("sitemap.xml").render(site=local.site(), urls=urls)

    def _locale_plan(self, snapshot: Snapshot, everything: Snapshot, locale: str) -> LocalePlan:
        alternates, views_in = Alternates(everything, self._routes), partial(self._views, snapshot)
        return LocalePlan(
            snapshot, self._routes, self._theme, locale, alternates, self._translations, self._asset_urls, {}, views_in
        )

    def _views(self, snapshot: Snapshot, locale: str) -> ViewBuilder:
        words = self._translations.of_content(locale, self._settings.default_locale)
        return ViewBuilder(snapshot, self._routes, locale, text=words)

    @cached_property
    def _theme(self) -> Theme:
        return load_theme(self._settings.folder, self._settings.theme)

    @cached_property
    def _translations(self) -> Translations:
        return Translations(self._theme.catalogues, self._settings.words_in, self._settings.language_tag)

    @cached_property
    def _asset_urls(self) -> dict[str, str]:
        return plan_assets(self._theme, self._routes)[0]

    @cached_property
    def _environment(self) -> Environment:
        no_image, room = (lambda _address: None), 0  # each answer has views of its own, so no part is used again
        return make_environment(self._theme, self._settings, no_image, room_for_parts=room)


def _snapshot_of_posts(session: Session, all_posts: tuple[Entry, ...]) -> Snapshot:
    """Return the part of a snapshot that a feed of these posts shows."""
    addresses = {post.featured_image for post in all_posts} | {post.author.profile_image for post in all_posts}
    names = [address.removeprefix(MEDIA_PREFIX) for address in addresses if address.startswith(MEDIA_PREFIX)]
    return Snapshot(
        {EntryKind.POST: all_posts},
        schema=ContentSchema(),
        authors=(),
        categories=(),
        tags=(),
        media=media_files.find_media(session, names),
    )


def _snapshot_of_addresses(session: Session) -> Snapshot:
    """Return the part of a snapshot that a sitemap needs: everything published, without bodies and items."""
    return Snapshot(
        {kind: stored.published(session) for kind, stored in VERSIONS.items() if KINDS[kind].has_slug},
        schema=documents.load_content_schema(session),
        authors=authors.find_authors(session),
        categories=terms.find_terms(session, TermKind.CATEGORY, as_listed=True),
        tags=terms.find_terms(session, TermKind.TAG, as_listed=True),
        media={},
    )


def _is_of(post: Entry, query: PostQuery) -> bool:
    return _has(post.categories, query.category_slug) and _has(post.tags, query.tag_slug)


def _has(terms: tuple[Term, ...], slug: str) -> bool:
    return not slug or any(term.slug == slug for term in terms)


def _terms(all_posts: tuple[Entry, ...], query: PostQuery) -> tuple[Term, ...]:
    """Return the category and tag of the query; nothing if no post has them, since then they have no page."""
    categories = [term for post in all_posts[:1] for term in post.categories if term.slug == query.category_slug]
    tags = [term for post in all_posts[:1] for term in post.tags if term.slug == query.tag_slug]
    return (*categories, *tags)
