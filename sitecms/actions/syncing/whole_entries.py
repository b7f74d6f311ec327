"""Entries with all their versions, as the store has them and as a load makes them of a file."""

from collections.abc import Mapping, Sequence

import orjson
from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.exporting.entry_files import originals_of, with_markdown, written_locales
from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.raw import RawEntry
from sitecms.actions.syncing.site_files import SiteFiles
from sitecms.actions.writing.save_context import default_author
from sitecms.content.addresses import NO_ADDRESSES
from sitecms.content.author import Author
from sitecms.content.change import VersionChange
from sitecms.content.entry import NO_AUTHOR, Entry
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.status import Status
from sitecms.content.term import TERM_FIELDS, Term
from sitecms.store.database import Session
from sitecms.store.entries.authors import find_author_slug
from sitecms.store.entries.entry_rows import find_variants
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.loaded_files import FileLink, LoadedFile, MediaStamp

Used = Mapping[str, MediaStamp | FileLink]
_COPIED = ("featured_image", "featured_image_alt", "summary", "seo_title", "meta_description", "body", "markdown")


class WholeEntry(Struct, frozen=True):
    """An entry with all its versions.

    `original` is the slug of the entry that it is a translation of, "" for none. `locales` are those that each of its
    files has, by path.
    """

    versions: tuple[Entry, ...]
    original: str = ""
    locales: Mapping[str, tuple[str, ...]] = {}

    @property
    def first(self) -> Entry:
        """One of the versions, for what all of them have in common."""
        return self.versions[0]

    @property
    def texts(self) -> list[str]:
        """The texts that may name media."""
        own = [(each.featured_image, each.body, each.markdown, dict(each.fields)) for each in self.versions]
        return [orjson.dumps(each, default=str).decode() for each in own]


def variants_of(session: Session, site: SiteFiles, kind: EntryKind, group_id: int) -> list[int]:
    """Return the ids of the entries of a locale group in locales of the site, none of a kind that shares its slug."""
    variants = {} if written_locales(kind, site.settings.locales) else find_variants(session, group_id)
    return [variants[locale] for locale in site.settings.locales if locale in variants]


def stored_entries(session: Session, site: SiteFiles, kind: EntryKind, ids: Sequence[int]) -> dict[int, WholeEntry]:
    """Return these entries as the store has them, by id."""
    groups: dict[int, list[Entry]] = {}
    for version in VERSIONS[kind].of(session, ids, with_body=True):
        groups.setdefault(version.id, []).append(with_markdown(session, version))
    return {entry_id: _stored(session, site, tuple(versions)) for entry_id, versions in groups.items()}


def _stored(session: Session, site: SiteFiles, versions: tuple[Entry, ...]) -> WholeEntry:
    first = versions[0]
    others = [each for each in variants_of(session, site, first.kind, first.group_id) if each != first.id]
    group = (first, *VERSIONS[first.kind].of(session, others))
    original = originals_of(group, site.settings.default_locale)[first.group_id]
    return WholeEntry(versions, "" if original.id == first.id else original.slug)


def entries_in_file(
    session: Session,
    site: SiteFiles,
    file: ContentFile,
    loaded: LoadedFile | None,
    stored: Mapping[int, WholeEntry],
    numbers: Mapping[int, int],
) -> tuple[dict[int, WholeEntry], Used]:
    """Return the entries as a load makes them of the file, by id, and the media and files that it names.

    `numbers` are the places of entries in the file. Raises InvalidFiles.
    """
    read = site.read(session, file, loaded, [text for entry in stored.values() for text in entry.texts])
    raw = {entry_id: read.entries[number] for entry_id, number in numbers.items()}
    cleaned = site.versions(session, read, tuple(raw.values()))
    found = {}
    for (entry_id, entry), versions in zip(raw.items(), cleaned, strict=True):
        locales: dict[str, tuple[str, ...]] = dict.fromkeys((file.path, *file.variants), ())
        for each in entry.versions:
            path = each.origin.path if each.origin else file.path
            locales[path] = (*locales[path], each.change.locale)
        made = tuple(_version(session, site, stored[entry_id].first, entry, each, loaded) for each in versions)
        found[entry_id] = WholeEntry(made, entry.translation_of, locales)
    return found, read.media.used


def _version(
    session: Session, site: SiteFiles, shape: Entry, raw: RawEntry, version: VersionChange, loaded: LoadedFile | None
) -> Entry:
    """Return a version of a file; one whose file says no time of publication has none."""
    times, author, at = version.times, NO_AUTHOR, loaded.loaded_at if loaded else site.at
    if KINDS[raw.kind].has_author:
        named = version.author or default_author(session, site.settings.owner)
        author = Author(find_author_slug(session, named) or named)
    terms = {
        key: tuple(Term(kind, "", str(each)) for each in getattr(version, key)) for key, kind in TERM_FIELDS.items()
    }
    return replace(
        shape,
        slug=raw.slug,
        title=raw.titles.get(version.locale, raw.title),
        addresses=raw.addresses or NO_ADDRESSES,
        locale=version.locale,
        version=version.version,
        status=version.status,
        fields=version.fields,
        author=author,
        created_at=times.created_at or times.published_at or at,
        updated_at=times.updated_at or times.published_at or at,
        published_at=times.published_at,
        scheduled_at=times.scheduled_at if version.status is Status.SCHEDULED else None,
        **terms,
        **{name: getattr(version, name) for name in _COPIED},
    )
