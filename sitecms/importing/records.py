"""Records: neutral, immutable values that every reader yields and the planner turns into files of a site.

Texts of records hold addresses in one of these forms; the planner replaces them in bodies, fields and pictures:

- `https://...`, or relative to `base` of the entry: pages and files of the old site become paths of the new one, others
  stay;
- `entry:KEY`, with `#fragment` or not: the entry with that key, wherever it stands on the new site;
- `media:KEY`: the file of the `Media` record with that key;
- `source:PATH`: the file at PATH in the source itself (`Source.files`).
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import Struct, field

from sitecms.content.author import Author
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.importing.source import SourceFile


class Kind(StrEnum):
    """The kind of an entry."""

    POST = "post"
    PAGE = "page"
    ITEM = "item"


class BodyFormat(StrEnum):
    """The format of a body. A body in the reader's OWN format is made HTML or Markdown by `Reader.finish`."""

    HTML = "html"
    MARKDOWN = "markdown"
    OWN = "own"


class Place(Struct, frozen=True):
    """A place in the source: the name of a file, and the line in it where that is known."""

    file: str = ""
    line: int | None = None

    def __str__(self) -> str:
        """Return `file:line`."""
        return f"{self.file}:{self.line}" if self.line else self.file


class Html(Struct, frozen=True):
    """HTML in a field, whose addresses are replaced."""

    text: str


class Markdown(Struct, frozen=True):
    """Markdown in a field, whose addresses are replaced."""

    text: str


class MediaValue(Struct, frozen=True):
    """A media file in a field, by its address."""

    address: str
    alt: str = ""


class Address(Struct, frozen=True):
    """An address in a field, which leads to a page or elsewhere."""

    text: str


class Reference(Struct, frozen=True):
    """A reference in a field, by the key of its target."""

    key: str


Value: TypeAlias = Any
"""A field's value: as JSON has it, with Html, Markdown, MediaValue and Reference at any depth."""


class Site(Struct, frozen=True):
    """Facts about the old site. A source may yield several; later values win where they are not empty.

    `url` is the old address, by which internal links are recognised. `media_hosts` are further hosts whose pictures
    belong to the site. `timezone` is an IANA name or `+02:00`. `permalink` is a pattern of the addresses of posts if
    the source states one (`/{year}/{month}/{slug}/`); without it, it is inferred from the addresses of the posts.
    `addresses_by` is the program whose rules the reader follows to compute addresses that the source does not state.
    """

    name: str = ""
    url: str = ""
    description: str = ""
    locale: str = ""
    locales: tuple[str, ...] = ()
    timezone: str = ""
    permalink: str = ""
    media_hosts: tuple[str, ...] = ()
    addresses_by: str = ""


class AuthorRecord(Struct, frozen=True):
    """An author. Entries name authors by `key`, such as a login. An empty `facts.slug` is made from the name."""

    key: str
    facts: Author
    old_url: str = ""


class TermRecord(Struct, frozen=True):
    """A category or tag. Entries name terms by `name`; two names that differ in case are one term."""

    kind: TermKind
    name: str
    slug: str = ""
    old_url: str = ""
    parent: str = ""
    description: str = ""


class EntryRecord(Struct, frozen=True):
    """A post, a page or an item, in one locale and one version.

    `key` is stable over runs, such as `wp:123`: the next run recognises the entry by it. `group` is the page type
    ("" for a Single Page) or the collection. `slug` is the preferred slug ("": made from the title). `old_url` is its
    old address, `former_urls` are earlier ones, `former_slugs` the slugs that it had in its address before. Relative
    addresses in it are resolved against `base` ("": `old_url`).
    `status` is the public status; `hidden_as` is the reason why an existing entry becomes a draft: `private`,
    `password`, `pending`, `members`. Times are aware. `authors` are keys of authors, `categories` and `tags` names.
    `translation_of` is the key of the entry whose variant in another locale this is, `draft_of` the key of the live
    version over which this is a draft. `fields` are the values besides the body, of posts those of schema/post.yaml.
    `is_exact` says that the HTML is as sitecms renders it: it becomes Markdown only where that gives the same HTML.
    `extras` are texts by keys that the site does not know; those of posts become fields where that is safe.
    `data` is for the `finish` of the same reader only.
    """

    key: str
    kind: Kind
    title: str
    place: Place = field(default_factory=Place)
    group: str = ""
    slug: str = ""
    old_url: str = ""
    former_urls: tuple[str, ...] = ()
    former_slugs: tuple[str, ...] = ()
    base: str = ""
    status: Status = Status.PUBLISHED
    hidden_as: str = ""
    published_at: datetime | None = None
    updated_at: datetime | None = None
    created_at: datetime | None = None
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    summary: str = ""
    seo_title: str = ""
    meta_description: str = ""
    featured_image: str = ""
    featured_image_alt: str = ""
    body: str = ""
    format: BodyFormat = BodyFormat.HTML
    fields: Mapping[str, Value] = field(default_factory=dict)
    locale: str = ""
    translation_of: str = ""
    draft_of: str = ""
    guid: str = ""
    item_id: int | None = None
    is_exact: bool = False
    extras: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)


