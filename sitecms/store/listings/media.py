"""Lists of media files for editors: by words, kind, tag, and by what is still to do with them; and their uses."""

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import reduce
from operator import or_
from typing import Any

from msgspec import Struct
from peewee import fn

from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX, MediaFile, tag_key
from sitecms.content.query import Results, Window
from sitecms.content.search_text import text_filter
from sitecms.content.status import Status
from sitecms.store.database import Session
from sitecms.store.entries.authors import is_of_author
from sitecms.store.entries.entry_tables import IS_VERSION
from sitecms.store.entries.media_files import find_media
from sitecms.store.listings.posts import is_readable, is_version_of
from sitecms.store.models.entries import AuthorRow, EntryRow, MediaRow, VersionRow

MAX_USES = 50
_IMAGE = "image/"
_MEDIA = MediaRow.select(
    MediaRow.name, MediaRow.original_name, MediaRow.alt, MediaRow.content_type, MediaRow.is_decorative, MediaRow.tags
).order_by(MediaRow.created_at.desc(), MediaRow.name)
_BYTES_A_NAME = 100
_TEXTS = VersionRow.featured_image, VersionRow.body_media, VersionRow.fields.cast("TEXT")
"""The columns that name media files."""


class ListedMediaUse(Struct, frozen=True):
    """An entry that shows a media file; `label` is the title of a post or page, the collection of an item."""

    kind: EntryKind
    id: int
    label: str


class MediaState(StrEnum):
    """A task that is left with a media file."""

    UNUSED = "unused"
    UNDESCRIBED = "undescribed"
    UNTAGGED = "untagged"


class MediaFilter(Struct, frozen=True):
    """The media files of a list; "" and None mean any. `kind` is the first part of their content types, as `image`.

    With `own_author`, drafts of this author (slug) alone count as uses.
    """

    text: str = ""
    kind: str = ""
    tag: str = ""
    state: MediaState | None = None
    own_author: str | None = None


def list_media(session: Session, wanted: MediaFilter, window: Window) -> Results[MediaFile]:
    """Return the media files whose names, alt texts and tags contain each word, the newest first, and their number."""
    has_words, tag = text_filter(wanted.text), tag_key(wanted.tag)
    uses = count_uses(session, wanted.own_author) if wanted.state is MediaState.UNUSED else {}

    def has_state(name: str, alt: str, content_type: str, is_decorative: int, tags: list[str]) -> bool:
        match wanted.state:
            case MediaState.UNUSED:
                return name not in uses
            case MediaState.UNDESCRIBED:
                return content_type.startswith(_IMAGE) and not alt and not is_decorative
            case MediaState.UNTAGGED:
                return not tags
        return True

    names = [
        name
        for name, original, alt, content_type, is_decorative, tags in session.rows(_MEDIA)
        if content_type.startswith(wanted.kind)
        and (not tag or tag in map(tag_key, tags))
        and has_state(name, alt, content_type, is_decorative, tags)
        and has_words(f"{original} {name} {alt} {' '.join(tags)}")
    ]
    files = find_media(session, names[window.offset : window.offset + window.limit])
    return Results(len(names), tuple(files[name] for name in names[window.offset : window.offset + window.limit]))


def count_tags(session: Session) -> Mapping[str, int]:
    """Return the number of files of each tag, by name; of spellings that differ in case the most frequent."""
    spellings = Counter(tag for row in session.rows(MediaRow.select(MediaRow.tags)) for tag in row[0])
    counts, names = Counter[str](), dict[str, str]()
    for tag, count in sorted(spellings.items(), key=lambda each: (-each[1], each[0])):
        counts[names.setdefault(tag_key(tag), tag)] += count
    return counts


def count_uses(session: Session, own_author: str | None) -> Mapping[str, int]:
    """Return the number of entries and authors that show each media file, by name; entries in the trash do not count.

    With `own_author`, entries that are published, and drafts of posts of this author (slug).
    """

    def count() -> Counter[str]:
        is_seen = reduce(or_, (_is_of(kind, own_author) for kind in EntryKind))
        versions = VersionRow.select(VersionRow.kind, VersionRow.entry_id, *_TEXTS).where(is_seen)
        uses = {
            (kind, entry_id, name)
            for kind, entry_id, featured, in_body, fields in session.rows(versions)
            for name in _names_in(featured, in_body, fields)
        }
        images = session.rows(AuthorRow.select(AuthorRow.profile_image))
        return Counter(
            [*(name for _kind, _id, name in uses), *(MEDIA_NAME.findall(" ".join(row[0] for row in images)))]
        )

    return session.cached(("media uses", own_author), count, lambda counts: _BYTES_A_NAME * len(counts))


def names_in_drafts(session: Session, author: str) -> frozenset[str]:
    """Return the names of the media files in drafts of posts of an author (slug)."""
    is_draft = VersionRow.status == Status.DRAFT.value
    versions = VersionRow.select(*_TEXTS).where(is_version_of(is_of_author(author), is_draft))
    return frozenset(name for row in session.rows(versions) for name in _names_in(*row))


def _names_in(featured: str, in_body: str | None, fields: str) -> Iterator[str]:
    """Yield the names of the media files in a version."""
    yield from (*MEDIA_NAME.findall(featured), *(in_body or "").split(), *MEDIA_NAME.findall(fields))


def _is_of(kind: EntryKind, own_author: str | None) -> Any:
    """Return the condition of versions of a kind that a user may read."""
    is_of_kind = VersionRow.kind == kind.value
    if own_author is None:
        return is_of_kind & VersionRow.deleted_at.is_null()
    if KINDS[kind].has_author:
        return is_of_kind & is_readable(own_author)
    return is_of_kind & VersionRow.deleted_at.is_null() & (VersionRow.status == Status.PUBLISHED.value)


def find_media_uses(session: Session, name: str, own_author: str | None) -> tuple[ListedMediaUse, ...]:
    """Return the entries outside the trash that show a file, MAX_USES of each kind at most.

    With `own_author`, those that are published, and drafts of this author (slug).
    """
    is_named = (VersionRow.featured_image == MEDIA_PREFIX + name) | VersionRow.body_media.contains(name)
    is_named |= VersionRow.fields.cast("TEXT").contains(name)
    columns = (EntryRow.title, VersionRow.title, EntryRow.slug, EntryRow.type)  # the first one that is set is the label
    found: list[ListedMediaUse] = []
    for kind in EntryKind:
        uses = EntryRow.select(EntryRow.id, *map(fn.MAX, columns)).join(VersionRow, on=IS_VERSION)
        uses = uses.where(EntryRow.kind == kind.value, is_named, _is_of(kind, own_author)).group_by(EntryRow.id)
        rows = session.rows(uses.order_by(EntryRow.id.desc()).limit(MAX_USES))
        found += [ListedMediaUse(kind, row[0], next(filter(None, row[1:]), "")) for row in rows]
    return tuple(found)
