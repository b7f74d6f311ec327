"""Entries of a store, with their outputs and their files."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from sitecms.actions.entry_paths import item_paths
from sitecms.actions.references import target_of
from sitecms.content.author import Author
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS
from sitecms.content.media import MediaFile
from sitecms.content.references import Target
from sitecms.content.schema import ContentSchema
from sitecms.content.term import Term, TermKind
from sitecms.settings.site import SiteSettings
from sitecms.site.routes import Routes, output_path
from sitecms.site.snapshot import EntriesByKind
from sitecms.site.sources import Sources
from sitecms.store.database import Session
from sitecms.store.entries import authors, terms
from sitecms.store.entries.media_files import all_media
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state import documents, loaded_files


class Entries(EntriesByKind, frozen=True, dict=True):
    """All posts, all versions of pages and items, terms and authors."""

    settings: SiteSettings
    schema: ContentSchema
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
    def versions(self) -> tuple[Entry, ...]:
        """All versions of pages and items."""
        return (*self.pages, *self.items)

    @cached_property
    def published(self) -> tuple[Entry, ...]:
        """Published posts, and live versions of pages and items."""
        return tuple(each for each in self.all_entries if each.is_live)

    @cached_property
    def live_targets(self) -> frozenset[Target]:
        """The pages and items that references show."""
        return frozenset(target_of(each) for each in self.versions if each.is_live)

    @cached_property
    def by_target(self) -> Mapping[Target, Entry]:
        """A version of each page and item, by the target of references to it."""
        return {target_of(entry): entry for entry in self.versions}

    @cached_property
    def shown(self) -> Mapping[str, Entry]:
        """Published entries with a page, by the path of its file in the output."""
        return self._by_path(self.published)

    @cached_property
    def hidden(self) -> Mapping[str, Entry]:
        """Unpublished entries that would have a page, by the path of its file."""
        by_path = self._by_path(self.all_entries)
        return {path: entry for path, entry in by_path.items() if path not in self.shown}

    def _by_path(self, entries: Sequence[Entry]) -> dict[str, Entry]:
        routes = Routes(self.settings)
        items = item_paths(entries, self.schema, self.settings)
        return {output_path(path): entry for entry in entries if (path := routes.find(entry, items))}

    def words(self, entry: Entry) -> str:
        """Return the name of an entry in messages."""
        kind = KINDS[entry.kind]
        if not kind.has_slug:
            return f"{entry.kind} {entry.id} of {entry.type}"
        return f"{entry.kind} {entry.type or '*'}/{entry.slug}" if kind.type_key else f"{entry.kind} {entry.slug}"


def read_entries(session: Session, settings: SiteSettings, sources_folder: SiteSettings) -> Entries:
    """Read all entries of the store; files are those of the real site's folder."""
    return Entries(
        {kind: stored.all(session) for kind, stored in VERSIONS.items()},
        settings=settings,
        schema=documents.load_content_schema(session),
        terms=(*terms.find_terms(session, TermKind.CATEGORY), *terms.find_terms(session, TermKind.TAG)),
        authors=authors.find_authors(session),
        sources=Sources(sources_folder.folder, loaded_files.all_loaded_files(session)),
        media=all_media(session),
    )
