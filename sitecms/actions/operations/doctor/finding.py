"""What an examination finds."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """A fault keeps something from working; a warning will, or weakens it."""

    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Examined:
    """One thing looked at: what was seen and, if it is not in order, what helps."""

    name: str
    outcome: Outcome
    what: str
    remedy: str = ""


def ok(name: str, what: str) -> Examined:
    """In order."""
    return Examined(name, Outcome.OK, what)


def warning(name: str, what: str, remedy: str) -> Examined:
    """Works, and should be seen to."""
    return Examined(name, Outcome.WARNING, what, remedy)


def fault(name: str, what: str, remedy: str) -> Examined:
    """Does not work, or loses content."""
    return Examined(name, Outcome.FAULT, what, remedy)
