"""The order of texts and other values of fields."""

import random

from hypothesis import given
from hypothesis import strategies as st

from sitecms.content.field_path import sort_key
from sitecms.content.field_value import FieldValue

IN_ORDER: tuple[FieldValue, ...] = (
    None, -2.5, False, 0.5, True, 3, "", " a", "_", "-1", "“quoted”", "1", "10", "9", "a", "Æbler", "ale", "Ärger",
    "ÄRGER 2", "argument", "Łódź", "log", "Øl", "old", "straße", "strasser", "zebra", "Zed", "ωμέγα", "Яблоко", "日本",
)  # fmt: skip


def test_values_are_sorted_as_people_expect() -> None:
    """Unset, numbers, then text: signs, digits, letters of any alphabet, marks and case aside."""
    mixed = list(IN_ORDER)
    random.Random(7).shuffle(mixed)
    assert sorted(mixed, key=sort_key) == list(IN_ORDER)


def test_case_is_ignored_and_marks_count_last() -> None:
    """Texts that differ in case only are equal; of texts with equal letters, those without marks come first."""
    assert sort_key("ÄRGER") == sort_key("ärger")
    assert sort_key("arger") < sort_key("Ärger") < sort_key("argerx")


@given(st.lists(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text()))
def test_any_values_can_be_sorted(values: list[FieldValue]) -> None:
    """Sort keys of any two values can be compared."""
    assert sorted(map(sort_key, values)) == sorted(map(sort_key, reversed(values)))
