"""Dataclasses of sitecms behave as those of the standard library do."""

import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import field, fields, replace
from typing import Any

import orjson
import pytest

from sitecms import values

Make = Callable[[], Any]


@values.dataclass(frozen=True, slots=True)
class Place:
    """Value with all kinds of fields."""

    town: str
    street: str = field(repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    names: dict[str, str] = field(default_factory=dict, hash=False)


@dataclasses.dataclass(frozen=True, slots=True)
class StandardPlace:
    """The same by the standard library."""

    town: str
    street: str = field(repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    names: dict[str, str] = field(default_factory=dict, hash=False)


@values.dataclass(frozen=True, slots=True)
class Nothing:
    """Value without fields."""


@values.dataclass(slots=True)
class Counter:
    """Value that changes."""

    count: int = 0


@values.dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """Value with a representation of its own."""

    text: str

    def __repr__(self) -> str:
        return "Secret(...)"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {}),
        ({}, {"town": "b"}),
        ({}, {"street": "b"}),
        ({}, {"notes": ("b",)}),
        ({}, {"names": {"b": "c"}}),
    ],
)
def test_fields_decide_what_is_equal(one: dict[str, Any], other: dict[str, Any]) -> None:
    """The same fields as of the standard library, in comparison and hash."""
    start = {"town": "a", "street": "a"}
    pair, standard = ([kind(**{**start, **it}) for it in (one, other)] for kind in (Place, StandardPlace))
    assert (pair[0] == pair[1]) is (standard[0] == standard[1])
    assert (hash(pair[0]) == hash(pair[1])) is (hash(standard[0]) == hash(standard[1]))


def test_values_of_other_classes_are_not_equal() -> None:
    """Even where the fields are."""
    others: list[object] = [StandardPlace("a", "b"), ("a", "b")]
    assert Place("a", "b") not in others
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())


def test_a_value_shows_its_fields() -> None:
    """Secrets do not show what they hold."""
    assert repr(Place("a", "b", ("c",))) == "Place(town='a', notes=('c',), names={})"
    assert repr(StandardPlace("a", "b", ("c",))) == f"Standard{Place('a', 'b', ('c',))}"
    assert repr(Secret("a")) == "Secret(...)"


def test_the_standard_library_knows_them_as_dataclasses() -> None:
    """They can be copied with changes, sent to other processes, and written as JSON."""
    place = Place("a", "b", names={"c": "d"})
    assert replace(place, town="z") == Place("z", "b", names={"c": "d"})
    assert pickle.loads(pickle.dumps(place)) == place
    assert orjson.dumps(place) == orjson.dumps(dataclasses.asdict(place))
    assert [each.name for each in fields(place)] == ["town", "street", "notes", "names"]
    assert Place.__match_args__ == StandardPlace.__match_args__


def test_values_have_no_room_for_other_attributes() -> None:
    """Slots find misspelt names."""
    with pytest.raises(AttributeError):
        Place("a", "b").twon = "c"  # type: ignore[attr-defined]


def test_a_value_that_changes_is_no_key() -> None:
    """Its hash would change with it."""
    counter = Counter()
    counter.count += 1
    assert counter == Counter(1)
    with pytest.raises(TypeError):
        hash(counter)
