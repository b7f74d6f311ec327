"""Steps of an export."""

import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from sitecms.actions.exporting.entry_files import EntryWriter, author_file, schema_files, term_files
from sitecms.actions.exporting.media_paths import MediaPaths
from sitecms.actions.exporting.post_files import originals_of, post_files
from sitecms.actions.exporting.target_folder import ExportFolder
from sitecms.actions.operations.backup.site_files import GIT_IGNORE, site_files
from sitecms.actions.originals import find_originals
from sitecms.content.locale import Locales
from sitecms.content.post import Post
from sitecms.content.term import TermKind
from sitecms.content.text.slug import slugify
from sitecms.documents.folders import Listing
from sitecms.errors import ConfigurationError
from sitecms.media.library import open_library
from sitecms.media.library_lock import media_held
from sitecms.plurals import counted
from sitecms.progress import Progress
from sitecms.resources import resource_dir
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database, Session
from sitecms.store.entries import authors, draft_queries, entry_state, media_files, terms
from sitecms.store.maintenance.statistics import count_rows
from sitecms.store.site_state import documents

_KEPT_FOLDERS = ("assets/", "templates/", "translations/")


@dataclass(frozen=True, slots=True)
class ExportReport:
    """Numbers of what was written."""

    posts: int
    pages: int
    items: int
    media: int
    removed: tuple[str, ...]
    notes: tuple[str, ...]
    seconds: float


def export_site(
    database: Database, settings: SiteSettings, folder: Path, *, force: bool = False, progress: Progress | None = None
) -> ExportReport:
    """Write everything outside the trash into `folder`, from one snapshot of the store.

    Raises ConfigurationError if the folder is the site's own, or contains other files and `force` is not given.
    """
    started = time.perf_counter()
    if folder.resolve() == settings.folder:
        raise ConfigurationError("The site cannot be exported into its own folder; name another one.")
    target, library, notes = ExportFolder(folder, force=force), open_library(settings), _unread(settings.folder)
    files = {
        path: (settings.folder / path).read_bytes()
        for path in site_files(settings.folder, settings.output_dir)
        if path.startswith(_KEPT_FOLDERS) or "/" not in path
    }
    if not target.has_own(GIT_IGNORE):
        files[GIT_IGNORE] = _git_ignore(settings.folder)
    with media_held(library):
        with database.reading() as session:
            known, originals = media_files.all_media(session), find_originals(session, settings.folder)
            media = MediaPaths(known)
            files |= _content(session, settings, media, notes, progress)
            counts = count_rows(session)
            notes += _left_out(session, counts)
        notes += [f"media {name}: is linked to in a way that load does not follow (an anchor?)" for name in media.lost]
        there, copies = frozenset(library.names()), {}
        for path, name in sorted(media.all().items()):
            if name in there:
                copies[path] = name
            else:
                notes.append(f"media {name}: is missing, so {path} is not written (sitecms verify)")
        removed = target.write(files, copies, library, originals)
        notes += [
            f"media {name}: the site folder no longer has its original, so the export holds it without metadata"
            for name in target.without_original
            if originals.stamps[name][1].size_bytes != known[name].size_bytes
        ]
    made = counts["posts"], counts["pages"], counts["items"], len(copies)
    return ExportReport(*made, removed, tuple(notes), time.perf_counter() - started)


def _git_ignore(site: Path) -> bytes:
    """Return the site's `.gitignore`, or that of a new site."""
    own = site / GIT_IGNORE
    return own.read_bytes() if own.is_file() else (resource_dir("starter") / "gitignore").read_bytes()


def _content(
    session: Session, settings: SiteSettings, media: MediaPaths, notes: list[str], progress: Progress | None
) -> dict[str, bytes]:
    """Return every content and schema file."""
    schema = documents.load_content_schema(session)
    found_terms = (*terms.find_terms(session, TermKind.CATEGORY), *terms.find_terms(session, TermKind.TAG))
    posts = _writable(draft_queries.all_whole_posts(session), settings, notes)
    originals = originals_of(posts, settings.default_locale)
    writer = EntryWriter(schema, Locales(settings.locales, settings.default_locale), media, notes)
    files = dict(schema_files(schema))
    files |= author_file(authors.find_authors(session), media)
    files |= term_files(found_terms)
    steps = (
        ("Posts", post_files(posts, originals, media, settings.default_locale)),
        ("Pages", writer.page_files(draft_queries.all_pages(session))),
        ("Items", writer.item_files(draft_queries.all_items(session))),
    )
    for phase, made in steps:
        for path, data in made:
            if path in files:
                raise ConfigurationError(f"Two entries would both be written to {path}; rename one of them.")
            files[path] = data
            if progress:
                progress(phase, len(files), len(files))
    return files


def _writable(posts: tuple[Post, ...], settings: SiteSettings, notes: list[str]) -> tuple[Post, ...]:
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
    return [f"{error.file}: {error.problem}: not written ({error.remedy})" for error in listing.errors]


def _left_out(session: Session, counts: dict[str, int]) -> list[str]:
    """Return notes about content that files cannot express."""
    notes = []
    if former := len(entry_state.find_former_names(session)):
        notes.append(f"redirects from {counted(former, 'former address', 'former addresses')} are not exported")
    if writes := counts["open_writes"]:
        notes.append(f"{counted(writes, 'accepted write')} not applied yet, so not written")
    return notes
