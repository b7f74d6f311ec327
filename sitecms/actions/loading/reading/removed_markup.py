"""Notes about markup that was removed from the HTML and Markdown of a content file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sitecms.actions.loading.reading.files import ContentFile
from sitecms.content.text.removed_markup import Dropped

MAX_NOTES = 5


@dataclass(frozen=True, slots=True)
class RemovedMarkup:
    """Markup that was removed from the text at a place of a file; `line` is that of the place, where it is known."""

    place: str
    dropped: Dropped
    line: int | None = None


def removed_notes(file: ContentFile, found: Iterable[RemovedMarkup]) -> Iterator[str]:
    """Yield a note for each of the first MAX_NOTES kinds of removed markup, and one with the number of the others.

    Comments are left out: they are meant for readers of the file, where they stay.
    """
    removed = [each for each in found if not each.dropped.is_comment]
    lines = file.file.read_text(encoding="utf-8-sig").split("\n") if removed else []
    for each in removed[:MAX_NOTES]:
        line = _line_of(each.dropped.snippet, lines) or each.line
        where = f"{file.path}:{line}" if line else file.path
        times = f" ({each.dropped.count} times)" if each.dropped.count > 1 else ""
        yield f"{where} {each.place}: {each.dropped.message}{times} {each.dropped.snippet}"
    if (rest := len(removed) - MAX_NOTES) > 0:
        yield f"{file.path}: {rest} more kinds of markup were removed."


def _line_of(snippet: str, lines: list[str]) -> int | None:
    """Return the number of the first line that holds the snippet."""
    text = snippet.removesuffix("…")
    return next((number for number, line in enumerate(lines, 1) if text in line), None)
