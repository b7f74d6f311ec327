"""Reader of content/media.yaml: alt texts, focal points and tags of media files."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from sitecms.actions.loading.reading.file_checks import file_errors
from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.media_import import FileMedia
from sitecms.content.media import FOCUS_PARTS, MediaFile, clean_tags
from sitecms.documents import locator, read_yaml
from sitecms.errors import FileError, InvalidFiles

Given: TypeAlias = Mapping[str, str | bool | int | tuple[str, ...]]
"""Values of `MediaDetails` by name, those that an entry of the file gives."""


class DescribedMedia(Struct, frozen=True):
    """An entry of content/media.yaml: the address as written, the file that it names, and the values it gives."""

    address: str
    file: MediaFile
    given: Given


def prepare_media(file: ContentFile, media: FileMedia) -> tuple[DescribedMedia, ...]:
    """Return the entries of the file; a missing media file becomes a problem of `media`. Raises InvalidFiles."""
    data: Any = read_yaml(file.file, file.path)
    locate = locator(file.file)
    if errors := file_errors(data, "media", file.path, locate):
        raise InvalidFiles(errors)
    found: dict[str, DescribedMedia] = {}
    for number, entry in enumerate(data or ()):

        def error(key: str, problem: str, remedy: str, number: int = number) -> InvalidFiles:
            line = locate((number, key))
            return InvalidFiles([FileError(file.path, f"[{number}].{key}", problem, remedy, line)])

        if entry.get("alt") and entry.get("decorative"):
            raise error("alt", "is given, and the picture is decorative", "remove alt or decorative")
        if bad := next((tag for tag in entry.get("tags") or () if "," in tag), ""):
            raise error("tags", f'has a comma in "{bad}"', "list two tags, or write it without a comma")
        stored = media.file(entry["file"])
        if stored is None:
            if not media.problems:
                raise error("file", "names no file of the media library", "name a file in media/, as media/sea.jpg")
            continue
        described = DescribedMedia(entry["file"], stored, _given(entry))
        other = found.setdefault(stored.name, described)
        if other.given != described.given:
            known = "is listed twice" if other.address == entry["file"] else f"is the same picture as {other.address}"
            raise error("file", f"{known}, with other values", "remove one of the two entries")
    return tuple(found.values())


def _given(entry: Mapping[str, Any]) -> Given:
    given: dict[str, str | bool | int | tuple[str, ...]] = {}
    if "alt" in entry or "decorative" in entry:
        given |= {"alt": (entry.get("alt") or "").strip(), "is_decorative": bool(entry.get("decorative"))}
    if focus := entry.get("focus"):
        given |= {"focus_x": round(focus["x"] * FOCUS_PARTS), "focus_y": round(focus["y"] * FOCUS_PARTS)}
    if "tags" in entry:
        given["tags"] = clean_tags(entry["tags"] or ())
    return given
