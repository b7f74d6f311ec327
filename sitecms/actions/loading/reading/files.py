"""Content files of a site folder, with the digests that show which of them changed since the last load."""

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from operator import attrgetter
from pathlib import Path, PurePath
from typing import NamedTuple

from sitecms.clock import to_microseconds
from sitecms.content.fingerprint import canonical, digest
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MEDIA_ENDINGS
from sitecms.content.schema import ContentSchema
from sitecms.content.term import TermKind
from sitecms.documents import nearest
from sitecms.documents.folders import STATIC_FOLDER, Listing, reason_of
from sitecms.errors import FileError
from sitecms.settings.site import SITE_FOLDERS, SiteSettings
from sitecms.store.site_state.loaded_files import NO_DATES, FileDates, LoadedFile

RENDERING = 11
"""Incremented when Markdown is rendered to other HTML, or more is kept of it, so that files are loaded again."""
CONTENT_ENDINGS = (".md", ".yaml", ".yml")
"""Endings of the names of content files."""
SINGLE_PAGES_FOLDER = "_single"
_YAML = (".yaml", ".yml")
_POST_LIKE = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".html", ".htm", ".yaml", ".yml")
_OTHER_FOLDERS = tuple(folder for folder in SITE_FOLDERS if folder not in ("content", "schema", STATIC_FOLDER))
_NO_HISTORY: Mapping[str, FileDates] = {}
_YOUNG = timedelta(seconds=2)
"""A younger file may change again within the same time stamp: clocks of file systems are coarse."""
_NAMING = re.compile(rb"(?m)^[ {]*[\"']?(?:id|translation_of|<<)\b|[{,]\s*[\"']?(?:id|translation_of)\b|^\"[^\"\n]*\\")
"""Front matter, YAML or TOML, that may give an id or name another post."""
_NAMING_SIGNS = (b"id", b"translation_of", b"<<", b"\\")
"""Front matter without them needs no look at the pattern."""


class FileKind(StrEnum):
    """Kinds of content files, in loading order."""

    MEDIA = "media"
    AUTHORS = "authors"
    CATEGORIES = "categories"
    TAGS = "tags"
    ITEMS = "items"
    PAGE = "page"
    POST = "post"


ENTRY_KINDS = {FileKind.POST: EntryKind.POST, FileKind.PAGE: EntryKind.PAGE, FileKind.ITEMS: EntryKind.ITEM}
"""The kind of the entries in a file."""
TERM_KINDS = {FileKind.CATEGORIES: TermKind.CATEGORY, FileKind.TAGS: TermKind.TAG}
INDEPENDENT = (FileKind.MEDIA, FileKind.AUTHORS, FileKind.CATEGORIES, FileKind.TAGS)
"""Kinds of which `content` has one file, which depends on no settings."""
WITH_PAGES = (FileKind.PAGE, FileKind.POST)
"""Kinds of files that other texts may link to."""


class ContentFile(NamedTuple):
    """Content file. `path` is relative to the site folder; `group` is the page type ("": Single Pages) or collection.

    `stamp` is made of size, times and inode; it is "" for a file so new that a change may not show in them.
    `names_posts`: the file was read and may give its post an id or name the original of a translation. `dates` are
    those of Git, of files with posts, pages and items. `variants` are the paths of a page's files in other locales,
    whose content is part of the digest. `texts` is the folder of the text where that is not the site folder.
    """

    kind: FileKind
    path: str
    folder: Path
    digest: str
    context: str
    group: str
    stamp: str
    names_posts: bool = True
    dates: FileDates = NO_DATES
    variants: tuple[str, ...] = ()
    texts: Path | None = None

    @property
    def file(self) -> Path:
        """Path of the file."""
        return (self.texts or self.folder) / self.path


class FoundFiles(NamedTuple):
    """The content files of a folder, and errors of files that cannot be read or are where nothing reads them.

    `present` are the paths of all existing files, read or not, but those of further locales of a page. `is_whole`: all
    of `content` could be read. `notes` name files that look like posts and are not read.
    """

    files: tuple[ContentFile, ...]
    errors: tuple[FileError, ...]
    present: frozenset[str]
    is_whole: bool
    notes: tuple[str, ...] = ()


