"""Stream parser for XML of any size, with repairs; DOCTYPE and entity declarations are refused."""

from collections.abc import Callable, Iterator
from typing import BinaryIO
from xml.parsers import expat

from msgspec import Struct, field

from sitecms.errors import InvalidRequest
from sitecms.importing.formats.xml_repair import OnRepair, XmlRepair
from sitecms.importing.source import BROKEN

_CHUNK_BYTES = 256 * 1024
_MAX_TEXT = 64 * 1024 * 1024
_MAX_DEPTH = 200


class XmlElement(Struct):
    """An element: `name` with its prefix as the file has it, or the usual prefix of its namespace."""

    name: str
    attrs: dict[str, str]
    line: int
    text: str = ""
    children: "list[XmlElement]" = field(default_factory=list)

    def child(self, name: str) -> "XmlElement | None":
        """Return the first child of that name."""
        return next((each for each in self.children if each.name == name), None)

    def value(self, name: str) -> str:
        """Return the text of the first child of that name; "" without one."""
        element = self.child(name)
        return element.text if element else ""

    def all(self, name: str) -> "Iterator[XmlElement]":
        """Yield the children of that name."""
        return (each for each in self.children if each.name == name)


class TruncatedXml(InvalidRequest):
    """The file ends before its root element does."""


def read_xml(
    file: BinaryIO,
    name: str,
    is_wanted: Callable[[tuple[str, ...]], bool],
    on_repair: OnRepair,
    prefixes: Callable[[str], str] = lambda _uri: "",
    *,
    is_partial: bool = False,
) -> Iterator[XmlElement]:
    """Yield each complete element for which `is_wanted` returns True, given the names from the root to it.

    `prefixes` returns the usual prefix of a namespace ("": that of the file). Raises InvalidRequest with file and line
    for invalid XML, a DOCTYPE or entities, and TruncatedXml for a truncated file unless `is_partial`.
    """
    builder = _Builder(name, is_wanted, prefixes)
    repair = XmlRepair(on_repair)
    for text in repair.repaired(_chunks(file, name, is_partial=is_partial)):
        builder.feed(text)
        yield from builder.finished_elements()
    builder.finish(on_repair if is_partial else None)
    yield from builder.finished_elements()


def _chunks(file: BinaryIO, name: str, *, is_partial: bool) -> Iterator[bytes]:
    """Yield the bytes of a file. Raises InvalidRequest for a damaged archive, TruncatedXml for one that is cut off."""
    try:
        yield from iter(lambda: file.read(_CHUNK_BYTES), b"")
    except EOFError as error:
        if not is_partial:
            raise TruncatedXml(
                f"{name} is cut off: its archive ends too early. Fetch it again, or take what is there with --partial."
            ) from error
    except BROKEN as error:
        raise InvalidRequest(f"{name} cannot be read: {error}.") from error


class _Builder:
    """Elements built from the events of expat."""

    def __init__(self, name: str, is_wanted: Callable[[tuple[str, ...]], bool], prefixes: Callable[[str], str]) -> None:
        self._name, self._is_wanted, self._prefixes = name, is_wanted, prefixes
        self._path: list[str] = []
        self._open: list[XmlElement] = []
        self._renamed: dict[str, str] = {}
        self._ready: list[XmlElement] = []
        self._has_root = False
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.buffer_size = 1024 * 1024
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        self._parser = parser

    def feed(self, text: str) -> None:
        """Parse the next part."""
        try:
            self._parser.Parse(text.encode("utf-8", "replace"), False)
        except expat.ExpatError as error:
            raise self._invalid(expat.errors.messages[error.code], error.lineno) from error

    def finish(self, on_truncation: OnRepair | None) -> None:
        """End the parse; where elements are open, call the function, or raise TruncatedXml if there is none."""
        if not self._has_root:
            raise InvalidRequest(f"{self._name} is not XML: it has no elements.")
        line = self._parser.CurrentLineNumber
        if self._path and on_truncation:
            on_truncation("the file is cut off here, and what follows is missing", line, 1)
        elif self._path:
            raise TruncatedXml(
                f"{self._name} is cut off in line {line}, within <{self._path[-1]}>. Export it again, or take what is "
                "there with --partial."
            )

    def finished_elements(self) -> list[XmlElement]:
        """Return the elements that ended since the last call."""
        ready, self._ready = self._ready, []
        return ready

    def _invalid(self, problem: str, line: int) -> InvalidRequest:
        return InvalidRequest(f"{self._name}:{line} is not valid XML: {problem}.")

    def _refuse(self, *_arguments: object) -> None:
        line = self._parser.CurrentLineNumber
        raise InvalidRequest(f"{self._name}:{line} has a DOCTYPE or entity declaration, which is refused.")

    def _start(self, tag: str, attrs: dict[str, str]) -> None:
        if not self._has_root and tag.lower() in ("html", "body"):
            raise InvalidRequest(f"{self._name} is an HTML page, not an export; perhaps an error page was saved.")
        self._has_root = True
        for key, uri in attrs.items():
            if key.startswith("xmlns:") and (usual := self._prefixes(uri)):
                self._renamed[key.removeprefix("xmlns:")] = usual
        prefix, colon, local = tag.partition(":")
        name = f"{self._renamed.get(prefix, prefix)}:{local}" if colon else tag
        self._path.append(name)
        if len(self._path) > _MAX_DEPTH:
            raise self._invalid(f"nested deeper than {_MAX_DEPTH} levels", self._parser.CurrentLineNumber)
        if self._open or self._is_wanted(tuple(self._path)):
            element = XmlElement(name, attrs, self._parser.CurrentLineNumber)
            if self._open:
                self._open[-1].children.append(element)
            self._open.append(element)

    def _end(self, _tag: str) -> None:
        self._path.pop()
        if self._open:
            element = self._open.pop()
            if not self._open:
                self._ready.append(element)

    def _data(self, text: str) -> None:
        if self._open:
            element = self._open[-1]
            element.text = element.text + text if element.text else text
            if len(element.text) > _MAX_TEXT:
                raise self._invalid(f"the text of <{element.name}> is too long", self._parser.CurrentLineNumber)
