"""The values that templates see: plain and immutable, without access to store, clock or network.

Addresses (`/blog/reading-fog/`) start with the path of the site's `url`, those named `absolute_...` with scheme and
host. Text is plain unless it is `Markup`, which is sanitised HTML. The manual shows the annotation of each field.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, TypeAlias

from markupsafe import Markup
from msgspec import Struct, field


class Link(Struct, frozen=True):
    """A link: its text and its address."""

    label: Annotated[str, "Text of the link."]
    url: Annotated[str, "Address."]


class ProfileLink(Struct, frozen=True):
    """A link to a person or a site elsewhere. `icon` is a name of `parts/icons.html`."""

    label: Annotated[str, "Name of the service, as Mastodon, or the host of the address."]
    url: Annotated[str, "Address."]
    icon: Annotated[
        str,
        "Name of the icon: mastodon, bluesky, github, codeberg, linkedin, youtube, instagram, facebook, pinterest, x, "
        "rss, mail or web.",
    ]


class PictureLink(Struct, frozen=True):
    """A link with a picture, such as that to the next post."""

    label: Annotated[str, "Text of the link."]
    url: Annotated[str, "Address."]
    image: Annotated["ImageView | None", "Picture, or none."]


class FeedLink(Struct, frozen=True):
    """A link to a feed: `name` is short (RSS), `label` names its subject, `type` is its media type."""

    name: Annotated[str, "Short name, such as RSS."]
    label: Annotated[str, "Name with its subject, for people."]
    url: Annotated[str, "Address."]
    type: Annotated[str, "Media type."]


class CountedLink(Struct, frozen=True):
    """A link to a list of posts, such as those of a year or tag, with their number."""

    label: Annotated[str, "The year, or the name of the term or author."]
    url: Annotated[str, "Address of the list."]
    count: Annotated[int, "Number of its posts, pages and items."]


class MenuEntry(Struct, frozen=True):
    """One entry of the site's menu (collection `menu`), with the entries below it."""

    label: Annotated[str, "Text of the entry."]
    url: Annotated[str, "Address; empty for an entry that only holds others."]
    children: Annotated[tuple["MenuEntry", ...], "Entries below this one."] = ()


class TermGroup(Struct, frozen=True):
    """Terms or authors under one initial letter."""

    initial: Annotated[str, "The letter, or 0–9; empty for a list that is not grouped."]
    terms: Annotated[tuple[CountedLink, ...], "Links to the archives."]


class LocaleLink(Struct, frozen=True):
    """The same page in another locale; `name` is the language's own name for itself."""

    code: Annotated[str, "Code of the locale, such as es."]
    language: Annotated[str, "Language tag (BCP 47) of the locale; empty if its language is not known."]
    name: Annotated[str, "Name of the language in that language; the code of the locale if it is not known."]
    url: Annotated[str, "Address of the page in that locale."]
    absolute_url: Annotated[str, "The same with scheme and host."]


class ImageSource(Struct, frozen=True):
    """The variants of an image in one format, for a <source>: media type, and addresses with widths."""

    type: Annotated[str, "Media type, such as image/avif."]
    srcset: Annotated[str, "Addresses with widths, as `srcset` takes them."]


class ImageView(Struct, frozen=True):
    """An image with its size in pixels if it is known, so that browsers reserve its space."""

    src: Annotated[str, "Address of the image itself."]
    alt: Annotated[str, "Alternative text."] = ""
    width: Annotated[int | None, "Width in pixels; none if it is not known."] = None
    height: Annotated[int | None, "Height in pixels; none if it is not known."] = None
    sources: Annotated[tuple[ImageSource, ...], "Smaller versions, the preferred format first."] = ()
    tone: Annotated[str, "Classes of style.css for the colour shown until the image is loaded."] = ""
    focus: Annotated[str, "Classes of style.css for the point that stays visible where the image is cropped."] = ""


