"""The models of entries, and of what belongs to them."""

from peewee import SQL, Check, CompositeKey, Index, IntegerField, TextField

from sitecms.content.kinds import EntryKind
from sitecms.content.term import TermKind
from sitecms.store.models.accounts import UserRow
from sitecms.store.models.table import (
    ChoiceField,
    FlagField,
    IdField,
    JsonField,
    ParentKey,
    Table,
    TimeField,
    number_with_default,
    reference,
    text_with_default,
)

PRESENT = SQL("deleted_at IS NULL")
_ENTRY_STATUS = Check("status IN ('draft', 'published', 'scheduled')")
_IS_POST = SQL("kind = 'post' AND version = 'live' AND deleted_at IS NULL")
LAST_POSITION = 2147483647


class AuthorRow(Table):
    """Row of a `content.author.Author`."""

    id = IdField()
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
    aliases = JsonField(column_name="aliases_json", constraints=[SQL("DEFAULT '[]'")])
    position = number_with_default(0)

    class Meta:
        table_name = "author"
        indexes = (Index("author_slug", "author", ["slug"], unique=True), Index("author_email", "author", ["email"]))


class TermRow(Table):
    """Row of a `content.term.Term`; `name_key` is the text by which names are compared.

    `base` is the slug that the name gives, "" where the slug was chosen. `position` is the place in the file that
    declares the term, counted from 1, and 0 without one.
    """

    id = IdField()
    kind = ChoiceField(TermKind, constraints=[Check("kind IN ('category', 'tag')")])
    slug = TextField()
    name = TextField()
    name_key = TextField()
    aliases = JsonField(column_name="aliases_json", constraints=[SQL("DEFAULT '[]'")])
    base = text_with_default("")
    position = number_with_default(0)

    class Meta:
        table_name = "term"
        indexes = (
            Index("term_slug", "term", ["kind", "slug"], unique=True),
            Index("term_name", "term", ["kind", "name_key"], unique=True),
        )


class EntryRow(Table):
    """The identity of a post, page or item; an entry is named by its kind and its id.

    Keys begin with the id: SQLite would take the kind alone for selective, and look up all entries of a kind.

    `type` is the page type of a page ("" for a Single Page), or the collection of an item. Items have no slug. The
    title of a page stands here, `titles` are those of locales with a title of their own. `position` is the place of an
    item in the list of its file. Items that requests created have the last position, ordered by id. A post has one
    `locale`, and is linked to its translations by `group_id`.

    `part_of`: the row contains, in the trash, one locale of the entry with that id. `former_of`: the row is a copy in
    the trash, a former version of the entry with that id.
    """

    kind = TextField(constraints=[Check("kind IN ('post', 'page', 'item')")])
    id = IntegerField()
    type = TextField()
    slug = TextField(null=True)
    title = text_with_default("")
    titles = JsonField(column_name="titles_json", default=dict, constraints=[SQL("DEFAULT '{}'")])
    addresses = JsonField(column_name="addresses_json", default=dict, constraints=[SQL("DEFAULT '{}'")])
    position = number_with_default(LAST_POSITION)
    origin = TextField()
    created_at = TimeField()
    deleted_at = TimeField(null=True)
    part_of = IntegerField(null=True)
    former_of = IntegerField(null=True)
    group_id = IntegerField(null=True)
    locale = TextField(null=True)

    class Meta:
        table_name = "entry"
        primary_key = CompositeKey("id", "kind")
        without_rowid = True
        indexes = (
            Index("entry_slug", "entry", ["kind", "type", "slug"], unique=True, where=PRESENT),
            Index("entry_place", "entry", ["kind", "type", "position", "id"], where=PRESENT),
            Index("entry_group", "entry", ["group_id", "locale"], unique=True, where=PRESENT),
        )


class VersionRow(Table):
    """One version of an entry in one locale.

    `slug` and `deleted_at` are those of the entry, which triggers copy: lists of posts read nothing else. Posts alone
    have the other columns from `title` on. A post has one version, which is live whatever its status; its draft is the
    working copy of the user `saved_by`, whose values by name are the fields.
    """

    id = IdField()
    kind = TextField()
    entry_id = IntegerField()
    locale = TextField()
    version = TextField(constraints=[Check("version IN ('live', 'draft')")])
    status = TextField(constraints=[_ENTRY_STATUS])
    fields = JsonField(column_name="fields_json")
    created_at = TimeField()
    updated_at = TimeField()
    published_at = TimeField(null=True)
    scheduled_at = TimeField(null=True)
    slug = TextField(null=True)
    deleted_at = TimeField(null=True)
    title = text_with_default("")
    author_id = reference(AuthorRow, on_delete=None, null=True)
    featured_image = text_with_default("")
    featured_image_alt = text_with_default("")
    summary = text_with_default("")
    seo_title = text_with_default("")
    meta_description = text_with_default("")
    reading_minutes = IntegerField(null=True)
    body_digest = TextField(null=True)
    body_media = TextField(null=True)
    saved_by = reference(UserRow, on_delete=None, column_name="saved_by", null=True)

    PARENTS = (ParentKey(("entry_id", "kind"), EntryRow, ("id", "kind")),)

    class Meta:
        table_name = "version"
        constraints = (SQL("FOREIGN KEY (entry_id, kind) REFERENCES entry (id, kind) ON DELETE CASCADE"),)
        indexes = (
            Index("version_of_entry", "version", ["entry_id", "kind", "locale", "version"], unique=True),
            Index(
                "version_newest",
                "version",
                ["locale", "version", "published_at DESC", "entry_id"],
                where=SQL("kind = 'page'"),
            ),
            Index("version_due", "version", ["scheduled_at"], where=SQL("status = 'scheduled'")),
            Index(
                "post_newest", "version", ["locale", "status", "published_at DESC", "slug", "entry_id"], where=_IS_POST
            ),
            Index(
                "post_by_author",
                "version",
                ["author_id", "locale", "status", "published_at DESC", "slug", "entry_id"],
                where=_IS_POST,
            ),
        )


