"""Fragments: parts of pages that look the same everywhere, rendered once and reused.

The expression `part("parts/row.html", card=card, eager=false)` renders the template with its arguments and the values
of SHARED, and without the context of the page. A fragment with Markdown is rendered for each page, since headings are
numbered through the page.
"""

from collections.abc import Hashable, Sequence
from typing import Any

from jinja2 import nodes, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from sitecms.site.template_values import MenuEntry

PART = "part"
SHARED = ("site", "collections", "posts", "pages")
"""Names of values that all pages of a template see."""
KEPT_CHARACTERS = 24_000_000
"""Room for about 8,000 rows of archives, or 1,200 posts in three feeds. When it is full, all are dropped."""
_PART_ITSELF = 2_000  # its key, and the views that it was made from
_BY_VALUE = frozenset({str, Markup, int, float, bool, type(None)})


class Parts:
    """Rendered fragments of one environment; at most `room` characters are kept.

    `numbers` is the name of the counter of a page's Markdown texts.
    """

    def __init__(self, numbers: str, room: int = KEPT_CHARACTERS) -> None:
        self._numbers = numbers
        self._room = room
        self._kept: dict[Hashable, tuple[Markup, tuple[object, ...]]] = {}
        self._characters = 0

    @pass_context
    def part(self, context: Context, name: str, /, **values: Any) -> Markup:
        """Render a template once for all pages that give it the same values: `part("parts/row.html", card=card)`.

        It sees `site`, `collections` and the given values only. Values are compared by identity, texts by value.
        """
        site = context["site"]
        arguments = [(kind, it) if (kind := type(it)) in _BY_VALUE else id(it) for it in values.values()]
        key = (name, id(site), *values, *arguments)
        fragment = self._kept.get(key)
        return fragment[0] if fragment else self._rendered(context, name, values, key)

    def _rendered(self, context: Context, name: str, part_values: dict[str, Any], key: Hashable) -> Markup:
        numbers = context.get(self._numbers)
        values = {**{shared: context[shared] for shared in SHARED if shared in context}, **part_values}
        before = repr(numbers)
        template = context.environment.get_template(name)
        html = Markup(template.render({**values, self._numbers: numbers}))  # noqa: S704  # the template escapes
        if repr(numbers) == before:
            self._keep(key, html, tuple(values.values()))
        return html

    def _keep(self, key: Hashable, html: Markup, values: tuple[object, ...]) -> None:
        """Keep a fragment with its values, so that no other gets their identity."""
        size = _PART_ITSELF + len(html)
        if self._characters + size > self._room:
            self._kept.clear()
            self._characters = 0
        if size <= self._room:
            self._characters += size
            self._kept[key] = html, values


def menu_place(menu: Sequence[MenuEntry], url: str) -> dict[str, str]:
    """Return the arguments of the part that shows the menu, which are equal for all pages that it marks alike.

    `current_url` is the address of the page if an entry has it; else `section_url` is the longest address of an entry
    that the page is below.
    """
    above = ""
    for entry in menu:
        if url == entry.url or (entry.children and url in [child.url for child in entry.children]):
            return {"current_url": url, "section_url": ""}
        if len(entry.url) > len(above) and url.startswith(entry.url):
            above = entry.url
    return {"current_url": "", "section_url": above}


def parts_named(template: nodes.Template) -> tuple[str | None, ...]:
    """Return the templates that a template uses as fragments, with None if one cannot be determined."""
    calls = [call for call in template.find_all(nodes.Call) if _is_part(call.node)]
    names = [call.args[0].value if call.args and isinstance(call.args[0], nodes.Const) else None for call in calls]
    is_used_otherwise = sum(map(_is_part, template.find_all(nodes.Name))) > len(calls)
    return (*names, None) if is_used_otherwise else tuple(names)


def _is_part(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Name) and node.name == PART and node.ctx == "load"