class ThemeView(Struct, frozen=True):
    """Options of the theme. `colors` has the page's colour by scheme; `preloads` are addresses of font files."""

    name: Annotated[str, "Name of the theme."]
    accent: Annotated[str, "Accent colour as `#rrggbb`; empty for the theme's own."]
    color_scheme: Annotated[str, "auto, light or dark."]
    colors: Annotated[Mapping[str, str], "Background colour by scheme, light and dark."]
    logo: Annotated[ImageView | None, "Picture beside the name of the site, or none."]
    dark_logo: Annotated[ImageView | None, "Picture in the dark scheme, or none."]
    favicon_url: Annotated[str, "Address of the icon; empty without one."]
    favicon_type: Annotated[str, "Media type of the icon; empty if it is not known."]
    preloads: Annotated[tuple[str, ...], "Addresses of font files to preload."]
    home: Annotated[str, "Layout of the latest posts: magazine, cards or list."]
    options: Annotated[Mapping[str, object], "Options that the theme declares: `site.theme.options.columns`."]
    share: Annotated[bool, "True if posts have links that share them."]
    progress: Annotated[bool, "True if a line shows how much of a post is read."]
    body: Annotated[str, "Where texts stand: margin, centre or full."]
    terms: Annotated[str, "Order of lists of terms and authors: name or count."]
    manifest_url: Annotated[str, "Address of the web manifest; empty without one."]
    touch_icon_url: Annotated[str, "Address of the icon for home screens; empty without one."]
    social: Annotated[tuple[ProfileLink, ...], "Addresses of the site elsewhere; of the feed the address is empty."]
    footer_text: Annotated[str, "Sentence at the foot of every page."]
    footer_links: Annotated[tuple[Link, ...], "Links at the foot of every page."]


class SearchView(Struct, frozen=True):
    """Addresses of a locale's search page and of Pagefind's script, and the beginning of the addresses of results.

    Pagefind tells pages apart by language. Where that is not enough, it has the locale of each page as a filter.
    """

    url: Annotated[str, "Address of the search page."]
    bundle_url: Annotated[str, "Address of the folder of the search index."]
    root_url: Annotated[str, "Beginning of the addresses of results."]
    filter: Annotated[str, "Locale that results are of; empty where the language of the page says that."] = ""


class ScriptView(Struct, frozen=True):
    """A script of a service for analytics or comments, which `integrations.js` loads."""

    src: Annotated[str, "Address of the script."]
    attributes: Annotated[Mapping[str, str], "Attributes of its element."]
    needs_consent: Annotated[bool, "True if it is loaded only after the visitor agrees."]
    element: Annotated[str, "Id of the element that the script fills; empty where it makes one."]


class FormView(Struct, frozen=True):
    """The contact form."""

    page_url: Annotated[str, "Address of the page that shows it, in this locale."]
    action: Annotated[str, "Address that receives it; empty for the page itself (Netlify)."]


class NewsletterView(Struct, frozen=True):
    """The form by which readers subscribe to emails."""

    action: Annotated[str, "Address that receives it."]
    email_name: Annotated[str, "Name of the field of the email address."]
    hidden: Annotated[Mapping[str, str], "Further values that the service needs, by the name of their field."]
    honeypot: Annotated[str, "Name of a field that people leave empty and robots fill; empty without one."]
    text: Annotated[str, "The owner's sentence about the emails; empty for that of the theme."]
    consent: Annotated[str, "The owner's sentence about the consent; empty for that of the theme."]
    privacy: Annotated[Link | None, "Page about privacy, if it is published."]


class SiteView(Struct, frozen=True):
    """The values of the site in the locale of the page."""

    name: Annotated[str, "Name of the site."]
    description: Annotated[str, "One sentence about the site."]
    url: Annotated[str, "Address of the site with scheme and host; empty if site.toml has none."]
    locale: Annotated[str, "Locale of this page."]
    language: Annotated[str, "Language tag (BCP 47) of this page; empty if its language is not known."]
    default_locale: Annotated[str, "Default locale of the site."]
    direction: Annotated[str, "Direction of the text: ltr or rtl."]
    home_url: Annotated[str, "Address of the home page in this locale."]
    blog_url: Annotated[str, "Address of the list of all posts."]
    feeds: Annotated[tuple[FeedLink, ...], "Feeds of the site in this locale."]
    menu: Annotated[tuple[MenuEntry, ...], "Entries of the main menu."]
    categories: Annotated[tuple[Link, ...], "All categories that are in use."]
    theme: Annotated[ThemeView, "Options of the theme."]
    search: Annotated[SearchView | None, "Addresses of the search; none for a site without search."]
    assets: Annotated[Mapping[str, str], 'Address of each file in assets/, by its name: `site.assets["style.css"]`.']
    analytics: Annotated[ScriptView | None, "Script that counts visits, by [analytics] in site.toml."] = None
    comments: Annotated[ScriptView | None, "Script that shows comments, by [comments] in site.toml."] = None
    contact_form: Annotated[FormView | None, "Contact form, by [contact_form] in site.toml."] = None
    newsletter: Annotated[NewsletterView | None, "Form of a newsletter, by [newsletter] in site.toml."] = None
    data: Annotated[
        Mapping[str, object], "Content of the files in data/, by name: `site.data.team` is that of data/team.yaml."
    ] = field(default_factory=dict)


