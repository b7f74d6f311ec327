"""Terms are distinct by name, each has a slug of its own, and any number of them is saved in a few statements."""

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import peewee
import pytest

from sitecms.content.former_addresses import FormerArchive
from sitecms.content.kinds import EntryKind
from sitecms.content.term import Term, TermKind
from sitecms.store.database import Database, Transaction
from sitecms.store.entries.entry_rows import version_ids
from sitecms.store.entries.former_archives import find_former_archives
from sitecms.store.entries.term_names import settle_new_terms, settle_terms
from sitecms.store.entries.terms import ensure_terms, find_terms, save_terms, set_terms, terms_of_versions

CATEGORY = TermKind.CATEGORY


def ensure(store: Database, *names: str | Term, kind: TermKind = CATEGORY) -> tuple[int, ...]:
    """The ids of terms of these names, which have their slugs then."""
    with store.writing() as transaction:
        ids = tuple(ensure_terms(transaction, kind, names))
        settle_new_terms(transaction)
    return ids


def save(store: Database, *terms: tuple[str, str]) -> None:
    """Save terms (slug, name) as a file does, twice: the second time nothing changes."""
    listed = [Term(CATEGORY, slug, name) for slug, name in terms]
    with store.writing() as transaction:
        assert save_terms(transaction, CATEGORY, listed)
        settle_terms(transaction, CATEGORY)
        assert not save_terms(transaction, CATEGORY, listed)


def stored(store: Database, kind: TermKind = CATEGORY) -> list[tuple[str, str]]:
    """(slug, name) of all terms, in order of creation."""
    return [(term.slug, term.name) for term in store.read(find_terms, kind)]


def test_signs_of_names_are_read(store: Database) -> None:
    """Whatever the order in which the terms are made; the kinds have slugs of their own."""
    names = ("C++", "C#", "C", "R&D", "RD", "A/B", "me@home", "Node.js")
    slugs = ["c-plus-plus", "c-sharp", "c", "r-and-d", "rd", "a-b", "me-at-home", "node-js"]
    assert len(set(ensure(store, *names))) == len(names)
    assert stored(store) == list(zip(slugs, names, strict=True))
    for name in reversed(names):
        ensure(store, name, kind=TermKind.TAG)
    assert stored(store, TermKind.TAG) == list(zip(slugs, names, strict=True))[::-1]
    assert ensure(store, "C", "C++") == ensure(store, " c ", "c++")


def test_the_name_that_is_spelt_like_the_slug_has_it(store: Database, make_post: Callable[..., int]) -> None:
    """The others have a suffix that is made of the name, in whatever order they are made."""
    for kind, names in ((CATEGORY, ("A'B", "AB", "A-B", "A/B")), (TermKind.TAG, ("A/B", "A-B", "AB", "A'B"))):
        for number, name in enumerate(names):
            make_post(f"{kind}-{number}", **{"categories" if kind is CATEGORY else "tags": (name,)})
        slugs = {"A'B": "ab-4f63", "AB": "ab", "A-B": "a-b", "A/B": "a-b-575a"}
        assert {name: slug for slug, name in stored(store, kind)} == slugs


def test_no_name_that_is_not_spelt_like_the_slug_has_it(store: Database, make_post: Callable[..., int]) -> None:
    """A name that comes later never takes over the address of another one."""
    make_post("first", tags=("A/B",))
    assert stored(store, TermKind.TAG) == [("a-b", "A/B")]
    make_post("second", tags=("A.B",))
    assert stored(store, TermKind.TAG) == [("a-b-575a", "A/B"), ("a-b-ee1c", "A.B")]
    assert store.read(find_former_archives) == (FormerArchive("tag", "a-b", "a-b-575a"),)


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
    """The one of its name if that is taken; a stored term keeps its own."""
    ensure(store, Term(CATEGORY, "cpp", "C++"), Term(CATEGORY, "cpp", "c++"))
    ensure(store, Term(CATEGORY, "cpp", "C plus plus"), Term(CATEGORY, "other", "C++"))
    assert stored(store) == [("cpp", "C++"), ("c-plus-plus", "C plus plus")]


def test_many_equal_slugs(store: Database) -> None:
    """Each of a hundred names gets a slug within 100 characters, also if shortening makes the names equal."""
    ensure(store, *("C" + "!" * number for number in range(100)))
    slugs = [slug for slug, _ in stored(store)]
    assert len({*slugs}) == 100
    assert {slug[:2] for slug in slugs} == {"c", "c-"}
    ensure(store, *("x" * 150 + str(number) for number in range(3)))
    assert [len(slug) for slug, _ in stored(store)][100:] == [100, 100, 100]


