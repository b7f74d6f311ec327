"""cysqlite against the standard library's sqlite3, through Peewee, on the store's own tables. Run by hand:

    python tests/benchmarks/sqlite_drivers.py

The tables are the store's but for `contentless_delete`, which SQLite has since 3.43 and many a Python lacks.
Both drivers take turns, seven rounds each, and the best round of each counts; ratios are of this one run.
"""

import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import cysqlite
from peewee import SqliteDatabase
from playhouse.cysqlite_ext import CySqliteDatabase

from sitecms.store.models.entries import AuthorRow, PostRow
from sitecms.store.schema.new_store import sqlite_script

PRAGMAS = {"journal_mode": "wal", "synchronous": "full", "foreign_keys": 1, "cache_size": -8000}
WORDS = [f"word{number}" for number in range(4000)]
ROUNDS = 7


def body(rng: Random) -> str:
    return "".join(f"<p>{' '.join(rng.choices(WORDS, k=80))}</p>" for _ in range(8))


def post(number: int, text: str) -> dict[str, object]:
    fixed = dict.fromkeys(("featured_image", "featured_image_alt", "summary", "seo_title", "meta_description"), "")
    times = dict.fromkeys(("created_at", "updated_at", "published_at"), number)
    return {
        "group_id": number, "locale": "en", "slug": f"post-{number}", "title": f"Post {number}", "author_id": 1,
        "status": "published", "body": text, "aliases_json": json.dumps([]), "origin": "file", **fixed, **times,
    }  # fmt: skip


def insert(database: Any, first: int, texts: list[str], each: int) -> None:
    """Posts with their search rows, `each` of them a transaction."""
    names = list(post(0, ""))
    statement = f"INSERT INTO post ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    for start in range(0, len(texts), each):
        with database.atomic("immediate"):
            for number, text in enumerate(texts[start : start + each], first + start):
                row = database.execute_sql(statement, tuple(post(number, text).values())).lastrowid
                values = (row, f"Post {number}", text)
                database.execute_sql("INSERT INTO post_search (rowid, title, body) VALUES (?, ?, ?)", values)


def ten_posts(database: Any) -> None:
    query = PostRow.select().where(PostRow.locale == "en", PostRow.status == "published", PostRow.deleted_at.is_null())
    rows = list(query.order_by(PostRow.published_at.desc(), PostRow.id.desc()).limit(10).tuples().execute(database))
    assert len(rows) == 10


def one_post(database: Any) -> None:
    query = PostRow.select().where(PostRow.slug == "post-77", PostRow.deleted_at.is_null())
    assert len(list(query.tuples().execute(database))) == 1


def search(database: Any) -> None:
    find = "SELECT rowid, bm25(post_search) AS rank FROM post_search WHERE post_search MATCH ? ORDER BY rank LIMIT 10"
    assert list(database.execute_sql(find, ('"word7" "word9"',)))


def opened(kind: Callable[..., Any], path: Path) -> Any:
    database = kind(str(path), pragmas=PRAGMAS)
    for statement in filter(str.strip, sqlite_script().split(";\n")):
        database.execute_sql(statement.replace("contentless_delete=1, ", ""))
    values = dict.fromkeys((name for name in AuthorRow._meta.fields if name != "id"), "x")
    AuthorRow.insert(**values).execute(database)
    return database


def measure(databases: list[Any], texts: list[str]) -> dict[str, list[float]]:
    """Microseconds of each database by kind of work: the best of rounds in which they take turns."""
    singles, batch = len(texts) * 10, 500
    kinds: list[tuple[str, int, Callable[[Any, int], None]]] = [
        ("insert a post, 500 a transaction", batch, lambda d, n: insert(d, n * batch, texts[:batch], batch)),
        ("insert a post, 1 a transaction (fsync)", 50, lambda d, n: insert(d, singles + n * 50, texts[:50], 1)),
        ("read ten posts with body", 200, lambda d, _: repeat(ten_posts, d, 200)),
        ("read one post by its slug", 500, lambda d, _: repeat(one_post, d, 500)),
        ("search two words", 200, lambda d, _: repeat(search, d, 200)),
    ]
    results = {}
    for name, times, work in kinds:
        taken = [[timed(work, database, number) / times * 1e6 for database in databases] for number in range(ROUNDS)]
        results[name] = [min(column) for column in zip(*taken, strict=True)]
    return results


def repeat(work: Callable[[Any], None], database: Any, times: int) -> None:
    for _ in range(times):
        work(database)


def timed(work: Callable[[Any, int], None], database: Any, number: int) -> float:
    started = time.perf_counter()
    work(database, number)
    return time.perf_counter() - started


def main() -> None:
    """Measure both and print the table."""
    rng = Random(1)
    texts = [body(rng) for _ in range(1000)]
    with TemporaryDirectory() as folder:
        kinds = (CySqliteDatabase, SqliteDatabase)
        databases = [opened(kind, Path(folder) / f"{number}.db") for number, kind in enumerate(kinds)]
        results = measure(databases, texts)
    versions = f"cysqlite with SQLite {cysqlite.sqlite_version}, sqlite3 with {sqlite3.sqlite_version}"  # type: ignore[attr-defined]
    print(f"{ROUNDS * 500} posts; {versions}\n{'microseconds':40}{'cysqlite':>10}{'sqlite3':>10}{'ratio':>8}")  # noqa: T201
    for name, (ours, theirs) in results.items():
        print(f"{name:40}{ours:10.0f}{theirs:10.0f}{theirs / ours:8.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