class HeadView(Struct, frozen=True):
    """The metadata in a page's <head>. `absolute_url` is "" for a page without an address of its own (404).

    `image` is the share image of the page, at `absolute_image`.
    """

    title: Annotated[str, "Title of the page, without the name of the site."]
    description: Annotated[str, "Description for search engines and shared links."]
    absolute_url: Annotated[
        str, "Address with scheme and host; empty for a page without an address of its own, such as 404."
    ]
    kind: Annotated[str, "Kind of page: home, list, post, page or search."]
    translations: Annotated[tuple[LocaleLink, ...], "The same page in other locales."] = ()
    absolute_image: Annotated[str, "Address of the picture for shared links; empty without one."] = ""
    image: Annotated[ImageView | None, "The picture of the page, or none."] = None
    feeds: Annotated[tuple[FeedLink, ...], "Feeds of what the page lists."] = ()
    noindex: Annotated[bool, "True for pages that search engines leave out."] = False


class AuthorView(Struct, frozen=True):
    """An author as pages show it; `links` are profiles on other sites."""

    name: Annotated[str, "First and last name."]
    url: Annotated[str, "Address of the author's page."]
    title: Annotated[str, "Title or role."]
    bio: Annotated[str, "A few sentences about the author."]
    image: Annotated[ImageView | None, "Portrait, or none."]
    links: Annotated[tuple[ProfileLink, ...], "Profiles on other sites."]


PostFields: TypeAlias = Annotated[Mapping[str, object], "Values of the fields that schema/post.yaml declares."]


class PostCard(Struct, frozen=True):
    """A post as lists show it. `feed_id`: its own id in feeds, "" if that is its address."""

    title: Annotated[str, "Title."]
    url: Annotated[str, "Address."]
    absolute_url: Annotated[str, "Address with scheme and host."]
    feed_id: Annotated[str, "Id in feeds of its own; empty if that is the address."]
    is_permalink: Annotated[bool, "True if the id in feeds is an address of the site."]
    summary: Annotated[str, "Summary; empty without one."]
    published_at: Annotated[datetime, "Time of publication."]
    author: Annotated[Link, "Name and address of the author."]
    categories: Annotated[tuple[Link, ...], "Categories."]
    image: Annotated[ImageView | None, "Featured image, or none."]
    reading_minutes: Annotated[int, "Minutes to read the text, at least 1."]
    fields: PostFields = field(default_factory=dict)


class PostView(Struct, frozen=True):
    """A post as its own page and its feeds show it. `updated_at` is None if it is the day of publication."""

    card: Annotated[PostCard, "The post as lists show it: title, address, summary and so on."]
    body: Annotated[Markup, "Text as safe HTML."]
    tags: Annotated[tuple[Link, ...], "Tags."]
    author: Annotated[AuthorView, "The author with all details."]
    updated_at: Annotated[datetime | None, "Time of the last change; none if it is the day of publication."]
    changed_at: Annotated[datetime, "Time of the last change, always."]
    newer: Annotated[PictureLink | None, "The next newer post, or none."]
    older: Annotated[PictureLink | None, "The next older post, or none."]
    fields: PostFields = field(default_factory=dict)


class SeriesView(Struct, frozen=True):
    """The series of a post: the posts whose field `series` has the same text."""

    name: Annotated[str, "Name of the series."]
    parts: Annotated[tuple[Link, ...], "All parts, in their order."]
    number: Annotated[int, "Number of this post in the series, from 1."]
    previous: Annotated[Link | None, "The part before this one, or none."]
    next: Annotated[Link | None, "The part after this one, or none."]


class ListView(Struct, frozen=True):
    """One page of a paginated list."""

    heading: Annotated[str, "Heading of the list."]
    intro: Annotated[str, "Text below the heading; empty without one."]
    posts: Annotated[tuple[PostCard, ...], "Posts on this page, newest first."]
    total: Annotated[int, "Number of posts in the whole list."]
    url: Annotated[str, "Address of this page."]
    number: Annotated[int, "Number of this page, from 1."]
    pages: Annotated[
        tuple[Link | None, ...],
        "Links to the first, the last and the pages around this one; none where pages are left out.",
    ]
    newer_url: Annotated[str, "Address of the page with newer posts; empty on the first one."]
    older_url: Annotated[str, "Address of the page with older posts; empty on the last one."]