class Media(Struct, frozen=True):
    """A media file of the source. `address` is where it was served; `file` is its path in the source, if it is there.

    `path` is the preferred path below media/ of the new site ("": the path of the address). `parent` is the key of the
    entry it was uploaded for; `old_urls` are other addresses of it, such as an attachment's page, which redirect.
    """

    key: str
    address: str = ""
    file: str = ""
    path: str = ""
    alt: str = ""
    caption: str = ""
    parent: str = ""
    old_urls: tuple[str, ...] = ()


class StaticFile(Struct, frozen=True):
    """A file that the old site published as it is, at `path` below its root (`.well-known/security.txt`)."""

    path: str
    file: SourceFile


class RedirectRecord(Struct, frozen=True):
    """A redirect from an old address that no entry has.

    `target` is `entry:KEY`, `category:NAME`, `tag:NAME`, `list:` (all posts), `index:tag` (all tags; category, author),
    `year:2012`, `feed:rss` (atom, json) of the site, `feed:tag:NAME` of a term, a path or URL, or "" for a page that is
    gone.
    `source` is a path, with a query or not; with `is_prefix` it stands for everything below it.
    """

    source: str
    target: str = ""
    status: int = 301
    is_prefix: bool = False


class Declaration(Struct, frozen=True):
    """A file of schema/: `folder` is page_types, collections, components, single_pages, or "" for post.yaml.

    `data` is as the file has it.

    `comments` are written above the fields they are named for, such as how a type was inferred. An existing file is
    never overwritten once its owner edited it.
    """

    folder: str
    name: str
    data: Mapping[str, Any]
    comments: Mapping[str, str] = field(default_factory=dict)


class Comment(Struct, frozen=True):
    """A reader's comment, without e-mail and IP address, which no reader passes on."""

    entry: str
    key: str
    name: str
    text: str
    published_at: datetime | None = None
    parent: str = ""


class NoteKind(StrEnum):
    """The kind of a note; the report groups notes by kind and subject, with count and first places."""

    SKIPPED = "skipped"
    LEFT_OUT = "left out by design"
    REPAIRED = "repaired"
    UNKNOWN_SHORTCODE = "unknown shortcode"
    UNKNOWN_BLOCK = "unknown block"
    UNKNOWN_KEY = "unknown key"
    UNKNOWN_META = "unknown meta"
    UNKNOWN_TAG = "removed markup"
    DRAFT = "made a draft"
    DATE = "date assumed"
    SLUG = "slug changed"
    TRUNCATED = "shortened"
    TERM = "term changed"
    AUTHOR = "author"
    BODY = "text not converted"
    LINK = "link not resolved"
    MEDIA = "media"
    ADDRESS = "address"
    FILE = "file"
    SETTING = "setting"
    OTHER = "other"


class Note(Struct, frozen=True):
    """A line of the report: `subject` is its topic, such as the name of a shortcode; `remedy` is what to do."""

    kind: NoteKind
    subject: str
    place: Place = field(default_factory=Place)
    remedy: str = ""
    count: int = 1


Record: TypeAlias = (
    Site | AuthorRecord | TermRecord | EntryRecord | Media | StaticFile | RedirectRecord | Declaration | Comment | Note
)
