"""Ids of the HTML texts of one page: each text keeps its own, so that none stands twice."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from markupsafe import Markup

from sitecms.site.template_values import ComponentView, EntryView
from sitecms.site.theme.environment import numbered_ids


def apart(fields: dict[str, object]) -> tuple[dict[str, object], int]:
    """The fields of a page with the ids of their HTML kept apart, and how many of the texts have any.

    The first text keeps its ids as they are. Texts in Markdown are numbered on from there when they are rendered.
    """
    numbers = count(1)
    made: dict[str, object] = _apart(fields, numbers)
    return made, next(numbers) - 1


def _apart(value: Any, numbers: Iterator[int]) -> Any:
    if isinstance(value, Markup):
        return Markup(numbered_ids(value, next(numbers))) if ' id="' in value else value  # noqa: S704  # sanitised
    if isinstance(value, dict):
        return {name: _apart(held, numbers) for name, held in value.items()}
    if isinstance(value, tuple):
        return tuple(_apart(held, numbers) for held in value)
    if isinstance(value, ComponentView | EntryView):
        return replace(value, fields=_apart(value.fields, numbers))
    return value
