"""SVG drawings: accepted only if they cannot run, load or embed anything, and published without metadata.

What shows nothing is removed: comments, processing instructions, a document type without declarations, `<metadata>`,
additions of drawing programs in other namespaces and in the attribute `content`, links to web pages, which nobody can
follow in a picture, and fonts that are elsewhere, which no browser loads for one. HTML goes where the drawing has
something else to show in its place.
"""

import base64
import re
from collections.abc import Callable
from xml.parsers import expat

from sitecms.svg.costs import check_costs
from sitecms.svg.errors import InvalidSvg
from sitecms.svg.labels import FallbackText, Label

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_XML = "http://www.w3.org/XML/1998/namespace"
_FOREIGN_OBJECT, _SWITCH, _TEXT, _LINK = (f"{_SVG} {name}" for name in ("foreignObject", "switch", "text", "a"))
_DRAWN = frozenset(
    f"{_SVG} {name}"
    for name in ("text", "image", "use", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon")
)
_HIDDEN = frozenset(f"{_SVG} {name}" for name in ("defs", "symbol", "clipPath", "mask", "marker", "pattern"))
_REFUSED_NAMESPACES = frozenset({"http://www.w3.org/1999/xhtml", "http://www.w3.org/2001/xml-events"})
_REFUSED_ELEMENTS = frozenset(
    {"script", "foreignobject", "handler", "listener", "iframe", "object", "embed", "audio", "video", "canvas"}
)
_ANIMATIONS = frozenset({"set", "animate", "animatetransform", "animatemotion"})
_REFERENCES = frozenset({"href", "src", "ping"})
_EMBEDDED = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]*", re.I)
_WEB_PAGE = re.compile(r"\s*(?:https?://|mailto:)", re.I)
_URL = r"""\\|image-set|image\s*\(|src\s*\(|url\s*+\(\s*+['"]?\s*+(?!['"]|#)"""
_LOADING_VALUE = re.compile(_URL, re.I)
_LOADING_STYLE = re.compile(rf"@(?!media\b|keyframes\b|supports\b)|expression|-moz-binding|{_URL}", re.I)
_FONT_RULE = re.compile(r"@font-face\s*\{[^{}]*\}", re.I)
_FONT_TYPE = r"(?:font/[a-z0-9.+-]+|application/(?:x-)?font-[a-z0-9-]+)(?:;\s*charset=[a-z0-9-]+)?"
_FONT = re.compile(rf"""url\(\s*(?P<quote>["']?)data:{_FONT_TYPE};base64,[A-Za-z0-9+/=\s]*(?P=quote)\s*\)""", re.I)
_SILENT = ("id", "class", "content")
_SILENT_PREFIXES = ("data-", "aria-")
_DOCTYPE = (
    "the SVG has a <!DOCTYPE> with declarations, which are not read; save it as plain SVG: in Inkscape with "
    "inkscape --export-plain-svg --export-filename=new.svg old.svg, in Illustrator without its editing capabilities"
)
_FOREIGN = (
    "the SVG holds <foreignObject>, which is HTML inside of a drawing, with nothing to show in its place; save it with "
    "labels as text: in draw.io with Convert Labels to SVG, in Mermaid with htmlLabels: false"
)
_LENGTH = re.compile(r"\s*\+?((?:\d{1,9}(?:\.\d{1,40})?|\.\d{1,40})(?:e[+-]?\d{1,2})?)\s*(px|pt|pc|mm|cm|in|)\s*", re.I)
_PIXELS = {"": 1.0, "px": 1.0, "pt": 96 / 72, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}
_MAX_PIXELS_A_SIDE = 100_000
_KEPT_ATTRIBUTES = frozenset({"", "http://www.w3.org/1999/xlink", "http://www.w3.org/XML/1998/namespace"})
_UTF_16 = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")
_DECLARATION = re.compile(r"\A\s*<\?xml.*?\?>\s*", re.DOTALL)
_TAG = re.compile(rb"<[^\s/>]+(?:[^\"'>]|\"[^\"]*\"|'[^']*')*>")
_ATTRIBUTE = re.compile(rb"\s+([^\s=]+)\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_FONT_RULE_IN_BYTES = re.compile(_FONT_RULE.pattern.encode(), re.I)
_EMBEDDED_PICTURE = re.compile(rb"data:(image/[a-z+]+);base64,([A-Za-z0-9+/=\s]+)", re.IGNORECASE)


def looks_like_xml(data: bytes) -> bool:
    """Return True if the bytes can only be text that begins with a tag, in UTF-8 or UTF-16."""
    return data[:64].replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xfe\xff \t\r\n").startswith(b"<")


def inspect(data: bytes) -> tuple[int | None, int | None]:
    """Return width and height in pixels, from the size or the viewBox; None if the drawing states neither.

    Raises InvalidSvg for XML that is not well formed, another root than svg, a document type with declarations,
    scripts, event handlers, foreign content, and references to anything outside the drawing.
    """
    reader = _read(data, is_published=False)
    check_costs(data)
    return _size(reader.root)


def _read(data: bytes, *, is_published: bool) -> "_SvgParser":
    reader = _SvgParser(is_published=is_published)
    try:
        reader.parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise InvalidSvg(f"the SVG is not well-formed XML ({error})") from error
    return reader


class _SvgParser:
    """Expat parser that stops at the first forbidden construct; `root` holds the root's attributes.

    With `is_published` it also stops at what `strip_drawing` removes and a browser would follow or run.
    """

    __slots__ = (
        "_empty_switch", "_hidden_depth", "_in_style", "_is_published", "_open", "_removed_depth", "_style", "parser",
        "root",
    )  # fmt: skip

    def __init__(self, *, is_published: bool) -> None:
        self.root: dict[str, str] | None = None
        self._is_published = is_published
        self._in_style = False
        self._style: list[str] = []
        self._open: list[str] = []
        self._removed_depth = 0
        self._empty_switch = 0  # the depth of a <switch> whose HTML goes and that shows nothing else yet
        self._hidden_depth = 0  # the number of open elements in it that only define something
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.ProcessingInstructionHandler = self._instruction
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text

    def _doctype(self, _name: str, _system: str | None, _public: str | None, has_declarations: bool) -> None:
        if has_declarations or self._is_published:
            raise InvalidSvg(_DOCTYPE)

    def _instruction(self, target: str, _: str) -> None:
        if self._is_published:
            raise InvalidSvg(f"the SVG has a processing instruction <?{target[:40]}?>")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._is_published and (
            self._removed_depth or (name == _FOREIGN_OBJECT and self._open[-1:] == [_SWITCH])
        ):
            self._removed_depth += 1
            return
        self._hidden_depth += name in _HIDDEN
        if name in _DRAWN and not self._hidden_depth:
            self._empty_switch = 0
        self._open.append(name)
        namespace, _, local = name.rpartition(" ")
        if self.root is None:
            if (namespace, local) != (_SVG, "svg"):
                raise InvalidSvg(f"XML of another kind than SVG: its root is <{local[:40]}>")
            self.root = attributes
        if namespace in _REFUSED_NAMESPACES or local.lower() in _REFUSED_ELEMENTS:
            raise InvalidSvg(_FOREIGN if local == "foreignObject" else f"the SVG holds <{local[:40]}>")
        self._in_style = self._in_style or local.lower() == "style"
        for attribute, value in attributes.items():
            if self._is_published or not _is_link_to_page(name, attribute, value):
                _check_attribute(local, attribute, value)

    def _end(self, name: str) -> None:
        if self._removed_depth:
            self._removed_depth -= 1
            if not self._empty_switch:
                self._empty_switch, self._hidden_depth = len(self._open), 0
            return
        if self._empty_switch == len(self._open):
            raise InvalidSvg(_FOREIGN)
        self._hidden_depth -= name in _HIDDEN
        self._open.pop()
        if self._in_style and name.rpartition(" ")[2].lower() == "style":
            _check_css(self._without_fonts("".join(self._style)), _LOADING_STYLE)
            self._in_style, self._style = False, []

    def _text(self, text: str) -> None:
        if self._in_style:
            self._style.append(text)

    def _without_fonts(self, css: str) -> str:
        """Return the style sheet without the rules of fonts that it holds itself, or that are removed."""
        return _FONT_RULE.sub(lambda rule: rule[0] if self._is_published and _loads_font(rule[0]) else "", css)


def _check_attribute(element: str, qualified: str, value: str) -> None:
    namespace, _, name = qualified.rpartition(" ")
    name = name.lower()
    if name.startswith("on"):
        raise InvalidSvg(f"the SVG has an event handler: {name[:40]}")
    if name in _REFERENCES and namespace in ("", _XLINK) and not _is_inside(value.strip()):
        raise InvalidSvg(f"the SVG refers to something outside itself: {value[:60]!r}")
    if namespace == _XML and name == "base":
        raise InvalidSvg("the SVG sets xml:base")
    if name == "attributename" and element.lower() in _ANIMATIONS:
        _check_animated(value)
    if namespace == "" and name not in _SILENT and not name.startswith(_SILENT_PREFIXES):
        _check_css(value, _LOADING_STYLE if name == "style" else _LOADING_VALUE)


def _is_link_to_page(element: str, attribute: str, value: str) -> bool:
    return element == _LINK and attribute in ("href", f"{_XLINK} href") and _WEB_PAGE.match(value) is not None


def _is_inside(reference: str) -> bool:
    return reference.startswith("#") or _EMBEDDED.fullmatch(reference) is not None


def _check_animated(attribute: str) -> None:
    plain = attribute.strip().lower().rpartition(":")[2]
    if plain in _REFERENCES or plain.startswith("on"):
        raise InvalidSvg(f"the SVG animates {attribute[:40]!r}")


def _loads_font(rule: str) -> bool:
    """Return whether an @font-face rule names anything but fonts that it holds itself."""
    return _LOADING_VALUE.search(_FONT.sub("", rule)) is not None


def _check_css(text: str, loading: re.Pattern[str]) -> None:
    if found := loading.search(text):
        raise InvalidSvg(f"the SVG's styles may load something: {text[found.start() : found.start() + 40]!r}")


def _size(attributes: dict[str, str] | None) -> tuple[int | None, int | None]:
    root = attributes or {}
    sides = (_pixels(root.get("width", "")), _pixels(root.get("height", "")))
    if all(sides):
        return sides
    box = root.get("viewBox", "").replace(",", " ").split()
    return (_pixels(box[2]), _pixels(box[3])) if len(box) == 4 else (None, None)


def _pixels(length: str) -> int | None:
    match = _LENGTH.fullmatch(length)
    pixels = round(float(match[1]) * _PIXELS[match[2].lower()]) if match else 0
    return pixels if 0 < pixels <= _MAX_PIXELS_A_SIDE else None


Strip = Callable[[bytes], bytes]


def strip_drawing(data: bytes, strip_embedded: Strip) -> bytes:
    """Return the drawing without all that shows nothing, in UTF-8 if it was in UTF-16; titles and descriptions stay.

    `strip_embedded` removes the metadata of a picture inside of it. The drawing is one that `inspect` has accepted.
    Raises InvalidSvg if it still has what the browser would follow, as in an encoding in which it is not found.
    """
    if data.startswith(_UTF_16):
        data = _DECLARATION.sub("", data.decode("utf-16")).encode()
    data = _EMBEDDED_PICTURE.sub(lambda found: _embedded(found, strip_embedded), data)
    parts: list[bytes] = []
    position = 0
    for start, end, replacement in sorted(_Cuts(data).found, key=lambda cut: (cut[0], -cut[1])):
        if start >= position:
            parts += (data[position:start], replacement)
        position = max(position, end)
    stripped = b"".join((*parts, data[position:]))
    _read(stripped, is_published=True)
    return stripped


def _embedded(found: re.Match[bytes], strip: Strip) -> bytes:
    """Return a picture in a data: address without its metadata."""
    picture = base64.b64decode(found[2])
    stripped = strip(picture)
    if stripped == picture:
        return found[0]
    return b"data:" + found[1] + b";base64," + base64.b64encode(stripped)


class _Cuts:
    """Reads a drawing; `found` are the start and end of all that goes, and what comes in its place, most often b""."""

    def __init__(self, data: bytes) -> None:
        self.found: list[tuple[int, int, bytes]] = []
        self._data = data
        self._depth = 0
        self._start = 0
        self._empty_end = 0
        self._style_start = 0
        self._label: Label | None = None
        self._fallback: FallbackText | None = None
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.ordered_attributes = True
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.CommentHandler = self._comment
        self._parser.ProcessingInstructionHandler = self._instruction
        self._parser.EndDoctypeDeclHandler = self._end_of_doctype
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            raise ValueError("XML that is not well-formed") from error

    def _begin(self, name: str, attributes: list[str]) -> None:
        if self._depth:
            self._depth += 1
            if self._label:
                self._label.begin(name)
            return
        start = self._parser.CurrentByteIndex
        tag = _TAG.match(self._data, start)
        if tag is None:
            raise ValueError("a tag that cannot be read")
        namespace, _, local = name.rpartition(" ")
        if namespace != _SVG or local == "metadata" or name == _FOREIGN_OBJECT:
            self._depth, self._start = 1, start
            self._empty_end = tag.end() if tag[0].endswith(b"/>") else 0
            self._label = Label() if name == _FOREIGN_OBJECT else self._label
            return
        values = dict(zip(attributes[::2], attributes[1::2], strict=True))
        self._fallback = FallbackText(tag.end(), values) if self._label and name == _TEXT else None
        self._label = self._label if self._fallback else None
        self._style_start = tag.end() if local.lower() == "style" else 0
        removed = {key for key, value in values.items() if _is_foreign(key) or _is_link_to_page(name, key, value)}
        if removed:
            written = [each for each in _ATTRIBUTE.finditer(tag[0]) if not each[1].startswith(b"xmlns")]
            pairs = zip(values, written, strict=True)
            self.found += [(start + each.start(), start + each.end(), b"") for key, each in pairs if key in removed]

    def _text(self, text: str) -> None:
        if self._depth:
            if self._label:
                self._label.add(text)
        elif self._fallback:
            self._fallback.add(text)

    def _end(self, name: str) -> None:
        if self._depth:
            if self._depth > 1 and self._label:
                self._label.end(name)
            self._depth -= 1
            if not self._depth:
                end = self._empty_end or self._data.index(b">", self._parser.CurrentByteIndex) + 1
                self.found.append((self._start, end, b""))
        elif self._style_start:
            rules = _FONT_RULE_IN_BYTES.finditer(self._data, self._style_start, self._parser.CurrentByteIndex)
            self.found += ((*rule.span(), b"") for rule in rules if _loads_font(rule[0].decode("latin-1")))
            self._style_start = 0
        elif self._fallback and self._label and name == _TEXT:
            if better := self._fallback.written_out(self._label):
                self.found.append((self._fallback.start, self._parser.CurrentByteIndex, better))
            self._label = self._fallback = None

    def _comment(self, _text: str) -> None:
        self._cut_to(b"-->")

    def _instruction(self, _target: str, _text: str) -> None:
        self._cut_to(b"?>")

    def _cut_to(self, end: bytes) -> None:
        start = self._parser.CurrentByteIndex
        self.found.append((start, self._data.index(end, start) + len(end), b""))

    def _end_of_doctype(self) -> None:
        end = self._data.index(b">", self._parser.CurrentByteIndex) + 1
        self.found.append((self._data.rindex(b"<!DOCTYPE", 0, end), end, b""))


def _is_foreign(attribute: str) -> bool:
    """Return whether an attribute is an addition of a drawing program; draw.io keeps its whole drawing in `content`."""
    return attribute.rpartition(" ")[0] not in _KEPT_ATTRIBUTES or attribute == "content"
