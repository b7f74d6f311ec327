"""Field types and declarations inferred from the values of an API that states neither."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from msgspec import Struct, field

from sitecms.importing.records import Declaration, Html, Markdown, MediaValue, Reference
from sitecms.web_address import split_address

SHORT_MAX = 255
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?")
_COLOR = re.compile(r"#[0-9a-f]{6}", re.I)
_MARKUP = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?>", re.I)
_ITEM = re.compile(r"(?:keys=)?([^=\[\]&?/]+)\[_id=(\d+)\]$")
_PAGE = re.compile(r"/pages/([^/]+)/([^/]+)/?$")
_COMMENTS = {
    "unknown": "No entry has a value here; the type is a guess.",
    "list": "The list is empty in all entries; the type is a guess.",
}


class ReferenceTarget(Struct, frozen=True):
    """The target of a reference: an item (`id`) of the collection `group`, or a page (`slug`) of the type `group`."""

    group: str
    id: str = ""
    slug: str = ""

    @property
    def key(self) -> str:
        """The key of the entry's record."""
        return item_key(self.group, self.id) if self.id else page_key(self.group, self.slug)

    @property
    def allowed(self) -> str:
        """The target as the declaration of a reference names it."""
        return self.group if self.id else f"page:{self.group}"


def item_key(collection: str, item_id: object) -> str:
    """Return the key of the record of an item."""
    return f"hosted:item:{collection}:{item_id}"


def page_key(page_type: str, slug: str) -> str:
    """Return the key of the record of a page; `*` is the type of Single Pages."""
    return f"hosted:page:{page_type}:{slug}"


def read_uri(value: object) -> ReferenceTarget | None:
    """Return the target of a reference that is not followed; None for a value that is no such URI."""
    if not isinstance(value, str) or "/v2/" not in value or any(sign.isspace() for sign in value):
        return None
    parts = split_address(unquote(value))
    if found := _ITEM.search(parts.query):
        return ReferenceTarget(found[1], id=found[2])
    if found := _PAGE.search(parts.path):
        return ReferenceTarget(found[1], slug=found[2])
    return None


class Evidence(Struct):
    """Facts about the values of one field; `types` are the types that values had."""

    types: set[str] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)
    parts: "dict[str, Evidence]" = field(default_factory=dict)
    components: "dict[str, dict[str, Evidence]]" = field(default_factory=dict)

    def see(self, value: Any) -> None:
        """Add one value."""
        if isinstance(value, str):
            self._see_text(value)
        elif isinstance(value, bool):
            self.types.add("checkbox")
        elif isinstance(value, int | float):
            self.types.add("number")
        elif isinstance(value, list):
            self._see_list(value)
        elif isinstance(value, dict):
            if is_media(value):
                self.types.add("media")
            else:
                self.types.add("component")
                see_all(self.parts, value)

    def _see_text(self, value: str) -> None:
        if not value:
            return
        if target := read_uri(value):
            self.types.add("reference")
            self.targets.add(target.allowed)
        elif _DATE.fullmatch(value):
            self.types.add("date")
        elif _COLOR.fullmatch(value):
            self.types.add("color")
        elif _MARKUP.search(value):
            self.types.add("wysiwyg")
        else:
            self.types.add("long_text" if "\n" in value or len(value) > SHORT_MAX else "short_text")

    def _see_list(self, value: list[Any]) -> None:
        self.types.add("list")
        for each in value:
            if target := read_uri(each):
                self.types.add("references")
                self.targets.add(target.allowed)
            elif isinstance(each, dict) and set(each) == {"type", "fields"} and isinstance(each["fields"], dict):
                self.types.add("component_picker")
                see_all(self.components.setdefault(str(each["type"]), {}), each["fields"])
            elif isinstance(each, dict):
                self.types.add("repeater")
                see_all(self.parts, each)


def see_all(evidence: dict[str, Evidence], fields: Mapping[str, Any]) -> None:
    """Add the values of all fields of an entry."""
    for name, value in fields.items():
        evidence.setdefault(name, Evidence()).see(value)


def is_media(value: Mapping[str, Any]) -> bool:
    """Return whether an object is a media file, as `alt_media_text=1` writes it."""
    return "url" in value and set(value) <= {"url", "alt"}


def as_record(value: Any) -> Any:
    """Return a value as records hold it: media, references, HTML and Markdown by their own types."""
    if isinstance(value, dict):
        if is_media(value):
            return MediaValue(str(value["url"] or ""), str(value.get("alt") or "")) if value["url"] else ""
        return {name: as_record(held) for name, held in value.items()}
    if isinstance(value, list):
        return [as_record(each) for each in value]
    if isinstance(value, str):
        if target := read_uri(value):
            return Reference(target.key)
        if _MARKUP.search(value):
            return Html(value)
        if "](" in value:
            return Markdown(value)
    return value


