"""The schema/ folder of a site: page types, collections, components and the fields of posts.

Beside JSON Schemas there are rules that these cannot express: between files, and within fields.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from sitecms.content.fields import Context, FieldType, RawReference, types_of
from sitecms.content.fields.field_type import DeclarationError, Names, Nesting
from sitecms.content.fields.types import typed_fields, with_types
from sitecms.content.references import Target
from sitecms.content.schema import (
    FEATURED_IMAGE,
    ContentSchema,
    collection_from,
    component_from,
    fields_from,
    page_type_from,
    post_like_fields,
)
from sitecms.documents import Locate, Step, locator, nearest, nowhere, place_of, read_yaml, schema_errors, suggest
from sitecms.documents.folders import Listing
from sitecms.errors import FileError, InvalidFiles

if TYPE_CHECKING:
    from sitecms.content.text.removed_markup import ReportDropped

RESERVED_PAGE_TYPE = "search"  # GET /v2/pages/search/
RESERVED_ITEM_FIELD = "meta"  # API reference, Collection item

_Path: TypeAlias = tuple[Step, ...]
_POST_FILES = ("schema/post.yaml", "schema/post.yml")


class SchemaKind(StrEnum):
    """The folders in schema/, and the file post.yaml."""

    PAGE_TYPE = "page_types"
    COLLECTION = "collections"
    COMPONENT = "components"
    SINGLE_PAGE = "single_pages"
    POST = "post"


_DEEPEST = {
    SchemaKind.PAGE_TYPE: Nesting.COMPONENTS,
    SchemaKind.COLLECTION: Nesting.COMPONENTS,
    SchemaKind.COMPONENT: Nesting.ROWS,
    SchemaKind.SINGLE_PAGE: Nesting.COMPONENTS,
    SchemaKind.POST: Nesting.COMPONENTS,
}


class SchemaFile(Struct, frozen=True):
    """One file in schema/, checked by the JSON Schema of its kind. `file` is relative to the site folder."""

    kind: SchemaKind
    file: str
    stem: str
    data: Mapping[str, Any]
    locate: Locate = nowhere

    @property
    def key_name(self) -> str:
        """The key that holds its slug."""
        return "key" if self.kind is SchemaKind.COLLECTION else "slug"

    @property
    def slug(self) -> str:
        """The slug of what it declares."""
        return self.data.get(self.key_name) or self.stem

    def error(self, path: _Path, problem: str, remedy: str = "") -> FileError:
        """Return the error at that place of the file."""
        return FileError(self.file, place_of(path), problem, remedy, self.locate(path))


def schema_of(files: Sequence[SchemaFile]) -> ContentSchema:
    """Return the schema that the files declare together; `check_schema` must find no error in them."""
    of = {kind: [entry for entry in files if entry.kind is kind] for kind in SchemaKind}
    return ContentSchema(
        {entry.slug: page_type_from(entry.data, entry.stem) for entry in of[SchemaKind.PAGE_TYPE]},
        {entry.slug: collection_from(entry.data, entry.stem) for entry in of[SchemaKind.COLLECTION]},
        {entry.slug: component_from(entry.data, entry.stem) for entry in of[SchemaKind.COMPONENT]},
        {entry.slug: page_type_from(entry.data, entry.stem) for entry in of[SchemaKind.SINGLE_PAGE]},
        tuple(spec for entry in of[SchemaKind.POST] for spec in fields_from(entry.data["fields"])),
    )


def check_schema(files: Sequence[SchemaFile], own: Sequence[FieldType] = ()) -> list[FileError]:
    """Return the errors between and within the files, in their order; `own` are field types of plug-ins."""
    first = {(entry.kind, entry.slug): entry for entry in reversed(files)}
    slugs = {kind: tuple(slug for of, slug in first if of is kind) for kind in SchemaKind}
    names = Names(slugs[SchemaKind.PAGE_TYPE], slugs[SchemaKind.COLLECTION], slugs[SchemaKind.COMPONENT], types_of(own))
    errors: list[FileError] = []
    for entry in files:
        errors += _slug_errors(entry, first[entry.kind, entry.slug])
        errors += _label_errors(entry)
        errors += _post_like_errors(entry)
        errors += _list_errors(entry, entry.data["fields"], ("fields",), _DEEPEST[entry.kind], names)
    return errors


def _slug_errors(file: SchemaFile, first: SchemaFile) -> Iterator[FileError]:
    if first is not file:
        yield file.error((file.key_name,), f'is "{file.slug}", as in {first.file}', "each needs its own")
    if file.kind is SchemaKind.PAGE_TYPE and file.slug == RESERVED_PAGE_TYPE:
        yield file.error((file.key_name,), f'is "{file.slug}", an address of the API', "choose another slug")


def _label_errors(file: SchemaFile) -> Iterator[FileError]:
    label, slugs = file.data.get("label"), [entry["slug"] for entry in file.data["fields"]]
    if label and label not in slugs:
        yield file.error(("label",), f'is "{label}", which is not a field here', suggest(label, slugs))


def _post_like_errors(file: SchemaFile) -> Iterator[FileError]:
    """Yield an error for each field that has the name of one which its page type or collection has as posts have it."""
    terms = tuple(file.data.get("terms") or ())
    names = {spec.slug for spec in post_like_fields(terms, has_image=bool(file.data.get("featured_image")))}
    for number, entry in enumerate(file.data["fields"]):
        if entry["slug"] in names:
            key = entry["slug"] if entry["slug"] == FEATURED_IMAGE else "terms"
            remedy = f'give it another slug, or leave out "{key}" of this file'
            yield file.error(
                ("fields", number, "slug"), f'is "{entry["slug"]}", which "{key}" declares already', remedy
            )


def _list_errors(
    file: SchemaFile, fields: Sequence[Mapping[str, Any]], path: _Path, deepest: Nesting, names: Names
) -> Iterator[FileError]:
    """Yield the errors in a list of fields, those of repeaters in it included."""
    seen: set[str] = set()
    for number, entry in enumerate(fields):
        here, slug = (*path, number), entry["slug"]
        if slug in seen:
            yield file.error((*here, "slug"), f'is "{slug}", the slug of another field', "give each field its own slug")
        seen.add(slug)
        if file.kind is SchemaKind.COLLECTION and slug == RESERVED_ITEM_FIELD:
            yield file.error((*here, "slug"), f'is "{slug}", where items carry their id', "choose another slug")
        if file.kind is SchemaKind.POST and entry.get("translatable") is False:
            remedy = "leave it out: each post is written in one locale, and its translations are posts of their own"
            yield file.error((*here, "translatable"), "is not for fields of posts", remedy)
        for error in _type_errors(entry, deepest, names):
            yield file.error((*here, *error.path), error.problem, error.remedy)
        yield from _list_errors(file, entry.get("fields", ()), (*here, "fields"), Nesting.SIMPLE, names)


def _type_errors(entry: Mapping[str, Any], deepest: Nesting, names: Names) -> Iterator[DeclarationError]:
    """Yield the errors in one declaration, those in a repeater's own fields not included."""
    name = entry["type"]
    field_type = names.types.get(name)
    if field_type is None:
        known = [*names.types]
        meant = nearest(name, known)
        hint = f'did you mean "{meant}"? ' if meant else ""
        yield DeclarationError(("type",), f'is "{name}"', f"{hint}choices: {', '.join(known)}")
        return
    if field_type.nesting > deepest:
        allowed = ", ".join(each.name for each in names.types.values() if each.nesting <= deepest)
        yield DeclarationError(("type",), f'is "{name}", which cannot stand here', f"choices: {allowed}")
    yield from _key_errors(entry, field_type, names)
    yield from _length_errors(entry, field_type)
    yield from field_type.declaration_errors(entry, names)
    yield from _default_errors(entry, field_type, names)


