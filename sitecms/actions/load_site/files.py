"""The content files of a site folder, and which of them changed since they were last loaded."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sitecms.content.fingerprint import canonical, digest
from sitecms.content.schema import ContentSchema
from sitecms.documents import nearest
from sitecms.errors import Fault
from sitecms.settings import SiteSettings

RENDERING = 1
"""Grows when the same Markdown comes out as other HTML, so that files are loaded anew."""
SINGLE_PAGES_FOLDER = "_single"
_YAML = (".yaml", ".yml")


class FileKind(StrEnum):
    """What a content file holds, in the order files are loaded."""

    AUTHORS = "authors"
    CATEGORIES = "categories"
    TAGS = "tags"
    ITEMS = "items"
    PAGE = "page"
    POST = "post"


@dataclass(frozen=True, slots=True)
class ContentFile:
    """One file. `path` is relative to the site folder; `group` is the page type ("" Single Pages) or collection."""

    kind: FileKind
    path: str
    file: Path
    digest: str
    context: str
    group: str = ""


def find_files(settings: SiteSettings, schema: ContentSchema) -> tuple[tuple[ContentFile, ...], tuple[Fault, ...]]:
    """All content files in loading order, and faults for those that stand where nothing reads them."""
    contexts = _contexts(settings, schema)
    faults: list[Fault] = []
    files = []
    for kind, path, group in _found(settings.folder / "content", schema, faults, settings.folder):
        shown = path.relative_to(settings.folder).as_posix()
        files.append(ContentFile(kind, shown, path, digest(path.read_bytes()), contexts[kind], group))
    order = {kind: number for number, kind in enumerate(FileKind)}
    return tuple(sorted(files, key=lambda file: (order[file.kind], file.path))), tuple(faults)


def _contexts(settings: SiteSettings, schema: ContentSchema) -> Mapping[FileKind, str]:
    """Digests of what else the entries of a file depend on, by kind."""
    shared = [RENDERING, settings.locales, settings.default_locale, settings.markdown_typographer]
    posts = digest(canonical([*shared, settings.owner]))
    fields = digest(canonical([*shared, schema.as_json()]))
    by_kind = {FileKind.POST: posts, FileKind.PAGE: fields, FileKind.ITEMS: fields}
    return {kind: by_kind.get(kind, "") for kind in FileKind}


def _found(
    content: Path, schema: ContentSchema, faults: list[Fault], folder: Path
) -> Iterator[tuple[FileKind, Path, str]]:
    def stray(path: Path, problem: str, remedy: str) -> None:
        faults.append(Fault(path.relative_to(folder).as_posix(), "", problem, remedy))

    for kind in (FileKind.AUTHORS, FileKind.CATEGORIES, FileKind.TAGS):
        if (path := content / f"{kind.value}.yaml").is_file():
            yield kind, path, ""
    for path in _visible(content / "posts", "*.md"):
        yield FileKind.POST, path, ""
    for path in _visible(content / "pages", "*"):
        group = path.parent.name
        if path.suffix not in (".md", *_YAML):
            stray(path, "is neither .yaml nor .md, so no page is read from it", "rename or move it")
        elif path.parent.parent != content / "pages":
            stray(path, "is not in the folder of a page type", "move it to content/pages/<page type>/ or _single/")
        elif group == SINGLE_PAGES_FOLDER or group in schema.page_types:
            yield FileKind.PAGE, path, "" if group == SINGLE_PAGES_FOLDER else group
        else:
            stray(path, f'is in the folder of an unknown page type "{group}"', _meant(group, schema.page_types))
    for path in _visible(content / "collections", "*"):
        if path.suffix not in _YAML:
            stray(path, "is not .yaml, so no items are read from it", "rename or move it")
        elif path.stem in schema.collections:
            yield FileKind.ITEMS, path, path.stem
        else:
            stray(path, f'holds items of an unknown collection "{path.stem}"', _meant(path.stem, schema.collections))


def _meant(name: str, known: Mapping[str, object]) -> str:
    meant = nearest(name, known)
    return f'did you mean "{meant}"?' if meant else f"those in schema/ are: {', '.join(known) or 'none'}"


def _visible(folder: Path, pattern: str) -> Iterator[Path]:
    for path in sorted(folder.rglob(pattern)):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path
