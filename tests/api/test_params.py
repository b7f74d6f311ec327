"""Query parameters that no list of posts takes."""

import pytest

from sitecms.api.params import PARAMETERS, Params, read_params
from sitecms.content.locale import Locales
from sitecms.errors import InvalidRequest

LOCALES = Locales(("en", "es"), "en")


@pytest.mark.parametrize(
    ("text", "levels"), [("1", 1), ("5", 5), ("0", 1), ("-7", 1), ("99", 5), ("9" * 400, 5), ("", 2)]
)
def test_levels_are_limited_to_1_to_5(text: str, levels: int) -> None:
    """The default is 2 (API reference, Parameters)."""
    assert read_params({"levels": text}, ["levels"], LOCALES).levels == levels


@pytest.mark.parametrize("text", ["x", "1.5", "two", "0x2", "1e1"])
def test_levels_that_are_no_integer_are_refused(text: str) -> None:
    """The message is the one that published clients expect."""
    with pytest.raises(InvalidRequest) as refused:
        read_params({"levels": text}, ["levels"], LOCALES)
    assert str(refused.value) == "levels query parameter should be an integer between 1 and 5 (inclusive)"


def test_parameters_of_other_endpoints_are_ignored() -> None:
    """Their values are not even parsed."""
    assert read_params({"levels": "x", "locale": "xx"}, ["page"], LOCALES) == Params()


def test_every_declared_parameter_is_a_field_of_params() -> None:
    """The fields of Params are the declared parameters."""
    assert set(PARAMETERS) == set(Params.__struct_fields__) - {"given"}
