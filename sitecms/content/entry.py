"""An entry of any kind: one version of a post, page or item in one locale."""

from datetime import datetime
from operator import attrgetter

from msgspec import Struct

from sitecms.content.addresses import NO_ADDRESSES, OwnAddresses
from sitecms.content.author import Author
from sitecms.content.field_value import Fields
from sitecms.content.fingerprint import revision_of
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.content.term import Term

FIELDS = "fields"
"""The key of the declared fields of a post, in files, requests and answers."""
NO_AUTHOR = Author("")
_BESIDE = ("body", "author", "categories", "tags", "markdown", "saved_by")


class Entry(Struct, frozen=True):
    """One version of an entry in one locale. `content.kinds` says in what the kinds differ.

    `type` is the page type or collection, "" for posts and Single Pages. `slug` and `title` are "" where the kind has
    none. `group_id` names the locale group: that of a post, whose variants are entries of their own, else the entry.

    `fields` are those that the schema declares. Stored values: media as `{"url", "alt"}`, a reference as its URI
    (`content.references`), a component as an object, a component picker as `[{"type", "fields"}]`, a repeater as a list
    of objects, a date as ISO 8601 without zone.

    `body` is sanitised HTML; media addresses are `/media/...` or remote URLs. `reading_minutes`, `body_digest` and
    `body_media` (names of media files) are computed from the body when it is saved, so that lists and builds need not
    read it. `published_at` is None until it was first published; `scheduled_at` is None unless it is scheduled.
    `markdown` is the text that the body was rendered from (None: it came as HTML, or the text was not read). `saved_by`
    is the name of the user whose draft of a post this version is.
    """

    kind: EntryKind
    id: int
    group_id: int
    type: str
    slug: str
    title: str
    locale: str
    version: Version
    status: Status
    fields: Fields
    created_at: datetime
    updated_at: datetime
    published_at: datetime | None = None
    scheduled_at: datetime | None = None
    addresses: OwnAddresses = NO_ADDRESSES
    author: Author = NO_AUTHOR
    categories: tuple[Term, ...] = ()
    tags: tuple[Term, ...] = ()
    featured_image: str = ""
    featured_image_alt: str = ""
    summary: str = ""
    seo_title: str = ""
    meta_description: str = ""
    body: str = ""
    reading_minutes: int = 1
    body_digest: str = ""
    body_media: tuple[str, ...] = ()
    markdown: str | None = None
    saved_by: str = ""

    @property
    def path(self) -> str:
        """Its own path in place of the permalink, or ""."""
        return self.addresses.path(self.locale)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Old site paths that lead here, in its locale."""
        return self.addresses.aliases.get(self.locale, ())

    @property
    def guid(self) -> str:
        """Its own id in feeds, or ""."""
        return self.addresses.guid

    @property
    def is_live(self) -> bool:
        """True if readers see this version."""
        return self.version is Version.LIVE and self.status is Status.PUBLISHED

    @property
    def revision(self) -> str:
        """The revision of what is stored of it: the first part of its ETag (API reference, Writes).

        For the body stands its stored digest, for author and terms their slugs: their other values are not part of it.
        """
        categories, tags = ([term.slug for term in terms] for terms in (self.categories, self.tags))
        return revision_of((_OWN_VALUES(self), self.author.slug, categories, tags))


_OWN_VALUES = attrgetter(*(name for name in Entry.__struct_fields__ if name not in _BESIDE))


class PostLink(Struct, frozen=True):
    """The link to a neighbouring post (API reference, Blog post)."""

    slug: str
    title: str
    featured_image: str = ""