def find_files(
    settings: SiteSettings,
    schema: ContentSchema,
    known: Mapping[str, LoadedFile],
    at: datetime,
    dates: Mapping[str, FileDates] = _NO_HISTORY,
) -> FoundFiles:
    """Find all content files, in loading order, and files that are where nothing reads them.

    Files with the same stamp as at the last load are not read. `at` is the time of the load, which tells files that
    may still change within one time stamp. `dates` are those of Git, by path.
    """
    contexts = _contexts(settings, schema)
    listing, strays, notes = Listing(f"{settings.folder}/"), list[FileError](), list[str]()
    files: dict[FileKind, list[ContentFile]] = {kind: [] for kind in FileKind}
    folder, old = settings.folder, to_microseconds(at - _YOUNG) * 1000
    for kind, path, group in _found(listing, schema, strays, notes):
        try:
            found, stamp, names_posts = _state(f"{folder}/{path}", known.get(path), old)
        except OSError as error:
            listing.refuse(path, f"cannot be read: {reason_of(error)}", "make the file readable")
        else:
            of_git = NO_DATES if kind in INDEPENDENT else dates.get(path, NO_DATES)
            file = ContentFile(kind, path, folder, found, contexts[kind], group, stamp, names_posts, of_git)
            files[kind].append(file)
    files[FileKind.PAGE] = list(_with_variants(files[FileKind.PAGE], settings.locales))
    ordered = tuple(file for alike in files.values() for file in sorted(alike, key=attrgetter("path")))
    left = {path for path in known if listing.is_below_unread(path)}
    present = frozenset((*(file.path for file in ordered), *(stray.file for stray in strays), *left))
    errors = (*strays, *listing.errors, *_refused(f"{folder}/"))
    return FoundFiles(ordered, errors, present, not listing.unread, tuple(notes))


def find_file(
    settings: SiteSettings, schema: ContentSchema, path: str, at: datetime, dates: FileDates = NO_DATES
) -> ContentFile | None:
    """Return one content file as `find_files` does, without a look at others; None if there is none. Raises OSError."""
    kind, group = _kind_of(path)
    stem, _locale = page_name(path, settings.locales)
    folder, names = path.rpartition("/")[0], [f"{stem}.{locale}.md" for locale in settings.locales]
    paths = [path, *(f"{folder}/{name}" for name in (f"{stem}.md", *names))] if kind is FileKind.PAGE else [path]
    if not path.endswith(".md"):
        paths = [path]
    old, context = to_microseconds(at - _YOUNG) * 1000, _contexts(settings, schema)[kind]
    files = []
    for each in dict.fromkeys(paths):
        with suppress(FileNotFoundError):
            found, stamp, names_posts = _state(f"{settings.folder}/{each}", None, old)
            files.append(ContentFile(kind, each, settings.folder, found, context, group, stamp, names_posts, dates))
    if kind is FileKind.PAGE:
        files = list(_with_variants(files, settings.locales))
    return next((file for file in files if path in (file.path, *file.variants)), None)


def _kind_of(path: str) -> tuple[FileKind, str]:
    """Return kind and group of a content file."""
    parts = PurePath(path).parts
    match parts[1]:
        case "posts":
            return FileKind.POST, ""
        case "pages":
            return FileKind.PAGE, "" if parts[2] == SINGLE_PAGES_FOLDER else parts[2]
        case "collections":
            return FileKind.ITEMS, PurePath(path).stem
    return FileKind(PurePath(path).stem), ""


def page_name(path: str, locales: Iterable[str]) -> tuple[str, str]:
    """Return the name of a page's file without its ending, and the locale that it ends with, "" for none."""
    stem, _, locale = PurePath(path).stem.rpartition(".")
    return (stem, locale) if stem and path.endswith(".md") and locale in set(locales) else (PurePath(path).stem, "")


