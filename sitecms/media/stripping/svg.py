"""SVG drawings: comments, `<metadata>` and additions of drawing programs in other namespaces are removed."""

import base64
import re
from collections.abc import Callable
from xml.parsers import expat

Strip = Callable[[bytes], bytes]
_SVG = "http://www.w3.org/2000/svg"
_KEPT_ATTRIBUTES = frozenset({"", "http://www.w3.org/1999/xlink", "http://www.w3.org/XML/1998/namespace"})
_UTF_16 = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")
_DECLARATION = re.compile(r"\A\s*<\?xml.*?\?>\s*", re.DOTALL)
_TAG = re.compile(rb"<[^\s/>]+(?:[^\"'>]|\"[^\"]*\"|'[^']*')*>")
_ATTRIBUTE = re.compile(rb"\s+([^\s=]+)\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_EMBEDDED = re.compile(rb"data:(image/[a-z+]+);base64,([A-Za-z0-9+/=\s]+)", re.IGNORECASE)


def strip_drawing(data: bytes, strip_embedded: Strip) -> bytes:
    """Return the drawing without its metadata, in UTF-8 if it was in UTF-16; titles and descriptions stay.

    `strip_embedded` does the same for a picture inside of it. The drawing is one that `svg.inspect` has accepted.
    """
    if data.startswith(_UTF_16):
        data = _DECLARATION.sub("", data.decode("utf-16")).encode()
    data = _EMBEDDED.sub(lambda found: _embedded(found, strip_embedded), data)
    parts, position = [], 0
    for start, end in sorted(_Cuts(data).found):
        if start >= position:
            parts.append(data[position:start])
        position = max(position, end)
    return b"".join((*parts, data[position:]))


def _embedded(found: re.Match[bytes], strip: Strip) -> bytes:
    """Return a picture in a data: address without its metadata."""
    picture = base64.b64decode(found[2])
    stripped = strip(picture)
    if stripped == picture:
        return found[0]
    return b"data:" + found[1] + b";base64," + base64.b64encode(stripped)


class _Cuts:
    """Reads a drawing; `found` are the start and end of all that goes."""

    def __init__(self, data: bytes) -> None:
        self.found: list[tuple[int, int]] = []
        self._data = data
        self._depth = 0
        self._start = 0
        self._empty_end = 0
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.ordered_attributes = True
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.CommentHandler = self._comment
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            raise ValueError("XML that is not well-formed") from error

    def _begin(self, name: str, attributes: list[str]) -> None:
        if self._depth:
            self._depth += 1
            return
        start = self._parser.CurrentByteIndex
        tag = _TAG.match(self._data, start)
        if tag is None:
            raise ValueError("a tag that cannot be read")
        namespace, _, local = name.rpartition(" ")
        if namespace != _SVG or local == "metadata":
            self._depth, self._start = 1, start
            self._empty_end = tag.end() if tag[0].endswith(b"/>") else 0
        elif any(_is_foreign(each) for each in attributes[::2]):
            written = [each for each in _ATTRIBUTE.finditer(tag[0]) if not each[1].startswith(b"xmlns")]
            pairs = zip(attributes[::2], written, strict=True)
            self.found += [(start + each.start(), start + each.end()) for known, each in pairs if _is_foreign(known)]

    def _end(self, _name: str) -> None:
        if self._depth:
            self._depth -= 1
            if not self._depth:
                end = self._empty_end or self._data.index(b">", self._parser.CurrentByteIndex) + 1
                self.found.append((self._start, end))

    def _comment(self, _text: str) -> None:
        start = self._parser.CurrentByteIndex
        self.found.append((start, self._data.index(b"-->", start) + 3))


def _is_foreign(attribute: str) -> bool:
    return attribute.rpartition(" ")[0] not in _KEPT_ATTRIBUTES
