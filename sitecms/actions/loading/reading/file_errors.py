"""What is wrong in the data of a content file, before anything is read from it."""

from collections.abc import Iterator

from sitecms.documents import Locate, Step, place_of, schema_errors, unfit_character
from sitecms.errors import FileError

_CLEANED_LATER = frozenset({"fields", "draft"})


def file_errors(data: object, schema_name: str, path: str, locate: Locate) -> list[FileError]:
    """What the schema does not allow; else text with characters that no page and no feed can show."""
    return schema_errors(data, schema_name, path, locate) or [
        FileError(path, place_of(here), f"holds the control character {found}", "remove it", locate(here))
        for here, found in _control_characters(data, ())
    ]


def _control_characters(value: object, here: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], str]]:
    if isinstance(value, dict):
        for key, held in value.items():
            if key not in _CLEANED_LATER:
                yield from _control_characters(held, (*here, key))
    elif isinstance(value, list):
        for number, held in enumerate(value):
            yield from _control_characters(held, (*here, number))
    elif isinstance(value, str) and (found := unfit_character(value)):
        yield here, found
