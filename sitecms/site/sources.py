"""Files of the site folder as the sources of what is built: where an entry or a text stands."""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from unicodedata import normalize
from urllib.parse import unquote

from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS
from sitecms.documents import Locate, Step, locator, nowhere, place_of
from sitecms.documents.folders import Listing
from sitecms.errors import FileError
from sitecms.site.plan.conflicts import REMEDY, LeftOut
from sitecms.store.site_state.loaded_files import LoadedFile

_ENDINGS = (".md", ".yaml", ".yml", ".toml", ".json", ".csv", ".html", ".xml", ".txt", ".css")
_FOLDERS = ("content", "data", "templates", "assets", "themes")
_BEFORE, _AFTER = r"(?<![\w./#?%-])", r"(?![\w/#?%-])"


def spellings(written: str, host: str, base_path: str) -> tuple[str, ...]:
    """Return the forms of an address that a file may contain: as in the page, readable, without host and base path.

    Pages have composed letters, files may have decomposed ones.
    """
    plain = written.removeprefix(host)
    forms = (written, plain, plain.removeprefix(base_path) if plain.startswith(f"{base_path}/") else plain)
    readable = tuple(map(unquote, forms))
    decomposed = (normalize("NFD", text) for text in readable)
    return tuple(dict.fromkeys(text for text in (*forms, *readable, *decomposed) if len(text) > 1))


class Sources:
    """Files of a site folder, and the entries that were loaded from them."""

    def __init__(self, folder: Path, loaded: Mapping[str, LoadedFile]) -> None:
        self._folder = folder
        self.loaded = loaded
        self._files = {pair: path for path, file in loaded.items() for pair in file.entries}
        self._locate = cache(self._locator)

    def of(self, entry: Entry) -> str:
        """Return the file from which the entry was loaded; "" if it has none."""
        path = self._files.get((entry.kind.value, entry.id), "")
        return path if path and (self._folder / path).is_file() else ""

    def place(self, entry: Entry) -> tuple[Step, ...]:
        """Return the place of an entry in its file: of one without a slug its number in the list."""
        kind = entry.kind
        file = None if KINDS[kind].has_slug else self.loaded.get(self.of(entry))
        return (file.entries.index((kind.value, entry.id)),) if file else ()

    def line(self, path: str, *steps: Step) -> int | None:
        """Return the line of a place in a file, or of the nearest mapping around it."""
        return self._locate(path)(steps) if path else None

    def line_of(self, entry: Entry, *steps: Step) -> int | None:
        """Return the line of a place in an entry, or of the nearest mapping around it; None without a file."""
        return self.line(self.of(entry), *self.place(entry), *steps)

    def naming(self, texts: Collection[str]) -> dict[str, list[tuple[str, int]]]:
        """Return file and line of each occurrence of these texts as a whole word, by text."""
        places: dict[str, list[tuple[str, int]]] = {}
        if not texts:
            return places
        alternatives = "|".join(map(re.escape, sorted(texts, key=lambda text: (-len(text), text))))
        pattern = re.compile(f"{_BEFORE}(?:{alternatives}){_AFTER}")
        for path in self._texts():
            text = path.read_text(encoding="utf-8", errors="replace")
            name, line, position = path.relative_to(self._folder).as_posix(), 1, 0
            for match in pattern.finditer(text):
                line, position = line + text.count("\n", position, match.start()), match.start()
                places.setdefault(match[0], []).append((name, line))
        return places

    def first_line(self, path: str, pattern: str) -> int | None:
        """Return the first line of a file that matches the pattern."""
        if not path:
            return None
        text = (self._folder / path).read_text(encoding="utf-8", errors="replace")
        match = re.search(pattern, text)
        return text.count("\n", 0, match.start()) + 1 if match else None

    def _texts(self) -> Iterator[Path]:
        listing = Listing(f"{self._folder}/")
        yield self._folder / "site.toml"
        for name in _FOLDERS:
            yield from (self._folder / path for path in listing.files(name) if path.endswith(_ENDINGS))

    def _locator(self, path: str) -> Locate:
        return locator(self._folder / path) if (self._folder / path).is_file() else nowhere

    def error_of(self, left_out: LeftOut) -> FileError:
        """Return the error of an entry or list that a site is planned without, with the files of both entries."""
        entry, problem = left_out.entry, left_out.problem
        if left_out.other is not None and (other := self.of(left_out.other)):
            problem = f"{problem} ({other})"
        remedy = REMEDY if left_out.number >= 0 else "correct it, or take it off the site"
        file = self.of(entry) if entry is not None else ""
        if entry is None or not file:
            return FileError("", f"the {left_out.shows}", f"{problem}, so it is left out", remedy)
        here = (*self.place(entry), "path" if entry.path else "slug")
        problem = f"the {left_out.shows} {problem}, so it is left out"
        return FileError(file, place_of(here), problem, remedy, self.line(file, *here))
