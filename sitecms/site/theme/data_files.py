"""Data files: YAML, TOML, JSON and CSV files in the folder `data` of a site, which templates read as `site.data`."""

import csv
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from sitecms.documents import read_toml, read_yaml
from sitecms.documents.folders import Listing
from sitecms.documents.reading import plain, read_text
from sitecms.errors import FileError, InvalidFiles

DATA_FOLDER = "data"


def read_data_files(site: Path) -> Mapping[str, Any]:
    """Return the content of the data files by name; folders are mappings of their files.

    A name is that of the file without extension, with `_` in place of `-` and spaces: `data/opening-hours.yaml` is
    `site.data.opening_hours`. A CSV file is a list of mappings, with the names of its first line and texts as values.
    Other files are left out. Raises InvalidFiles.
    """
    listing = Listing(f"{site}/")
    data: dict[str, Any] = {}
    sources: dict[tuple[str, ...], str] = {}
    errors: list[FileError] = []
    for path in listing.files(DATA_FOLDER):
        read = _READERS.get(PurePosixPath(path).suffix.lower())
        if read is None:
            continue
        steps = tuple(_name(part) for part in PurePosixPath(path).with_suffix("").parts[1:])
        clash = next((sources[key] for key in sources if key[: len(steps)] == steps or steps[: len(key)] == key), None)
        if clash:
            errors.append(FileError(path, "", f"has the same name in templates as {clash}", "rename one of them"))
            continue
        sources[steps] = path
        try:
            value = plain(read(site / path, path))
        except InvalidFiles as error:
            errors += error.errors
            continue
        table = data
        for step in steps[:-1]:
            table = table.setdefault(step, {})
        table[steps[-1]] = value
    if errors or listing.errors:
        raise InvalidFiles([*errors, *listing.errors])
    return data


def _name(part: str) -> str:
    return part.replace("-", "_").replace(" ", "_")


def _read_json(path: Path, label: str) -> object:
    try:
        return orjson.loads(read_text(path, label))
    except orjson.JSONDecodeError as error:
        raise InvalidFiles(
            [FileError(label, "", f"is not valid JSON: {error.msg.lower()}", "", error.lineno)]
        ) from error


def _read_csv(path: Path, label: str) -> object:
    reader = csv.DictReader(StringIO(read_text(path, label)), restval="", strict=True)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise InvalidFiles([FileError(label, "", f"is not valid CSV: {error}", "", reader.line_num)]) from error
    names = reader.fieldnames or ()
    if len(set(names)) < len(names):
        raise InvalidFiles([FileError(label, "row 1", "has a name twice", "rename one of the columns")])
    for number, row in enumerate(rows, 2):
        if None in row:
            problem = "has more values than the first line has names"
            raise InvalidFiles([FileError(label, f"row {number}", problem, "put values with commas in quotes")])
    return rows


_READERS: Mapping[str, Callable[[Path, str], object]] = {
    ".yaml": read_yaml,
    ".yml": read_yaml,
    ".toml": read_toml,
    ".json": _read_json,
    ".csv": _read_csv,
}
