"""The kinds of entries, and the properties in which they differ."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.messages import N_

SLUG, BODY, AUTHOR = "slug", "body", "author"
CATEGORIES, TAGS = "categories", "tags"
FORMAT, MARKDOWN, HTML = "format", "markdown", "html"
"""The name of the value that says in which format the body is, if it is not that of the stored entry."""
_TITLE = FieldSpec("title", "short_text", N_("Title"))
_SLUG = FieldSpec(SLUG, "short_text", N_("Address"))
_POST = (
    _TITLE,
    _SLUG,
    FieldSpec(BODY, "wysiwyg", N_("Text")),
    FieldSpec("summary", "long_text", N_("Excerpt")),
    FieldSpec("seo_title", "short_text", N_("Title for search engines")),
    FieldSpec("meta_description", "long_text", N_("Description for search engines")),
    FieldSpec("featured_image", "short_text", N_("Featured picture")),
    FieldSpec("featured_image_alt", "short_text", N_("Description of the picture")),
    FieldSpec(AUTHOR, "reference", N_("Author"), targets=("author",)),
    FieldSpec(CATEGORIES, "reference", N_("Categories"), targets=("category",), many=True),
    FieldSpec(TAGS, "reference", N_("Tags"), targets=("tag",), many=True),
)
"""The built-in fields of a post; author and terms are references."""


class EntryKind(StrEnum):
    """The kind of an entry."""

    POST = N_("post")
    PAGE = N_("page")
    ITEM = N_("item")


class Kind(Struct, frozen=True):
    """The properties of a kind of entry.

    With `has_locales` an entry has versions in several locales, which share its slug; otherwise it has one locale, and
    its translations are entries of their own in its locale group. With `has_draft_version` changes of what readers see
    are kept in a draft version of the entry; otherwise an entry has one version, whatever its status, and its draft is
    the working copy of a user.
    With `creates_several` a creation may hold several entries. `required` are keys that an update cannot set to null,
    `immutable` keys that an update ignores. `built_in` are the fields that every entry of the kind has beside those
    that the schema declares for its `type_key`: the key of requests that names a page type or collection, as messages
    call it by the `type_label`.

    Fields may refer to an entry that `is_target`. The place of an entry that `is_dated` follows from the time of its
    publication. Its fields are declared in `schema_place` of the site folder. `permalink` is the name of the pattern
    that gives entries their addresses: a setting, "route" of a collection. `untyped_permalink` is that of entries
    without a type, where they have another.

    A token that may not write an entry is refused with the words `limited_to`, a name that no entry has with
    `not_found`; both texts are part of the API.

    The studio calls an entry by the `label`, all by the `plural`, the form of a new one by the `new_label`. `deleted`
    says that the entry of a form is in the trash, `reused` is the button for what was typed of it. Its list stands at
    `list_path`, where `<key>` is the type of the entries; `parts` names the tabs of it, if it has some, and `empty` are
    its texts where nothing matches, on the link to all, and where there is nothing. All texts are English.
    """

    label: str
    plural: str
    new_label: str
    deleted: str
    reused: str
    list_path: str
    empty: tuple[str, str, str]
    limited_to: str
    parts: str = ""
    not_found: str = "Not found."
    has_locales: bool = True
    has_draft_version: bool = True
    creates_several: bool = False
    required: tuple[str, ...] = ("fields",)
    immutable: tuple[str, ...] = ()
    built_in: tuple[FieldSpec, ...] = ()
    type_key: str = ""
    type_label: str = ""
    is_target: bool = True
    is_dated: bool = False
    schema_place: str = ""
    permalink: str = ""
    untyped_permalink: str = ""

    @property
    def texts(self) -> frozenset[str]:
        """The English texts of the studio for the entries of the kind, their lists and their built-in fields."""
        own = (self.label, self.plural, self.new_label, self.deleted, self.reused, self.parts, *self.empty)
        return frozenset({*own, *(spec.name for spec in self.built_in)} - {""})

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the built-in fields."""
        return tuple(spec.slug for spec in self.built_in)

    def version(self, status: Status) -> Version:
        """Return the version that an entry with this status is, unless it is a draft over a published one."""
        return Version.DRAFT if self.has_draft_version and status is not Status.PUBLISHED else Version.LIVE

    def locale_key(self, locale: str) -> str:
        """Return the locale by which versions are told apart: "" for an entry in one, which may change it."""
        return locale if self.has_locales else ""

    def place(self, *parts: str) -> str:
        """Return how names of values of a version begin: `en.live.`, and "" for an entry in one locale."""
        return ".".join((*parts, "")) if self.has_locales else ""

    @property
    def new_path(self) -> str:
        """The path of the form of a new entry in the studio, with the names of `list_path` and the type of a page."""
        is_typed = self.type_key and "<" not in self.list_path
        return f"{self.list_path}new/" + (f"<{self.type_key}>/" if is_typed else "")

    def list_address(self, type_name: str) -> str:
        """Return the address of the list of entries of a type in the studio."""
        return self.list_path.replace("<key>", type_name)

    def form_address(self, entry_id: int, type_name: str, locale: str = "") -> str:
        """Return the address of the form of an entry in the studio, in a locale ("": the default one)."""
        query = f"?locale={locale}" if locale and self.has_locales else ""
        return f"{self.list_address(type_name)}{entry_id}/{query}"

    @property
    def has_slug(self) -> bool:
        """True if a slug names an entry, which has a file of its own; otherwise a file lists entries by their ids."""
        return SLUG in self.names

    @property
    def has_author(self) -> bool:
        """True if an entry belongs to an author, who may be the only one to change it."""
        return AUTHOR in self.names

    @property
    def has_terms(self) -> bool:
        """True if an entry has categories and tags of its own; others have those that their fields name."""
        return CATEGORIES in self.names

    @property
    def has_body(self) -> bool:
        """True if an entry has a text that is rich text or rendered from Markdown."""
        return BODY in self.names


