"""Uses of media files by the store, and labels that name entries for people.

Deletion, backups and reports ask the same query: a file that one of them believes unused is unused for all.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import Struct

from sitecms.content.change import EntryKind
from sitecms.content.media import MEDIA_PREFIX
from sitecms.content.references import ItemTarget, Target
from sitecms.store.database import Session
from sitecms.store.entries.entry_rows import row_of
from sitecms.store.entries.pages import PAGES
from sitecms.store.models.accounts import WorkingCopyRow
from sitecms.store.models.entries import PRESENT, AuthorRow, EntryRow, PostFieldsRow, PostRow, VersionRow

_NAME = re.compile(r"(/media/)?([0-9a-f]{32}\.[a-z0-9]{2,5})")  # as MEDIA_NAME, with or without its address
_CHUNK = 200
# By hand: labels are texts that SQL makes, and the columns that are searched are data (PLACES).
_ENTRY_LABEL = (
    "CASE entry.kind WHEN 'page' THEN 'page ' || CASE type WHEN '' THEN '_single' ELSE type END || '/' || slug "
    "|| ' (id ' || entry.id || ')' ELSE 'item ' || entry.id || ' of ' || type END"
)
_POST_LABEL = "'post ' || slug || ' (id ' || id || ')'"
_LABEL_OF_POST = f"SELECT {_POST_LABEL} FROM post WHERE id = ?"
_LABEL_OF_ENTRY = f"SELECT {_ENTRY_LABEL} FROM entry WHERE id = ? AND kind = ?"
_VERSIONS = "version JOIN entry ON entry.kind = version.kind AND entry.id = version.entry_id"


class _Columns(NamedTuple):
    """Columns that may name media files, of rows in the order of their `key`."""

    rows: str
    key: str
    label: str
    texts: tuple[str, ...]
    first_key: int | str = -1
    is_entry: bool = False


PLACES = (
    _Columns(
        "post", "id", _POST_LABEL,
        ("body", "featured_image", "featured_image_alt", "title", "summary", "seo_title", "meta_description"),
        is_entry=True,
    ),
    _Columns("post_fields JOIN post ON post.id = post_id", "post_id", _POST_LABEL, ("fields_json",), is_entry=True),
    _Columns("working_copy JOIN post ON post.id = post_id", "post_id", _POST_LABEL, ("values_json",), is_entry=True),
    _Columns(_VERSIONS, "version.id", _ENTRY_LABEL, ("fields_json", "title"), is_entry=True),
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
    """Ids of the posts, pages and items, and slugs of the authors, that name a media file, outside the trash."""

    posts: tuple[int, ...]
    pages: tuple[int, ...]
    items: tuple[int, ...]
    authors: tuple[str, ...]

    def __len__(self) -> int:
        return sum(map(len, (self.posts, self.pages, self.items, self.authors)))


def find_holders(session: Session, name: str) -> MediaHolders:
    """Return the entries that name a media file: published ones, drafts, and working copies of posts."""
    address = MEDIA_PREFIX + name
    with_field = PostFieldsRow.select(PostFieldsRow.post_id).where(_contains(PostFieldsRow.fields, name))
    with_copy = WorkingCopyRow.select(WorkingCopyRow.post_id).where(_contains(WorkingCopyRow.values, name))
    is_named = (PostRow.featured_image == address) | PostRow.body_media.contains(name)
    posts = PostRow.select(PostRow.id).where(is_named | PostRow.id.in_(with_field) | PostRow.id.in_(with_copy), PRESENT)
    authors = AuthorRow.select(AuthorRow.slug).where(AuthorRow.profile_image == address)
    return MediaHolders(
        *(tuple(row[0] for row in session.rows(query)) for query in (
            posts.order_by(PostRow.id), _owners(EntryKind.PAGE, name), _owners(EntryKind.ITEM, name),
            authors.order_by(AuthorRow.id),
        ))
    )  # fmt: skip


def _owners(kind: EntryKind, name: str) -> Any:
    """Return the query of the ids of the pages or items with a version that names the file."""
    is_owner = (VersionRow.entry_id == EntryRow.id) & (VersionRow.kind == EntryRow.kind)
    ids = EntryRow.select(EntryRow.id).distinct().join(VersionRow, on=is_owner)
    return ids.where(EntryRow.kind == kind.value, PRESENT, _contains(VersionRow.fields, name)).order_by(EntryRow.id)


def _contains(column: Any, name: str) -> Any:
    return column.cast("TEXT").contains(name)


def find_places(session: Session, name: str, limit: int) -> tuple[str, ...]:
    """Return labels of the places that name a media file, histories, the trash and files included; `limit` at most."""
    labels: dict[str, None] = {}
    for place in PLACES:
        texts = " || ' ' || ".join(place.texts)
        statement = f"SELECT {place.label} FROM {place.rows} WHERE {texts} LIKE ? ORDER BY {place.key} LIMIT {limit}"
        labels |= dict.fromkeys(str(row[0]) for row in session.sql(statement, f"%{name}%"))
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
    if kind is EntryKind.POST:
        row = session.sql_row(_LABEL_OF_POST, entry_id)
    else:
        row = session.sql_row(_LABEL_OF_ENTRY, entry_id, kind.value)
    return str(row[0]) if row else f"{kind.value} {entry_id}"


def is_in_trash(session: Session, target: Target) -> bool:
    """Return whether the target of a reference exists, in the trash or not."""
    if isinstance(target, ItemTarget):
        table, is_it = row_of(EntryKind.ITEM, target.id)
        is_target = is_it & (table.type == target.collection)
    else:
        of_type = PAGES.is_of_kind(EntryRow) & (EntryRow.type == (target.page_type or ""))
        is_target = of_type & (EntryRow.slug == target.slug)
    return session.row(EntryRow.select(EntryRow.id).where(is_target)) is not None
