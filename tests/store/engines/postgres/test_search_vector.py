"""The `tsvector` of a text: valid for the server whatever the text."""

from collections.abc import Iterator

import pytest

from sitecms.content.search_text import indexed_text
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.database import PostgresDatabase
from sitecms.store.engines.postgres.search_vector import MAX_BODY_BYTES, vector
from sitecms.store.opening import open_database
from sitecms.store.sql import Sql
from tests.support.postgres import Databases
from tests.support.reading import select

LENGTH = Sql(sqlite="", postgres="SELECT length(?::tsvector)")
MATCHES = Sql(sqlite="", postgres="SELECT ?::tsvector @@ matching(?)")


@pytest.fixture
def database(databases: Databases) -> Iterator[PostgresDatabase]:
    """Return a new store."""
    name = databases.take()
    opened = open_database(ServiceUrl(databases.server.url(name)), create=True)
    assert isinstance(opened, PostgresDatabase)
    yield opened
    opened.close()
    databases.give_back(name)


def test_title_and_body_have_separate_positions() -> None:
    """Title words have weight A, body words follow at position 501; punctuation only takes positions."""
    assert vector("low tide", "tide at four") == "'low':1A 'tide':2A,501 'at':502 'four':503"
    assert vector("it's", "a\\b 'c'") == "'it':1A 's':2A 'a':501 'b':502 'c':504"
    assert vector("", "\n \0") == ""


@pytest.mark.parametrize(
    "text",
    [
        "tide " * 200_000,
        "x" * 2_000_000,
        "\U00020000" * 3_000,
        " ".join(f"w{number:x}" for number in range(200_000)),
        "".join(chr(0x4E00 + number % 20_000) for number in range(300_000)),
        "\"'\\:*&|!<>()\t\r\n\x0b\0" * 50,
        " ".join(chr(code) for code in range(1, 0x2FFF) if not 0xD800 <= code < 0xE000),
    ],
    ids=["often", "long", "astral", "many", "unspaced", "signs", "all"],
)
def test_server_accepts_every_vector(database: PostgresDatabase, text: str) -> None:
    """Texts that exceed PostgreSQL's limits, and text of punctuation or rare characters, are accepted."""
    for title, body in (("", text), (text[:MAX_BODY_BYTES], "")):
        made = vector(indexed_text(title), indexed_text(body))
        assert select(database, LENGTH, made)[0][0] >= min(1, len(made))


def test_words_of_a_vector_are_found(database: PostgresDatabase) -> None:
    """Complete words match, and the last one as a prefix."""
    made = vector(indexed_text("Low Tide"), indexed_text("Ebb at four; the café closes 🌊 12e3x. 満ち引き"))
    with database.reading() as session:
        for wanted, is_found in (
            ('"tide"', True),
            ('"cafe" & "ebb"', True),
            ('"clo" *', True),
            ('"clo"', False),
            ('"ち引"', True),
            ('"🌊" & "12e3x"', True),
            ('"tide" "flood"', False),
        ):
            assert session.sql(MATCHES, made, wanted)[0][0] is is_found, wanted