KINDS: Mapping[EntryKind, Kind] = {
    EntryKind.POST: Kind(
        label=N_("Post"),
        plural=N_("Posts"),
        new_label=N_("New post"),
        deleted=N_("The post was deleted"),
        reused=N_("Use my text in a new post"),
        list_path="/studio/posts/",
        empty=(N_("No post matches."), N_("Show all posts"), N_("There is no post yet.")),
        parts=N_("Posts by status"),
        limited_to="this post",
        has_locales=False,
        has_draft_version=False,
        required=("title",),
        built_in=_POST,
        is_target=False,
        is_dated=True,
        schema_place="schema/post.yaml",
        permalink="post",
    ),
    EntryKind.PAGE: Kind(
        label=N_("Page"),
        plural=N_("Pages"),
        new_label=N_("New page"),
        deleted=N_("The page was deleted"),
        reused=N_("Use my text in a new page"),
        list_path="/studio/pages/",
        empty=(N_("No page matches."), N_("Show all pages"), N_("There is no page yet.")),
        parts=N_("Pages by type"),
        limited_to="pages of this type",
        not_found="Page not found.",
        required=("title", "fields"),
        immutable=("title", "slug"),
        built_in=(_TITLE, _SLUG),
        type_key="page_type",
        type_label="page type",
        schema_place="schema/page_types",
        permalink="page",
        untyped_permalink="single_page",
    ),
    EntryKind.ITEM: Kind(
        label=N_("Item"),
        plural=N_("Collections"),
        new_label=N_("New item"),
        deleted=N_("The item was deleted"),
        reused=N_("Use my text in a new item"),
        list_path="/studio/collections/<key>/",
        empty=(N_("No item matches."), N_("Show all items"), N_("There is no item yet.")),
        limited_to="this collection",
        creates_several=True,
        type_key="key",
        type_label="collection",
        schema_place="schema/collections",
        permalink="route",
    ),
}


def declared_fields(schema: ContentSchema, kind: EntryKind, owner: str = "", slug: str = "") -> tuple[FieldSpec, ...]:
    """Return the declared fields of an entry: `owner` is its page type or collection. Raises NotFound."""
    match kind:
        case EntryKind.POST:
            return schema.post_fields
        case EntryKind.PAGE:
            return schema.page_fields(owner, slug)
        case EntryKind.ITEM:
            return schema.collection(owner).fields