def test_a_file_gives_names_and_slugs(store: Database) -> None:
    """A known name takes the file's slug and spelling; a slug that another name has goes to the one in the file."""
    ids = ensure(store, "C", "C++", "Boats")
    save(store, ("cpp", "c++"), ("boats", "Ships"), ("", "C"), ("", "C#"))
    expected = {"C": "c", "c++": "cpp", "Boats": "boats-9342", "Ships": "boats", "C#": "c-sharp"}
    assert {name: slug for slug, name in stored(store)} == expected
    assert ensure(store, "C", "C++", "Boats") == ids


def test_a_file_swaps_slugs_of_terms(store: Database) -> None:
    """Posts keep the terms of the names that they gave."""
    ids = ensure(store, "Go", "Rust")
    save(store, ("rust", "Go"), ("go", "Rust"))
    assert stored(store) == [("rust", "Go"), ("go", "Rust")]
    assert ensure(store, "Go", "Rust") == ids


def test_a_term_that_a_file_no_longer_declares(store: Database) -> None:
    """Its slug follows from its name again, as if it had never been declared."""
    save(store, ("sea", "Ocean"), ("tides", "Tides"))
    save(store, ("tides", "Tides"))
    assert stored(store) == [("ocean", "Ocean"), ("tides", "Tides")]
    assert [term.name for term in store.read(find_terms, CATEGORY, as_listed=True)] == ["Tides", "Ocean"]


def test_a_file_gives_the_slug_of_one_of_its_terms_to_another(store: Database) -> None:
    """The term whose entry names no slug gets a suffix."""
    save(store, ("", "Night sky"))
    save(store, ("", "Night sky"), ("night-sky", "Stars"))
    assert stored(store) == [("night-sky-38c4", "Night sky"), ("night-sky", "Stars")]


def test_terms_of_a_post_keep_their_order(store: Database, make_post: Callable[..., int]) -> None:
    """Whatever the order of their ids."""
    post_id = make_post("a", categories=("Zulu", "Alpha", "Mike"))
    zulu, alpha, mike = ensure(store, "Zulu", "Alpha", "Mike")
    with store.writing() as transaction:
        (version_id,) = version_ids(transaction, EntryKind.POST, post_id)
        set_terms(transaction, version_id, {mike: "Mike", zulu: "ZULU", alpha: "Alpha"})
        found = terms_of_versions(transaction, (version_id,))[version_id]
        assert [*found.items()] == [(mike, "Mike"), (zulu, "ZULU"), (alpha, "Alpha")]
        set_terms(transaction, version_id, {})
        assert terms_of_versions(transaction, (version_id,)) == {}


def _counted(transaction: Transaction) -> list[str]:
    """Note every statement that the transaction carries out."""
    statements: list[str] = []

    def noting(method: Any) -> Any:
        def noted(statement: Any, *values: object) -> Any:
            statements.append(f"{method.__name__} {statement}")
            return method(statement, *values)

        return noted

    for name in ("sql", "sql_many", "rows", "run", "run_many", "insert_many"):
        setattr(transaction, name, noting(getattr(transaction, name)))
    return statements


@pytest.mark.parametrize(
    ("name_of", "many"), [(lambda n: f"Tag {n}", 3_000), (lambda n: "C" + "+" * (n % 20) + "#" * (n // 20), 300)]
)
def test_statements_do_not_grow_with_terms(
    store: Database, make_post: Callable[..., int], name_of: Callable[[int], str], many: int
) -> None:
    """Thousands of new terms take as many statements as three, and a few to find free slugs."""
    (version_id,) = store.read(version_ids, EntryKind.POST, make_post("a"))
    for count in (3, many):
        with store.writing() as transaction:
            statements = _counted(transaction)
            spelt = ensure_terms(transaction, TermKind.TAG, map(name_of, range(count)))
            set_terms(transaction, version_id, spelt)
            settle_new_terms(transaction)
            assert terms_of_versions(transaction, (version_id,)) == {version_id: spelt}
            assert len(spelt) == count
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
    assert stored(store) == [("c-plus-plus", "C++"), ("c-sharp", "C#")]


def test_the_store_refuses_two_terms_of_one_name(store: Database) -> None:
    """The unique index holds whatever the callers check."""
    rows = "('tag', 'x', '', 'x'), ('tag', 'y', '', 'x')"
    with pytest.raises(peewee.IntegrityError), store.writing() as transaction:
        transaction.sql(f"INSERT INTO term (kind, slug, name, name_key) VALUES {rows}")
