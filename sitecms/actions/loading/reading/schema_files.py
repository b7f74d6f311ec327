"""The schema/ folder of a site: page types, collections and components."""

from pathlib import Path
from typing import Any

from sitecms.content.schema import ContentSchema
from sitecms.content.schema_check import SchemaFile, SchemaKind, check_schema, schema_of
from sitecms.documents import locator, read_yaml, schema_errors
from sitecms.documents.folders import Listing
from sitecms.errors import FileError, InvalidFiles

_FOLDERS = (
    (SchemaKind.PAGE_TYPE, "page_types", "page_type"),
    (SchemaKind.COLLECTION, "collections", "collection"),
    (SchemaKind.COMPONENT, "components", "component"),
    (SchemaKind.SINGLE_PAGE, "single_pages", "page_type"),
)


def read_content_schema(folder: Path) -> ContentSchema:
    """Return the content schema of the site's files. Raises InvalidFiles with every error in them."""
    files: list[SchemaFile] = []
    errors: list[FileError] = []
    listing = Listing(f"{folder}/")
    for kind, folder_name, schema_name in _FOLDERS:
        place = f"schema/{folder_name}"
        found_files = [Path(name) for name in listing.files(place)]
        for name in (each for each in found_files if each.match(f"{place}/*.y*ml")):
            path, shown = folder / name, name.as_posix()
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
    if errors := [*listing.errors, *errors, *check_schema(files)]:
        raise InvalidFiles(errors)
    return schema_of(files)
