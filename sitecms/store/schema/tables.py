"""Peewee's classes of the tables, for building queries; `store.schema.migrations` creates the tables."""

from datetime import datetime
from typing import Any

import orjson
from peewee import AutoField, BigIntegerField, CompositeKey, IntegerField, Model, TextField

from sitecms.clock import from_microseconds, to_microseconds


class TimeField(BigIntegerField):
    """An aware UTC datetime, stored as microseconds since 1970."""

    def db_value(self, value: datetime | None) -> int | None:
        """Convert to the stored value."""
        return None if value is None else to_microseconds(value)

    def python_value(self, value: int | None) -> datetime | None:
        """Convert from the stored value."""
        return None if value is None else from_microseconds(value)


class JsonField(TextField):
    """Plain data, stored as JSON text."""

    def db_value(self, value: object) -> str:
        """Convert to the stored value."""
        return orjson.dumps(value).decode()

    def python_value(self, value: str | None) -> Any:
        """Convert from the stored value."""
        return None if value is None else orjson.loads(value)


class Table(Model):
    """Base of the classes. They are bound to no database: a session runs every query."""


class AuthorRow(Table):
    """Row of a `content.author.Author`."""

    id = AutoField()
    slug = TextField()
    first_name = TextField()
    last_name = TextField()
    email = TextField()
    bio = TextField()
    title = TextField()
    linkedin_url = TextField()
    facebook_url = TextField()
    pinterest_url = TextField()
    instagram_url = TextField()
    twitter_handle = TextField()
    profile_image = TextField()
    aliases = JsonField(column_name="aliases_json")
    position = IntegerField()

    class Meta:
        table_name = "author"


class TermRow(Table):
    """Row of a `content.term.Term`; `name_key` is the text by which names are compared.

    `base` is the slug that the name gives, "" where the slug was chosen. `position` is the place in the file that
    declares the term, counted from 1, and 0 without one.
    """

    id = AutoField()
    kind = TextField()
    slug = TextField()
    name = TextField()
    name_key = TextField()
    aliases = JsonField(column_name="aliases_json")
    base = TextField()
    position = IntegerField()

    class Meta:
        table_name = "term"


class PostRow(Table):
    """Row of a `content.post.Post`, without author and terms.

    `former_of`: the row is a copy in the trash, a former version of the post with that id.
    """

    id = AutoField()
    group_id = IntegerField()
    locale = TextField()
    slug = TextField()
    title = TextField()
    status = TextField()
    author_id = IntegerField()
    featured_image = TextField()
    featured_image_alt = TextField()
    summary = TextField()
    seo_title = TextField()
    meta_description = TextField()
    aliases = JsonField(column_name="aliases_json")
    origin = TextField()
    reading_minutes = IntegerField()
    body_digest = TextField()
    body_media = TextField()
    created_at = TimeField()
    updated_at = TimeField()
    published_at = TimeField(null=True)
    scheduled_at = TimeField(null=True)
    deleted_at = TimeField(null=True)
    former_of = IntegerField(null=True)
    body = TextField()

    class Meta:
        table_name = "post"


class PostTermRow(Table):
    """A term of a post, in the order the author gave and with the author's spelling of its name."""

    post_id = IntegerField()
    term_id = IntegerField()
    position = IntegerField()
    name = TextField()

    class Meta:
        table_name = "post_term"
        primary_key = CompositeKey("post_id", "term_id")


class PageRow(Table):
    """A page's identity; `page_type` is "" for a Single Page. `titles` are those of locales with a title of their own.

    `part_of`: the row contains, in the trash, one locale of the page with that id. `former_of` as of posts.
    """

    id = AutoField()
    page_type = TextField()
    slug = TextField()
    title = TextField()
    origin = TextField()
    created_at = TimeField()
    deleted_at = TimeField(null=True)
    part_of = IntegerField(null=True)
    former_of = IntegerField(null=True)
    addresses = JsonField(column_name="addresses_json")
    titles = JsonField(column_name="titles_json")

    class Meta:
        table_name = "page"


class VersionRow(Table):
    """Columns that versions of pages and of items share."""

    id = AutoField()
    locale = TextField()
    version = TextField()
    status = TextField()
    fields = JsonField(column_name="fields_json")
    fields_indexed = TextField()  # only in PostgreSQL, as jsonb
    created_at = TimeField()
    updated_at = TimeField()
    published_at = TimeField(null=True)
    scheduled_at = TimeField(null=True)


class PageVersionRow(VersionRow):
    """One version of a page in one locale."""

    owner_id = IntegerField(column_name="page_id")

    class Meta:
        table_name = "page_version"


class ItemRow(Table):
    """An item's identity; `part_of` and `former_of` as of pages.

    `position` is its place in the list of its file. Items that requests created have the last position, ordered by id.
    """

    id = AutoField()
    collection = TextField()
    position = BigIntegerField()
    origin = TextField()
    created_at = TimeField()
    deleted_at = TimeField(null=True)
    part_of = IntegerField(null=True)
    former_of = IntegerField(null=True)
    addresses = JsonField(column_name="addresses_json")

    class Meta:
        table_name = "item"


class ItemVersionRow(VersionRow):
    """One version of an item in one locale."""

    owner_id = IntegerField(column_name="item_id")

    class Meta:
        table_name = "item_version"


class MediaRow(Table):
    """Row of a `content.media.MediaFile`."""

    name = TextField(primary_key=True)
    original_name = TextField()
    content_type = TextField()
    size_bytes = IntegerField()
    width = IntegerField(null=True)
    height = IntegerField(null=True)
    created_at = TimeField()
    alt = TextField(default="")
    is_decorative = IntegerField(default=0)
    focus_x = IntegerField(default=50)
    focus_y = IntegerField(default=50)

    class Meta:
        table_name = "media_file"


class TokenRow(Table):
    """Row of a `content.token.Token`, with the digest of its secret."""

    id = AutoField()
    name = TextField()
    scope = TextField()
    digest = TextField()
    limits = JsonField(column_name="limits_json")
    created_at = TimeField()
    expires_at = TimeField(null=True)
    revoked_at = TimeField(null=True)
    rotated_at = TimeField(null=True)
    former_digest = TextField(null=True)
    former_until = TimeField(null=True)

    class Meta:
        table_name = "token"
