"""The pictures that stand for entries in lists."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sitecms.content.kinds import EntryKind
from sitecms.content.media import MEDIA_NAME, MediaFile, content_type_of
from sitecms.content.status import Status
from sitecms.store.database import Session
from sitecms.store.entries.entry_tables import EntryTables
from sitecms.store.entries.media_files import find_media
from sitecms.store.models.entries import VersionRow
from sitecms.store.sql import number_list


def find_pictures(
    session: Session, kind: EntryKind, ids: Sequence[int], *, published_only: bool
) -> Mapping[int, MediaFile]:
    """Return the picture of each entry that has one: the featured one, else the first in its text or fields.

    What readers see counts before a draft; nothing else does with `published_only`.
    """
    versions = VersionRow.select(
        VersionRow.entry_id, VersionRow.featured_image, VersionRow.body_media, VersionRow.fields.cast("TEXT")
    ).where(EntryTables(kind).is_own, VersionRow.entry_id.in_(number_list(ids)))
    if published_only:
        versions = versions.where(VersionRow.status == Status.PUBLISHED.value)
    names: dict[int, str] = {}
    for row in session.rows(versions.order_by(VersionRow.version.desc(), VersionRow.locale)):
        if name := next(_pictures_in(row[1:]), ""):
            names.setdefault(row[0], name)
    files = find_media(session, sorted(set(names.values())))
    return {entry_id: files[name] for entry_id, name in names.items() if name in files}


def _pictures_in(columns: Sequence[Any]) -> Iterator[str]:
    """Yield the names of the pictures of a version, the featured one first."""
    featured, in_body, fields = columns
    for text in (featured, *(f"/media/{name}" for name in (in_body or "").split()), fields):
        yield from (name for name in MEDIA_NAME.findall(text) if content_type_of(name).startswith("image/"))
