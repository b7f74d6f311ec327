"""Comparison of what a file says with what it is to say, for changes in place."""

import json
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

NAMES = ("id", "slug", "key", "file", "type", "email")  # by which the entry of a list is recognised after a change


class CannotRewrite(Exception):
    """A text that cannot be changed without changing more than what was asked for. The message says why."""


def is_same(one: object, other: object) -> bool:
    """Return whether two values are the same, whatever the order of their keys; 1, 1.0 and true are not."""
    return signature(one) == signature(other)


def signature(value: object) -> str:
    """Return a text that is the same for values that are."""
    return json.dumps(value, sort_keys=True)


def _identity(value: object) -> str:
    """Return what an entry of a list is recognised by."""
    if isinstance(value, dict):
        name = next((key for key in NAMES if isinstance(value.get(key), str | int)), None)
        if name is not None:
            return f"{name} {value[name]}"
    return signature(value)


class Comparison(NamedTuple):
    """The positions of a list that stay, with the new ones; those that go; and new ones with the old one before."""

    pairs: list[tuple[int, int]]
    gone: list[int]
    added: list[tuple[int | None, int]]


def compare_lists(old_entries: Sequence[object], new_entries: Sequence[object]) -> Comparison:
    """Compare two lists; an entry in the place of another one counts as the same one, changed."""
    old, new = [_identity(each) for each in old_entries], [_identity(each) for each in new_entries]
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    comparison = Comparison([(at, at) for at in range(start)], [], [])
    previous = start - 1 if start else None
    matcher = SequenceMatcher(None, old[start : len(old) - end], new[start : len(new) - end], autojunk=False)
    for tag, *bounds in matcher.get_opcodes():
        first, last, new_first, new_last = (bound + start for bound in bounds)
        common = min(last - first, new_last - new_first) if tag in ("equal", "replace") else 0
        comparison.pairs.extend((first + step, new_first + step) for step in range(common))
        previous = first + common - 1 if common else previous
        comparison.gone.extend(range(first + common, last))
        comparison.added.extend((previous, position) for position in range(new_first + common, new_last))
    comparison.pairs.extend((len(old) - at, len(new) - at) for at in range(end, 0, -1))
    return comparison


def apply_changes(written: Any, old: Any, new: Any) -> Any:
    """Return what is written, changed where `new` differs from `old`, which says the same in another form.

    Tables and lists are compared value by value, so that what did not change stays as it is written.
    """
    if is_same(old, new):
        return written
    if isinstance(written, dict) and isinstance(old, dict) and isinstance(new, dict):
        kept = {key: value for key, value in written.items() if key in new or key not in old}
        return kept | {
            key: apply_changes(kept[key], old.get(key), value) if key in kept else value
            for key, value in new.items()
            if key not in old or not is_same(old[key], value)
        }
    if isinstance(written, list) and isinstance(old, list) and isinstance(new, list) and len(written) == len(old):
        pairs = {after: before for before, after in compare_lists(old, new).pairs}
        return [
            apply_changes(written[pairs[at]], old[pairs[at]], value) if at in pairs else value
            for at, value in enumerate(new)
        ]
    return new
