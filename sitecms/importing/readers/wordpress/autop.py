"""Paragraphs of classic WordPress bodies, which are stored without `<p>`: an empty line ends a paragraph."""

import re

BLOCKS = (
    "table|thead|tfoot|caption|col|colgroup|tbody|tr|td|th|div|dl|dd|dt|ul|ol|li|pre|form|map|area|blockquote|address|"
    "style|p|h[1-6]|hr|fieldset|legend|section|article|aside|hgroup|header|footer|nav|figure|figcaption|details|menu|"
    "summary|script|iframe|object|video|audio|noscript"
)
_BLOCK_OPEN = re.compile(rf"(<(?:{BLOCKS})(?=[\s/>]))", re.I)
_BLOCK_CLOSE = re.compile(rf"(</(?:{BLOCKS})>)", re.I)
_RULE = re.compile(r"(<hr\s*?/?>)", re.I)
_KEPT = re.compile(r"<(pre|script|style|textarea|svg|math)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.I | re.S)
_MARK = "\x02{}\x03"
_MARKED = re.compile("\x02(\\d+)\x03")
_BLANK = re.compile(r"\n[ \t]*\n+")
_ONLY_CLOSING = re.compile(rf"\s*(?:</(?:{BLOCKS})>\s*)+", re.I)
_LEADING_BLOCKS = re.compile(rf"((?:\s*<(/?)({BLOCKS})(?:\s[^<>]*)?>)+)", re.I)
_CLOSING = re.compile(rf"(?:\s*</(?:{BLOCKS})>)+\Z", re.I)
_NAMES = re.compile(rf"<(/?)({BLOCKS})\b", re.I)
_LINE_END = re.compile(r"(?<!<br>)(?<!<br/>)(?<!<br />)[ \t]*\n[ \t]*(?!\Z)")
_TAG_END = re.compile(r"<[^<>]*\n[^<>]*>")
_INNER_BREAK = re.compile(rf"\s*\n\s*(?=</?(?:{BLOCKS})(?=[\s/>]))", re.I)


def add_paragraphs(text: str) -> str:
    """Return the text with `<p>` around its paragraphs and `<br>` at single line ends, as WordPress shows it."""
    if not text.strip():
        return ""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        mark = _MARK.format(len(kept) - 1)
        return mark if match[0].startswith("<!--") else f"\n\n{mark}\n\n"

    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _KEPT.sub(keep, text.replace("\x02", "").replace("\x03", ""))
    text = _TAG_END.sub(lambda match: match[0].replace("\n", " "), text)
    text = re.sub(r"<br\s*/?>\s*<br\s*/?>", "\n\n", text, flags=re.I)
    text = _BLOCK_OPEN.sub(r"\n\n\1", text)
    text = _BLOCK_CLOSE.sub(r"\1\n\n", text)
    text = _RULE.sub(r"\1\n\n", text)
    parts = [_paragraph(part) for part in _BLANK.split(text) if part.strip()]
    joined = "\n".join(parts)
    return _MARKED.sub(lambda match: kept[int(match[1])], joined)


def _paragraph(part: str) -> str:
    """Return one part between empty lines: a paragraph, unless it is a block or the beginning or end of one."""
    stripped = part.strip()
    marked = _MARKED.fullmatch(stripped)
    if marked or _ONLY_CLOSING.fullmatch(stripped):
        return stripped
    lead = _LEADING_BLOCKS.match(stripped)
    opening = lead[0] if lead else ""
    rest = stripped[len(opening) :]
    closing = ""
    if rest.endswith(">") and (end := _CLOSING.search(rest)):
        closing, rest = end[0], rest[: end.start()]
    if not rest.strip():
        return stripped
    inside = [name.lower() for slash, name in _NAMES.findall(opening) if not slash] if opening else []
    if inside and inside[-1] not in ("div", "blockquote", "section", "article", "aside", "header", "footer", "details"):
        return opening + _breaks(rest) + closing
    if inside and closing and "\n" not in rest.strip():  # `<div>text</div>` in one line stays without a paragraph
        return opening + _breaks(rest) + closing
    return f"{opening}<p>{_breaks(rest.strip())}</p>{closing}"


def _breaks(text: str) -> str:
    """Return the text with a `<br>` at each line end."""
    text = text.strip("\n")
    return _LINE_END.sub("<br>\n", _INNER_BREAK.sub("\n", text)) if "\n" in text else text
