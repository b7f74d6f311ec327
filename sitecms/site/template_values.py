"""What templates see: plain immutable values, never the store, the clock or the network.

Addresses are root-relative (`/blog/reading-fog/`), with the path of the site's `url` in front where it has one;
fields named `absolute_...` carry the whole address. Text is plain unless it is `Markup`, which is sanitised HTML.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class Link:
    """A place to go to."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class FeedLink:
    """A feed: `name` is short (RSS), `label` says of what it is; `type` is its media type."""

    name: str
    label: str
    url: str
    type: str


@dataclass(frozen=True, slots=True)
class YearLink:
    """The list of the posts of one year, and how many there are."""

    label: str
    url: str
    count: int


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One entry of the site's menu (collection `menu`), with those below it."""

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
    """The variants of an image in one format, for a <source>: its media type, and addresses with their widths."""

    type: str
    srcset: str


@dataclass(frozen=True, slots=True)
class ImageView:
    """An image with its size in pixels, where known, so that nothing moves when it arrives.

    `src` is the image itself, `sources` what to offer before it, the preferred format first; `tone` are classes of
    style.css for the colour to show until it is there, "" for none.
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
    """Where the search page of a locale is, where its script finds Pagefind, and what result addresses begin with."""

    url: str
    bundle_url: str
    root_url: str


@dataclass(frozen=True, slots=True)
class SiteView:
    """What every page knows of its site, in the page's own locale. `search` is None where there is none."""

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
    """What stands in a page's <head>. `absolute_url` is "" for a page without one address (404).

    `image` is what the page is shared with, at `absolute_image`.
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
    """An author as pages show one; `links` are profile pages elsewhere."""

    name: str
    url: str
    title: str
    bio: str
    image: ImageView | None
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class PostCard:
    """A post as lists show it."""

    title: str
    url: str
    absolute_url: str
    summary: str
    published_at: datetime
    author: Link
    categories: tuple[Link, ...]
    image: ImageView | None
    reading_minutes: int


@dataclass(frozen=True, slots=True)
class PostView:
    """A post as its own page and its feeds show it. `updated_at` is None where it says nothing new.

    `changed_at` is the time of the last change in any case.
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
    """One page of a paginated list. `number` counts from 1; `url` is its own.

    `pages` are links to the first page, the last and those around this one, labelled with their numbers; None stands
    where some are left out.
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

    `labels` are what people see for the values of a dropdown, `fields` those of a repeater.
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
    """A referenced entry. A page has a `url`; an item has none ("") unless its collection gives it one."""

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
    """A page. `fields` maps each declared field to what templates show:

    short_text, dropdown, color: str · long_text: str, shown with `|markdown` · wysiwyg, html: Markup · number: number
    · date: datetime · checkbox: bool · media: ImageView or None · reference: EntryView or None, many: a tuple ·
    component: ComponentView or None · component_picker: a tuple of them · repeater: a tuple of mappings.
    `html_texts` counts the texts in HTML that have ids. The page of an item has no `page_type`.
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
    """A feed as a whole; `absolute_url` is the HTML page it belongs to.

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
