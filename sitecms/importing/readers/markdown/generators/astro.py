"""Sites of Astro, Starlight included."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from functools import cached_property

from sitecms.importing.readers.markdown.document import Document
from sitecms.importing.readers.markdown.generators.generator import is_text, joined
from sitecms.importing.readers.markdown.generators.plain import Plain
from sitecms.importing.records import StaticFile
from sitecms.importing.source import Source, SourceFile

_GLOB = re.compile(r"\bglob\(\s*\{([^}]*)\}")
_LITERAL = re.compile(r"\b(pattern|base)\s*:\s*[\"'`]([^\"'`\n]*)[\"'`]")
_SCRIPTS = ("ts", "mjs", "js", "mts")
_PUBLIC = re.compile(r"\bpublicDir\s*:\s*[\"'`](?:\./)?([\w./-]+)[\"'`]")
_LETTERS = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})
_COLLECTIONS = ("src/content/", "src/data/", "src/", "content/")
"""Folders of collections: the usual ones, and what configurations name beside `src`."""


class Astro(Plain):
    """A site of Astro, Starlight included."""

    name = "Astro"
    dialects = frozenset({"mdx", "directives"})
    has_meta = False

    @classmethod
    def recognises(cls, names: frozenset[str], source: Source, root: str) -> bool:
        """Return whether there is a configuration of Astro."""
        return any(name.startswith("astro.config.") for name in names)

    def _inner(self, path: str) -> str:
        """Return the path by which an address is made: that in the collection, the collection's route before it."""
        if path.startswith("src/pages/"):
            return path.removeprefix("src/pages/")
        for folder in _COLLECTIONS:
            if path.startswith(folder):
                collection, _, rest = path.removeprefix(folder).partition("/")
                return f"{self._route(collection)}{rest}" if rest else ""
        return ""

    def _route(self, collection: str) -> str:
        """Return the part of addresses before the names of a collection, by the files of `src/pages`."""
        pages = [path.removeprefix("src/pages/") for path in self.files if path.startswith("src/pages/")]
        dynamic = [path.rpartition("/")[0] for path in pages if path.rpartition("/")[2].startswith("[")]
        if collection in dynamic:
            return f"{collection}/"
        if collection == "docs" or ("" in dynamic and len(set(dynamic)) == 1):
            return ""
        return f"{collection}/"

    def documents(self) -> Iterator[tuple[str, SourceFile]]:
        """Yield the Markdown files of collections and of `src/pages`."""
        for path, file in self.files.items():
            if self.skip_other(path, file) or not is_text(path) or not self._inner(path):
                continue
            if not path.rpartition("/")[2].startswith("_") or path.startswith(self._read_whole):
                yield path, file

    @cached_property
    def _read_whole(self) -> tuple[str, ...]:
        """The folders of collections whose pattern does not leave out names that begin with `_`."""
        configs = (f"src/{name}.{suffix}" for name in ("content.config", "content/config") for suffix in _SCRIPTS)
        text = "".join(self.files[name].text() for name in configs if name in self.files)
        tables = (dict(_LITERAL.findall(match[1])) for match in _GLOB.finditer(text))
        whole = (table.get("base", "") for table in tables if "_" not in table.get("pattern", "_"))
        return tuple(f"{base.removeprefix('./').strip('/')}/" for base in whole if base.strip("./"))

    def address(self, document: Document, parts: list[str], date: datetime | None) -> str:
        """Return the address: `slug`, or the path of the file in lower case."""
        given = document.text("slug")
        if given and not document.path.startswith("src/pages/"):
            folder = next((each for each in _COLLECTIONS if document.path.startswith(each)), "")
            collection, _, rest = document.path.removeprefix(folder).partition("/")
            collection = collection if rest else ""
            return joined(self._route(collection), given, "/")
        if document.path.startswith("src/pages/"):
            return joined(*parts, "/")
        return joined(*(_astro_slug(part) for part in parts), "/")

    def served(self) -> Iterator[tuple[str, str]]:
        """Yield the files of `public/`."""
        yield from self.served_below(self._public_folder)

    def static(self) -> Iterator[StaticFile]:
        """Yield the files of `public/`."""
        yield from self.static_below(self._public_folder)

    @cached_property
    def _public_folder(self) -> str:
        """The folder that is copied as it is, which is a literal in most configurations that name another one."""
        for path, file in self.files.items():
            if path.startswith("astro.config."):
                match = _PUBLIC.search(file.beginning().decode("utf-8", "replace"))
                return f"{match[1].strip('/')}/" if match else "public/"
        return "public/"


def _astro_slug(part: str) -> str:
    plain = "".join(sign for sign in part.lower() if sign in "-_ " or unicodedata.category(sign) in _LETTERS)
    return plain.replace(" ", "-")
