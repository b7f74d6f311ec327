"""Uses of media files by the store, and labels that name entries for people.

Deletion, backups and reports ask the same query: a file that one of them believes unused is unused for all.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from sitecms.content.kinds import EntryKind
from sitecms.content.media import DETAILS_FILE, MEDIA_PREFIX
from sitecms.content.references import ItemTarget, Target
from sitecms.store.database import Session
from sitecms.store.entries.entry_rows import is_entry
from sitecms.store.entries.entry_tables import PAGES
from sitecms.store.models.entries import PRESENT, AuthorRow, EntryRow, VersionRow
from sitecms.store.site_state.documents import DELETED_MEDIA

_NAME = re.compile(r"(/media/)?([0-9a-f]{32}\.[a-z0-9]{2,5})")  # as MEDIA_NAME, with or without its address
_CHUNK = 200
_LISTS = (f"file {DETAILS_FILE}", f"document {DELETED_MEDIA}")  # labels
# By hand: labels are texts that SQL makes, and the columns that are searched are data (PLACES).
_LABEL = (
    "CASE entry.kind WHEN 'post' THEN 'post ' || entry.slug || ' (id ' || entry.id || ')' "
    "WHEN 'page' THEN 'page ' || CASE type WHEN '' THEN '_single' ELSE type END || '/' || entry.slug "
    "|| ' (id ' || entry.id || ')' ELSE 'item ' || entry.id || ' of ' || type END"
)
_LABEL_OF_ENTRY = f"SELECT {_LABEL} FROM entry WHERE id = ? AND kind = ?"
_VERSIONS = "version JOIN entry ON entry.kind = version.kind AND entry.id = version.entry_id"
_BODIES = f"version_body JOIN version ON version.id = version_id JOIN {_VERSIONS.partition(' JOIN ')[2]}"


class _Columns(NamedTuple):
    """Columns that may name media files, of rows in the order of their `key`."""

    rows: str
    key: str
    label: str
    texts: tuple[str, ...]
    first_key: int | str = -1
    is_entry: bool = False


PLACES = (
    _Columns(_BODIES, "version_id", _LABEL, ("html",), is_entry=True),
    _Columns(
        _VERSIONS, "version.id", _LABEL,
        (
            "fields_json", "entry.title", "version.title", "featured_image", "featured_image_alt", "summary",
            "seo_title", "meta_description",
        ),
        is_entry=True,
    ),
    _Columns(
        "author", "id", "'author ' || slug",
        ("profile_image", "bio", "title", "linkedin_url", "facebook_url", "pinterest_url", "instagram_url"),
        is_entry=True,
    ),
    _Columns("revision", "id", "'history of ' || kind || ' ' || entry_id", ("media",)),
    _Columns("unsaved_form", "id", "'unsaved text of ' || place", ("fields_json",)),
    _Columns("write", "sequence", "'write ' || id", ("payload_json",)),
    _Columns("loaded_file", "path", "'file ' || path", ("media_json",), ""),
    _Columns("document", "name", "'document ' || name", ("value_json",), ""),
)  # fmt: skip


class MediaUse(Struct, frozen=True):
    """The first place that names a media file, as `page guide/knots (id 3)`.

    `is_shown` if an entry names its address; otherwise the text may only look like the name of a file.
    """

    place: str
    is_shown: bool


def used_media(session: Session) -> dict[str, MediaUse]:
    """Return every media file that anything in the store names, by name; places that show a file come first.

    Entries count live, as drafts, in the trash and as former versions, and so do working copies, revisions, unsaved
    forms, writes that are kept, and loaded files. Reads all texts, some hundreds of rows at a time.
    """
    uses: dict[str, MediaUse] = {}
    for place in PLACES:
        for label, text in _rows(session, place):
            for address, name in _NAME.findall(text):
                is_shown = place.is_entry and bool(address)
                if name not in uses or (is_shown and not uses[name].is_shown):
                    uses[name] = MediaUse(label, is_shown)
    return uses


class MediaHolders(NamedTuple):
    """Ids of the entries of each kind, and slugs of the authors, that name a media file, outside the trash."""

    entries: Mapping[EntryKind, tuple[int, ...]]
    authors: tuple[str, ...]

    def __len__(self) -> int:
        return sum(map(len, (*self.entries.values(), self.authors)))


def find_holders(session: Session, name: str) -> MediaHolders:
    """Return the entries that name a media file: published ones, drafts, and working copies of posts."""
    address = MEDIA_PREFIX + name
    is_named = (VersionRow.featured_image == address) | VersionRow.body_media.contains(name)
    is_named |= VersionRow.fields.cast("TEXT").contains(name)
    ids = VersionRow.select(VersionRow.entry_id).distinct().order_by(VersionRow.entry_id).where(is_named, PRESENT)
    authors = AuthorRow.select(AuthorRow.slug).where(AuthorRow.profile_image == address)
    entries = {
        kind: tuple(row[0] for row in session.rows(ids.where(VersionRow.kind == kind.value))) for kind in EntryKind
    }
    return MediaHolders(entries, tuple(row[0] for row in session.rows(authors.order_by(AuthorRow.id))))


def find_places(session: Session, name: str, limit: int, *, but_listed: bool = False) -> tuple[str, ...]:
    """Return labels of the places that name a media file, histories, the trash and files included; `limit` at most.

    `but_listed`: without content/media.yaml, which lists files whether anything uses them or not, and without the list
    of those that are to leave it.
    """
    labels: dict[str, None] = {}
    for place in PLACES:
        texts = " || ' ' || ".join(place.texts)
        where = f"{texts} LIKE ? ORDER BY {place.key} LIMIT {limit + len(_LISTS)}"
        rows = session.sql(f"SELECT {place.label} FROM {place.rows} WHERE {where}", f"%{name}%")
        labels |= dict.fromkeys(str(row[0]) for row in rows if not (but_listed and row[0] in _LISTS))
        if len(labels) >= limit:
            break
    return tuple(labels)[:limit]


def _rows(session: Session, place: _Columns) -> Iterator[tuple[str, str]]:
    texts = " || ' ' || ".join(place.texts)
    statement = (
        f"SELECT {place.key}, {place.label}, {texts} FROM {place.rows} WHERE {place.key} > ? ORDER BY 1 LIMIT {_CHUNK}"
    )
    last = place.first_key
    while rows := session.sql(statement, last):
        yield from ((row[1], row[2]) for row in rows)
        last = rows[-1][0]


def entry_label(session: Session, kind: EntryKind, entry_id: int) -> str:
    """Return the label of an entry, in the trash or not, as `page guide/knots (id 3)`."""
    row = session.sql_row(_LABEL_OF_ENTRY, entry_id, kind.value)
    return str(row[0]) if row else f"{kind.value} {entry_id}"


def is_in_trash(session: Session, target: Target) -> bool:
    """Return whether the target of a reference exists, in the trash or not."""
    if isinstance(target, ItemTarget):
        is_target = is_entry(EntryKind.ITEM, target.id) & (EntryRow.type == target.collection)
    else:
        of_type = PAGES.is_of_kind(EntryRow) & (EntryRow.type == target.page_type)
        is_target = of_type & (EntryRow.slug == target.slug)
    return session.row(EntryRow.select(EntryRow.id).where(is_target)) is not None
