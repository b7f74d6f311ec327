"""Parameters that no list of posts takes, read from the same table."""

import pytest

from sitecms.api.params import PARAMETERS, Params, read_params
from sitecms.content.locale import Locales
from sitecms.errors import InvalidRequest

LOCALES = Locales(("en", "es"), "en")


@pytest.mark.parametrize(
    ("text", "levels"), [("1", 1), ("5", 5), ("0", 1), ("-7", 1), ("99", 5), ("9" * 400, 5), ("", 2)]
)
def test_levels_are_capped(text: str, levels: int) -> None:
    """1 to 5; beyond is the nearest of them; 2 where nothing is said (specification, Common read parameters)."""
    assert read_params({"levels": text}, ["levels"], LOCALES).levels == levels


@pytest.mark.parametrize("text", ["x", "1.5", "two", "0x2", "1e1"])
def test_levels_that_are_no_integer_are_refused(text: str) -> None:
    """With the message the published clients know."""
    with pytest.raises(InvalidRequest) as refused:
        read_params({"levels": text}, ["levels"], LOCALES)
    assert str(refused.value) == "levels query parameter should be an integer between 1 and 5 (inclusive)"


def test_a_parameter_an_endpoint_does_not_take_is_not_even_read() -> None:
    """Unknown means unknown to the endpoint."""
    assert read_params({"levels": "x", "locale": "xx"}, ["page"], LOCALES) == Params()


def test_the_table_and_the_values_agree() -> None:
    """Every declared parameter has its place among the values, and the other way round."""
    assert set(PARAMETERS) == set(Params.__dataclass_fields__) - {"given"}