class FieldInfo(Struct, frozen=True):
    """A field's declaration, for templates that show any page type.

    `labels`: the labels of a dropdown's values. `fields`: the fields of a repeater.
    """

    slug: Annotated[str, "Slug of the field."]
    name: Annotated[str, "Name of the field, for people."]
    type: Annotated[str, "Type of the field."]
    labels: Annotated[Mapping[str, str], "Labels of the values of a dropdown."]
    fields: Annotated[tuple["FieldInfo", ...], "Fields of a repeater."] = ()


class ComponentView(Struct, frozen=True):
    """One component: rendered by `components/<type>.html`, or by `components/_default.html`."""

    type: Annotated[str, "Slug of the component."]
    name: Annotated[str, "Name of the component, for people."]
    fields: Annotated[Mapping[str, object], "Values of the fields by slug."]
    declared: Annotated[tuple[FieldInfo, ...], "Declarations of the fields, in order."]

    def __str__(self) -> str:
        """Raise TypeError: a template that prints a component would show Python's form of it."""
        raise TypeError(f'a component has no text; {{% include "components/{self.type}.html" %}} shows it')


class EntryView(Struct, frozen=True):
    """A referenced entry. The `url` of an item is "" unless its collection has a `route`."""

    kind: Annotated[str, "Slug of the page type, or key of the collection; empty for a Single Page."]
    label: Annotated[str, "Title of the page, or label of the item."]
    url: Annotated[str, "Address; empty for an item without a page."]
    fields: Annotated[Mapping[str, object], "Values of the fields by slug."]


class EntryCard(Struct, frozen=True):
    """A page or item as the index of its type or collection shows it."""

    title: Annotated[str, "Title of the page, or label of the item."]
    url: Annotated[str, "Address of the entry."]
    summary: Annotated[str, "Its description; empty without one."]
    image: Annotated[ImageView | None, "Its featured image, else its first one."]


class CollectionView(Struct, frozen=True):
    """A collection, on the page of one of its items."""

    key: Annotated[str, "Key of the collection."]
    name: Annotated[str, "Name of the collection."]


class PageView(Struct, frozen=True):
    """Page. `fields` maps each declared field to its value in templates.

    short_text, dropdown, color: str · long_text: str, shown with `|markdown` · wysiwyg, html: Markup · number: number
    · date: datetime · checkbox: bool · media: ImageView or None · reference: EntryView or None, many: a tuple ·
    component: ComponentView or None · component_picker: a tuple of them · repeater: a tuple of mappings.
    `html_texts`: number of HTML texts with ids. The page of an item has no `page_type`.
    """

    title: Annotated[str, "Title."]
    url: Annotated[str, "Address."]
    page_type: Annotated[str, "Slug of the page type; empty for a Single Page and the page of an item."]
    fields: Annotated[Mapping[str, object], "Values of the fields by slug: `page.fields.headline`."]
    declared: Annotated[tuple[FieldInfo, ...], "Declarations of the fields, in order."]
    updated_at: Annotated[datetime | None, "Time of the last change; none if neither file nor Git gives a date."]
    html_texts: Annotated[int, "Number of HTML texts with ids."] = 0
    categories: Annotated[tuple[Link, ...], "Categories, where its type declares them."] = ()
    tags: Annotated[tuple[Link, ...], "Tags, where its type declares them."] = ()
    featured_image: Annotated[ImageView | None, "Featured picture, where its type declares it, or none."] = None


class FeedView(Struct, frozen=True):
    """A feed; `absolute_url` is that of the HTML page it belongs to.

    `absolute_self_url` is "" for a feed that the built site does not have.
    """

    title: Annotated[str, "Title of the feed."]
    description: Annotated[str, "Description of the feed."]
    id: Annotated[str, "Id of the feed."]
    absolute_url: Annotated[str, "Address of the page that it belongs to."]
    absolute_self_url: Annotated[str, "Address of the feed itself; empty in the API."]
    updated_at: Annotated[datetime, "Time of the newest change."]


class SitemapUrl(Struct, frozen=True):
    """One address in the sitemap."""

    absolute_url: Annotated[str, "Address with scheme and host."]
    updated_at: Annotated[datetime | None, "Time of the last change, or none."] = None
    translations: Annotated[tuple[LocaleLink, ...], "The same page in other locales."] = ()