def _key_errors(entry: Mapping[str, Any], field_type: FieldType, names: Names) -> Iterator[DeclarationError]:
    owners = {each.own_key: each.name for each in reversed([*names.types.values()]) if each.own_key}
    for key, owner in owners.items():
        if key == field_type.own_key and not entry.get(key):
            yield DeclarationError((key,), "is missing", f"a {field_type.name} field needs it")
        elif key != field_type.own_key and key in entry:
            yield DeclarationError((key,), f"is not for fields of type {field_type.name}", f"only {owner} has it")
    if entry.get("many") and not field_type.allows_many:
        takers = ", ".join(each.name for each in names.types.values() if each.allows_many)
        yield DeclarationError(("many",), f"is not for fields of type {field_type.name}", f"only {takers} has it")


def _length_errors(entry: Mapping[str, Any], field_type: FieldType) -> Iterator[DeclarationError]:
    low, high = entry.get("min_length"), entry.get("max_length")
    for key, value in (("min_length", low), ("max_length", high)):
        if value is not None and not field_type.length_unit:
            problem = f"is not for fields of type {field_type.name}"
            yield DeclarationError((key,), problem, "only text and lists have a length")
    if low is not None and high is not None and low > high:
        yield DeclarationError(("min_length",), f"is {low}, more than max_length", f"expected {high} or less")


