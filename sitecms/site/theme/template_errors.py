"""Errors of templates as a build reports them: one for each place, however many pages fail."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_PLACE = re.compile(r"(?P<file>[^:\n]+\.(?:html|xml|txt|json)):(?P<line>\d+): ")


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """Error of a template; `file` is "" and `line` None without a place; `paths` are the failed outputs."""

    file: str
    line: int | None
    what: str
    paths: tuple[str, ...]


def template_errors(failed: Mapping[str, str], tell: Callable[[str], str]) -> tuple[TemplateProblem, ...]:
    """Group `Report.failed` by error; `tell` translates file names for people."""
    by_error: dict[str, dict[str, str]] = {}
    for path, error in failed.items():
        told = tell(error)
        by_error.setdefault(told.rpartition(" (in the ")[0] or told, {})[path] = told
    return tuple(_error(error, paths) for error, paths in by_error.items())


def _error(error: str, paths: Mapping[str, str]) -> TemplateProblem:
    """Name the entry in the message if only one page failed."""
    text = error if len(paths) > 1 else next(iter(paths.values()))
    place = _PLACE.match(text)
    if place is None:
        return TemplateProblem("", None, text, tuple(paths))
    return TemplateProblem(place["file"], int(place["line"]), text[place.end() :], tuple(paths))
