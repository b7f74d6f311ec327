"""What must hold across the files in schema/, beyond what the JSON Schema of each can say."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sitecms.content.schema.declaration_check import Names, Place, choices, field_faults
from sitecms.content.schema.types import ContentSchema, FieldType, collection_from, component_from, page_type_from
from sitecms.documents import Locate, nowhere, place_of
from sitecms.errors import Fault

RESERVED_PAGE_TYPE = "search"  # GET /v2/pages/search/
RESERVED_ITEM_FIELD = "meta"  # specification, Collection item

_SIMPLE = frozenset(FieldType) - {FieldType.COMPONENT, FieldType.COMPONENT_PICKER, FieldType.REPEATER}


class SchemaKind(StrEnum):
    """The folders in schema/."""

    PAGE_TYPE = "page_types"
    COLLECTION = "collections"
    COMPONENT = "components"


_ALLOWED = {
    SchemaKind.PAGE_TYPE: frozenset(FieldType),
    SchemaKind.COLLECTION: _SIMPLE,
    SchemaKind.COMPONENT: _SIMPLE | {FieldType.REPEATER},
}


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """One file in schema/, checked by the JSON Schema of its kind. `file` is relative to the site folder."""

    kind: SchemaKind
    file: str
    stem: str
    data: Mapping[str, Any]
    locate: Locate = nowhere

    @property
    def key_name(self) -> str:
        """The key its name stands under."""
        return "key" if self.kind is SchemaKind.COLLECTION else "slug"

    @property
    def slug(self) -> str:
        """What it declares goes by."""
        return self.data.get(self.key_name) or self.stem

    def fault(self, path: Place, problem: str, remedy: str = "") -> Fault:
        """The fault at that place of the file."""
        return Fault(self.file, place_of(path), problem, remedy, self.locate(path))


def schema_of(files: Sequence[SchemaFile]) -> ContentSchema:
    """The schema the files declare together. Of files in which `check_schema` finds no fault."""
    of = {kind: [entry for entry in files if entry.kind is kind] for kind in SchemaKind}
    return ContentSchema(
        {entry.slug: page_type_from(entry.data, entry.stem) for entry in of[SchemaKind.PAGE_TYPE]},
        {entry.slug: collection_from(entry.data, entry.stem) for entry in of[SchemaKind.COLLECTION]},
        {entry.slug: component_from(entry.data, entry.stem) for entry in of[SchemaKind.COMPONENT]},
    )


def check_schema(files: Sequence[SchemaFile]) -> list[Fault]:
    """What is wrong between and within the files, in their order."""
    first = {(entry.kind, entry.slug): entry for entry in reversed(files)}
    slugs = {kind: tuple(slug for of, slug in first if of is kind) for kind in SchemaKind}
    names = Names(slugs[SchemaKind.PAGE_TYPE], slugs[SchemaKind.COLLECTION], slugs[SchemaKind.COMPONENT])
    faults: list[Fault] = []
    for entry in files:
        faults += _slug_faults(entry, first[entry.kind, entry.slug])
        faults += _label_faults(entry)
        faults += _list_faults(entry, entry.data["fields"], ("fields",), _ALLOWED[entry.kind], names)
    return faults


def _slug_faults(file: SchemaFile, first: SchemaFile) -> Iterator[Fault]:
    if first is not file:
        yield file.fault((file.key_name,), f'is "{file.slug}", as in {first.file}', "each needs its own")
    if file.kind is SchemaKind.PAGE_TYPE and file.slug == RESERVED_PAGE_TYPE:
        yield file.fault((file.key_name,), f'is "{file.slug}", an address of the API', "choose another slug")


def _label_faults(file: SchemaFile) -> Iterator[Fault]:
    label, slugs = file.data.get("label"), [entry["slug"] for entry in file.data["fields"]]
    if label and label not in slugs:
        yield file.fault(("label",), f'is "{label}", which is no field here', choices(label, slugs))


def _list_faults(
    file: SchemaFile, fields: Sequence[Mapping[str, Any]], path: Place, allowed: frozenset[FieldType], names: Names
) -> Iterator[Fault]:
    """The faults of a list of fields, those of repeaters within included."""
    seen: set[str] = set()
    for number, entry in enumerate(fields):
        here, slug = (*path, number), entry["slug"]
        if slug in seen:
            yield file.fault((*here, "slug"), f'is "{slug}" once more', "each field needs its own")
        seen.add(slug)
        if file.kind is SchemaKind.COLLECTION and slug == RESERVED_ITEM_FIELD:
            yield file.fault((*here, "slug"), f'is "{slug}", where items carry their id', "choose another slug")
        if entry["type"] not in allowed:
            types = ", ".join(kind for kind in FieldType if kind in allowed)
            yield file.fault((*here, "type"), f'is "{entry["type"]}", which cannot stand here', f"choices: {types}")
        for found in field_faults(entry, names):
            yield file.fault((*here, *found.path), found.problem, found.remedy)
        yield from _list_faults(file, entry.get("fields", ()), (*here, "fields"), _SIMPLE, names)
