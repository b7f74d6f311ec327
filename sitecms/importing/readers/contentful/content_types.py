"""Content types of Contentful as posts, page types and collections."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from sitecms.importing.reader import type_name
from sitecms.importing.records import Declaration
from sitecms.importing.unfit_text import fit

Data = Mapping[str, Any]
MAX_NAME = 200  # as in content_schema/field.schema.json
_POST_NAME = re.compile(r"post|article|news|story", re.I)
_POST_PARTS: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "name", "headline"),
    "slug": ("slug",),
    "body": ("body", "content", "text"),
    "published_at": ("publishdate", "publisheddate", "publishedat", "pubdate", "date", "publicationdate"),
    "featured_image": ("heroimage", "featuredimage", "image", "cover", "coverimage", "thumbnail"),
    "summary": ("description", "excerpt", "summary", "subtitle", "intro"),
    "meta_description": ("metadescription", "seodescription"),
    "seo_title": ("metatitle", "seotitle"),
    "authors": ("author", "authors"),
    "tags": ("tags", "tag"),
    "categories": ("category", "categories"),
}
_PLAIN = {"Symbol": "short_text", "Text": "long_text", "RichText": "wysiwyg", "Integer": "number", "Number": "number"}
_TEXTS = ("Symbol", "Text")
_ITEM_KEY = "meta"
"""Field that no collection can have: items carry their id there."""
_PLAIN |= {"Date": "date", "Boolean": "checkbox", "Object": "long_text", "Location": "short_text"}


class ContentType(Struct, frozen=True):
    """A content type. `post_parts` maps parts of a post to field ids; empty for a page type or collection."""

    id: str
    name: str
    group: str
    label: str
    slug_field: str
    fields: tuple[Data, ...]
    post_parts: Mapping[str, str]

    @property
    def is_post(self) -> bool:
        """Return whether every field has a place in a post."""
        return bool(self.post_parts)

    @property
    def is_term(self) -> bool:
        """Return whether the entries have a name and a slug alone, as categories and tags do."""
        return {field["id"] for field in self.fields} == {self.label, self.slug_field} - {""}

    @property
    def is_page(self) -> bool:
        """Return whether the entries are pages: those with a slug are."""
        return bool(self.slug_field) and not self.is_post


def read_type(data: Data) -> ContentType:
    """Return the content type of one record of the export."""
    listed = data.get("fields")
    rows = [field for field in listed if isinstance(field, dict)] if isinstance(listed, list) else []
    fields = tuple(
        field for field in rows if isinstance(field.get("id"), str) and field["id"] and not field.get("omitted")
    )
    names = [field["id"] for field in fields]
    texts = [field["id"] for field in fields if field.get("type") == "Symbol"]
    slug = next((name for name in texts if name.lower() == "slug"), "")
    shown = str(data.get("displayField") or "")
    label = shown if shown in names else next((name for name in texts if name != slug), "")
    type_id = str(data["sys"]["id"])
    name = str(data.get("name") or type_id)[:MAX_NAME]
    is_named_post = bool(_POST_NAME.search(type_id) or _POST_NAME.search(name))
    return ContentType(
        type_id, name, kebab(type_id), label, slug, fields, _post_parts(fields) if is_named_post and slug else {}
    )


def _post_parts(fields: Iterable[Data]) -> dict[str, str]:
    """Return the field of each part of a post; {} if a field has no place in a post."""
    parts: dict[str, str] = {}
    for field in fields:
        plain = re.sub(r"[^a-z]", "", field["id"].lower())
        part = next((part for part, names in _POST_PARTS.items() if plain in names and part not in parts), "")
        if not part or not _fits(part, field):
            return {}
        parts[part] = field["id"]
    return parts if {"title", "slug", "body"} <= parts.keys() else {}


def _fits(part: str, field: Data) -> bool:
    """Return whether a field's type is one that the part of a post can take."""
    kind, link = field.get("type"), field.get("linkType")
    items = _facts(field, "items")
    if part == "featured_image":
        return (kind, link) == ("Link", "Asset")
    if part in ("authors", "tags", "categories"):
        has_entries = "Entry" in (link, items.get("linkType"))
        return has_entries or kind == "Symbol" or items.get("type") == "Symbol"
    return kind in {"body": ("Text", "RichText"), "published_at": ("Date",)}.get(part, ("Symbol", "Text"))