def _with_variants(files: Sequence[ContentFile], locales: Sequence[str]) -> Iterator[ContentFile]:
    """Yield one file for each page: that without a locale in its name, else the first, with those of other locales."""
    groups: dict[tuple[str, str], list[ContentFile]] = {}
    for file in sorted(files, key=lambda each: (bool(page_name(each.path, locales)[1]), each.path)):
        stem, locale = page_name(file.path, locales)
        group = groups.setdefault((file.group, stem), [])
        if group and not locale:  # about.md beside about.yaml: two pages, whose slugs clash
            yield file
        else:
            group.append(file)
    for main, *others in groups.values():
        if others:
            whole = joint_digest(each.digest for each in (main, *others))
            yield main._replace(digest=whole, stamp="", variants=tuple(each.path for each in others))
        else:
            yield main


def joint_digest(digests: Iterable[str]) -> str:
    """Return the digest of files that belong together."""
    return digest(" ".join(digests).encode())


def _refused(site: str) -> Sequence[FileError]:
    """Find files outside `content` that the build leaves out: by their names, or as links out of the site folder."""
    listing, static = Listing(site), Listing(site)
    for folder in _OTHER_FOLDERS:
        deque(listing.files(folder), maxlen=0)
    deque(static.static_files(), maxlen=0)
    return (*listing.refused, *static.errors)


def _state(path: str, before: LoadedFile | None, old: int) -> tuple[str, str, bool]:
    """Return digest and stamp of a file, and whether it may name posts. Raises OSError."""
    stat = os.stat(path)  # noqa: PTH116  # called per file
    stamp = ""
    if stat.st_mtime_ns < old and stat.st_ctime_ns < old:
        stamp = f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"
    if stamp and before is not None and before.stamp == stamp:
        return before.digest, stamp, True
    content = Path(path).read_bytes()
    front = content[: max(content.find(b"\n---", 3), content.find(b"\n+++", 3)) + 1]
    names_posts = any(sign in front for sign in _NAMING_SIGNS) and _NAMING.search(front) is not None
    return digest(content), stamp, names_posts


def _contexts(settings: SiteSettings, schema: ContentSchema) -> Mapping[FileKind, str]:
    """Return digests of everything else that the entries of a file depend on, by kind."""
    shared = [
        RENDERING, settings.locales, settings.default_locale, settings.language_tags, settings.timezone,
        settings.markdown_extensions, settings.math_macros, settings.trust_html, *settings.plugins.text_inputs,
    ]  # fmt: skip
    posts = digest(canonical([*shared, settings.owner, settings.post_slug_from]))
    fields = digest(canonical([*shared, schema.as_json()]))
    if schema.post_fields:
        posts = digest(f"{posts} {fields}".encode())
    by_kind = {FileKind.POST: posts, FileKind.PAGE: fields, FileKind.ITEMS: fields}
    return {kind: by_kind.get(kind, "") for kind in FileKind}


def _found(
    listing: Listing, schema: ContentSchema, errors: list[FileError], notes: list[str]
) -> Iterator[tuple[FileKind, str, str]]:
    """Yield kind, path in the site folder and group of each file; note posts that nothing reads."""

    def stray(path: str, problem: str, remedy: str) -> None:
        errors.append(FileError(path, "", problem, remedy))

    for kind in INDEPENDENT:
        if listing.has_file(path := f"content/{kind.value}.yaml"):
            yield kind, path, ""
    for path in listing.files("content/posts"):
        if path.endswith(".md"):
            yield FileKind.POST, path, ""
        elif path.lower().endswith(_POST_LIKE):
            notes.append(f"{path}: is not loaded, since posts are .md files (rename it to end in .md)")
    for path in listing.files("content/pages"):
        folder, _, name = path.rpartition("/")
        above, _, group = folder.rpartition("/")
        if name.rpartition(".")[2].lower() in MEDIA_ENDINGS:
            continue  # a picture beside the page that shows it
        if not name.endswith(CONTENT_ENDINGS):
            stray(path, "is neither .yaml nor .md, so no page is read from it", "rename or move it")
        elif above != "content/pages":
            stray(path, "is not in the folder of a page type", "move it to content/pages/<page type>/ or _single/")
        elif group == SINGLE_PAGES_FOLDER or group in schema.page_types:
            yield FileKind.PAGE, path, "" if group == SINGLE_PAGES_FOLDER else group
        else:
            stray(path, f'is in the folder of an unknown page type "{group}"', _meant(group, schema.page_types))
    for path in listing.files("content/collections"):
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
