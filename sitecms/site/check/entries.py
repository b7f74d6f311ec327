"""Entries of a store, with their outputs, their files and the places in them."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path

from sitecms.actions.references import target_of
from sitecms.content.author import Author
from sitecms.content.change import EntryKind
from sitecms.content.item import Item, is_live
from sitecms.content.media import MediaFile
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.references import Target
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.term import Term, TermKind
from sitecms.documents import Locate, Step, locator, nowhere
from sitecms.documents.folders import is_fit_name
from sitecms.settings.site import SiteSettings
from sitecms.site.routes import Routes, item_paths, output_path
from sitecms.store.database import Session
from sitecms.store.entries import authors, draft_queries, terms
from sitecms.store.entries.media_files import all_media
from sitecms.store.site_state import documents, loaded_files
from sitecms.store.site_state.loaded_files import LoadedFile
from sitecms.values import dataclass

_ENDINGS = (".md", ".yaml", ".yml", ".toml", ".json", ".csv", ".html", ".xml", ".txt", ".css")
_FOLDERS = ("content", "data", "templates", "assets")
_BEFORE, _AFTER = r"(?<![\w./#?%-])", r"(?![\w/#?%-])"


class Sources:
    """Files of a site folder, and the entries that were loaded from them."""

    def __init__(self, folder: Path, loaded: Mapping[str, LoadedFile]) -> None:
        self._folder = folder
        self.loaded = loaded
        self._files = {pair: path for path, file in loaded.items() for pair in file.entries}
        self._locate = cache(self._locator)

    def file_of(self, kind: EntryKind, entry_id: int) -> str:
        """Return the file from which the entry was loaded; "" if it has none."""
        path = self._files.get((kind.value, entry_id), "")
        return path if path and (self._folder / path).is_file() else ""

    def line(self, path: str, *steps: Step) -> int | None:
        """Return the line of a place in a file, or of the nearest mapping around it."""
        return self._locate(path)(steps) if path else None

    def item_place(self, path: str, item_id: int) -> tuple[Step, ...]:
        """Return the place of an item in its collection's file."""
        found = self.loaded.get(path)
        pair = (EntryKind.ITEM.value, item_id)
        return (found.entries.index(pair),) if found and pair in found.entries else ()

    def naming(self, texts: Collection[str]) -> dict[str, list[tuple[str, int]]]:
        """Return file and line of each occurrence of these texts as a whole word, by text."""
        found: dict[str, list[tuple[str, int]]] = {}
        if not texts:
            return found
        wanted = "|".join(map(re.escape, sorted(texts, key=lambda text: (-len(text), text))))
        pattern = re.compile(f"{_BEFORE}(?:{wanted}){_AFTER}")
        for path in self._texts():
            text = path.read_text(encoding="utf-8", errors="replace")
            name, line, position = path.relative_to(self._folder).as_posix(), 1, 0
            for match in pattern.finditer(text):
                line, position = line + text.count("\n", position, match.start()), match.start()
                found.setdefault(match[0], []).append((name, line))
        return found

    def first_line(self, path: str, pattern: str) -> int | None:
        """Return the first line of a file that matches the pattern."""
        if not path:
            return None
        text = (self._folder / path).read_text(encoding="utf-8", errors="replace")
        match = re.search(pattern, text)
        return text.count("\n", 0, match.start()) + 1 if match else None

    def _texts(self) -> Iterator[Path]:
        yield self._folder / "site.toml"
        for name in _FOLDERS:
            folder = self._folder / name
            for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
                if path.suffix in _ENDINGS and path.is_file() and is_fit_name(path.as_posix()):
                    yield path

    def _locator(self, path: str) -> Locate:
        return locator(self._folder / path) if (self._folder / path).is_file() else nowhere


Showable = Post | Page | Item


