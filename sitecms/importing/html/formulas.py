"""Formulas in TeX while HTML is converted: words stand for them, so that nothing in them is escaped or reformatted."""

import re
from collections.abc import Callable
from html import escape

from sitecms.importing.html.tree import Element, Node, replace_children

TAG = "tex-formula"
"""Element of a formula: its text is TeX; `display` is `block` for one that stands alone."""
_WORD = re.compile(r"sitecmsformula(\d+)end")
_TIGHT = re.compile(r"[^\W_]$|\$$")


def formula(tex: str, *, is_block: bool) -> Element:
    """Return the element of a formula."""
    return Element(TAG, {"display": "block"} if is_block else {}, [tex.strip()])


def formula_of(math: Element) -> Element | None:
    """Return the formula of MathML that carries its TeX as an annotation, None of other MathML."""
    tex = next(
        (each for each in math.elements() if each.tag == "annotation" and "tex" in each.attrs.get("encoding", "")), None
    )
    return formula(tex.text(), is_block=math.attrs.get("display") == "block") if tex else None


class Formulas:
    """Formulas of one text, taken out of its tree and put back into the result; `source` is the text of the tree."""

    def __init__(self, root: Element, source: str = TAG) -> None:
        self._found: list[Element] = []
        if TAG in source or "<math" in source.lower():  # most texts have none
            replace_children(root, self._word)

    def __len__(self) -> int:
        """Return the number of formulas."""
        return len(self._found)

    def in_markdown(self, text: str) -> str:
        """Return Markdown with the formulas between dollar signs, exactly as they were written."""
        return self._put(text, self._dollars)

    def in_html(self, text: str, *, has_math: bool) -> str:
        """Return HTML with the formulas as MathML, or as text where the site has no formulas."""
        return self._put(text, lambda each, _match: (_mathml(each) if has_math else "") or escape(_written(each)))

    def _word(self, node: Node) -> list[Node] | None:
        if not isinstance(node, Element) or node.tag != TAG:
            return None
        self._found.append(node)
        return [f"sitecmsformula{len(self._found) - 1}end"]

    def _put(self, text: str, write: "Callable[[Element, re.Match[str]], str]") -> str:
        if not self._found:
            return text
        return _WORD.sub(lambda match: write(self._found[int(match[1])], match), text)

    @staticmethod
    def _dollars(each: Element, match: re.Match[str]) -> str:
        """Return a formula in Markdown; beside a letter or digit, dollar signs would be text, so it is MathML there."""
        before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
        is_tight = bool(_TIGHT.search(before)) or after.isalnum() or after in ("$", "_")
        return (_mathml(each) if is_tight and "display" not in each.attrs else "") or _written(each)


def _written(each: Element) -> str:
    sign = "$$" if "display" in each.attrs else "$"
    lines = (line.strip() for line in each.text().splitlines())
    return f"{sign}{chr(10).join(line for line in lines if line)}{sign}"


def _mathml(each: Element) -> str:
    """Return MathML; "" where the converter is not installed, or does not know the formula."""
    from sitecms.content.text.markdown.formulas import mathml
    from sitecms.errors import ConfigurationError

    try:
        return mathml(each.text(), is_block="display" in each.attrs)
    except (ValueError, ConfigurationError):
        return ""
