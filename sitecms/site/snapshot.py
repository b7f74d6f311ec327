"""The snapshot of a build: everything published, read from the store in one read transaction.

It lacks the bodies of posts, which are most of the data: they are read in batches while pages are rendered, in the same
transaction.
"""

from collections.abc import Mapping, Set
from functools import cached_property, partial
from itertools import chain

from msgspec import Struct, field

from sitecms.actions.references import specs_of
from sitecms.content.author import Author
from sitecms.content.entry import Entry
from sitecms.content.fields.terms import names_in
from sitecms.content.former_addresses import AddressSettings, FormerAddress, FormerArchive
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.media import MEDIA_PREFIX, MediaFile
from sitecms.content.schema import TERMS, ContentSchema
from sitecms.content.term import TERM_FIELDS, Term, TermKind, name_key
from sitecms.content.term_slugs import named_term, terms_by_name
from sitecms.content.text.media_links import MEDIA_FOLDER
from sitecms.store.database import Session
from sitecms.store.entries import authors, media_files, terms
from sitecms.store.entries.entry_state import find_former_addresses
from sitecms.store.entries.former_archives import find_former_archives
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state import documents
from sitecms.store.site_state.loaded_files import all_loaded_files, find_undated


class EntriesByKind(Struct, frozen=True):
    """The entries of a site, by kind."""

    by_kind: Mapping[EntryKind, tuple[Entry, ...]]

    @property
    def posts(self) -> tuple[Entry, ...]:
        """The posts."""
        return self.by_kind.get(EntryKind.POST, ())

    @property
    def pages(self) -> tuple[Entry, ...]:
        """The pages."""
        return self.by_kind.get(EntryKind.PAGE, ())

    @property
    def items(self) -> tuple[Entry, ...]:
        """The items."""
        return self.by_kind.get(EntryKind.ITEM, ())

    @property
    def with_slugs(self) -> tuple[Entry, ...]:
        """The entries of the kinds that have slugs, each with a page of its own."""
        return tuple(chain.from_iterable(each for kind, each in self.by_kind.items() if KINDS[kind].has_slug))

    @property
    def all_entries(self) -> tuple[Entry, ...]:
        """The entries of all kinds."""
        return tuple(chain.from_iterable(self.by_kind.values()))


class Snapshot(EntriesByKind, frozen=True, dict=True):
    """Posts (without bodies) and pages, newest first; items in collection order; others as their files list them.

    Pages without a date come last, by slug.
    """

    schema: ContentSchema
    authors: tuple[Author, ...]
    categories: tuple[Term, ...]
    tags: tuple[Term, ...]
    media: Mapping[str, MediaFile]
    former_addresses: tuple[FormerAddress, ...] = ()
    former_archives: tuple[FormerArchive, ...] = ()
    former_settings: tuple[AddressSettings, ...] = ()
    undated: frozenset[tuple[str, int]] = frozenset()
    """Kind and id of published entries whose time of publication only the store has."""
    media_places: Mapping[str, str] = field(default_factory=dict)
    """Addresses on the site of the files in media/ that redirects lead to, by path in the site folder."""
    files: Mapping[tuple[str, int], str] = field(default_factory=dict)
    """Path in the site folder of the file of each entry, by kind and id, where pages have a link to it."""

    @cached_property
    def _by_name(self) -> Mapping[TermKind, Mapping[str, Term]]:
        return {TermKind.CATEGORY: terms_by_name(self.categories), TermKind.TAG: terms_by_name(self.tags)}

    def term(self, kind: TermKind, name: str) -> Term:
        """Return the term that a page or item has by this name."""
        return self._by_name[kind].get(name_key(name)) or named_term(kind, name)

    def terms_of(self, entry: Entry) -> tuple[Term, ...]:
        """Return the categories, then the tags of an entry of any kind."""
        specs = (spec for spec in specs_of(entry, self.schema) if spec.type == TERMS)
        named = (self.term(TERM_FIELDS[spec.slug], name) for spec in specs for name in names_in(entry.fields, spec))
        return (*entry.categories, *entry.tags, *named)


def take_snapshot(
    session: Session, *, drafts: bool = False, media: Set[str] = frozenset(), with_files: bool = False
) -> Snapshot:
    """Read everything published; with `drafts` the latest version of everything.

    `with_files` reads the file of each entry, too. `media` are the files in media/ whose addresses are wanted.
    """
    undated = find_undated(session)
    return Snapshot(
        {
            kind: _in_order(kind, stored.latest(session) if drafts else stored.published(session), undated)
            for kind, stored in VERSIONS.items()
        },
        schema=documents.load_content_schema(session),
        authors=authors.find_authors(session, as_listed=True),
        categories=terms.find_terms(session, TermKind.CATEGORY, as_listed=True),
        tags=terms.find_terms(session, TermKind.TAG, as_listed=True),
        media=media_files.all_media(session),
        former_addresses=find_former_addresses(session),
        former_archives=find_former_archives(session),
        former_settings=documents.load_address_settings(session)[1:],
        undated=undated,
        media_places=_media_places(session, media) if media else {},
        files=_files(session) if with_files else {},
    )


def _in_order(kind: EntryKind, entries: tuple[Entry, ...], undated: Set[tuple[str, int]]) -> tuple[Entry, ...]:
    """Return the entries with those without a date last, by slug, where a kind may have some."""
    if not undated or KINDS[kind].is_dated or not KINDS[kind].has_slug:
        return entries
    return tuple(sorted(entries, key=partial(_without_date, undated)))


def _without_date(undated: Set[tuple[str, int]], page: Entry) -> tuple[bool, str, str]:
    """Return the sort key that puts pages without a date last, by slug."""
    is_undated = (page.kind.value, page.id) in undated
    return is_undated, page.slug if is_undated else "", page.type if is_undated else ""


def _files(session: Session) -> Mapping[tuple[str, int], str]:
    return {entry: path for path, file in all_loaded_files(session).items() for entry in file.entries}


def _media_places(session: Session, names: Set[str]) -> Mapping[str, str]:
    media_of_files = (file.media for file in all_loaded_files(session).values() if MEDIA_FOLDER in file.media_json)
    return {path: MEDIA_PREFIX + media[path].name for media in media_of_files for path in names & media.keys()}
