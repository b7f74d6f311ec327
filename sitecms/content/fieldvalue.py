"""The values fields may hold, as JSON has them."""

from collections.abc import Mapping
from typing import TypeAlias

FieldValue: TypeAlias = "str | int | float | bool | list[FieldValue] | dict[str, FieldValue] | None"
Fields: TypeAlias = Mapping[str, FieldValue]
