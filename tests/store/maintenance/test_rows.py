"""Both engines return rows unchanged, in the same order, and with the same digests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitecms.settings.service_url import ServiceUrl
from sitecms.store.database import Database
from sitecms.store.maintenance.rows import Row, put_rows, row_chunks, table_sum
from sitecms.store.opening import open_database
from sitecms.store.schema.columns import CONTENT_TABLES, TableColumns
from tests.support.postgres import Databases

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
NUMBERS = st.integers(-(2**63), 2**63 - 1)
ARCHIVES = st.tuples(st.sampled_from(["category", "tag"]), TEXTS, NUMBERS)
_SIDES = (st.none() | NUMBERS, st.none() | NUMBERS)
_DETAILS = (TEXTS, NUMBERS, NUMBERS, NUMBERS, TEXTS, NUMBERS, TEXTS)
MEDIA = st.tuples(TEXTS, TEXTS, TEXTS, NUMBERS, *_SIDES, NUMBERS, *_DETAILS)
FILES = st.tuples(TEXTS, TEXTS, TEXTS, TEXTS, TEXTS, NUMBERS, TEXTS, TEXTS)
OPTIONAL = st.none() | NUMBERS
KIND = st.sampled_from(["post", "page", "item"])
ADDRESSES = st.sampled_from(["{}", '{"paths": {"en": "/Tide/", "es": "/Tide/"}}'])  # triggers read them
OF_FILES = (TEXTS, st.none() | TEXTS, TEXTS, TEXTS, ADDRESSES, NUMBERS, TEXTS, NUMBERS)
ENTRIES = st.tuples(KIND, NUMBERS, *OF_FILES, OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL, st.none())


class Undone(Exception):
    """Signal to roll back the rows of an example."""


@pytest.fixture(scope="module")
def pair(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Database]]:
    """Return an empty store of each engine."""
    name = databases.take()
    path = Path(tmp_path_factory.mktemp("rows")) / ".sitecms" / "store.db"
    made = open_database(path, create=True), open_database(ServiceUrl(databases.server.url(name)))
    yield made
    for database in made:
        database.close()
    databases.give_back(name)


def kept(database: Database, shape: TableColumns, rows: list[Row]) -> tuple[list[Row], object]:
    """Return the rows as they are read back, and their digest; roll back."""
    found: list[Row] = []
    sums = []
    with pytest.raises(Undone), database.writing() as transaction:  # noqa: PT012
        put_rows(transaction, shape, rows)
        found += [row for chunk in row_chunks(transaction, shape) for row in chunk]
        sums.append(table_sum(transaction, shape))
        raise Undone
    return found, sums


def of(name: str) -> TableColumns:
    return next(shape for shape in CONTENT_TABLES if shape.name == name)


@given(
    former=st.lists(ARCHIVES, unique_by=lambda row: row[:2], max_size=50),
    media=st.lists(MEDIA, unique_by=lambda row: row[0], max_size=50),
    files=st.lists(FILES, unique_by=lambda row: row[0], max_size=30),
    entries=st.lists(ENTRIES, unique_by=(lambda row: row[:2], lambda row: (row[0], *row[2:4])), max_size=30),
)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_engines_store_and_order_rows_alike(
    pair: tuple[Database, Database], former: list[Row], media: list[Row], files: list[Row], entries: list[Row]
) -> None:
    """Rows have any text but NUL, any number and keys of several columns, and exceed one statement."""
    for name, rows in (("former_archive", former), ("media_file", media), ("loaded_file", files), ("entry", entries)):
        here, there = (kept(database, of(name), rows) for database in pair)
        assert here == there
        assert set(here[0]) == set(rows)


@pytest.mark.parametrize("count", [0, 1, 19, 20, 21, 199, 200, 201, 400, 401])
def test_no_row_is_lost_between_chunks(pair: tuple[Database, Database], count: int) -> None:
    """Chunks end at any row, with a key of several columns."""
    rows: list[Row] = [(f"p{number % 3}", f"s{number:04}", number) for number in range(count)]
    for database in pair:
        assert kept(database, of("former_archive"), rows)[0] == sorted(rows)
