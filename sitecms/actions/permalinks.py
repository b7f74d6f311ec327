"""Paths of posts and pages on the built site, by the permalinks of the settings."""

from datetime import datetime

from msgspec import Struct
from msgspec.structs import asdict

from sitecms.content.former_addresses import AddressSettings
from sitecms.content.page import Page
from sitecms.content.permalink import day_of, entry_path, is_dated
from sitecms.content.post import Post
from sitecms.content.schema import ContentSchema
from sitecms.settings.site import SiteSettings


def address_settings(settings: SiteSettings, schema: ContentSchema) -> AddressSettings:
    """Return the settings that the addresses of all entries depend on."""
    routes = {key: collection.route for key, collection in schema.collections.items() if collection.route}
    return AddressSettings(asdict(settings.permalinks), routes, settings.timezone, settings.default_locale)


class EntryPaths(Struct, frozen=True):
    """The paths of the entries of a site."""

    settings: SiteSettings

    def post(self, post: Post) -> str:
        """Return the path of a post."""
        moment = post.published_at or post.scheduled_at or post.created_at
        return post.path or self.of("post", post.slug, post.locale, moment)

    def page(self, page: Page) -> str:
        """Return the path of a page, also of the home page the one of its own."""
        moment = page.published_at or page.scheduled_at or page.created_at
        return page.addresses.path(page.locale) or self.of_page(page.page_type, page.slug, page.locale, moment)

    def of_page(self, page_type: str | None, slug: str, locale: str, moment: datetime) -> str:
        """Return the path of a page without one of its own."""
        kind = "single_page" if page_type is None else "page"
        return self.of(kind, slug, locale, moment, page_type or "")

    def of(self, kind: str, slug: str, locale: str, moment: datetime, page_type: str = "") -> str:
        """Return the path by the pattern of that name."""
        pattern = str(getattr(self.settings.permalinks, kind))
        day = day_of(moment, self.settings.timezone) if is_dated(pattern) else None
        default = self.settings.default_locale
        return entry_path(pattern, locale, default, slug=slug, page_type=page_type, day=day)
