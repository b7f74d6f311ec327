"""Facts that an export for another system carries beside its texts, from which an import restores the entries.

WordPress has them as custom fields, Hugo in front matter and in a data file, Ghost in tables of their own.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import NODEFAULT, Struct, field
from msgspec.structs import asdict, fields

from sitecms.content.fingerprint import digest
from sitecms.content.kinds import EntryKind

ENTRY_META = "_sitecms_fields"
"""Custom field of WordPress with the facts of an entry, as JSON."""
XML_NAMESPACE = "urn:sitecms:export:1"
"""Namespace of the element `site` of a WordPress file, with the facts of the site, which WordPress does not read."""
ENTRY_PARAM = "sitecms"
"""Parameter of Hugo with the facts of an entry; its fields stand beside it in `fields`."""
SITE_FILE = "data/sitecms_site.json"
"""File of Hugo with the facts of the site; those of items stand in the data file of their collection."""
OWN_TABLES = ENTRY_TABLE, SITE_TABLE = "sitecms_entries", "sitecms_site"
"""Tables of Ghost. Items without pages stand in the first one only."""
FIELDS_SECTION = "sitecms-fields"
"""Class of the section with the fields of a post, at the end of its text."""


def items_file(collection: str) -> str:
    """Return the data file of Hugo for the items of a collection."""
    return f"data/{collection.replace('-', '_')}.yaml"


class CarriedEntry(Struct, frozen=True):
    """Facts about an entry in one locale. `translations` is equal for the variants of one entry.

    `id` is that of an item. `mark` is the text_mark of the exported text: the other system changed a text with another
    one. `fields` are stored values with the addresses of media as the other system has them.
    """

    kind: EntryKind
    locale: str
    slug: str
    translations: str
    group: str = ""
    id: int = 0
    is_original: bool = False
    path: str = ""
    aliases: tuple[str, ...] = ()
    created: str = ""
    guid: str = ""
    featured_image_alt: str = ""
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    mark: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return plain data without empty values, `fields` in any case."""
        held = {name: list(each) if isinstance(each, tuple) else each for name, each in asdict(self).items()}
        held = {name: each for name, each in held.items() if each not in ("", [], {}, 0, False)}
        return {**held, "kind": self.kind.value, "fields": dict(self.fields)}


def read_carried(data: object) -> CarriedEntry | None:
    """Return the facts in data from `as_json`; None for anything else."""
    if not isinstance(data, Mapping) or data.get("kind") not in tuple(EntryKind):
        return None
    held: dict[str, Any] = {"kind": EntryKind(data["kind"])}
    for each in fields(CarriedEntry):
        value = data.get(each.name)
        if each.name == "kind" or value is None:
            continue
        if each.type == tuple[str, ...]:
            value = tuple(map(str, value)) if isinstance(value, list) else None
        elif each.name == "fields":
            value = value if isinstance(value, Mapping) else None
        elif each.name == "id":
            value = int(value) if str(value).isdecimal() else None
        elif each.name == "is_original":
            value = str(value).lower() == "true"
        else:
            value = str(value)
        if value is not None:
            held[each.name] = value
    required = {each.name for each in fields(CarriedEntry) if each.default is each.default_factory is NODEFAULT}
    return CarriedEntry(**held) if required <= held.keys() else None


def text_mark(html: str) -> str:
    """Return a mark of a text that is equal for texts that differ in white space only."""
    return digest("".join(html.split()).encode())[:16]
