"""Steps of an export: every content and schema file from one snapshot of the store, and the media that they name.

Former addresses of entries become aliases in their files.
"""

import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from sitecms.actions.exporting.entry_files import (
    EntryWriter,
    author_file,
    media_file,
    originals_of,
    post_files,
    schema_files,
    term_files,
    trash_files,
)
from sitecms.actions.exporting.media_paths import MediaPaths, post_sources, relinked, shared_media
from sitecms.actions.exporting.target_folder import TargetFolder
from sitecms.actions.operations.backup.site_files import GIT_IGNORE, site_files
from sitecms.actions.originals import Originals, find_originals
from sitecms.content.addresses import ANY_LOCALE, OwnAddresses, site_path
from sitecms.content.change import EntryKind
from sitecms.content.item import Item
from sitecms.content.locale import Locales
from sitecms.content.page import Page
from sitecms.content.permalink import day_of, entry_path, is_dated
from sitecms.content.post import Post
from sitecms.content.term import TermKind
from sitecms.content.text.media_links import MEDIA_FOLDER
from sitecms.content.text.slug import slugify
from sitecms.documents.folders import Listing
from sitecms.errors import ConfigurationError
from sitecms.media.library import open_library, protected_media
from sitecms.plurals import counted
from sitecms.progress import Progress
from sitecms.resources import resource_dir
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database, Session
from sitecms.store.entries import authors, draft_queries, media_files, terms
from sitecms.store.entries.entry_state import find_former_addresses, find_former_names
from sitecms.store.entries.posts import find_markdown
from sitecms.store.maintenance.statistics import count_rows
from sitecms.store.site_state import documents
from sitecms.store.site_state.loaded_files import LoadedFile
from sitecms.values import dataclass

