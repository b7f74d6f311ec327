"""Values of fields, as JSON has them."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

FieldValue: TypeAlias = "str | int | float | bool | list[FieldValue] | dict[str, FieldValue] | None"
Fields: TypeAlias = Mapping[str, FieldValue]
JsonObject: TypeAlias = dict[str, object]
"""A JSON object of an API answer, or any other that is written as JSON."""


def stored_media(value: object) -> Iterator[tuple[str, str]]:
    """Yield (address, alt text) of each media value within stored fields."""
    if isinstance(value, Mapping):
        url, alt = value.get("url"), value.get("alt")
        if len(value) == 2 and isinstance(url, str) and isinstance(alt, str):
            yield url, alt
        for held in value.values():
            yield from stored_media(held)
    elif isinstance(value, list):
        for held in value:
            yield from stored_media(held)
