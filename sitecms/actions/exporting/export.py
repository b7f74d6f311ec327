"""Steps of an export: every content and schema file from one snapshot of the store, and the media that they name.

They go to a new folder that appears when it is complete, or to an earlier export that is updated in place.
"""

import time
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import orjson
from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.exporting.entry_files import (
    EntryWriter,
    FormerPaths,
    author_file,
    media_file,
    originals_of,
    path_of,
    schema_files,
    term_files,
    trash_files,
    with_markdown,
)
from sitecms.actions.exporting.media_paths import MediaPaths, post_sources, relinked, shared_media, unique_paths
from sitecms.actions.operations.backup.site_files import GIT_IGNORE, site_files
from sitecms.actions.originals import Originals, find_originals
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.locale import Locales
from sitecms.content.term import TermKind
from sitecms.content.text.media_links import MEDIA_FOLDER
from sitecms.content.text.slug import slugify
from sitecms.documents.folders import STATIC_FOLDER, Listing
from sitecms.errors import ConfigurationError, MediaUnusable
from sitecms.files import copy_atomically, write_atomically
from sitecms.media.library import MediaLibrary, open_library, protected_media
from sitecms.media.storage.interface import digest_of, is_digest_of
from sitecms.plurals import counted
from sitecms.progress import Progress
from sitecms.resources import resource_dir
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database, Session
from sitecms.store.entries import authors, media_files, terms
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.maintenance.statistics import count_rows
from sitecms.store.site_state import documents
from sitecms.store.site_state.loaded_files import LoadedFile
from sitecms.temporary_folders import temporary_folder

_KEPT_FOLDERS = ("assets/", "data/", "templates/", "themes/", "translations/")
MARK = ".sitecms-export.json"
_FORMAT = 1
_README = "README.md"
_OTHER_README = "README-export.md"


class TargetFolder:
    """Target folder of an export. Raises ConfigurationError for a folder that no export made, unless `force`.

    `without_original` are the media files that were written as published, since their originals are gone.
    """

    def __init__(self, folder: Path, *, force: bool) -> None:
        self._folder = folder
        self.without_original: list[str] = []
        if folder.exists() and not folder.is_dir():
            raise ConfigurationError(f"{folder} is a file; name a folder.")
        self._is_new = not folder.is_dir() or not any(folder.iterdir())
        self._before = () if self._is_new else _read_mark(folder)
        if not self._is_new and self._before is None and not force:
            raise ConfigurationError(
                f"{folder} is not empty, and was not made by an export. Nothing was changed; choose another folder, "
                "or give --force to write into this one: files of other names stay."
            )
        if not folder.absolute().parent.is_dir():
            raise ConfigurationError(f"The folder {folder.absolute().parent} does not exist; make it first.")

    def has_own(self, path: str) -> bool:
        """Return whether the folder contains a file of that path which no export wrote."""
        return (self._folder / path).exists() and path not in (self._before or ())

    def readme(self, name: str, *, with_trash: bool) -> dict[str, bytes]:
        """Return the README, under another name where the folder has one that no export wrote."""
        return {_OTHER_README if self.has_own(_README) else _README: _readme_text(name, with_trash=with_trash)}

    def write(
        self,
        files: Mapping[str, bytes],
        copies: Mapping[str, str],
        plain: Collection[str],
        library: MediaLibrary,
        originals: Originals,
    ) -> tuple[str, ...]:
        """Write the files, and media by path: the original from the site folder, else a copy of the published file.

        `plain` are files that are copied from the site folder. Files that only an earlier export wrote are removed;
        their paths are returned.
        """
        mark = orjson.dumps({"format": _FORMAT, "files": sorted({*files, *copies, *plain})}, option=orjson.OPT_INDENT_2)
        if not self._is_new:
            self._fill(self._folder, files, copies, library, originals)
            self._copy(self._folder, plain, originals.folder)
            gone = tuple(sorted({*(self._before or ())} - {*files, *copies, *plain}))
            _remove(self._folder, gone)
            _put(self._folder / MARK, mark)
            return gone
        with temporary_folder(f".{self._folder.name}", self._folder.absolute().parent) as aside:
            self._fill(aside, files, copies, library, originals)
            self._copy(aside, plain, originals.folder)
            _put(aside / MARK, mark)
            aside.chmod(0o755)
            aside.rename(self._folder)
        return ()

    def _copy(self, root: Path, plain: Collection[str], site: Path) -> None:
        for path in plain:
            copy_atomically(site / path, root / path)

    def _fill(
        self,
        root: Path,
        files: Mapping[str, bytes],
        copies: Mapping[str, str],
        library: MediaLibrary,
        originals: Originals,
    ) -> None:
        for path, data in files.items():
            _put(root / path, data)
        left = dict(copies)
        for path, name in copies.items():
            if original := originals.read(name):
                _put(root / path, original)
                del left[path]
            elif name in originals.stamps:
                self.without_original.append(name)
        wanted = [(path, name) for path, name in left.items() if not _holds(root / path, name)]
        sources = library.each([name for _, name in wanted])
        for (path, _), (name, source) in zip(wanted, sources, strict=True):
            if source is None:
                raise MediaUnusable(f"{name} has gone from the media library while it was exported; try again.")
            _put(root / path, source.read_bytes())


