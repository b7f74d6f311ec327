"""Structured data of a page for search engines: schema.org as JSON-LD, and its breadcrumbs.

Both follow from the context of the template, so the plan contains neither.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import orjson
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from sitecms.clock import format_timestamp
from sitecms.site.template_values import AuthorView, HeadView, ImageView, Link, ListView, PageView, PostView, SiteView

Data: TypeAlias = dict[str, object]
Values: TypeAlias = Context | Mapping[str, Any]

_HEADLINE_LENGTH = 110
_ESCAPES = {sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


@pass_context
def trail(context: Values) -> tuple[Link, ...]:
    """Return the breadcrumbs from the home page to this page; () for the home page and pages without an address."""
    site: SiteView = context["site"]
    head: HeadView = context["head"]
    post, author, listed, page = (context.get(name) for name in ("post", "author", "list", "page"))
    home = Link(site.name, site.home_url)
    if head.kind == "home" or head.noindex:
        return ()
    if isinstance(post, PostView):
        section = next(iter(post.card.categories), None)
        return tuple(filter(None, (home, section, Link(post.card.title, post.card.url))))
    if isinstance(listed, ListView):
        first = author.url if isinstance(author, AuthorView) else _first_url(listed)
        link = Link(listed.heading, first)
        return (home, link, Link(head.title, listed.url)) if listed.number > 1 else (home, link)
    if isinstance(page, PageView):
        return (home, Link(page.title, page.url))
    return (home, Link(head.title, head.absolute_url))


@pass_context
def structured_data(context: Values) -> Markup:
    """Return the page as JSON-LD for a <script> element; "" for a page without an address.

    A `@graph` of WebSite and Organization (home page), BlogPosting with its Person, ProfilePage of a Person,
    CollectionPage or WebPage; and the BreadcrumbList.
    """
    site: SiteView = context["site"]
    head: HeadView = context["head"]
    if not head.absolute_url or head.noindex:
        return Markup("")
    graph = [_thing(context, site, head)]
    if head.kind == "home":
        graph.append(_organization(site))
    crumbs = trail(context)
    if len(crumbs) > 1:
        graph.append(_breadcrumbs(crumbs, site))
    data = orjson.dumps({"@context": "https://schema.org", "@graph": graph}).decode()
    for sign, escape in _ESCAPES.items():
        data = data.replace(sign, escape)
    return Markup(data)  # noqa: S704  # no sign of HTML is left in it


def _thing(context: Values, site: SiteView, head: HeadView) -> Data:
    post, author = context.get("post"), context.get("author")
    if isinstance(post, PostView):
        return _posting(post, site, head)
    if head.kind == "home":
        return _website(site)
    page: Data = _filled(
        {
            "@type": "WebPage",
            "@id": head.absolute_url,
            "url": head.absolute_url,
            "name": head.title,
            "description": head.description,
            "inLanguage": site.language,
            "isPartOf": {"@id": _website_id(site)},
        }
    )
    if isinstance(author, AuthorView):
        return {**page, "@type": "ProfilePage", "mainEntity": _person(author, site)}
    if isinstance(context.get("list"), ListView):
        return {**page, "@type": "CollectionPage"}
    entry_page = context.get("page")
    if isinstance(entry_page, PageView) and entry_page.updated_at:
        return {**page, "dateModified": format_timestamp(entry_page.updated_at)}
    return page


def _posting(post: PostView, site: SiteView, head: HeadView) -> Data:
    card = post.card
    return _filled(
        {
            "@type": "BlogPosting",
            "@id": f"{head.absolute_url}#post",
            "headline": card.title[:_HEADLINE_LENGTH],
            "description": head.description,
            "image": _image(head.absolute_image, head.image) if head.image else head.absolute_image,
            "datePublished": format_timestamp(card.published_at),
            "dateModified": format_timestamp(post.updated_at or card.published_at),
            "author": _person(post.author, site),
            "publisher": _organization(site),
            "mainEntityOfPage": head.absolute_url,
            "inLanguage": site.language,
            "articleSection": [category.label for category in card.categories],
            "keywords": [tag.label for tag in post.tags],
            "isPartOf": {"@id": _website_id(site)},
        }
    )


def _person(author: AuthorView, site: SiteView) -> Data:
    url = _absolute(author.url, site)
    return _filled(
        {
            "@type": "Person",
            "@id": f"{url}#person",
            "name": author.name,
            "url": url,
            "jobTitle": author.title,
            "description": author.bio,
            "image": _absolute(author.image.src, site) if author.image else "",
            "sameAs": [link.url for link in author.links],
        }
    )


def _website(site: SiteView) -> Data:
    return _filled(
        {
            "@type": "WebSite",
            "@id": _website_id(site),
            "url": _absolute(site.home_url, site),
            "name": site.name,
            "description": site.description,
            "inLanguage": site.language,
            "publisher": {"@id": f"{site.url}/#organization"},
        }
    )


def _organization(site: SiteView) -> Data:
    logo = site.theme.logo
    return _filled(
        {
            "@type": "Organization",
            "@id": f"{site.url}/#organization",
            "name": site.name,
            "url": f"{site.url}/",
            "logo": _image(_absolute(logo.src, site), logo) if logo else None,
        }
    )


def _image(url: str, image: ImageView) -> Data:
    return _filled({"@type": "ImageObject", "url": url, "width": image.width, "height": image.height})


def _breadcrumbs(crumbs: tuple[Link, ...], site: SiteView) -> Data:
    items = [
        {"@type": "ListItem", "position": number, "name": crumb.label, "item": _absolute(crumb.url, site)}
        for number, crumb in enumerate(crumbs, 1)
    ]
    return {"@type": "BreadcrumbList", "itemListElement": items}


def _website_id(site: SiteView) -> str:
    return f"{_absolute(site.home_url, site)}#website"


def _absolute(url: str, site: SiteView) -> str:
    """Return a root-relative address, which has the path of the site's `url`, with scheme and host."""
    return _host(site.url) + url if url.startswith("/") else url


@lru_cache
def _host(url: str) -> str:
    """Return scheme and host of an address."""
    return "/".join(url.split("/")[:3])


def _first_url(listed: ListView) -> str:
    """Return the address of the first page of a list."""
    return listed.url if listed.number == 1 else next(link.url for link in listed.pages if link)


def _filled(data: Data) -> Data:
    """Remove empty values, which search engines report as errors."""
    return {name: value for name, value in data.items() if value not in ("", None, [])}
