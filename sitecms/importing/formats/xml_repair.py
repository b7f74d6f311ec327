"""Repair of invalid XML in exports: control characters, broken UTF-8, bare `&`, HTML entities, `]]>` within CDATA."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from html import escape
from html.entities import html5

_DECLARED = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)""")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_MARK = re.compile(r"<!\[CDATA\[|\]\]>")
_AMPERSAND = re.compile(
    r"&(?:(#(?:\d{1,7}|x[0-9a-fA-F]{1,6});|(?:amp|lt|gt|quot|apos);)|([A-Za-z][A-Za-z0-9]{1,30};)?)"
)
_MAX_HELD = 32 * 1024 * 1024

OnRepair = Callable[[str, int, int], None]
"""Called with what was repaired, the line and the column, both from 1."""


class XmlRepair:
    """Filter between the bytes of a file and an XML parser. `on_repair` is called for each repair."""

    def __init__(self, on_repair: OnRepair) -> None:
        self._on_repair = on_repair
        self._held = ""
        self._is_cdata = False
        self._line, self._column = 1, 1

    def repaired(self, chunks: Iterable[bytes]) -> Iterator[str]:
        """Yield the repaired text."""
        decoder: codecs.IncrementalDecoder | None = None
        for chunk in chunks:
            if decoder is None:
                decoder, chunk = _decoder(chunk)  # noqa: PLW2901 - without its byte order mark
            yield from self._feed(self._decode(decoder, chunk), is_end=False)
        yield from self._feed("", is_end=True)

    def _decode(self, decoder: codecs.IncrementalDecoder, chunk: bytes) -> str:
        """Return the text of a chunk; invalid bytes become surrogates until they are reported."""
        return decoder.decode(chunk)

    def _feed(self, text: str, *, is_end: bool) -> Iterator[str]:
        self._held += text
        position = 0
        while True:
            match = _MARK.search(self._held, position)
            if match is None:
                break
            if self._is_cdata == (match[0] == "]]>"):
                following = _MARK.search(self._held, match.end())
                if following is None and not is_end and len(self._held) < _MAX_HELD:
                    break  # the next mark decides whether this one ends the section
                if self._is_cdata and following is not None and following[0] == "]]>":
                    yield self._out(self._held[position : match.start()], in_cdata=True)
                    self._on_repair("]]> within a CDATA section", self._line, self._column)
                    yield self._plain("]]]]><![CDATA[>", counted=3)
                else:
                    yield self._out(self._held[position : match.start()], in_cdata=self._is_cdata)
                    yield self._plain(match[0])
                    self._is_cdata = not self._is_cdata
            elif self._is_cdata:  # `<![CDATA[` is text in there
                yield self._out(self._held[position : match.end()], in_cdata=True)
            else:
                yield self._out(self._held[position : match.start()], in_cdata=False)
                self._on_repair("]]> outside of a CDATA section", self._line, self._column)
                yield self._plain("]]&gt;", counted=3)
            position = match.end()
        keep = 0 if is_end else self._kept_length(position)
        end = len(self._held) - keep
        yield self._out(self._held[position:end], in_cdata=self._is_cdata)
        self._held = self._held[end:]

    def _kept_length(self, position: int) -> int:
        """Return the length of the end that must wait for the next chunk, because a mark may continue there."""
        match = _MARK.search(self._held, position)
        if match is not None:
            return len(self._held) - match.start()
        tail = self._held[max(position, len(self._held) - 40) :]
        brackets = min(2, len(tail) - len(tail.rstrip("]")))
        cuts = [place for place in (tail.rfind("&"), tail.rfind("<")) if place >= 0]
        return max(brackets, *(len(tail) - place for place in cuts), 0)

    def _out(self, text: str, *, in_cdata: bool) -> str:
        """Return a part without marks as XML allows it, and move the position on."""
        start = 0
        parts = []
        for problem in self._problems(text, in_cdata=in_cdata):
            parts.append(self._plain(text[start : problem[0]]))
            self._on_repair(problem[2], self._line, self._column)
            parts.append(problem[3])
            self._plain(text[problem[0] : problem[1]])
            start = problem[1]
        rest = self._plain(text[start:])
        return "".join((*parts, rest)) if parts else rest

    def _problems(self, text: str, *, in_cdata: bool) -> list[tuple[int, int, str, str]]:
        """Return the places to repair: start, end, what it is, and the replacement."""
        problems = [
            (match.start(), match.end(), _named(match[0]), "\ufffd" if match[0] >= "\ud800" else "")
            for match in _CONTROL.finditer(text)
        ]
        if not in_cdata and "&" in text:
            for match in _AMPERSAND.finditer(text):
                if match[1] is None:
                    name = match[2] or ""
                    known = html5.get(name)
                    what = f"the entity &{name}, which XML does not know" if name else "a bare &"
                    new = escape(known, quote=False) if known else f"&amp;{name}"
                    problems.append((match.start(), match.end(), what, new))
            problems.sort()
        return problems

    def _plain(self, text: str, counted: int | None = None) -> str:
        """Count the lines and columns of the source that a part stands for, and return it."""
        if counted is not None:
            self._column += counted
            return text
        newlines = text.count("\n")
        if newlines:
            self._line += newlines
            self._column = len(text) - text.rfind("\n")
        else:
            self._column += len(text)
        return text


def _named(sign: str) -> str:
    return "bytes that are no UTF-8" if "\ud800" <= sign <= "\udfff" else f"the control character U+{ord(sign):04X}"


def _decoder(first: bytes) -> tuple[codecs.IncrementalDecoder, bytes]:
    """Return the decoder of a file by its byte order mark or XML declaration, and the chunk without the mark."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if first.startswith(mark):
            return codecs.getincrementaldecoder(name)("surrogateescape"), first[len(mark) :]
    declared = _DECLARED.search(first[:200])
    name = declared[1].decode().lower() if declared else "utf-8"
    try:
        known = codecs.lookup(name).name
    except LookupError:
        known = "utf-8"
    return codecs.getincrementaldecoder(known)("surrogateescape" if known == "utf-8" else "replace"), first