def _read_mark(folder: Path) -> tuple[str, ...] | None:
    """Return the files that the last export wrote; None: the folder is not an export."""
    try:
        data = orjson.loads((folder / MARK).read_bytes())
        names = tuple(str(name) for name in data["files"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return tuple(name for name in names if ".." not in name.split("/") and not name.startswith("/"))


def _holds(path: Path, name: str) -> bool:
    """Return whether the file is the media file of that name."""
    return path.is_file() and is_digest_of(digest_of(path)[0], name)


def _put(path: Path, data: bytes) -> None:
    """Write the file atomically; leave it unchanged if it has these bytes already."""
    if path.is_file() and not path.is_symlink() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)


def _remove(root: Path, paths: Iterable[str]) -> None:
    """Remove the files, and folders that are empty then."""
    for path in paths:
        (root / path).unlink(missing_ok=True)
        for parent in (root / path).parents:
            if parent == root or not parent.is_dir() or any(parent.iterdir()):
                break
            parent.rmdir()


def _readme_text(name: str, *, with_trash: bool) -> bytes:
    """Return the text of the README of an export of the site of that name."""
    trash = (
        "| `trash/` | entries of the trash, which no command reads: move a file into `content/` to bring it back |\n"
    )
    return f"""# Files of the site {name}

Written by `sitecms export`. `sitecms load` in this folder makes the same site again, `sitecms preview` shows it.

| Path | Content |
|---|---|
| `site.toml` | settings |
| `redirects.yaml` | redirects, if the site has any |
| `schema/` | fields of page types, collections, components and Single Pages |
| `content/posts/` | posts; those of other locales in a folder of their own |
| `content/pages/` | pages by type; Single Pages in `_single/` |
| `content/collections/` | items, in their order |
| `content/authors.yaml`, `content/categories.yaml`, `content/tags.yaml` | authors and terms |
| `media/` | pictures and other files |
| `templates/`, `assets/`, `translations/` | files of the theme that the site has changed |
| `data/` | data that templates show |
{trash if with_trash else ""}
Former addresses of entries stand under `aliases`. Tokens, webhooks and writes that were not applied yet are not
exported.
""".encode()


class ExportReport(Struct, frozen=True):
    """Numbers of what was written."""

    posts: int
    pages: int
    items: int
    media: int
    removed: tuple[str, ...]
    notes: tuple[str, ...]
    seconds: float


def export_site(
    database: Database,
    settings: SiteSettings,
    folder: Path,
    *,
    force: bool = False,
    with_trash: bool = False,
    progress: Progress | None = None,
) -> ExportReport:
    """Write everything into `folder`, from one snapshot of the store; what is in the trash only `with_trash`.

    Raises ConfigurationError if the folder is the site's own, or contains other files and `force` is not given.
    """
    started = time.perf_counter()
    if folder.resolve() == settings.folder:
        raise ConfigurationError("The site cannot be exported into its own folder; name another one.")
    target, library, notes = TargetFolder(folder, force=force), open_library(settings), _unread(settings.folder)
    found = tuple(site_files(settings.folder, settings.output_dir))
    static = tuple(path for path in found if path.startswith(f"{STATIC_FOLDER}/"))
    kept = (path for path in found if path.startswith(_KEPT_FOLDERS) or "/" not in path)
    files = {path: (settings.folder / path).read_bytes() for path in kept}
    files |= target.readme(settings.name, with_trash=with_trash)
    if not target.has_own(GIT_IGNORE):
        files[GIT_IGNORE] = _git_ignore(settings.folder)
    with protected_media(library):
        with database.reading() as session:
            known, originals = media_files.all_media(session), find_originals(session, settings.folder)
            sources = post_sources(session)
            shared = (shared_media(source).items() for source in sources.values())
            written = {address: name for each in shared for address, name in each}
            media = MediaPaths(known, unique_paths(known, written))
            files |= _content(session, settings, media, sources, notes, progress)
            if with_trash:
                files |= trash_files(session, settings, media, notes)
            counts = count_rows(session)
            notes += _left_out(counts)
        notes += [f"media {name}: is linked to in a way that load does not follow (an anchor?)" for name in media.lost]
        there, copies = frozenset(library.names()), {}
        for path, name in sorted(media.all().items()):
            if name in there:
                copies[path] = name
            else:
                notes.append(f"media {name}: is missing, so {path} is not written (sitecms verify)")
        plain = (*_unused_media(settings.folder, copies, originals), *static)
        removed = target.write(files, copies, plain, library, originals)
        notes += [
            f"media {name}: the site folder no longer has its original, so the export holds it without metadata"
            for name in target.without_original
            if originals.stamps[name][1].size_bytes != known[name].size_bytes
        ]
    made = counts["posts"], counts["pages"], counts["items"], len(copies)
    return ExportReport(*made, removed, tuple(notes), time.perf_counter() - started)


def _unused_media(site: Path, copies: Mapping[str, str], originals: Originals) -> tuple[str, ...]:
    """Return the media files of the site folder that no entry names."""
    used = {address for address, _stamp in originals.stamps.values()}
    found = (path for path in Listing(f"{site}/").files(MEDIA_FOLDER.rstrip("/")) if path not in used)
    return tuple(path for path in found if path not in copies)


def _git_ignore(site: Path) -> bytes:
    """Return the site's `.gitignore`, or that of a new site."""
    own = site / GIT_IGNORE
    return own.read_bytes() if own.is_file() else (resource_dir("starters") / "common/gitignore").read_bytes()


def _content(
    session: Session,
    settings: SiteSettings,
    media: MediaPaths,
    sources: Mapping[int, LoadedFile],
    notes: list[str],
    progress: Progress | None,
) -> dict[str, bytes]:
    """Return every content and schema file."""
    schema = documents.load_content_schema(session)
    found_terms = (*terms.find_terms(session, TermKind.CATEGORY), *terms.find_terms(session, TermKind.TAG))
    found = {kind: VERSIONS[kind].all(session, with_body=True) for kind in EntryKind}
    found[EntryKind.POST] = posts = _writable(found[EntryKind.POST], settings, notes)
    former = FormerPaths(session, settings, (*posts, *found[EntryKind.PAGE]))
    originals = originals_of(posts, settings.default_locale)
    writer = EntryWriter(schema, Locales(settings.locales, settings.default_locale), media, notes)

    def prepared(entry: Entry) -> Entry:
        """Return a version with its former addresses, and with Markdown only where that names what an export has."""
        entry, source = former.of(with_markdown(session, entry)), sources.get(entry.id)
        if entry.markdown is None:
            return entry
        if media.keeps(shared_media(source)):
            return replace(entry, markdown=relinked(entry.markdown, source, media))
        notes.append(
            f"post {entry.id}: its Markdown names media that are gone or have changed, so it is written as HTML"
        )
        return replace(entry, markdown=None)

    def path(entry: Entry) -> str:
        return path_of(entry, settings.default_locale)

    files = dict(schema_files(schema))
    files |= author_file(authors.find_authors(session), media)
    files |= term_files(found_terms)
    files |= media_file(media.known, media)
    for kind, entries in found.items():
        for place, data in writer.files(map(prepared, entries), path, originals):
            if place in files:
                raise ConfigurationError(f"Two entries would both be written to {place}; rename one of them.")
            files[place] = data
            if progress:
                progress(KINDS[kind].plural, len(files), len(files))
    return files


def _writable(posts: tuple[Entry, ...], settings: SiteSettings, notes: list[str]) -> tuple[Entry, ...]:
    """Return the posts in locales of the site; note the others, and slugs that a file cannot express."""
    for post in posts:
        if post.locale not in settings.locales:
            notes.append(f"post {post.slug}: is in {post.locale}, which is not a locale of the site: not written")
        elif slugify(post.slug, max_bytes=None) != post.slug:
            notes.append(f"post {post.slug}: load makes the slug {slugify(post.slug, max_bytes=None)} of it")
    return tuple(post for post in posts if post.locale in settings.locales)


def _unread(site: Path) -> list[str]:
    """Return notes of what no command reads, as files with control characters in their names."""
    listing = Listing(f"{site}/")
    for kept in _KEPT_FOLDERS:
        deque(listing.files(kept.removesuffix("/")), maxlen=0)
    deque(listing.static_files(), maxlen=0)
    return [f"{error.file}: {error.problem}: not written ({error.remedy})" for error in listing.errors]


def _left_out(counts: dict[str, int]) -> list[str]:
    """Return notes about content that files cannot express."""
    notes = []
    if writes := counts["open_writes"]:
        notes.append(f"{counted(writes, 'accepted write')} not applied yet, so not written")
    return notes
