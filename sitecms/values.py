"""Dataclasses whose definition takes a quarter of the time: commands define up to 230 before they do anything.

The standard library writes and compiles up to six methods for each class. Here it makes `__init__` alone; comparison,
hash and representation come from functions that read the same fields. mypy refuses assignments to fields of frozen
dataclasses; at run time they are not refused, which makes objects in half of the time, too.
"""

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: TID251
else:

    def dataclass(*, frozen: bool = False, slots: bool = False, repr: bool = True) -> Callable[[type], type]:  # noqa: A002
        """Make a class a dataclass; the options are those of `dataclasses.dataclass` with the same names.

        Comparison, hash and representation that the class defines itself are replaced.
        """

        def complete(cls: type) -> type:
            made = dataclasses.dataclass(eq=False, repr=False, slots=slots)(cls)  # noqa: TID251
            fields = dataclasses.fields(made)
            compared = [field.name for field in fields if field.compare]
            hashed = [field.name for field in fields if (field.compare if field.hash is None else field.hash)]
            made.__eq__ = _comparison(_values(compared))
            made.__hash__ = _hash(_values(hashed)) if frozen else None
            if repr:
                made.__repr__ = _representation
            return made

        return complete


def _values(names: list[str]) -> Callable[[object], object]:
    return attrgetter(*names) if names else lambda _value: ()


def _comparison(values: Callable[[object], object]) -> Callable[[Any, object], bool]:
    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(values: Callable[[object], object]) -> Callable[[object], int]:
    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


@recursive_repr()
def _representation(value: Any) -> str:
    shown = (f"{field.name}={getattr(value, field.name)!r}" for field in dataclasses.fields(value) if field.repr)
    return f"{type(value).__qualname__}({', '.join(shown)})"