class VersionBodyRow(Table):
    """The body of a version as HTML, and the Markdown it was rendered from, if any: lists do not read it."""

    version_id = reference(VersionRow, primary_key=True)
    html = TextField()
    markdown = TextField(null=True)

    class Meta:
        table_name = "version_body"


class VersionTermRow(Table):
    """A term of a version, in the order the author gave and with the author's spelling of its name."""

    version_id = reference(VersionRow)
    term_id = reference(TermRow, on_delete=None)
    position = IntegerField()
    name = text_with_default("")

    class Meta:
        table_name = "version_term"
        primary_key = CompositeKey("version_id", "term_id")
        without_rowid = True
        indexes = (Index("version_term_versions", "version_term", ["term_id", "version_id"]),)


class MediaRow(Table):
    """Row of a `content.media.MediaFile`.

    `loaded_details` is what content/media.yaml said when it was loaded. Files that users uploaded stay until a user
    deletes them.
    """

    name = TextField(primary_key=True)
    original_name = TextField()
    content_type = TextField()
    size_bytes = IntegerField()
    width = IntegerField(null=True)
    height = IntegerField(null=True)
    created_at = TimeField()
    alt = text_with_default("")
    is_decorative = number_with_default(0)
    focus_x = number_with_default(50)
    focus_y = number_with_default(50)
    loaded_details = text_with_default("")
    is_uploaded = number_with_default(0)
    tags = JsonField(column_name="tags_json", constraints=[SQL("DEFAULT '[]'")])

    class Meta:
        table_name = "media_file"
        without_rowid = True


class MediaSourceRow(Table):
    """An address, by its digest, from which a media file came."""

    url_digest = TextField()
    name = reference(MediaRow, column_name="name")

    class Meta:
        table_name = "media_source"
        primary_key = CompositeKey("url_digest", "name")
        without_rowid = True
        indexes = (Index("media_source_name", "media_source", ["name"]),)


class FormerAddressRow(Table):
    """A former address of an entry: an own path, or the parts that its pattern was filled with.

    `was_shown`: readers may have seen it; else its time of publication is 0. The address that was given up last has the
    highest `number`.
    """

    kind = TextField(constraints=[Check("kind IN ('post', 'page', 'item')")])
    type = TextField()
    locale = TextField()
    path = TextField()
    slug = TextField()
    published_at = TimeField()
    entry_id = IntegerField()
    was_shown = IntegerField()
    number = IntegerField()

    class Meta:
        table_name = "former_address"
        primary_key = CompositeKey("kind", "type", "locale", "path", "slug", "published_at")
        without_rowid = True
        indexes = (
            Index("former_address_of_entry", "former_address", ["entry_id", "kind"]),
            Index("former_address_last", "former_address", ["number"]),
        )


class RevisionRow(Table):
    """A former state of an entry: `packed` is compressed JSON in Base64, `media` the names of the media files in it."""

    id = IdField()
    kind = ChoiceField(EntryKind)
    entry_id = IntegerField()
    locale = TextField()
    token = TextField()
    was_public = FlagField()
    made = JsonField(column_name="made_json")
    ended = JsonField(column_name="ended_json")
    media = TextField()
    packed = TextField()

    class Meta:
        table_name = "revision"
        indexes = (Index("revision_of_entry", "revision", ["kind", "entry_id", "locale", "id DESC", "was_public"]),)


class FormerArchiveRow(Table):
    """A slug that an author or term gave up."""

    kind = TextField()
    slug = TextField()
    owner_id = IntegerField()

    class Meta:
        table_name = "former_archive"
        primary_key = CompositeKey("kind", "slug")
        without_rowid = True


class LoadConflictRow(Table):
    """Row of a `store.entries.load_conflicts.LoadConflict`; `written` is the change that made the former value."""

    id = IdField()
    kind = ChoiceField(EntryKind)
    entry_id = IntegerField()
    locale = TextField()
    field = TextField()
    value = JsonField(column_name="value_json")
    former = JsonField(column_name="former_json")
    path = TextField()
    written = JsonField(column_name="written_json")
    found_at = TimeField()

    PARENTS = (ParentKey(("entry_id", "kind"), EntryRow, ("id", "kind")),)

    class Meta:
        table_name = "load_conflict"
        constraints = (SQL("FOREIGN KEY (entry_id, kind) REFERENCES entry (id, kind) ON DELETE CASCADE"),)
        indexes = (Index("load_conflict_of_entry", "load_conflict", ["entry_id", "kind"]),)
