"""The search index: rows written in the transaction of their entry, by the ids of its versions.

It contains published content only, so that not even ranks disclose drafts; each match is checked with the entry's own
row as well. All text passes through `content.search_text`, queries included, and each word is quoted, so that no
character has a meaning for FTS5. PostgreSQL gets the same texts. `index_differences` compares an index with the texts
that it should contain.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from zlib import crc32

import orjson
from msgspec import Struct

from sitecms.content.kinds import EntryKind
from sitecms.content.search_text import indexed_text
from sitecms.store.database import Database, IndexRow, Session, Transaction
from sitecms.store.engines.postgres.search_vector import vector
from sitecms.store.engines.sqlite.connection import PRAGMAS, connector, translating
from sitecms.store.models.site_state import ChangeNumberRow
from sitecms.store.sql import Sql

_MASK = (1 << 64) - 1
_BATCH_SIZE = 50
_DIFFERENT = """
SELECT expected.id, indexed.rowid IS NULL FROM jsonb_to_recordset(?::jsonb) AS expected (id bigint, words text)
LEFT JOIN {table} AS indexed ON indexed.rowid = expected.id
WHERE indexed.rowid IS NULL OR indexed.words <> expected.words::tsvector"""
Text = tuple[int, str, str]
"""A row of an index: its id, and the title and body that it is made of."""
TABLES: Mapping[EntryKind, str] = {EntryKind.POST: "post_search", EntryKind.PAGE: "page_search"}
"""The index of each kind that has one."""
_CLEAR = {
    kind: Sql(sqlite=f"INSERT INTO {table} ({table}) VALUES ('delete-all')", postgres=f"DELETE FROM {table}")
    for kind, table in TABLES.items()
}


class IndexDifferences(Struct, frozen=True):
    """Ids, in order, of rows that should not exist, of rows that are missing, and of rows with other words."""

    extra: tuple[int, ...]
    missing: tuple[int, ...]
    stale: tuple[int, ...]


def index_differences(database: Database, session: Session, table: str, expected: Iterable[Text]) -> IndexDifferences:
    """Compare an index with the texts that it should contain.

    The index of an SQLite file is read on a connection of its own: nothing may write to it meanwhile. Raises
    StoreUnusable if it is damaged.
    """
    if isinstance(database.address, Path):
        return _differences_in_file(database.address, table, expected)
    return _differences_on_server(session, table, expected)


def _differences_in_file(path: Path, table: str, expected: Iterable[Text]) -> IndexDifferences:
    sums = {row_id: _words_sum(indexed_text(title), indexed_text(body)) for row_id, title, body in expected}
    indexed = _indexed_words(path, table)
    return IndexDifferences(
        extra=tuple(sorted(indexed.keys() - sums.keys())),
        missing=tuple(sorted(sums.keys() - indexed.keys())),
        stale=tuple(sorted(each for each in sums.keys() & indexed.keys() if sums[each] != indexed[each])),
    )


def _differences_on_server(session: Session, table: str, expected: Iterable[Text]) -> IndexDifferences:
    ids: set[int] = set()
    missing: list[int] = []
    stale: list[int] = []
    texts = iter(expected)
    while batch := list(islice(texts, _BATCH_SIZE)):
        ids.update(text[0] for text in batch)
        rows = [{"id": each, "words": vector(indexed_text(title), indexed_text(body))} for each, title, body in batch]
        for row_id, is_missing in session.sql(_DIFFERENT.format(table=table), orjson.dumps(rows).decode()):
            (missing if is_missing else stale).append(row_id)
    indexed = {row[0] for row in session.sql(f"SELECT rowid FROM {table}")}
    return IndexDifferences(tuple(sorted(indexed - ids)), tuple(sorted(missing)), tuple(sorted(stale)))


def _indexed_words(path: Path, name: str) -> dict[int, int]:
    """Return a sum over the words of each row, by row id: equal sums mean equal words at equal positions."""
    sums: dict[int, int] = {}
    database = connector(path, {**PRAGMAS, "query_only": 0})  # for a temporary table; nothing in the file changes
    try:
        with translating(path):
            connection = database.connection()
            connection.execute(f"CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', '{name}', 'instance')")
            sums.update((row[0], 0) for row in connection.execute(f"SELECT id FROM {name}_docsize").fetchall())
            for term, row_id, column, position in connection.execute('SELECT term, doc, col, "offset" FROM temp.words'):
                sums[row_id] = (sums.get(row_id, 0) + _word_sum(term, column, position)) & _MASK
    finally:
        database.close()
    return sums


def _words_sum(title: str, body: str) -> int:
    """Return what `_indexed_words` returns for a row made of these indexed texts."""
    total = 0
    for column, text in (("title", title), ("body", body)):
        for position, term in enumerate(_terms(text)):
            total += _word_sum(term, column, position)
    return total & _MASK


def _word_sum(term: str, column: str, position: int) -> int:
    """Return a number for one word at its position."""
    return (crc32(f"{column}\0{position}\0{term}".encode()) << 31) ^ crc32(term.encode(), position)


def _terms(text: str) -> Iterator[str]:
    """Yield the words as the index's tokenizer splits them: ASCII letters and digits, and all other characters."""
    word: list[str] = []
    for character in text:
        if not character.isascii() or character.isalnum():
            word.append(character.lower() if character.isascii() else character)
        elif word:
            yield "".join(word)
            word = []
    if word:
        yield "".join(word)


def add_rows(transaction: Transaction, kind: EntryKind, rows: Sequence[IndexRow]) -> None:
    """Index published versions that the index does not contain, by texts made by `content.search_text.indexed_text`."""
    transaction.index(TABLES[kind], rows)


def remove_rows(transaction: Transaction, kind: EntryKind, version_ids: Iterable[int]) -> None:
    """Remove versions from the index."""
    transaction.sql_many(f"DELETE FROM {TABLES[kind]} WHERE rowid = ?", [(each,) for each in version_ids])


def clear(transaction: Transaction, kind: EntryKind) -> None:
    """Remove all versions of a kind from its index."""
    transaction.sql(_CLEAR[kind])


def is_stale(session: Session) -> bool:
    """Return whether the indexes were built by an earlier version, whose words were folded otherwise."""
    row = session.row(ChangeNumberRow.select(ChangeNumberRow.is_search_stale))
    return bool(row and row[0])  # a damaged store may have no row, which others report


def mark_current(transaction: Transaction) -> None:
    """Note that all indexes have been built by this version."""
    transaction.run(ChangeNumberRow.update(is_search_stale=0).where(ChangeNumberRow.is_search_stale != 0))