@dataclass(frozen=True)
class Entries:
    """All posts, all versions of pages and items, terms and authors."""

    settings: SiteSettings
    schema: ContentSchema
    posts: tuple[Post, ...]
    pages: tuple[Page, ...]
    items: tuple[Item, ...]
    terms: tuple[Term, ...]
    authors: tuple[Author, ...]
    sources: Sources
    media: Mapping[str, MediaFile]

    @cached_property
    def described(self) -> frozenset[str]:
        """Addresses of the media files that have an alt text or need none."""
        return frozenset(file.url for file in self.media.values() if file.details.is_described)

    @cached_property
    def decorative(self) -> frozenset[str]:
        """Addresses of the media files that need no alt text."""
        return frozenset(file.url for file in self.media.values() if file.details.is_decorative)

    @cached_property
    def versions(self) -> tuple[Page | Item, ...]:
        """All versions of pages and items."""
        return (*self.pages, *self.items)

    @cached_property
    def live(self) -> tuple[Page | Item, ...]:
        """Live versions of pages and items."""
        return tuple(filter(is_live, self.versions))

    @cached_property
    def live_targets(self) -> frozenset[Target]:
        """The pages and items that references show."""
        return frozenset(map(target_of, self.live))

    @cached_property
    def by_target(self) -> Mapping[Target, Page | Item]:
        """A version of each page and item, by the target of references to it."""
        return {target_of(entry): entry for entry in self.versions}

    @cached_property
    def shown(self) -> Mapping[str, Showable]:
        """Published entries with a page, by the path of its file in the output."""
        return self._by_path([post for post in self.posts if post.status is Status.PUBLISHED], self.live)

    @cached_property
    def hidden(self) -> Mapping[str, Showable]:
        """Unpublished entries that would have a page, by the path of its file."""
        hidden = [post for post in self.posts if post.status is not Status.PUBLISHED]
        found = self._by_path(hidden, self.versions)
        return {path: entry for path, entry in found.items() if path not in self.shown}

    def _by_path(self, posts: Iterable[Post], versions: Iterable[Page | Item]) -> dict[str, Showable]:
        routes = Routes(self.settings)
        pages = [entry for entry in versions if isinstance(entry, Page)]
        items = [entry for entry in versions if isinstance(entry, Item)]
        paths = item_paths(items, self.schema, self.settings)
        found: dict[str, Showable] = {output_path(routes.post(post)): post for post in posts}
        found |= {output_path(routes.page(page)): page for page in pages}
        routed = [item for item in items if (item.id, item.locale) in paths]
        return found | {output_path(paths[item.id, item.locale]): item for item in routed}

    def words(self, entry: Showable) -> str:
        """Return the name of an entry in messages."""
        if isinstance(entry, Item):
            return f"item {entry.id} of {entry.collection}"
        if isinstance(entry, Page):
            return f"page {entry.page_type or '*'}/{entry.slug}"
        return f"post {entry.slug}"

    def file_of(self, entry: Showable) -> str:
        """Return the file from which the entry was loaded; "" if it has none."""
        return self.sources.file_of(kind_of(entry), entry.id)


def read_entries(session: Session, settings: SiteSettings, sources_folder: SiteSettings) -> Entries:
    """Read all entries of the store; files are those of the real site's folder."""
    return Entries(
        settings=settings,
        schema=documents.load_content_schema(session),
        posts=draft_queries.all_posts(session),
        pages=draft_queries.all_pages(session),
        items=draft_queries.all_items(session),
        terms=(*terms.find_terms(session, TermKind.CATEGORY), *terms.find_terms(session, TermKind.TAG)),
        authors=authors.find_authors(session),
        sources=Sources(sources_folder.folder, loaded_files.all_loaded_files(session)),
        media=all_media(session),
    )


def kind_of(entry: Showable) -> EntryKind:
    """Return "post", "page" or "item"."""
    if isinstance(entry, Post):
        return EntryKind.POST
    return EntryKind.PAGE if isinstance(entry, Page) else EntryKind.ITEM
