"""Which media files anything in the store names: entries live, draft or in the trash, authors, writes, loaded files."""

import re
from collections.abc import Iterator

from sitecms.store.database import Session

_NAME = re.compile(r"[0-9a-f]{32}\.[a-z0-9]{2,5}")
_CHUNK = 200
_TEXTS = (
    ("post", "id", "body || ' ' || featured_image || ' ' || summary"),
    ("page_version", "id", "fields_json"),
    ("item_version", "id", "fields_json"),
    ("author", "id", "profile_image || ' ' || bio"),
    ("write", "sequence", "payload_json"),
)
_SMALL_TEXTS = ("SELECT media_json FROM loaded_file", "SELECT value_json FROM document")


def named_media(session: Session) -> frozenset[str]:
    """The names found in any text, also in one where they mean something else; reads all there is, piece by piece."""
    return frozenset(name for text in _texts(session) for name in _NAME.findall(text))


def _texts(session: Session) -> Iterator[str]:
    for statement in _SMALL_TEXTS:
        yield from (row[0] for row in session.sql(statement))
    for table, key, text in _TEXTS:
        statement = f"SELECT {key}, {text} FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT {_CHUNK}"
        last = -1
        while rows := session.sql(statement, last):
            yield from (row[1] for row in rows)
            last = rows[-1][0]
