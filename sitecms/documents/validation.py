"""Validation of data by the JSON Schemas in content_schema/."""

from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from sitecms.clock import format_timestamp, parse_timestamp
from sitecms.documents.error_messages import explain
from sitecms.documents.line_numbers import Locate, nowhere
from sitecms.documents.locations import place_of
from sitecms.documents.quick_check import passes
from sitecms.documents.schema_files import load_schema
from sitecms.errors import FileError

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


def schema_errors(data: object, schema_name: str, file: str, locate: Locate = nowhere) -> list[FileError]:
    """Return the errors in the data by `content_schema/<schema_name>.schema.json`, in the file's order."""
    data = plain(data)
    if passes(data, load_schema(schema_name)):
        return []
    errors = [
        FileError(file, place_of(explained.path), explained.problem, explained.remedy, locate(explained.path))
        for error in validator(schema_name).iter_errors(data)
        for explained in explain(error)
    ]
    return sorted(dict.fromkeys(errors), key=lambda error: (error.line or 0, error.place))


def plain(data: object) -> object:
    """Return the data as JSON has it: times (from TOML) as ISO 8601 text."""
    if isinstance(data, datetime):
        return format_timestamp(parse_timestamp(data))
    if isinstance(data, date):
        return data.isoformat()
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    return [plain(value) for value in data] if isinstance(data, list) else data


@cache
def validator(name: str) -> "Draft202012Validator":
    """Return the library's validator of one schema; times are checked by `clock.parse_timestamp`."""
    from jsonschema import Draft202012Validator, FormatChecker
    from referencing import Registry, Resource

    def retrieve(uri: str) -> Resource[Any]:
        return Resource.from_contents(load_schema(uri.removesuffix(".schema.json")))

    formats = FormatChecker([])
    formats.checks("date-time", raises=(ValueError, OverflowError))(_is_time)
    registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]
    return Draft202012Validator(load_schema(name), registry=registry, format_checker=formats)


def _is_time(value: object) -> bool:
    return not isinstance(value, str) or parse_timestamp(value) is not None
