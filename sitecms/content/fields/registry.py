"""The registry of field types, by name."""

from sitecms.content.fields.field_type import FieldType
from sitecms.content.schema import FieldSpec
from sitecms.errors import ConfigurationError

_TYPES: dict[str, FieldType] = {}


def register(*types: FieldType) -> None:
    """Add field types. Raises ValueError where a name is taken."""
    for each in types:
        if each.name in _TYPES:
            raise ValueError(f"there is a field type {each.name} already")
        _TYPES[each.name] = each


def unregister(name: str) -> None:
    """Remove a field type."""
    del _TYPES[name]


def field_types() -> tuple[FieldType, ...]:
    """Return all field types, in the order of their registration."""
    return tuple(_TYPES.values())


def find_type(name: str) -> FieldType | None:
    """Return the field type of that name, if there is one."""
    return _TYPES.get(name)


def type_of(spec: FieldSpec) -> FieldType:
    """Return the type of a declared field. Raises ConfigurationError where no such type is registered."""
    try:
        return _TYPES[spec.type]
    except KeyError:
        raise ConfigurationError(
            f'The field "{spec.slug}" is of type "{spec.type}", which is not registered.'
        ) from None
