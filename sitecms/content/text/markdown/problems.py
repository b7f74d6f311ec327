"""Errors and warnings in a Markdown text, with their lines."""

from collections.abc import Callable, MutableMapping
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from markdown_it.token import Token

REPORT_PROBLEM = "report_problem"
LINE_OFFSET = "line_offset"
"""Number of lines before a text that is part of another one."""


class Problem(Struct, frozen=True):
    """Something in a text that cannot be meant: its line in the text, counted from 1, the problem, and the remedy.

    A warning (`is_error` False) leaves the text as it is written.
    """

    line: int
    message: str
    remedy: str = ""
    is_error: bool = True


ReportProblem: TypeAlias = Callable[[Problem], None]


def with_problems(env: MutableMapping[str, Any], report: ReportProblem | None) -> None:
    """Let the rules of the parser report their problems."""
    if report is not None:
        env[REPORT_PROBLEM] = report


def report_problem(
    env: MutableMapping[str, Any], line: int, message: str, remedy: str = "", *, is_error: bool = True
) -> None:
    """Report a problem at a line counted from 0, as the parser counts."""
    report = env.get(REPORT_PROBLEM)
    if report is not None:
        report(Problem(line + 1 + env.get(LINE_OFFSET, 0), message, remedy, is_error))


def line_within(token: "Token", text: str) -> int:
    """Return the line of a text within a block, counted from 0; 0 for a text that is not in it as it is."""
    return token.content.count("\n", 0, max(0, token.content.find(text)))
