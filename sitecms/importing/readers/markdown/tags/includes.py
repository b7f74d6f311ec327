"""Includes: the text of another file of the source is put in where a tag names it; templates are not."""

import re

from sitecms.importing.readers.markdown.tags.convert import Context, code
from sitecms.importing.readers.markdown.tags.scan import Tag, read_arguments

MAX_DEPTH = 5
"""Most files of which one includes the next."""
_TEXTS = (".md", ".markdown", ".mdx", ".txt")
_PARAMETER = re.compile(r"\{\{-?\s*include\.([\w-]+)\s*(?:\|[^{}]*)?-?\}\}")
_TEMPLATE = re.compile(
    r"\{%-?\s*(?!(?:end)?(?:raw|comment|highlight)\b)|<(?:script|style|form|input|nav|link|svg)\b", re.I
)
_OPTION = re.compile(r"(lang|from|to):(\S+)")


def included_text(tag: Tag, context: Context) -> str | None:
    """Return the text of the file that a tag includes, with its parameters; None for a template or a missing file."""
    given = read_arguments(tag.arguments)
    name = given.get("0", "file", "path", "src")
    text = context.include(name) if name and context.depth < MAX_DEPTH else None
    if text is None:
        return None
    text = _PARAMETER.sub(lambda match: given.get(match[1].lower()), text)
    if not name.lower().endswith(_TEXTS) and _TEMPLATE.search(text):
        return None
    indent = re.sub(r"[^>]", " ", tag.prefix) if tag.is_block else ""
    return text.strip("\n").replace("\n", f"\n{indent}")


def included_code(tag: Tag, context: Context) -> str | None:
    """Convert Octopress's and Hexo's include_code: a title, `lang:x`, a file, `from:1`, `to:9`."""
    options = dict(_OPTION.findall(tag.arguments))
    name = next((each for each in reversed(_OPTION.sub("", tag.arguments).split()) if "." in each), "")
    text = context.include(name) if name else None
    if text is None:
        return None
    lines = text.split("\n")
    first, last = (options[each] if options.get(each, "").isdecimal() else "" for each in ("from", "to"))
    lines = lines[max(int(first), 1) - 1 if first else 0 : int(last) if last else None]
    return code("\n".join(lines), options.get("lang", name.rpartition(".")[2]), tag, context)
