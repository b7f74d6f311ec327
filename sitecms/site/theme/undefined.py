"""Error message for an undefined name in a template, with the nearest known name."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass

from jinja2 import StrictUndefined
from jinja2.utils import missing

from sitecms.documents import nearest


class Missing(StrictUndefined):
    """Undefined value that fails on any use, like StrictUndefined, with a message for authors of templates."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        name, owner = self._undefined_name, self._undefined_obj
        if self._undefined_hint:
            return self._undefined_hint
        if owner is missing:
            return f"{name} is not defined here"
        if not isinstance(name, str):
            return _without(name, owner)
        meant = nearest(name, _names(owner))
        return _without(name, owner) + (f'; did you mean "{meant}"?' if meant else "")


def _without(name: object, owner: object) -> str:
    """Describe the missing attribute: fields of content are in mappings, variables of the theme in views."""
    if owner is None:
        return f'nothing is there to have "{name}": it is none'
    return f'{"a mapping" if isinstance(owner, Mapping) else type(owner).__name__} has no "{name}"'


def _names(owner: object) -> Iterable[str]:
    if is_dataclass(owner):
        return [field.name for field in fields(owner) if not field.name.startswith("_")]
    return [key for key in owner if isinstance(key, str)] if isinstance(owner, Mapping) else []
