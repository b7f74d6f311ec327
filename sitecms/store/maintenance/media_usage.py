"""Who names what: media files by their addresses, and entries in words that people know them by."""

from collections.abc import Iterator

from sitecms.content.change import EntryKind
from sitecms.content.media import MEDIA_NAME
from sitecms.content.references import ItemTarget, Target
from sitecms.store.database import Session

_CHUNK = 200
_LABELS = {
    EntryKind.POST: "SELECT 'post ' || slug || ' (id ' || id || ')' FROM post WHERE id = ?",
    EntryKind.PAGE: "SELECT 'page ' || CASE page_type WHEN '' THEN '_single' ELSE page_type END || '/' || slug || "
    "' (id ' || id || ')' FROM page WHERE id = ?",
    EntryKind.ITEM: "SELECT 'item ' || id || ' of ' || collection FROM item WHERE id = ?",
}
_PAGE_TEXTS = """
SELECT page_version.id, 'page ' || CASE page_type WHEN '' THEN '_single' ELSE page_type END || '/' || slug
 || ' (id ' || page.id || ')', fields_json FROM page_version JOIN page ON page.id = page_id WHERE page_version.id > ?"""
_ITEM_TEXTS = """
SELECT item_version.id, 'item ' || item.id || ' of ' || collection, fields_json
FROM item_version JOIN item ON item.id = item_id WHERE item_version.id > ?"""
_TEXTS = (
    "SELECT id, 'post ' || slug || ' (id ' || id || ')', body || ' ' || featured_image FROM post WHERE id > ?",
    _PAGE_TEXTS,
    _ITEM_TEXTS,
    "SELECT id, 'author ' || slug, profile_image || ' ' || bio FROM author WHERE id > ?",
)


def entry_label(session: Session, kind: EntryKind, entry_id: int) -> str:
    """`page guide/knots (id 3)`, in the trash or not."""
    row = session.sql_row(_LABELS[kind], entry_id)
    return str(row[0]) if row else f"{kind.value} {entry_id}"


def media_namers(session: Session) -> dict[str, str]:
    """Every media file that an entry shows, with the first that does; entries in the trash count."""
    found: dict[str, str] = {}
    for label, text in _texts(session):
        for name in MEDIA_NAME.findall(text):
            found.setdefault(name, label)
    return found


def _texts(session: Session) -> Iterator[tuple[str, str]]:
    for statement in _TEXTS:
        last = -1
        while rows := session.sql(f"{statement} ORDER BY 1 LIMIT {_CHUNK}", last):
            yield from ((row[1], row[2]) for row in rows)
            last = rows[-1][0]


def is_in_trash(session: Session, target: Target) -> bool:
    """Whether what the reference names is there, if only in the trash."""
    if isinstance(target, ItemTarget):
        row = session.sql_row("SELECT 1 FROM item WHERE id = ? AND collection = ?", target.id, target.collection)
    else:
        wanted = target.page_type or "", target.slug
        row = session.sql_row("SELECT 1 FROM page WHERE page_type = ? AND slug = ? LIMIT 1", *wanted)
    return row is not None
