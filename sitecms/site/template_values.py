"""The values that templates see: plain and immutable, without access to store, clock or network.

Addresses are root-relative (`/blog/reading-fog/`) and start with the path of the site's `url`;
fields named `absolute_...` have the absolute URL. Text is plain unless it is `Markup`, which is sanitised HTML.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class Link:
    """A link: its text and its address."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class FeedLink:
    """A link to a feed: `name` is short (RSS), `label` names its subject, `type` is its media type."""

    name: str
    label: str
    url: str
    type: str


@dataclass(frozen=True, slots=True)
class YearLink:
    """A link to the archive of one year, with its number of posts."""

    label: str
    url: str
    count: int


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One entry of the site's menu (collection `menu`), with the entries below it."""

    label: str
    url: str
    children: tuple["MenuEntry", ...] = ()


@dataclass(frozen=True, slots=True)
class LocaleLink:
    """The same page in another locale; `name` is the language's own name for itself."""

    code: str
    name: str
    url: str
    absolute_url: str


@dataclass(frozen=True, slots=True)
class ImageSource:
    """The variants of an image in one format, for a <source>: media type, and addresses with widths."""

    type: str
    srcset: str


@dataclass(frozen=True, slots=True)
class ImageView:
    """An image with its size in pixels if it is known, so that browsers reserve its space.

    `src`: the image itself. `sources`: its variants, the preferred format first. `tone`: classes of style.css for the
    colour of its box until it is loaded, "" for none.
    """

    src: str
    alt: str = ""
    width: int | None = None
    height: int | None = None
    sources: tuple[ImageSource, ...] = ()
    tone: str = ""


@dataclass(frozen=True, slots=True)
class ThemeView:
    """Options of the theme. `colors` has the page's colour by scheme; `preloads` are addresses of font files."""

    accent: str
    color_scheme: str
    colors: Mapping[str, str]
    logo: ImageView | None
    dark_logo: ImageView | None
    favicon_url: str
    favicon_type: str
    preloads: tuple[str, ...]
    home: str
    footer_text: str
    footer_links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class SearchView:
    """Addresses of a locale's search page and of Pagefind's script, and the beginning of the addresses of results."""

    url: str
    bundle_url: str
    root_url: str


@dataclass(frozen=True, slots=True)
class SiteView:
    """The values of the site in the locale of the page. `search` is None for a site without search."""

    name: str
    description: str
    url: str
    locale: str
    default_locale: str
    direction: str
    home_url: str
    blog_url: str
    feeds: tuple[FeedLink, ...]
    menu: tuple[MenuEntry, ...]
    categories: tuple[Link, ...]
    theme: ThemeView
    search: SearchView | None
    assets: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HeadView:
    """The metadata in a page's <head>. `absolute_url` is "" for a page without an address of its own (404).

    `image` is the share image of the page, at `absolute_image`.
    """

    title: str
    description: str
    absolute_url: str
    kind: str
    translations: tuple[LocaleLink, ...] = ()
    absolute_image: str = ""
    image: ImageView | None = None
    feeds: tuple[FeedLink, ...] = ()
    noindex: bool = False


@dataclass(frozen=True, slots=True)
class AuthorView:
    """An author as pages show it; `links` are profiles on other sites."""

    name: str
    url: str
    title: str
    bio: str
    image: ImageView | None
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class PostCard:
    """A post as lists show it. `feed_id`: its own id in feeds, "" if that is its address.

    `is_permalink`: the id is an address of the site.
    """

    title: str
    url: str
    absolute_url: str
    feed_id: str
    is_permalink: bool
    summary: str
    published_at: datetime
    author: Link
    categories: tuple[Link, ...]
    image: ImageView | None
    reading_minutes: int


@dataclass(frozen=True, slots=True)
class PostView:
    """A post as its own page and its feeds show it. `updated_at` is None if it is the day of publication.

    `changed_at` is always the time of the last change.
    """

    card: PostCard
    body: Markup
    tags: tuple[Link, ...]
    author: AuthorView
    updated_at: datetime | None
    changed_at: datetime
    newer: Link | None
    older: Link | None


@dataclass(frozen=True, slots=True)
class ListView:
    """One page of a paginated list. `number` counts from 1; `url` is the address of this page.

    `pages` are links to the first page, the last and those around this one, labelled with their numbers; None stands
    for pages that are left out.
    """

    heading: str
    intro: str
    posts: tuple[PostCard, ...]
    total: int
    url: str
    number: int
    pages: tuple[Link | None, ...]
    newer_url: str
    older_url: str


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """A field's declaration, for templates that show any page type.

    `labels`: the labels of a dropdown's values. `fields`: the fields of a repeater.
    """

    slug: str
    name: str
    type: str
    labels: Mapping[str, str]
    fields: tuple["FieldInfo", ...] = ()


@dataclass(frozen=True, slots=True)
class ComponentView:
    """One component: rendered by `components/<type>.html`, or by `components/_default.html`."""

    type: str
    name: str
    fields: Mapping[str, object]
    declared: tuple[FieldInfo, ...]


@dataclass(frozen=True, slots=True)
class EntryView:
    """A referenced entry. The `url` of an item is "" unless its collection has a `route`."""

    kind: str
    label: str
    url: str
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class CollectionView:
    """A collection, on the page of one of its items."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class PageView:
    """Page. `fields` maps each declared field to its value in templates.

    short_text, dropdown, color: str · long_text: str, shown with `|markdown` · wysiwyg, html: Markup · number: number
    · date: datetime · checkbox: bool · media: ImageView or None · reference: EntryView or None, many: a tuple ·
    component: ComponentView or None · component_picker: a tuple of them · repeater: a tuple of mappings.
    `html_texts`: number of HTML texts with ids. The page of an item has no `page_type`.
    """

    title: str
    url: str
    page_type: str
    fields: Mapping[str, object]
    declared: tuple[FieldInfo, ...]
    updated_at: datetime
    html_texts: int = 0


@dataclass(frozen=True, slots=True)
class FeedView:
    """A feed; `absolute_url` is that of the HTML page it belongs to.

    `absolute_self_url` is "" for a feed that the built site does not have.
    """

    title: str
    description: str
    id: str
    absolute_url: str
    absolute_self_url: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class SitemapUrl:
    """One address in the sitemap."""

    absolute_url: str
    updated_at: datetime | None = None
    translations: tuple[LocaleLink, ...] = ()