_KEPT_FOLDERS = ("assets/", "data/", "templates/", "translations/")


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
    files = {
        path: (settings.folder / path).read_bytes()
        for path in site_files(settings.folder, settings.output_dir)
        if path.startswith(_KEPT_FOLDERS) or "/" not in path
    }
    files |= target.readme(settings.name, with_trash=with_trash)
    if not target.has_own(GIT_IGNORE):
        files[GIT_IGNORE] = _git_ignore(settings.folder)
    with protected_media(library):
        with database.reading() as session:
            known, originals = media_files.all_media(session), find_originals(session, settings.folder)
            sources = post_sources(session)
            written = (shared_media(source).items() for source in sources.values())
            media = MediaPaths(known, {address: name for each in written for address, name in each})
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
        unused = _unused_media(settings.folder, copies, originals)
        removed = target.write(files, copies, unused, library, originals)
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
    return own.read_bytes() if own.is_file() else (resource_dir("starter") / "gitignore").read_bytes()


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
    posts = _writable(draft_queries.all_whole_posts(session), settings, notes)
    pages = draft_queries.all_pages(session)
    former = FormerPaths(session, settings, posts, pages)
    posts = tuple(map(former.post, posts))
    originals = originals_of(posts, settings.default_locale)
    writer = EntryWriter(schema, Locales(settings.locales, settings.default_locale), media, notes)

    def markdown(post_id: int) -> str | None:
        text = find_markdown(session, post_id)
        source = sources.get(post_id)
        if text is None or media.keeps(shared_media(source)):
            return None if text is None else relinked(text, source, media)
        notes.append(
            f"post {post_id}: its Markdown names media that are gone or have changed, so it is written as HTML"
        )
        return None

    files = dict(schema_files(schema))
    files |= author_file(authors.find_authors(session), media)
    files |= term_files(found_terms)
    files |= media_file(media.known, media)
    steps = (
        ("Posts", post_files(posts, originals, media, settings.default_locale, markdown, writer.post_fields)),
        ("Pages", writer.page_files(former.entries(EntryKind.PAGE, pages))),
        ("Items", writer.item_files(former.entries(EntryKind.ITEM, draft_queries.all_items(session)))),
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


def _left_out(counts: dict[str, int]) -> list[str]:
    """Return notes about content that files cannot express."""
    notes = []
    if writes := counts["open_writes"]:
        notes.append(f"{counted(writes, 'accepted write')} not applied yet, so not written")
    return notes


T = TypeVar("T", Page, Item)


class FormerPaths:
    """Former addresses that lead to entries by the present permalinks, without those that an entry has now."""

    def __init__(self, session: Session, settings: SiteSettings, posts: Sequence[Post], pages: Sequence[Page]) -> None:
        self._settings = settings
        present = {self._post_path(post) for post in posts} | {self._page_path(page) for page in pages}
        present |= {site_path(alias) for post in posts for alias in post.aliases}
        found: dict[tuple[EntryKind, int, str], dict[str, None]] = defaultdict(dict)
        for kind, entry_id, locale, path in self._all(session, posts, pages):
            if path not in present:
                present.add(path)
                found[kind, entry_id, locale][path] = None
        self._found = {key: tuple(paths) for key, paths in found.items()}

    def post(self, post: Post) -> Post:
        """Return the post with its former addresses as aliases."""
        former = [path for (kind, entry_id, _), paths in self._of(EntryKind.POST, post.id) for path in paths]
        return replace(post, aliases=(*post.aliases, *former)) if former else post

    def entries(self, kind: EntryKind, versions: Iterable[T]) -> Iterator[T]:
        """Yield versions of pages or items with their former addresses as aliases."""
        for entry in versions:
            former = {locale: paths for (_, _, locale), paths in self._of(kind, entry.id)}
            yield replace(entry, addresses=self._with(entry.addresses, former)) if former else entry

    def _of(self, kind: EntryKind, entry_id: int) -> list[tuple[tuple[EntryKind, int, str], tuple[str, ...]]]:
        locales = (*self._settings.locales, "")
        keys = ((kind, entry_id, locale) for locale in locales)
        return [(key, self._found[key]) for key in keys if key in self._found]

    def _with(self, own: OwnAddresses, former: dict[str, tuple[str, ...]]) -> OwnAddresses:
        """Return the addresses with further ones; those of no certain locale stand beside the default one's."""
        merged = {locale or self._settings.default_locale: paths for locale, paths in own.aliases.items()}
        for locale, paths in former.items():
            merged[locale] = tuple(dict.fromkeys((*merged.get(locale, ()), *paths)))
        if merged.keys() == {self._settings.default_locale}:
            merged = {ANY_LOCALE: merged[self._settings.default_locale]}
        return OwnAddresses(own.paths, merged)

    def _all(
        self, session: Session, posts: Sequence[Post], pages: Sequence[Page]
    ) -> Iterator[tuple[EntryKind, int, str, str]]:
        """Yield kind, id, locale and former address of each entry of the site."""
        by_id = {post.id: post for post in posts}
        locales: dict[int, dict[str, Page]] = defaultdict(dict)
        for page in pages:
            locales[page.id][page.locale] = page
        addresses = find_former_addresses(session)
        known = {(each.kind, each.entry_id, each.slug) for each in addresses}
        for name in find_former_names(session):
            if (name.kind, name.entry_id, name.slug) in known:
                continue
            if name.kind is EntryKind.POST and (post := by_id.get(name.entry_id)):
                former = replace(post, slug=name.slug, locale=name.place, path="")
                yield name.kind, name.entry_id, post.locale, self._post_path(former)
            for locale, page in locales[name.entry_id].items() if name.kind is EntryKind.PAGE else ():
                path = self._path(name.place or None, name.slug, locale, page.published_at or page.created_at)
                yield name.kind, name.entry_id, locale, path
        for each in addresses:
            if each.kind is EntryKind.POST:
                path = each.path or self._dated("post", each.slug, each.locale, each.published_at)
            else:
                path = each.path or self._path(each.place or None, each.slug, each.locale, each.published_at)
            yield each.kind, each.entry_id, each.locale, path

    def _post_path(self, post: Post) -> str:
        moment = post.published_at or post.scheduled_at or post.created_at
        return post.path or self._dated("post", post.slug, post.locale, moment)

    def _page_path(self, page: Page) -> str:
        moment = page.published_at or page.scheduled_at or page.created_at
        return page.addresses.path(page.locale) or self._path(page.page_type, page.slug, page.locale, moment)

    def _path(self, page_type: str | None, slug: str, locale: str, moment: datetime) -> str:
        kind = "single_page" if page_type is None else "page"
        return self._dated(kind, slug, locale, moment, page_type or "")

    def _dated(self, kind: str, slug: str, locale: str, moment: datetime, page_type: str = "") -> str:
        pattern = str(getattr(self._settings.permalinks, kind))
        day = day_of(moment, self._settings.timezone) if is_dated(pattern) else None
        default = self._settings.default_locale
        return entry_path(pattern, locale, default, slug=slug, page_type=page_type, day=day)
