"""Changes of files that people wrote: what changed is written anew, every other character stays as it is.

The data is compared with what the text says, so a text that says it already does not change. Byte order mark, line
ends, comments, order, quotes and indentation stay. The text is one that has been read already; each function raises
CannotRewrite if it cannot be changed so.
"""

import re
from collections.abc import Mapping
from typing import Any

from sitecms.documents.comparison import CannotRewrite
from sitecms.documents.reading import FENCE, TOML_FENCE
from sitecms.documents.rewriting_toml import rewrite_toml
from sitecms.documents.rewriting_yaml import rewrite_yaml
from sitecms.documents.yaml12 import load_yaml

__all__ = ["CannotRewrite", "rewrite_file", "rewrite_front_matter", "rewrite_toml", "rewrite_yaml"]
BYTE_ORDER_MARK = "\ufeff"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")


def rewrite_file(path: str, before: bytes, data: Any, body: str = "") -> bytes:
    """Return the bytes of a YAML file or, by the ending of its path, of a Markdown file that say this."""
    text = before.decode("utf-8")
    if path.endswith(".md"):
        return rewrite_front_matter(text, data, body).encode()
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    return (mark + rewrite_yaml(text.removeprefix(mark), data)).encode()


def rewrite_front_matter(text: str, data: Mapping[str, object], body: str) -> str:
    r"""Return the Markdown file, changed where its front matter is not `data` or its text not `body` (lines end `\n`).

    `text` is a file that `read_front_matter` reads, with its own line ends.
    """
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    lines = _LINE.findall(text.removeprefix(mark))
    fence = lines[0].rstrip() if lines else ""
    last = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == fence), None)
    if fence not in (FENCE, TOML_FENCE) or last is None:
        raise CannotRewrite("it has no front matter")
    front = "".join(lines[1:last])
    line_end = lines[0][len(lines[0].rstrip("\r\n")) :] or "\n"
    if fence == TOML_FENCE:
        front = rewrite_toml(front, data)
    elif load_yaml(front) is not None:
        end = next(sign for sign in ("\r\n", "\n", "\r") if front.endswith(sign))
        front = rewrite_yaml(front.removesuffix(end), data) + end  # as it is read: a text ends before that line end
    elif data:  # front matter without a key is not the table {}
        front = rewrite_yaml(front, data)
    if front and not front.endswith(("\n", "\r")):
        front += line_end
    closing, rest = lines[last], lines[last + 1 :]
    new_rest = _body("".join(rest), body, line_end)
    if new_rest and not closing.endswith(("\n", "\r")):
        closing += line_end
    return "".join((mark, lines[0], front, closing, new_rest))


def _body(text: str, body: str, line_end: str) -> str:
    """Return the text with the lines of the body; lines that stay at its start and its end keep their line ends."""
    lines, new = _LINE.findall(text), body.split("\n")
    old = [line.rstrip("\r\n") for line in lines]
    if not text or text.endswith(("\n", "\r")):
        old.append("")
        lines.append("")
    if old == new:
        return text
    shorter = min(len(old), len(new)) - 1
    begin = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    end = next((at for at in range(shorter - begin) if old[-1 - at] != new[-1 - at]), shorter - begin)
    middle = [line + line_end for line in new[begin : len(new) - end]]
    if not end:
        middle[-1] = new[-1]
    return "".join((*lines[:begin], *middle, *lines[len(lines) - end :]))
