"""Metadata of pages: title, description, share image and links in the <head>."""

from sitecms.content.text.html import plain_text
from sitecms.site.routes import Routes
from sitecms.site.template_values import FeedLink, HeadView, ImageView, LocaleLink, PageView
from sitecms.site.theme.html import absolute

DESCRIPTION_LENGTH = 160


class PageMetadata:
    """Makes metadata; the links to the feeds are those of the site, `image` is for pages that have none."""

    def __init__(self, routes: Routes, feeds: tuple[FeedLink, ...], image: ImageView | None = None) -> None:
        self._routes = routes
        self._feeds = feeds
        self._image = image

    def head(
        self,
        title: str,
        description: str,
        path: str,
        kind: str,
        translations: tuple[LocaleLink, ...] = (),
        image: ImageView | None = None,
        feeds: tuple[FeedLink, ...] | None = None,
    ) -> HeadView:
        """Return the metadata of the page at the path; `path` "" for a page without an address of its own."""
        url = self._routes.settings.url
        shared = (image or self._image) if path and url else None
        return HeadView(
            title=title,
            description=description,
            absolute_url=self._routes.absolute(path) if path and url else "",
            kind=kind,
            translations=translations,
            absolute_image=absolute(shared.src, url) if shared else "",
            image=shared,
            feeds=self._feeds if feeds is None else feeds,
            noindex=not path,
        )


def described(page: PageView | None) -> str:
    """Return the page's description for search engines: of its `seo` component, else its description or summary."""
    if page is None:
        return ""
    seo = getattr(page.fields.get("seo"), "fields", {})
    for text in (seo.get("description"), *(page.fields.get(name) for name in ("description", "summary", "intro"))):
        if isinstance(text, str) and text.strip():
            return plain_text(text).strip()[:DESCRIPTION_LENGTH]
    return ""
