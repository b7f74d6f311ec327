"""The content schema: page types, collections and components, with their fields."""

from collections.abc import Collection as Collect
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from msgspec import NODEFAULT, Struct, field
from msgspec.structs import fields

from sitecms.content.field_value import FieldValue
from sitecms.errors import NotFound

T = TypeVar("T")

TERMS, FEATURED_IMAGE = "terms", "featured_image"
"""The types of fields that a page type or collection declares by their names alone, to have them as posts have them."""
_CODE = "own_type"
_NAMES = {"categories": "Categories", "tags": "Tags"}


class Option(Struct, frozen=True):
    """One choice of a dropdown: the label that people see, and the stored value."""

    label: str
    value: str


class FieldSpec(Struct, frozen=True):
    """One field, as declared.

    `type` is the name of a field type (`content.fields`). `default` is as content files write it; None stands for the
    empty value of the type. Lengths count characters of text, or entries of a list. `options` belong to dropdowns,
    `targets` (a collection key, `page:<page type>` or `page:*`) and `many` to references, `component` and `components`
    to those, `fields` to repeaters. `own_type` is the type itself where a plug-in of the site adds it
    (`content.fields.types`); None for built-in types.
    """

    slug: str
    type: str
    name: str = ""
    help: str = ""
    required: bool = False
    default: FieldValue = None
    min_length: int | None = None
    max_length: int | None = None
    options: tuple[Option, ...] = ()
    targets: tuple[str, ...] = ()
    many: bool = False
    translatable: bool = True
    searchable: bool = False
    component: str = ""
    components: tuple[str, ...] = ()
    fields: "tuple[FieldSpec, ...]" = ()
    own_type: Any = None


class PageType(Struct, frozen=True):
    """The fields of the pages of one type.

    `terms` ("categories", "tags") and `featured_image` name fields that pages of the type have as posts have them; they
    are the last of its fields.
    """

    slug: str
    name: str
    fields: tuple[FieldSpec, ...]
    terms: tuple[str, ...] = ()
    featured_image: bool = False


class Collection(Struct, frozen=True):
    """The fields of the items of one collection; `label` is the slug of the field that names an item.

    `route` is where each item has a page of its own, "" where they have none. The others are as of a page type.
    """

    key: str
    name: str
    label: str
    fields: tuple[FieldSpec, ...]
    route: str = ""
    terms: tuple[str, ...] = ()
    featured_image: bool = False


class Component(Struct, frozen=True):
    """A group of fields that pages use as one field, or pick from several."""

    slug: str
    name: str
    fields: tuple[FieldSpec, ...]


SINGLE_PAGE_FIELDS = (
    FieldSpec("body", "wysiwyg", "Body", searchable=True),
    FieldSpec("description", "short_text", "Description", searchable=True),
    FieldSpec("image", "media", "Image"),
)


