"""Front matter of posts: keys of other generators, and the fields that schema/post.yaml declares."""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

from msgspec.structs import replace

from sitecms.actions.loading.reading.file_checks import file_errors
from sitecms.actions.loading.reading.files import ContentFile, FileKind
from sitecms.content.entry import FIELDS
from sitecms.content.schema import FEATURED_IMAGE, ContentSchema
from sitecms.content.status import Status
from sitecms.content.term import TERM_FIELDS
from sitecms.content.text.slug import slug_of_post_file
from sitecms.documents import Locate, Step, load_schema, locator, nearest, read_front_matter
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.site import SiteSettings, SlugSource

POST_SCHEMA = "schema/post.yaml"
UNKNOWN_KEY = "is not a known key"  # the words of documents.validation


def post_data(
    file: ContentFile, data: dict[str, Any], schema: ContentSchema, locate: Locate
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the checked front matter of a post, every value under its own key, and its declared fields.

    Raises InvalidFiles with all errors of the front matter.
    """
    data, fields = split_fields(file.path, data, schema, locate)
    if errors := file_errors(data, "post", file.path, locate):
        raise InvalidFiles([_with_own_fields(error, schema) for error in errors])
    _check_fields(file.path, data, schema, locate)
    return without_aliases(file.path, data, locate), fields


def split_fields(
    path: str, data: dict[str, Any], schema: ContentSchema, locate: Locate
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return front matter without the fields that schema/post.yaml declares, and these fields.

    They stand under `fields`, or at the top where no built-in key has their name. Raises InvalidFiles.
    """
    if not schema.post_fields:
        return data, {}
    built_in = load_schema("post")["properties"]
    slugs = {spec.slug for spec in schema.post_fields}
    at_top = {key: value for key, value in data.items() if key in slugs and key not in built_in}
    fields = data.get(FIELDS) or {}
    if not isinstance(fields, dict) or not at_top:
        return data, fields if isinstance(fields, dict) else {}
    errors = [
        FileError(path, key, f'is also given as "{FIELDS}.{key}"', "keep one of them", locate((key,)))
        for key in at_top
        if key in fields
    ]
    if errors:
        raise InvalidFiles(errors)
    return {key: value for key, value in data.items() if key not in at_top}, {**fields, **at_top}


def _check_fields(path: str, data: Mapping[str, Any], schema: ContentSchema, locate: Locate) -> None:
    """Raise InvalidFiles for fields of a post on a site whose posts have none."""
    if data.get(FIELDS) and not schema.post_fields:
        problem, remedy = "is given, but posts of this site have none", f"declare them in {POST_SCHEMA}"
        raise InvalidFiles([FileError(path, FIELDS, problem, remedy, locate((FIELDS,)))])


def _with_own_fields(error: FileError, schema: ContentSchema) -> FileError:
    """Return the error; for an unknown key it names the field that may be meant, or the way to declare one."""
    if error.problem != UNKNOWN_KEY:
        return error
    declared = [spec.slug for spec in schema.post_fields]
    if (meant := nearest(error.place, [*declared, *load_schema("post")["properties"]])) in declared:
        return replace(error, remedy=f'did you mean "{meant}"?')
    has_hint = meant or not error.remedy.startswith("keys here")
    return error if has_hint else replace(error, remedy=f"{error.remedy}; declare others in {POST_SCHEMA}")


@cache
def key_aliases() -> Mapping[str, str]:
    """Return the keys that other generators use, with the keys that they stand for."""
    keys = load_schema("post")["properties"]
    return {name: rule["aliasOf"] for name, rule in keys.items() if "aliasOf" in rule}


def without_aliases(path: str, data: dict[str, Any], locate: Locate) -> dict[str, Any]:
    """Return the data with every value under its own key. Raises InvalidFiles where two keys say the same."""
    aliases = key_aliases()
    if aliases.keys().isdisjoint(data):
        return data
    named = {key: value for key, value in data.items() if key not in aliases}
    errors = []
    for key, value in data.items():
        own = aliases.get(key)
        if own is None or value is None:
            continue
        if named.get(own) is not None:
            errors.append(FileError(path, key, f'is also given as "{own}"', "keep one of them", locate((key,))))
        elif key != "draft":
            named[own] = value
        elif value or not named.get("scheduled"):
            named[own] = str(Status.DRAFT if value else Status.PUBLISHED)
    if errors:
        raise InvalidFiles(errors)
    return named


def post_slug(data: Mapping[str, Any], file: ContentFile, settings: SiteSettings) -> str:
    """Return the slug of the post in the file."""
    is_from_title = settings.post_slug_from is SlugSource.TITLE
    return slug_of_post_file(
        str(data.get("slug") or ""), str(data.get("title") or ""), file.path, from_title=is_from_title
    )


def field_locator(file: ContentFile) -> Locate:
    """Return a function that finds the line of a field: also at the top of the front matter or entry."""
    return partial(_line_of_field, file) if file.kind is FileKind.POST else partial(_line_of_key, locator(file.file))


def _line_of_key(locate: Locate, steps: Sequence[Step]) -> int | None:
    """Return the line of a field of a page or item, which may be a key at its top (`actions.post_like_keys`)."""
    line, place = locate(steps), steps.index(FIELDS) if FIELDS in steps else len(steps)
    for start in (place + 1, place + 2):  # behind the locale, where fields are written by locale
        if start < len(steps) and steps[start] in (*TERM_FIELDS, FEATURED_IMAGE):
            top = locate((*steps[:place], *steps[start:]))
            return top if top is not None and top != locate(steps[:place]) else line
    return line


def _line_of_field(file: ContentFile, steps: Sequence[Step]) -> int | None:
    under = read_front_matter(file.file, file.path).data.get(FIELDS) or {}
    return locator(file.file)(steps if steps[1] in under else steps[1:])
