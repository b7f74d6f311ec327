"""What Pagefind reads of a page: the element marked for it, without what is marked to be left out.

Pagefind is given this and nothing else, so that an index stays as it is while headers, footers and lists change. Where
it cannot be told by simple means what Pagefind would read, that is the whole page.
"""

import re

RULES = 1
"""Grows with every change of what is taken for read."""
_BODY = "data-pagefind-body"
_IGNORED = re.compile(r"data-pagefind-ignore(?=[\s>])")
_OURS = "data-pagefind"
_TITLE, _PICTURE = "<h1", "<img"
_HTML = re.compile(r"<html\b[^<>]*>")
_NAME = re.compile(r"<([a-z][a-z0-9]*)\s")
_UNTOLD = ("<!--", "<script", "<style", "<template", "<textarea")
"""What stands in these may look like a tag and be none."""


def searched_part(page: str) -> str:
    """A page that Pagefind makes the same index of."""
    found = _element(page, page.find(_BODY)) if page.count(_BODY) == 1 else None
    html = _HTML.search(page)
    if found is None or html is None:
        return page
    start, end = found
    part, around = page[start:end], page[:start] + page[end:]
    if _TITLE not in part or _TITLE in around or _OURS in around:
        return page
    return f"<!doctype html>{html[0]}<body>{_without_ignored(part)}</body></html>"


def _without_ignored(part: str) -> str:
    """Without elements to be left out; one stays that has a title, picture or mark, of which Pagefind may make use."""
    at = 0
    while match := _IGNORED.search(part, at):
        found = _element(part, match.start())
        inner = part[slice(*found)] if found else ""
        at = match.end()
        if found and inner.count(_OURS) == 1 and _TITLE not in inner and _PICTURE not in inner:
            part = part[: found[0]] + part[found[1] :]
            at = found[0]
    return part


def _element(page: str, at: int) -> tuple[int, int] | None:
    """Where the element begins and ends in whose start tag this place is; None if that is not plain."""
    start = page.rfind("<", 0, at)
    name = _NAME.match(page, start) if start >= 0 else None
    if name is None or ">" in page[start:at]:
        return None
    depth = 0
    for tag in re.finditer(rf"<(/?){name[1]}\b[^<>]*>", page[start:]):
        depth += -1 if tag[1] else 1
        if depth == 0:
            end = start + tag.end()
            return (start, end) if not any(each in page[start:end] for each in _UNTOLD) else None
    return None