def kebab(name: str) -> str:
    """Return a name as `blogPost` in the form of keys, `blog-post`."""
    return type_name(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name))


def field_slug(name: str) -> str:
    """Return a field's id as the slug of a field: it begins with a letter and is not a word of the API."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "-", name)
    return plain if plain[:1].isalpha() and plain != _ITEM_KEY else f"field-{plain}"


class Usage(Struct, frozen=True):
    """The values of a field in all entries of its type, which may be older than its rules.

    `is_always` says that every published entry has one; `texts` are the values that are text, `types` those of the
    entries that it links to.
    """

    is_always: bool = False
    texts: tuple[str, ...] = ()
    types: frozenset[str] = frozenset()


def declare(kind: ContentType, groups: Mapping[str, str], usage: Mapping[str, Usage]) -> Declaration:
    """Return the declaration of a page type or collection, which all values in use fit.

    `groups` maps the ids of types that entries may link to, to targets of references.
    """
    fields, comments = [], {}
    for field in kind.fields:
        if field["id"] in (kind.slug_field if kind.is_page else "", "title" if kind.is_page else ""):
            continue
        made, comment = _declared(field, groups, usage[field["id"]])
        if field.get("required") and usage[field["id"]].is_always:
            made["required"] = True
        if comment:
            comments[made["slug"]] = comment
        fields.append(made)
    if not fields:  # a page type has at least one field
        fields = [{"slug": "body", "name": "Body", "type": "wysiwyg"}]
    if kind.is_page:
        return Declaration(
            "page_types", kind.group, {"slug": kind.group, "name": kind.name, "fields": fields}, comments
        )
    data = {
        "key": kind.group,
        "name": kind.name,
        "label": field_slug(kind.label) if kind.label else fields[0]["slug"],
        "fields": fields,
    }
    return Declaration("collections", kind.group, data, comments)


def _declared(field: Data, groups: Mapping[str, str], usage: Usage) -> tuple[dict[str, Any], str]:
    kind, items = str(field.get("type")), _facts(field, "items")
    facts: dict[str, Any] = {"slug": field_slug(field["id"]), "name": str(field.get("name") or field["id"])[:MAX_NAME]}
    if not field.get("localized"):
        facts["translatable"] = False
    if kind == "Link" or items.get("type") == "Link":
        is_many = kind == "Array"
        if "Asset" in (field.get("linkType"), items.get("linkType")):
            if not is_many:
                return {**facts, "type": "media"}, ""
            return {**facts, "type": "repeater", "fields": [{"slug": "file", "name": "File", "type": "media"}]}, ""
        allowed = _linked_types(field if kind == "Link" else items)
        in_use = {*allowed, *usage.types} if allowed else groups.keys()
        targets = sorted({target for each, target in groups.items() if each in in_use})
        facts |= {"type": "reference", "targets": targets}
        return (
            {**facts, "many": True} if is_many else facts
        ), "" if allowed else "The export names no types: all are allowed."
    if kind == "Array":
        return {**facts, "type": "repeater", "fields": [{"slug": "value", "name": "Value", "type": "short_text"}]}, ""
    options = next(filter(None, (rule.get("in") for rule in _rules(field))), ())
    listed = options if isinstance(options, list) else [options]
    if kind in _TEXTS and any(listed):
        words = dict.fromkeys(filter(None, (fit(str(each)) for each in (*listed, *usage.texts) if each)))
        return {**facts, "type": "dropdown", "options": [{"label": each, "value": each} for each in words]}, ""
    comment = {"Object": "JSON.", "Location": "Latitude and longitude."}.get(kind, "")
    return {**facts, "type": _PLAIN.get(kind, "short_text")}, comment


def _linked_types(field: Data) -> tuple[str, ...]:
    types = next(filter(None, (rule.get("linkContentType") for rule in _rules(field))), ())
    return (types,) if isinstance(types, str) else tuple(map(str, types)) if isinstance(types, list) else ()


def _facts(field: Data, name: str) -> Data:
    value = field.get(name)
    return value if isinstance(value, dict) else {}


def _rules(field: Data) -> list[Data]:
    rules = field.get("validations")
    return [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
