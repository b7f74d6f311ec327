"""Diagrams from blocks of code by programs of the machine: `[plugins] enabled = ["diagrams"]`.

A block of code in one of the languages of `[plugins.diagrams.commands]` becomes the picture that the command makes of
it: it reads the text, and writes SVG. The picture stands in the page itself. The API and exports keep the text.
"""

import base64
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape, unescape

from sitecms.plugins.hooks import hookimpl
from sitecms.plugins.values import FeedItem, RenderedPage, Site

_BLOCK = re.compile(
    r'<div class="highlight">(?:(?!</div>).)*?<code class="language-([\w+-]+)">((?:(?!</code>).)*)</code></pre></div>',
    re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")
_SIZE = re.compile(r'<svg\b[^>]*?\bviewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"')
_TITLE = re.compile(r"^\s*accTitle\s*:\s*(.+)$", re.MULTILINE)
_SECONDS = 60
_MAX_QUOTED = 300


@hookimpl
def settings_schema() -> Mapping[str, object]:
    """Return the settings: a command by language, and the words around a diagram."""
    return {
        "type": "object",
        "properties": {
            "commands": {
                "type": "object",
                "default": {"mermaid": ["mmdc", "--quiet", "--input", "-", "--output", "-", "--outputFormat", "svg"]},
                "description": "The command that makes SVG of a text, by the language of the block of code",
                "additionalProperties": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            },
            "alt": {
                "type": "string",
                "default": "Diagram",
                "description": "The description of a diagram whose text has no accTitle",
            },
            "source": {
                "type": "string",
                "default": "The diagram as text",
                "description": 'The words that open the text of the diagram below it, "" to leave it out',
            },
        },
    }


@hookimpl
def page_rendered(site: Site, page: RenderedPage) -> str | None:
    """Return the page with pictures in place of the texts of diagrams."""
    return _with_diagrams(site, page.html)


@hookimpl
def feed_item(site: Site, item: FeedItem) -> str | None:
    """Return the post with pictures in place of the texts of diagrams."""
    return _with_diagrams(site, item.html)


def _with_diagrams(site: Site, html: str) -> str:
    commands: Mapping[str, Sequence[str]] = site.options["commands"]

    def figure(block: re.Match[str]) -> str:
        language, shown = block[1], block[2]
        if language not in commands:
            return block[0]
        text = unescape(_TAG.sub("", shown))
        svg = _svg(tuple(commands[language]), text)
        title = _TITLE.search(text)
        size = _SIZE.search(svg)
        width = f' width="{float(size[1]):.0f}" height="{float(size[2]):.0f}"' if size else ""
        address = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
        alt = escape(title[1].strip() if title else site.options["alt"])
        words = site.options["source"]
        source = f"<details><summary>{escape(words)}</summary>{block[0]}</details>" if words else ""
        return f'<figure class="diagram"><img src="{address}" alt="{alt}"{width}>{source}</figure>'

    return _BLOCK.sub(figure, html)


@lru_cache(256)
def _svg(command: tuple[str, ...], text: str) -> str:
    """Return what a command makes of a text. Raises RuntimeError with what it says if it makes no SVG."""
    program = shutil.which(command[0])
    if program is None:
        raise RuntimeError(f"the program {command[0]} is not installed")
    result = subprocess.run(
        [program, *command[1:]], input=text.encode(), capture_output=True, timeout=_SECONDS, check=False
    )
    svg = result.stdout.decode("utf-8", "replace")
    if result.returncode or "<svg" not in svg:
        said = " ".join(result.stderr.decode("utf-8", "replace").split())[:_MAX_QUOTED] or "it wrote no SVG"
        raise RuntimeError(f"{command[0]} cannot draw the diagram: {said}")
    return svg[svg.index("<svg") :]