def _default_errors(entry: Mapping[str, Any], field_type: FieldType, names: Names) -> Iterator[DeclarationError]:
    """Yield an error for a default that the field itself would refuse."""
    if entry.get("default") is None:
        return
    if not field_type.allows_default:
        yield DeclarationError(("default",), f"is not for fields of type {field_type.name}", "leave it out")
        return
    context = Context(ContentSchema(), _NoLookup())
    (spec,) = typed_fields(fields_from([entry]), names.types)
    field_type.clean(entry["default"], spec, context)
    for message in context.messages:
        yield DeclarationError(("default", *message.path), f"does not fit: {message.text}", "")


class _NoLookup:
    """The Lookup for a default: media, texts and times are read where the default is used."""

    zone = UTC

    def find_reference(self, targets: tuple[str, ...], raw: RawReference) -> Target | None:  # noqa: ARG002
        return None

    def media(self, url: str, report: Callable[[str], None]) -> str | None:  # noqa: ARG002
        return url

    def html(self, text: str, report: "ReportDropped") -> str:  # noqa: ARG002
        return text

    def markdown(self, text: str, report: Callable[[str], None]) -> str:  # noqa: ARG002
        return text


_FOLDERS = (
    (SchemaKind.PAGE_TYPE, "page_types", "page_type"),
    (SchemaKind.COLLECTION, "collections", "collection"),
    (SchemaKind.COMPONENT, "components", "component"),
    (SchemaKind.SINGLE_PAGE, "single_pages", "page_type"),
)


def read_content_schema(folder: Path, own: Sequence[FieldType] = ()) -> ContentSchema:
    """Return the content schema of the site's files, with the field types of its plug-ins.

    Raises InvalidFiles with every error in them.
    """
    files: list[SchemaFile] = []
    errors: list[FileError] = []
    listing = Listing(f"{folder}/")
    for kind, shown, schema_name in _schema_files(listing):
        path = folder / shown
        try:
            data: Any = read_yaml(path, shown)
        except InvalidFiles as error:
            errors += error.errors
            continue
        locate = locator(path)
        found = schema_errors(data, schema_name, shown, locate)
        errors += found
        if not found:
            files.append(SchemaFile(kind, shown, path.stem, data, locate))
    if errors := [*listing.errors, *errors, *check_schema(files, own)]:
        raise InvalidFiles(errors)
    return with_types(schema_of(files), own)


def _schema_files(listing: Listing) -> Iterator[tuple[SchemaKind, str, str]]:
    """Yield kind, path in the site folder and name of the JSON Schema of each file in schema/."""
    for kind, folder_name, schema_name in _FOLDERS:
        place = f"schema/{folder_name}"
        names = [Path(name) for name in listing.files(place)]
        yield from ((kind, name.as_posix(), schema_name) for name in names if name.match(f"{place}/*.y*ml"))
    yield from ((SchemaKind.POST, name, "post_fields") for name in _POST_FILES if listing.has_file(name))
