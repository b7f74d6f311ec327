"""Addresses of the built site that its own pages have, so that no page an owner writes can stand there."""

from sitecms.content.permalink import BLOG, entry_path, locale_root
from sitecms.settings.site import SiteSettings


def what_stands_at(settings: SiteSettings, page_type: str | None, slug: str) -> str:
    """What the site itself shows at the address a page of that slug would have; "" where it is free."""
    if settings.build.home == (f"{page_type}/{slug}" if page_type else slug):
        return ""  # it stands at the root instead
    pattern = settings.permalinks.single_page if page_type is None else settings.permalinks.page
    default = settings.default_locale
    path = entry_path(pattern, default, default, slug=slug, page_type=page_type or "")
    if path == BLOG:
        return "the list of all posts"
    homes = {f"{locale_root(locale, default)}/": locale for locale in settings.locales}
    return f"the home page in {homes[path]}" if path in homes else ""
