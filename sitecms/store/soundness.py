"""Is the store's file sound: its pages, its keys, its JSON, and the words of its search index."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import cysqlite
import peewee

from sitecms.store.connection import PRAGMAS, connector, translated
from sitecms.store.database import Session

_TOLD_AT_MOST = 100
_MASK = (1 << 64) - 1
_JSON_COLUMNS = (
    ("document", "name", "value_json"),
    ("post", "id", "aliases_json"),
    ("page_version", "id", "fields_json"),
    ("item_version", "id", "fields_json"),
    ("loaded_file", "path", "entries_json"),
    ("loaded_file", "path", "media_json"),
    ("token", "id", "limits_json"),
    ("write", "id", "payload_json"),
    ("write", "id", "errors_json"),
    ("webhook", "id", "events_json"),
    ("webhook", "id", "secrets_json"),
    ("webhook", "id", "headers_json"),
    ("delivery", "id", "payload_json"),
)


@dataclass(frozen=True, slots=True)
class DanglingKey:
    """A row that names a row which is not there."""

    table: str
    row: str
    parent: str


def damage(path: Path, *, is_quick: bool = False) -> tuple[str, ...]:
    """What SQLite finds wrong with the file, in its words; nothing for a sound one. Quick: without the indexes."""
    check = "quick_check" if is_quick else "integrity_check"
    try:
        with _opened(path) as connection:
            rows = connection.execute(f"PRAGMA {check}({_TOLD_AT_MOST})").fetchall()
    except (peewee.DatabaseError, cysqlite.DatabaseError) as error:
        return (str(error),)
    return tuple(str(row[0]) for row in rows if row[0] != "ok")


def indexed_words(path: Path, name: str) -> dict[int, int]:
    """A sum over the words of each row of a search index, by row: equal where words and their places are.

    Raises StoreUnusable for a damaged index.
    """
    sums: dict[int, int] = {}
    with translated(path), _opened(path) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', '{name}', 'instance')")
        sums.update((row[0], 0) for row in connection.execute(f"SELECT id FROM {name}_docsize").fetchall())
        for term, row_id, column, place in connection.execute('SELECT term, doc, col, "offset" FROM temp.words'):
            sums[row_id] = (sums.get(row_id, 0) + word_sum(term, column, place)) & _MASK
    return sums


def words_sum(title: str, body: str) -> int:
    """What `indexed_words` has for a row of these indexed texts (content.search_text)."""
    total = 0
    for column, text in (("title", title), ("body", body)):
        for place, term in enumerate(_terms(text)):
            total += word_sum(term, column, place)
    return total & _MASK


def word_sum(term: str, column: str, place: int) -> int:
    """A number of one word at its place."""
    return (crc32(f"{column}\0{place}\0{term}".encode()) << 31) ^ crc32(term.encode(), place)


def dangling_keys(session: Session) -> tuple[DanglingKey, ...]:
    """Rows whose foreign keys lead nowhere."""
    rows = session.sql("PRAGMA foreign_key_check")
    return tuple(DanglingKey(str(table), str(row), str(parent)) for table, row, parent, _key in rows)


def broken_json(session: Session) -> tuple[tuple[str, str, str], ...]:
    """(table, row, column) of every cell that should be JSON and is not."""
    found: list[tuple[str, str, str]] = []
    for table, key, column in _JSON_COLUMNS:
        rows = session.sql(f"SELECT {key} FROM {table} WHERE NOT json_valid({column})")
        found += [(table, str(row[0]), column) for row in rows]
    return tuple(found)


def _terms(text: str) -> Iterator[str]:
    """The words as the index's tokenizer takes them: ASCII letters and digits, and all that is not ASCII."""
    word: list[str] = []
    for sign in text:
        if not sign.isascii() or sign.isalnum():
            word.append(sign.lower() if sign.isascii() else sign)
        elif word:
            yield "".join(word)
            word = []
    if word:
        yield "".join(word)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A connection of its own, that changes nothing which is kept."""
    database = connector(path, {**PRAGMAS, "query_only": 0})
    try:
        yield database.connection()
    finally:
        database.close()