class ContentSchema(Struct, frozen=True):
    """All page types, collections, components and Single Pages with own fields, by slug (collections by key).

    `post_fields` are the fields of every post beside its built-in values.
    """

    page_types: Mapping[str, PageType] = field(default_factory=dict)
    collections: Mapping[str, Collection] = field(default_factory=dict)
    components: Mapping[str, Component] = field(default_factory=dict)
    single_pages: Mapping[str, PageType] = field(default_factory=dict)
    post_fields: tuple[FieldSpec, ...] = ()

    def page_type(self, slug: str) -> PageType:
        """Return the page type. Raises NotFound."""
        return _get(self.page_types, slug, "page type")

    def collection(self, key: str) -> Collection:
        """Return the collection. Raises NotFound."""
        if key not in self.collections:
            raise NotFound("Not found.")
        return self.collections[key]

    def component(self, slug: str) -> Component:
        """Return the component. Raises NotFound."""
        return _get(self.components, slug, "component")

    def page_fields(self, page_type: str, slug: str = "") -> tuple[FieldSpec, ...]:
        """Return the fields of a page of that type and slug; "" is a Single Page. Raises NotFound."""
        if page_type:
            return self.page_type(page_type).fields
        return self.single_pages[slug].fields if slug in self.single_pages else SINGLE_PAGE_FIELDS

    def as_json(self) -> dict[str, FieldValue]:
        """Return plain data that `from_json` reads back; equal schemas give equal data."""
        single = [_as_json(entry) for _, entry in sorted(self.single_pages.items())]
        return {
            **({"post_fields": _plain(self.post_fields)} if self.post_fields else {}),
            **({"single_pages": [*single]} if single else {}),
            "page_types": [_as_json(entry) for _, entry in sorted(self.page_types.items())],
            "collections": [_as_json(entry) for _, entry in sorted(self.collections.items())],
            "components": [_as_json(entry) for _, entry in sorted(self.components.items())],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ContentSchema":
        """Return the schema of data from `as_json`, or of checked files, each entry as one file in schema/ has it."""
        page_types = [page_type_from(entry) for entry in data.get("page_types", ())]
        collections = [collection_from(entry) for entry in data.get("collections", ())]
        components = [component_from(entry) for entry in data.get("components", ())]
        single_pages = [page_type_from(entry) for entry in data.get("single_pages", ())]
        return cls(
            {entry.slug: entry for entry in page_types},
            {entry.key: entry for entry in collections},
            {entry.slug: entry for entry in components},
            {entry.slug: entry for entry in single_pages},
            fields_from(data.get("post_fields", ())),
        )


def page_type_from(data: Mapping[str, Any], stem: str = "") -> PageType:
    """Return the page type of a checked file in schema/page_types/; `stem` is the file's name without extension."""
    slug = data.get("slug") or stem
    terms, has_image = tuple(data.get("terms") or ()), bool(data.get("featured_image"))
    fields = (*fields_from(data["fields"]), *post_like_fields(terms, has_image=has_image))
    return PageType(slug, data.get("name") or readable(slug), fields, terms, has_image)


def component_from(data: Mapping[str, Any], stem: str = "") -> Component:
    """Return the component of a checked file in schema/components/."""
    slug = data.get("slug") or stem
    return Component(slug, data.get("name") or readable(slug), fields_from(data["fields"]))


def collection_from(data: Mapping[str, Any], stem: str = "") -> Collection:
    """Return the collection of a checked file in schema/collections/; its label defaults to the first field."""
    key, specs = data.get("key") or stem, fields_from(data["fields"])
    name, label = data.get("name") or readable(key), data.get("label") or specs[0].slug
    terms, has_image = tuple(data.get("terms") or ()), bool(data.get("featured_image"))
    specs = (*specs, *post_like_fields(terms, has_image=has_image))
    return Collection(key, name, label, specs, data.get("route") or "", terms, has_image)


def post_like_fields(terms: Collect[str], *, has_image: bool) -> tuple[FieldSpec, ...]:
    """Return the fields that a page type or collection has as posts have them."""
    fields = [FieldSpec(name, TERMS, label, many=True) for name, label in _NAMES.items() if name in terms]
    return (*fields, FieldSpec(FEATURED_IMAGE, FEATURED_IMAGE, "Featured picture")) if has_image else tuple(fields)


def is_post_like(spec: FieldSpec) -> bool:
    """Return whether a field of a page type or collection is one that it has as posts have it."""
    return spec.type in (TERMS, FEATURED_IMAGE)


def fields_from(data: Iterable[Mapping[str, Any]]) -> tuple[FieldSpec, ...]:
    """Return the fields of a checked list of declarations."""
    return tuple(_field_from(entry) for entry in data)


def readable(slug: str) -> str:
    """Return `Link label` for `link_label`."""
    words = slug.replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def _field_from(data: Mapping[str, Any]) -> FieldSpec:
    given = {key: value for key, value in data.items() if value is not None}
    given["name"] = data.get("name") or readable(data["slug"])
    given["options"] = tuple(
        Option(entry.get("label", entry["value"]), entry["value"]) for entry in data.get("options", ())
    )
    for key in ("targets", "components"):
        given[key] = tuple(data.get(key, ()))
    given["fields"] = fields_from(data.get("fields", ()))
    return FieldSpec(**given)


def _as_json(declared: Any) -> dict[str, FieldValue]:
    """Return a struct as plain data, without the attributes that have their default, and without code."""
    result: dict[str, FieldValue] = {}
    for each in (each for each in fields(declared) if each.name != _CODE):
        value = getattr(declared, each.name)
        if each.name == "fields" and isinstance(declared, PageType | Collection):
            value = tuple(spec for spec in value if not is_post_like(spec))
        if each.default is NODEFAULT or value != each.default:
            result[each.name] = _plain(value)
    return result


def _plain(value: Any) -> FieldValue:
    if isinstance(value, tuple):
        return [_as_json(entry) if isinstance(entry, FieldSpec | Option) else str(entry) for entry in value]
    plain: FieldValue = value
    return plain


def _get(entries: Mapping[str, T], slug: str, what: str) -> T:
    if slug not in entries:
        known = ", ".join(sorted(entries)) or "none"
        raise NotFound(f"There is no {what} {slug}; there are: {known}.")
    return entries[slug]