class Declarations:
    """Declarations made of evidence. Components are shared by name."""

    def __init__(self, targets: Iterable[str]) -> None:
        self._targets = tuple(sorted(targets))
        self._components: dict[str, dict[str, Evidence]] = {}

    def page_type(self, slug: str, evidence: Mapping[str, Evidence], *, is_single: bool = False) -> Declaration:
        """Return the declaration of a page type, or of the fields of one Single Page."""
        fields, comments = self._fields(evidence, slug)
        data: dict[str, Any] = {"name": _title(slug), "fields": fields}
        folder = "single_pages" if is_single else "page_types"
        return Declaration(folder, slug, data if is_single else {"slug": slug, **data}, comments)

    def post(self, evidence: Mapping[str, Evidence]) -> Declaration:
        """Return the declaration of the fields of posts."""
        fields, comments = self._fields(evidence, "post")
        return Declaration("", "post", {"fields": fields}, comments)

    def collection(self, key: str, evidence: Mapping[str, Evidence]) -> Declaration:
        """Return the declaration of a collection, labelled by its first short text."""
        fields, comments = self._fields(evidence, key)
        short = [each["slug"] for each in fields if each["type"] == "short_text"]
        label = next((name for name in ("label", "name", "title") if name in short), next(iter(short), ""))
        named = {"label": label} if label else {}
        return Declaration("collections", key, {"key": key, "name": _title(key), **named, "fields": fields}, comments)

    def components(self) -> Iterator[Declaration]:
        """Yield the components that the declarations made so far name."""
        done: set[str] = set()
        while waiting := [name for name in self._components if name not in done]:
            for name in waiting:
                done.add(name)
                fields, comments = self._fields(self._components[name], name)
                data = {"slug": name, "name": _title(name), "fields": fields}
                yield Declaration("components", name, data, comments)

    def _fields(self, evidence: Mapping[str, Evidence], owner: str) -> tuple[list[dict[str, Any]], dict[str, str]]:
        fields, comments = [], {}
        for name, seen in evidence.items():
            made, comment = self._field(name, seen, owner)
            fields.append(made)
            if comment:
                comments[name] = comment
        return fields or [{"slug": "body", "type": "wysiwyg"}], comments

    def _field(self, name: str, seen: Evidence, owner: str) -> tuple[dict[str, Any], str]:
        """Return a field, and a comment where its type is a guess."""
        declaration: dict[str, Any] = {"slug": name}
        kind = inferred_type(seen)
        comment = _COMMENTS.get(kind, "")
        if kind in ("references", "list"):
            targets = sorted(seen.targets) or list(self._targets)
            if not targets:
                return {**declaration, "type": "repeater", "fields": [{"slug": "value", "type": "short_text"}]}, comment
            return {**declaration, "type": "reference", "targets": targets, "many": True}, comment
        if kind == "reference":
            return {**declaration, "type": kind, "targets": sorted(seen.targets)}, ""
        if kind == "component_picker":
            for component, parts in seen.components.items():
                _merge(self._components.setdefault(component, {}), parts)
            return {**declaration, "type": kind, "components": sorted(seen.components)}, ""
        if kind == "component":
            component = self._component_name(name, owner, seen.parts)
            return {**declaration, "type": kind, "component": component}, ""
        if kind == "repeater":
            return {**declaration, "type": kind, "fields": self._fields(seen.parts, f"{owner}-{name}")[0]}, ""
        return {**declaration, "type": "short_text" if kind == "unknown" else kind}, comment

    def _component_name(self, name: str, owner: str, parts: Mapping[str, Evidence]) -> str:
        """Return the name of a component: the field's, if no other component of that name has other fields."""
        plain = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-") or "component"
        known = self._components.get(plain)
        if known is not None and set(known) != set(parts):
            plain = f"{owner}-{plain}"
        _merge(self._components.setdefault(plain, {}), parts)
        return plain


def inferred_type(seen: Evidence) -> str:
    """Return the type that fits all values; a list without entries is `list`, no value at all `unknown`."""
    types = seen.types
    for kind in ("component_picker", "repeater", "references", "list", "media", "component", "reference"):
        if kind in types:
            return kind
    if not types:
        return "unknown"
    if len(types) == 1:
        return next(iter(types))
    return next(kind for kind in ("wysiwyg", "long_text", "short_text") if kind in types | {"short_text"})


def _merge(known: dict[str, Evidence], more: Mapping[str, Evidence]) -> None:
    for name, seen in more.items():
        evidence = known.setdefault(name, Evidence())
        evidence.types |= seen.types
        evidence.targets |= seen.targets
        _merge(evidence.parts, seen.parts)
        for component, parts in seen.components.items():
            _merge(evidence.components.setdefault(component, {}), parts)


def _title(name: str) -> str:
    return re.sub(r"[-_]+", " ", name).strip().capitalize()
