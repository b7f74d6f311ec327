"""Terms are distinct by name, each has a slug of its own, and any number of them is saved in a few statements."""

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import peewee
import pytest

from sitecms.content.term import Term, TermKind
from sitecms.store.database import Database, Transaction
from sitecms.store.entries.terms import ensure_terms, find_terms, save_terms, set_terms, term_ids_of

CATEGORY = TermKind.CATEGORY


def ensure(store: Database, *names: str | Term, kind: TermKind = CATEGORY) -> tuple[int, ...]:
    """The ids of terms of these names."""
    with store.writing() as transaction:
        return ensure_terms(transaction, kind, names)


def save(store: Database, *terms: tuple[str, str]) -> list[tuple[str, str, str]]:
    """Save terms (slug, name) as a file does; (name, old slug, new slug) of those that had to give up theirs."""
    with store.writing() as transaction:
        saved = save_terms(transaction, CATEGORY, [Term(CATEGORY, slug, name) for slug, name in terms])
        assert not save_terms(transaction, CATEGORY, [Term(CATEGORY, slug, name) for slug, name in terms]).is_changed
    assert saved.is_changed
    return [(term.name, term.slug, new_slug) for term, new_slug in saved.moved]


def stored(store: Database, kind: TermKind = CATEGORY) -> list[tuple[str, str]]:
    """(slug, name) of all terms, in order of creation."""
    with store.reading() as session:
        return [(term.slug, term.name) for term in find_terms(session, kind)]


def test_names_with_one_slug_are_several_terms(store: Database) -> None:
    """The slugs are numbered in the given order; the kinds have slugs of their own."""
    assert len(set(ensure(store, "C++", "C#", "C"))) == 3
    assert stored(store) == [("c", "C++"), ("c-2", "C#"), ("c-3", "C")]
    ensure(store, "C", kind=TermKind.TAG)
    assert stored(store, TermKind.TAG) == [("c", "C")]
    assert ensure(store, "C", "C++") == ensure(store, " c ", "c++")


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ("Night sky", " NIGHT SKY ", True),
        ("caf\u00e9", "cafe\u0301", True),  # composed and decomposed
        ("\u00c5", "\u212b", True),  # letter and unit sign, which Unicode calls the same
        ("\u03a3\u03cc\u03bb", "\u03c3\u03cc\u03bb", True),
        ("Night sky", "night-sky", False),
        ("Night sky", "Night  sky", False),
        ("m2", "m\u00b2", False),
        ("Masse", "Ma\u00dfe", False),
        ("cafe", "caf\u00e9", False),
    ],
)
def test_names_are_compared_without_case_and_outer_spaces(
    store: Database, first: str, second: str, is_one: bool
) -> None:
    """Canonical Unicode form does not count either; the first spelling stays."""
    ids = ensure(store, first, second)
    assert len(ids) == (1 if is_one else 2)
    assert ensure(store, second) == ids[-1:]
    assert stored(store)[0][1] == first


def test_a_new_term_takes_the_given_slug(store: Database) -> None:
    """The next free one if it is taken; a stored term keeps its own."""
    ensure(store, Term(CATEGORY, "cpp", "C++"), Term(CATEGORY, "cpp", "C plus plus"), Term(CATEGORY, "cpp", "c++"))
    ensure(store, Term(CATEGORY, "other", "C++"))
    assert stored(store) == [("cpp", "C++"), ("cpp-2", "C plus plus")]


def test_many_equal_slugs_are_numbered(store: Database) -> None:
    """Each of a hundred names gets a slug within 100 characters, also if shortening makes the names equal."""
    ensure(store, *("C" + "+" * number for number in range(100)))
    assert [slug for slug, _ in stored(store)] == ["c", *(f"c-{number}" for number in range(2, 101))]
    ensure(store, *("x" * 150 + str(number) for number in range(3)))
    assert [slug for slug, _ in stored(store)][100:] == ["x" * 100, "x" * 98 + "-2", "x" * 98 + "-3"]


