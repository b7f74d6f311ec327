"""Formulas of imported HTML: TeX stays as it was written, in Markdown and in HTML."""

import pytest

from sitecms.content.text import markdown
from sitecms.content.text.markdown import DEFAULT_EXTENSIONS
from sitecms.importing.html.cleaning import clean
from sitecms.importing.html.formulas import Formulas
from sitecms.importing.html.tree import parse, to_html
from sitecms.importing.html.verified_markdown import to_markdown

TEX = r"\{a_1 * b_1\}, \frac{1}{2} < 3"
ANNOTATION = "<annotation encoding='application/x-tex'>x^2</annotation>"
HTML = (
    f"<p>The <tex-formula>n</tex-formula>th is <tex-formula>{TEX.replace('<', '&lt;')}</tex-formula>.</p>"
    f"<p><math display='block'><semantics><mi>x</mi>{ANNOTATION}</semantics></math></p>"
)


def test_formulas_are_not_escaped() -> None:
    """Dollar signs around TeX; MathML where a letter follows, since dollar signs would be text there."""
    pytest.importorskip("math_core")
    root = parse(HTML)
    clean(root, lambda _what: None)
    formulas = Formulas(root)
    converted = to_markdown(root)
    assert converted
    text = formulas.in_markdown(converted.text)
    assert f"th is ${TEX}$." in text
    assert text.startswith("The <math>")
    assert text.rstrip().endswith("$$x^2$$")
    shown = markdown.render(text, extensions=DEFAULT_EXTENSIONS | {"math"})
    assert shown.count("<math") == 3
    assert "$" not in shown
    html = formulas.in_html(to_html(root), has_math=True)
    assert html.count("<math") == 3
    assert "$$x^2$$" in formulas.in_html(to_html(root), has_math=False)
