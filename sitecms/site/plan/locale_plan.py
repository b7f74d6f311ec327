"""The pages of one locale, with the inputs of each."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from msgspec.structs import replace

from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS
from sitecms.content.term import TermKind
from sitecms.site.plan.entry_pages import EntryPages, PostPages
from sitecms.site.plan.feeds import FeedPlan, newest_change
from sitecms.site.plan.indexes import IndexPages
from sitecms.site.plan.lists import Archives, ListPlan, PostList
from sitecms.site.plan.planned_page import Bodies, PlannedPage, UniquePage
from sitecms.site.plan.redirect_rules import Rule
from sitecms.site.plan.redirect_sources import Redirect
from sitecms.site.plan.redirects import redirect_page, rule_page
from sitecms.site.routes import SEARCH_SCRIPT, Routes
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import (
    FormView,
    ImageView,
    Link,
    ListView,
    LocaleLink,
    MenuEntry,
    NewsletterView,
    PageView,
    SearchView,
    SiteView,
)
from sitecms.site.theme.theme import Theme
from sitecms.site.views.page_metadata import Alternates, PageMetadata, described, titled
from sitecms.site.views.post_lists import featured_first
from sitecms.site.views.site_view import script_view, site_menu, theme_view
from sitecms.site.views.template_content import TemplateContent
from sitecms.site.views.view_builder import ViewBuilder
from sitecms.translations import Translations, text_direction


class LocalePlan:
    """Plans the pages of one locale of a snapshot."""

    def __init__(
        self,
        snapshot: Snapshot,
        routes: Routes,
        theme: Theme,
        locale: str,
        alternates: Alternates,
        translations: Translations,
        assets: dict[str, str],
        data: Mapping[str, object],
        views_in: Callable[[str], ViewBuilder],
        *,
        searchable: bool = False,
    ) -> None:
        self._snapshot = snapshot
        self._routes = routes
        self._settings = routes.settings
        self._theme = theme
        self.locale = locale
        self._alternates = alternates
        self._translations = translations
        self._assets = assets
        self._searchable = searchable
        self._views = views_in(locale)
        self.images = self._views.images
        self.share_image = self.images.of_site(locale, routes.settings.name)
        self._posts = self._views.posts
        self._name = self._views.text(self._settings.name)
        self._description = self._views.text(self._settings.description)
        self.content = TemplateContent(snapshot, routes.settings, theme, views_in, self._views, data)
        self._feeds = FeedPlan(self._views, routes, self._text)
        about_list = self._text("%(heading)s on %(name)s").replace("%(name)s", self._name.replace("%", "%%"))
        self._has_posts = alternates.has_posts(locale)
        self._site_feeds = self._feeds.links(self._feeds.site) if self._has_posts else ()
        self._metadata = PageMetadata(routes, self._site_feeds, self.share_image, about_list)
        self._lists = ListPlan(self._views, routes, self._metadata, self._feeds, self._text)

    def site(self) -> SiteView:
        """Return the view of the site that every page of the locale has."""
        url, locale, integrations = self._routes.url, self.locale, self._settings.integrations
        language = self._settings.language_tag(locale)
        used = {term.slug for post in self._posts for term in post.categories}
        used |= {slug for kind, slug in self._views.entries_by_term if kind is TermKind.CATEGORY}
        return SiteView(
            name=self._name,
            description=self._description,
            url=self._settings.url,
            locale=locale,
            language=language,
            default_locale=self._settings.default_locale,
            direction=text_direction(language),
            home_url=url(self._routes.root(self._home_locale)),
            blog_url=url(self._routes.blog(self._blog_locale)),
            feeds=self._site_feeds,
            menu=self._menu(),
            categories=tuple(self._views.term(term) for term in self._snapshot.categories if term.slug in used),
            theme=theme_view(self._theme, self._assets, self._settings.base_path),
            search=self._search_view(),
            assets=self._assets,
            analytics=script_view(integrations.analytics, language),
            comments=script_view(integrations.comments, language),
            contact_form=self._contact_form(),
            newsletter=self._newsletter(),
        )

    def _menu(self) -> tuple[MenuEntry, ...]:
        entries = site_menu(self._views, self._routes, self._theme, self._text)
        blog = self._routes.url(self._routes.blog(self.locale))
        return entries if self._has_posts else tuple(entry for entry in entries if entry.url != blog)

    @property
    def _home_locale(self) -> str:
        """The locale to whose home page the pages lead: their own one, if it has one."""
        return self.locale if self._alternates.has_home(self.locale) else self._settings.default_locale

    @property
    def _blog_locale(self) -> str:
        return self.locale if self._has_posts else self._settings.default_locale

    def _contact_form(self) -> FormView | None:
        form = self._settings.integrations.contact_form
        page = self._single_page(form.page) if form else None
        return FormView(page.url, form.action) if form and page else None

    def _newsletter(self) -> NewsletterView | None:
        form = self._settings.integrations.newsletter
        if form is None:
            return None
        text, consent, privacy = self._views.text(form.text), self._views.text(form.consent), form.privacy_page
        page = self._single_page(privacy)
        return NewsletterView(form.action, form.email_name, form.hidden, form.honeypot, text, consent, page)

    def _single_page(self, slug: str) -> Link | None:
        """Return a published Single Page by its title; None if the locale has none."""
        pages = (page for page in self._views.pages if not page.type and page.slug == slug)
        found = next(pages, None)
        return Link(self._views.text(found.title), self._routes.url(self._routes.path(found))) if found else None

    def pages(self) -> Iterator[PlannedPage]:
        """Yield every page of the locale, with feeds and 404. Can be called once: it drops the digests at the end.

        A locale without posts has neither home page nor list nor feeds, and one without anything no page at all.
        """
        if not self._alternates.has_pages(self.locale):
            return
        if self._alternates.has_home(self.locale):
            yield self._home()
        if self._has_posts:
            yield from self._blog()
        yield from self.post_pages()
        yield from self._archives()
        yield from self._entry_pages().pages()
        if self._settings.build.indexes:
            yield from IndexPages(self._snapshot, self._views, self._routes, self._metadata, self._text).pages()
        if self._has_posts:
            yield from self._feeds.pages(self._feeds.site, self._posts)
        yield self._not_found()
        if self._searchable:
            yield self._search()
        self._views.forget_digests()

    def redirect(self, redirect: Redirect) -> PlannedPage:
        """Return the page at an old address of the locale."""
        return redirect_page(redirect, self._metadata, self._routes)

    def rule_page(self, rule: Rule) -> PlannedPage:
        """Return the page at the address of a rule of redirects.yaml."""
        return rule_page(rule, self._metadata, self._routes)

    def _text(self, message: str) -> str:
        return self._translations.text(self.locale, message)

    def _home(self) -> PlannedPage:
        newest = featured_first(self._posts)[: self._settings.build.page_size]
        landing = next((page for page in self._views.pages if self._routes.is_home(page)), None)
        view = self._views.page(landing) if landing else None
        inputs, media = self._views.inputs_of(view)
        translations = self._alternates.links("home", self.locale)
        image = self.images.of_fields(landing.fields) if landing else None
        return PlannedPage(
            path=self._routes.root(self.locale),
            template="home.html",
            inputs=(inputs, image, len(self._posts), translations, *map(self._views.card_digest, newest)),
            pages=UniquePage(
                f"home page ({self.locale})", partial(self._home_context, view, newest, translations, image)
            ),
            media=media,
            updated_at=newest_change(newest),
            translations=translations,
        )

    def _home_context(
        self,
        view: PageView | None,
        newest: tuple[Entry, ...],
        translations: tuple[LocaleLink, ...],
        image: ImageView | None,
        _bodies: Bodies,
    ) -> dict[str, object]:
        path = self._routes.root(self.locale)
        about = described(view) or self._description
        posts = tuple(map(self._views.card, newest))
        return {
            "head": self._metadata.head(titled(view, self._name), about, path, "home", translations, image),
            "landing": view,
            "list": ListView("", "", posts, len(self._posts), self._routes.url(path), 1, (), "", ""),
        }

    def _blog(self) -> Iterator[PlannedPage]:
        translations = self._alternates.links("blog", self.locale)
        path, heading = self._routes.blog(self.locale), self._text("All posts")
        extra = {"years": self._alternates.years(self.locale).links()}
        about = self._text("All posts of %(name)s, newest first.") % {"name": self._name}
        about = f"{about} {self._description}".strip()
        posts = PostList(path, "blog.html", heading, self._posts, translations, about, extra, has_feeds=False)
        return self._lists.pages(posts)

    def _archives(self) -> Iterator[PlannedPage]:
        """Yield the lists of terms, authors and years, each with its feeds."""
        years = self._alternates.years(self.locale)
        archives = Archives(self._views, self._routes, self._alternates, years)
        for posts in archives.lists(self._snapshot.categories + self._snapshot.tags, self._snapshot.authors):
            yield from self._lists.pages(posts)
            if posts.has_feeds:
                yield from self._feeds.pages(posts.subject, posts.posts)

    def post_pages(self) -> Iterator[PlannedPage]:
        """Return the page of each post."""
        return self._post_pages().pages()

    def page_of(self, entry: Entry) -> PlannedPage | None:
        """Return the page of one entry of the snapshot, None for an item without one; for a plan of no other page."""
        if KINDS[entry.kind].is_dated:
            return self._post_pages().page_of(entry)
        return self._home() if self._routes.is_home(entry) else self._entry_pages().page_of(entry)

    def _post_pages(self) -> PostPages:
        return PostPages(self._views, self._routes, self._alternates, self._metadata)

    def _entry_pages(self) -> EntryPages:
        return EntryPages(self._snapshot, self._views, self._routes, self._theme, self._alternates, self._metadata)

    def _search_view(self) -> SearchView | None:
        if not self._searchable:
            return None
        url, path = self._routes.url, self._routes.search(self.locale)
        tags = list(map(self._settings.language_tag, self._settings.locales))
        is_told_apart = len(tags) == 1 or ("" not in tags and len({*tags}) == len(tags))
        return SearchView(url(path), url(SEARCH_SCRIPT), url("/"), "" if is_told_apart else self.locale)

    def _search(self) -> PlannedPage:
        path, translations = self._routes.search(self.locale), self._alternates.links("search", self.locale)
        pages = UniquePage(f"search page ({self.locale})", partial(self._search_context, path, translations))
        return PlannedPage(path, "search.html", (translations,), pages, listed=False, translations=translations)

    def _search_context(self, path: str, translations: tuple[LocaleLink, ...], _bodies: Bodies) -> dict[str, object]:
        return {
            "head": replace(self._metadata.head(self._text("Search"), "", path, "search", translations), noindex=True)
        }

    def _not_found(self) -> PlannedPage:
        path = self._routes.root(self.locale) + "404.html"
        pages = UniquePage(f"page for unknown addresses ({self.locale})", self._not_found_context)
        return PlannedPage(path, "404.html", (), pages, listed=False)

    def _not_found_context(self, _bodies: Bodies) -> dict[str, object]:
        return {"head": self._metadata.head(self._text("Page not found"), "", "", "404")}