def test_a_file_gives_names_and_slugs(store: Database) -> None:
    """A known name takes the file's slug and spelling, a known slug its name; without a slug the term keeps its own."""
    ids = ensure(store, "C", "C++", "Boats")
    assert save(store, ("cpp", "c++"), ("boats", "Ships"), ("", "C"), ("", "C#"), ("go", "Go")) == []
    assert stored(store) == [("c", "C"), ("cpp", "c++"), ("boats", "Ships"), ("go", "Go"), ("c-2", "C#")]
    assert ensure(store, "C", "C++", "Ships") == ids


def test_a_file_swaps_slugs_of_terms(store: Database) -> None:
    """Posts keep the terms of the names that they gave."""
    ids = ensure(store, "C", "C++")
    assert save(store, ("c-2", "C"), ("c", "C++")) == []
    assert stored(store) == [("c-2", "C"), ("c", "C++")]
    assert ensure(store, "C", "C++") == ids


def test_a_slug_that_a_file_gives_to_another_term(store: Database) -> None:
    """The term that had it stays, under the next free slug, and is reported."""
    ensure(store, "C", "C++")
    assert save(store, ("c", "C++")) == [("C", "c", "c-2")]
    assert stored(store) == [("c-2", "C"), ("c", "C++")]


def test_a_file_gives_the_slug_of_one_of_its_terms_to_another(store: Database) -> None:
    """The term whose entry names no slug takes the next free one, and is reported."""
    save(store, ("", "Night sky"))
    assert save(store, ("", "Night sky"), ("night-sky", "Stars")) == [("Night sky", "night-sky", "night-sky-2")]
    assert stored(store) == [("night-sky-2", "Night sky"), ("night-sky", "Stars")]


def test_terms_of_a_post_keep_their_order(store: Database, make_post: Callable[..., int]) -> None:
    """Whatever the order of their ids."""
    post_id = make_post("a", categories=("Zulu", "Alpha", "Mike"))
    zulu, alpha, mike = ensure(store, "Zulu", "Alpha", "Mike")
    with store.writing() as transaction:
        set_terms(transaction, post_id, [mike, zulu, alpha, zulu])
        assert term_ids_of(transaction, post_id) == [mike, zulu, alpha]
        set_terms(transaction, post_id, [])
        assert term_ids_of(transaction, post_id) == []


def _counted(transaction: Transaction) -> list[str]:
    """Note every statement that the transaction carries out."""
    statements: list[str] = []
    inner: Any = transaction.sql

    def sql(statement: Any, *values: object) -> Any:
        statements.append(str(statement))
        return inner(statement, *values)

    transaction.sql = sql  # type: ignore[method-assign]
    return statements


@pytest.mark.parametrize(
    ("name_of", "many"), [(lambda n: f"Tag {n}", 3_000), (lambda n: "C" + "+" * (n % 20) + "#" * (n // 20), 300)]
)
def test_statements_do_not_grow_with_terms(
    store: Database, make_post: Callable[..., int], name_of: Callable[[int], str], many: int
) -> None:
    """Thousands of new terms take as many statements as three, and a few to find free slugs."""
    post_id = make_post("a")
    for count in (3, many):
        with store.writing() as transaction:
            statements = _counted(transaction)
            ids = ensure_terms(transaction, TermKind.TAG, map(name_of, range(count)))
            set_terms(transaction, post_id, ids)
            assert term_ids_of(transaction, post_id) == list(ids)
            assert len(ids) == count
        assert len(statements) <= 16, statements


def test_concurrent_writers_create_a_term_once(store: Database) -> None:
    """Eight threads that ensure the same new names get the same terms."""
    barrier, results = Barrier(8), []

    def run() -> None:
        barrier.wait(30)
        results.append(ensure(store, "C++", "C#"))

    threads = [Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == 8
    assert len(set(results)) == 1
    assert stored(store) == [("c", "C++"), ("c-2", "C#")]


def test_the_store_refuses_two_terms_of_one_name(store: Database) -> None:
    """The unique index holds whatever the callers check."""
    rows = "('tag', 'x', '', 'x'), ('tag', 'y', '', 'x')"
    with pytest.raises(peewee.IntegrityError), store.writing() as transaction:
        transaction.sql(f"INSERT INTO term (kind, slug, name, name_key) VALUES {rows}")
