"""The order of names as people expect it: tag2 before tag10, Ärger beside Art; and their initial letters."""

import re
from collections.abc import Iterable
from itertools import groupby
from unicodedata import category, normalize

from sitecms.site.template_values import CountedLink, TermGroup

DIGITS = "0–9"
_NUMBER = re.compile(r"([0-9]+)")


def natural_key(name: str) -> tuple[object, ...]:
    """Return the sort key of a name: letters without case and accents first, numbers by their value."""
    parts: list[object] = []
    for number, part in enumerate(_NUMBER.split(_without_accents(name))):
        digits = part.lstrip("0")
        parts.append((len(digits), digits) if number % 2 else part)
    return (tuple(parts), name.casefold())


def by_initial(links: Iterable[CountedLink]) -> tuple[TermGroup, ...]:
    """Return links that are in natural order in groups by their initial letter; numbers come first, signs last."""
    ordered = sorted(links, key=lambda link: _rank(_initial(link.label)))
    return tuple(
        TermGroup(initial, tuple(group)) for initial, group in groupby(ordered, lambda link: _initial(link.label))
    )


def _initial(name: str) -> str:
    first = next((sign for sign in _without_accents(name) if category(sign)[0] in "LN"), "#")
    return DIGITS if first.isdigit() else first.upper()


def _rank(initial: str) -> tuple[int, str]:
    return (0 if initial == DIGITS else 2 if initial == "#" else 1, initial)


def _without_accents(name: str) -> str:
    decomposed = normalize("NFKD", name.casefold())
    return normalize("NFC", "".join(sign for sign in decomposed if category(sign) != "Mn"))
