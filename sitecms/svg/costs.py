"""Costs of a drawing for the browser that shows it: elements that references draw again and again, and filters.

Ten groups of ten `<use>` each, one inside the other, are ten thousand million elements in a kilobyte. Patterns,
markers, masks and clip paths multiply in the same way. The costs here are an upper bound: rules of style sheets apply
to every element that the last part of their selector may mean.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from xml.parsers import expat

from msgspec import Struct

from sitecms.svg.errors import InvalidSvg

MAX_REPEATED = 20_000
MAX_FILTER_STEPS = 1_000
MAX_FILTERED_MEGAPIXELS = 2_000
_LARGEST = 1e15  # of all numbers here, which an author may write, or multiply, without end
_MAX_MEGAPIXELS, _SCREEN_MEGAPIXELS = 100.0, 4.0  # of a drawing with a size, and of one that fills what is there
_FILTER_MARGIN = 1.2  # a filter without a region covers 10 % more on each side
_MAX_REGION = 16.0  # times the drawing; browsers leave out what lies far outside
_NOT_DRAWN = frozenset({
    "defs", "symbol", "pattern", "marker", "mask", "clippath", "filter", "lineargradient", "radialgradient", "metadata",
})  # fmt: skip
_GRADIENTS = frozenset({"lineargradient", "radialgradient"})
_SHAPES = frozenset({"path", "polyline", "polygon", "line"})
_ONCE = frozenset({"mask", "clip-path", "filter"})  # for the whole element; what others refer to, its content inherits
_WITH_FUNCTIONS = ("filter", "backdrop-filter")
_REFERENCE = re.compile(r"url\(\s*['\"]?#([^'\")]+?)\s*['\"]?\s*\)", re.IGNORECASE)
_FUNCTION = re.compile(r"\b(?!url\b)[a-z-]+\(", re.IGNORECASE)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SIMPLE = re.compile(r"[.#]?[A-Za-z_][\w-]*")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?", re.IGNORECASE)
_COMMAND = re.compile(r"[MLHVCSQTA]", re.IGNORECASE)


class Costs(Struct, frozen=True):
    """Elements that are drawn, points of their paths, steps of filters, and megapixels that these compute."""

    elements: float = 0
    points: float = 0
    steps: float = 0
    megapixels: float = 0

    def __add__(self, other: "Costs") -> "Costs":
        """Return the sum."""
        return Costs(
            min(_LARGEST, self.elements + other.elements),
            min(_LARGEST, self.points + other.points),
            min(_LARGEST, self.steps + other.steps),
            min(_LARGEST, self.megapixels + other.megapixels),
        )

    def times(self, number: float) -> "Costs":
        """Return the costs of drawing it so often."""
        values = (self.elements, self.points, self.steps, self.megapixels)
        return Costs(*(min(_LARGEST, value * number) for value in values))


class _Element:
    """An element: what it draws by itself, and what it refers to, by the property that refers to it."""

    __slots__ = ("attributes", "children", "references", "tag")

    def __init__(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[_Element] = []
        self.references: list[tuple[str, str]] = []


def check_costs(data: bytes) -> None:
    """Raise InvalidSvg for a drawing that a browser would show for many seconds. It is one that is well-formed."""
    drawing = _Drawing(data)
    if drawing.root is None:
        return
    costs = drawing.costs_of(drawing.root)
    repeated = costs.elements - drawing.count
    if repeated > MAX_REPEATED:
        raise InvalidSvg(
            f"the SVG draws {_shown(repeated)} elements again by <use>, patterns, markers, masks and clip paths; "
            f"at most {MAX_REPEATED:,} are taken"
        )
    if costs.steps > MAX_FILTER_STEPS:
        raise InvalidSvg(
            f"the SVG computes {_shown(costs.steps)} steps of filters; at most {MAX_FILTER_STEPS:,} are taken"
        )
    if costs.megapixels > MAX_FILTERED_MEGAPIXELS:
        raise InvalidSvg(
            f"the filters of the SVG compute {_shown(costs.megapixels)} million pixels; "
            f"at most {MAX_FILTERED_MEGAPIXELS:,} are taken: use fewer of them, or for a smaller area"
        )


def _shown(number: float) -> str:
    return f"{number:,.0f}" if number < 1e9 else "more than a thousand million"


class _Drawing:
    """The elements of a drawing, by their ids."""

    def __init__(self, data: bytes) -> None:
        self.root: _Element | None = None
        self.count = 0
        self._by_id: dict[str, _Element] = {}
        self._elements: list[_Element] = []
        self._open: list[_Element] = []
        self._style: list[str] = []
        self._costs: dict[int, Costs] = {}
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.Parse(data, True)
        self.count = len(self._elements)
        self._apply_styles(_COMMENT.sub("", "".join(self._style)))
        self._area, self._scale = self._area_of_root()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        plain = {key.rpartition(" ")[2].lower(): value for key, value in attributes.items()}
        element = _Element(name.rpartition(" ")[2].lower(), plain)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)
        self._elements.append(element)
        self._by_id.setdefault(plain.get("id", ""), element)
        reference = plain.get("href", "").strip()
        if reference.startswith("#") and element.tag != "a":
            element.references.append(("href", reference[1:]))
        for key, value in plain.items():
            pairs = _declarations(value) if key == "style" else ((key, value),)
            for name_of_property, text in pairs:
                element.references += _references(name_of_property, text)

    def _end(self, _name: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        if self._open and self._open[-1].tag == "style":
            self._style.append(text)

    def _apply_styles(self, style: str) -> None:
        """Add the references of style sheets to the elements that they may mean."""
        rules: dict[str, list[tuple[str, str]]] = {}
        for selectors, block in _RULE.findall(style):
            found = [pair for key, value in _declarations(block) for pair in _references(key, value)]
            for selector in selectors.split(",") if found else ():
                last = re.split(r"[\s>+~]+", selector.strip())[-1]
                names = _SIMPLE.findall(re.sub(r"[:\[].*", "", last))
                rules.setdefault(names[-1] if names else "*", []).extend(found)
        if not rules:
            return
        for element in self._elements:
            classes = (f".{name}" for name in element.attributes.get("class", "").split())
            for name in ("*", element.tag, f"#{element.attributes.get('id', '')}", *classes):
                element.references += rules.get(name, ())

    def _area_of_root(self) -> tuple[float, float]:
        """Return the megapixels of the drawing, and those of a million square units of its own."""
        attributes = self.root.attributes if self.root else {}
        box = [_number(number, 0.0) for number in _NUMBER.findall(attributes.get("viewbox", ""))[:4]]
        width, height = (attributes.get(name, "%") for name in ("width", "height"))
        area = _SCREEN_MEGAPIXELS
        if not (width.strip().endswith("%") or height.strip().endswith("%")):
            area = min(_MAX_MEGAPIXELS, _number(width, 0.0) * _number(height, 0.0) / 1e6)
        units = box[2] * box[3] / 1e6 if len(box) == 4 else 0.0
        return area, area / units if units else 1.0

    def costs_of(self, root: _Element) -> Costs:
        """Return the costs of an element with all that it draws. What refers to itself is not drawn."""
        pending, begun = [root], set[int]()
        while pending:
            element = pending[-1]
            if id(element) in self._costs:
                pending.pop()
            elif id(element) in begun:
                pending.pop()
                self._costs[id(element)] = self._sum(element)
            else:
                begun.add(id(element))
                needed = (*element.children, *(target for _, target in self._targets(element)))
                pending += [each for each in needed if id(each) not in begun]
        return self._costs[id(root)]

    def _targets(self, element: _Element) -> Iterator[tuple[str, _Element]]:
        for key, name in element.references:
            target = self._by_id.get(name)
            if target is not None and target.tag not in _GRADIENTS:
                yield key, target

    def _sum(self, element: _Element) -> Costs:
        costs = Costs(elements=1, points=_points(element))
        for child in element.children:
            known = self._costs.get(id(child), Costs())
            costs += Costs() if child.tag in _NOT_DRAWN else known
        content, added = costs, Costs()
        for key, target in self._targets(element):
            known = self._costs.get(id(target), Costs())
            if key == "href":
                content += known
            elif key == "filter":
                added += self._filtered(element, target)
            elif key in _ONCE:
                added += known
            else:
                added += known.times(content.points if key.startswith("marker") else content.elements)
        functions = sum(key == "" for key, _ in element.references)
        return content + added + Costs(steps=functions, megapixels=functions * self._area)

    def _filtered(self, element: _Element, target: _Element) -> Costs:
        steps = [child for child in target.children if child.tag.startswith("fe")]
        area = self._area * _FILTER_MARGIN**2
        width, height = (_number(target.attributes.get(name, ""), 0.0) for name in ("width", "height"))
        if target.attributes.get("filterunits", "").lower() == "userspaceonuse":
            if width and height:
                area = width * height / 1e6 * self._scale
        else:
            own = [_number(element.attributes.get(name, ""), 0.0) for name in ("width", "height")]
            if all(own):
                area = min(area, own[0] * own[1] / 1e6 * self._scale * _FILTER_MARGIN**2)
            if width * height > 1:
                area *= width * height
        area = min(area, self._area * _MAX_REGION)
        images = Costs()
        for step in steps:
            images += self._costs.get(id(step), Costs())
        weight = sum(_weight(step) for step in steps)
        return Costs(images.elements - len(steps), 0, len(steps), weight * area)


def _declarations(style: str) -> Sequence[tuple[str, str]]:
    """Return name and value of each declaration."""
    parts = (part.partition(":") for part in style.split(";"))
    return [(name.strip().lower(), value) for name, _, value in parts]


def _references(key: str, value: str) -> list[tuple[str, str]]:
    """Return the references in the value of a property; one with the key "" for each function that is a filter."""
    if "(" not in value:
        return []
    found = [(key, name) for name in _REFERENCE.findall(value)]
    if key in _WITH_FUNCTIONS:
        found += [("", "")] * len(_FUNCTION.findall(value))
    return found


def _points(element: _Element) -> int:
    """Return how many markers a shape may have."""
    if element.tag not in _SHAPES:
        return 0
    numbers = len(_NUMBER.findall(element.attributes.get("points", "")))
    path = element.attributes.get("d", "")
    return max(2, numbers // 2, len(_NUMBER.findall(path)) // 2, len(_COMMAND.findall(path)))


def _weight(step: _Element) -> float:
    """Return how much more a step of a filter computes for each pixel than a plain one."""
    attributes = step.attributes
    if step.tag == "feconvolvematrix":
        order = [_number(text, 3.0) for text in attributes.get("order", "3").replace(",", " ").split()] or [3.0]
        return max(1.0, order[0] * order[-1] / 9)
    if step.tag == "femorphology":
        return 1.0 + min(100.0, _number(attributes.get("radius", ""), 0.0))
    if step.tag == "feturbulence":
        return max(1.0, min(50.0, _number(attributes.get("numoctaves", ""), 1.0)))
    return 1.0


def _number(text: str, default: float) -> float:
    """Return the number that a length begins with; a percentage as a part of 1."""
    match = _NUMBER.match(text.strip())
    if match is None:
        return default
    number = min(1e9, abs(float(match[0])))
    return number / 100 if text.strip().endswith("%") else number
