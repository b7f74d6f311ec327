"""Statements that an SQLite store runs for a test to count."""

from collections.abc import Iterator
from contextlib import contextmanager

from sitecms.runtime import Runtime
from sitecms.store.database import CHANGE_NUMBER
from sitecms.store.engines.sqlite.database import SqliteDatabase


@contextmanager
def statements(runtime: Runtime) -> Iterator[list[str]]:
    """Collect the statements that read content, without those that FTS5 runs on its own tables.

    The change number and the token are asked for as often as the clock wants.
    """
    assert isinstance(runtime.database, SqliteDatabase)
    connection = runtime.database._reader.connection()
    seen: list[str] = []

    def note(*event: object) -> None:
        text = next(each for each in event if isinstance(each, str))
        if (
            text.lstrip().startswith(("SELECT", "WITH"))
            and text != CHANGE_NUMBER
            and not any(name in text for name in ("_search_", "token"))
        ):
            seen.append(text)

    connection.trace(note, 1, expand_sql=False)
    try:
        yield seen
    finally:
        connection.trace(None)
