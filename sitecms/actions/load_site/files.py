"""The content files of a site folder, and which of them changed since they were last loaded."""

import os
import time
from collections.abc import Iterator, Mapping
from enum import StrEnum
from operator import attrgetter
from pathlib import Path, PurePath
from typing import NamedTuple

from sitecms.content.fingerprint import canonical, digest
from sitecms.content.schema import ContentSchema
from sitecms.documents import nearest
from sitecms.errors import Fault
from sitecms.settings import SiteSettings
from sitecms.store.loaded_files import LoadedFile

RENDERING = 1
"""Grows when the same Markdown comes out as other HTML, so that files are loaded anew."""
SINGLE_PAGES_FOLDER = "_single"
_YAML = (".yaml", ".yml")
_YOUNG_NS = 2_000_000_000
"""A file as young as this may change once more without another time: clocks of file systems are coarse."""


class FileKind(StrEnum):
    """What a content file holds, in the order files are loaded."""

    AUTHORS = "authors"
    CATEGORIES = "categories"
    TAGS = "tags"
    ITEMS = "items"
    PAGE = "page"
    POST = "post"


class ContentFile(NamedTuple):
    """One file. `path` is relative to the site folder; `group` is the page type ("" Single Pages) or collection.

    `stamp` is what the file system says of it, "" if it may change without that.
    """

    kind: FileKind
    path: str
    folder: Path
    digest: str
    context: str
    group: str
    stamp: str

    @property
    def file(self) -> Path:
        """Where it is."""
        return self.folder / self.path


def find_files(
    settings: SiteSettings, schema: ContentSchema, known: Mapping[str, LoadedFile]
) -> tuple[tuple[ContentFile, ...], tuple[Fault, ...]]:
    """All content files in loading order, and faults for those that stand where nothing reads them.

    Files of which the file system says the same as when they were loaded are not read.
    """
    contexts = _contexts(settings, schema)
    faults: list[Fault] = []
    files: dict[FileKind, list[ContentFile]] = {kind: [] for kind in FileKind}
    folder, old = settings.folder, time.time_ns() - _YOUNG_NS
    for kind, path, group in _found(f"{folder}/", schema, faults):
        stat = os.stat(f"{folder}/{path}")  # noqa: PTH116  # called per file
        before = known.get(path)
        stamp = ""
        if stat.st_mtime_ns < old and stat.st_ctime_ns < old:
            stamp = f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"
        same = stamp and before is not None and before.stamp == stamp
        found = before.digest if same and before else digest((folder / path).read_bytes())
        files[kind].append(ContentFile(kind, path, folder, found, contexts[kind], group, stamp))
    return tuple(file for alike in files.values() for file in sorted(alike, key=attrgetter("path"))), tuple(faults)


def _contexts(settings: SiteSettings, schema: ContentSchema) -> Mapping[FileKind, str]:
    """Digests of what else the entries of a file depend on, by kind."""
    shared = [RENDERING, settings.locales, settings.default_locale, settings.markdown_typographer]
    posts = digest(canonical([*shared, settings.owner, settings.post_slug_from]))
    fields = digest(canonical([*shared, schema.as_json()]))
    by_kind = {FileKind.POST: posts, FileKind.PAGE: fields, FileKind.ITEMS: fields}
    return {kind: by_kind.get(kind, "") for kind in FileKind}


def _found(site: str, schema: ContentSchema, faults: list[Fault]) -> Iterator[tuple[FileKind, str, str]]:
    """Kind, path in the site folder and group of each file."""

    def stray(path: str, problem: str, remedy: str) -> None:
        faults.append(Fault(path, "", problem, remedy))

    for kind in (FileKind.AUTHORS, FileKind.CATEGORIES, FileKind.TAGS):
        if Path(site, path := f"content/{kind.value}.yaml").is_file():
            yield kind, path, ""
    for path in _visible(site, "content/posts"):
        if path.endswith(".md"):
            yield FileKind.POST, path, ""
    for path in _visible(site, "content/pages"):
        folder, _, name = path.rpartition("/")
        above, _, group = folder.rpartition("/")
        if not name.endswith((".md", *_YAML)):
            stray(path, "is neither .yaml nor .md, so no page is read from it", "rename or move it")
        elif above != "content/pages":
            stray(path, "is not in the folder of a page type", "move it to content/pages/<page type>/ or _single/")
        elif group == SINGLE_PAGES_FOLDER or group in schema.page_types:
            yield FileKind.PAGE, path, "" if group == SINGLE_PAGES_FOLDER else group
        else:
            stray(path, f'is in the folder of an unknown page type "{group}"', _meant(group, schema.page_types))
    for path in _visible(site, "content/collections"):
        name = PurePath(path).stem
        if not path.endswith(_YAML):
            stray(path, "is not .yaml, so no items are read from it", "rename or move it")
        elif name in schema.collections:
            yield FileKind.ITEMS, path, name
        else:
            stray(path, f'holds items of an unknown collection "{name}"', _meant(name, schema.collections))


def _meant(name: str, known: Mapping[str, object]) -> str:
    meant = nearest(name, known)
    return f'did you mean "{meant}"?' if meant else f"those in schema/ are: {', '.join(known) or 'none'}"


def _visible(site: str, folder: str) -> Iterator[str]:
    """The files in the folder and those in it, by name; links to files count, links to folders do not."""
    try:
        with os.scandir(site + folder) as entries:
            found = sorted(entries, key=_name)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    for entry in found:
        path = f"{folder}/{entry.name}"
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _visible(site, path)
        elif entry.is_file():
            yield path


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name
