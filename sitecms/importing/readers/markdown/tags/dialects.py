"""Converters of each dialect's tags by name, and values that templates output."""

import re
from collections.abc import Mapping

from sitecms.importing.readers.markdown.tags import convert as to
from sitecms.importing.readers.markdown.tags.convert import Converter, Surroundings
from sitecms.importing.readers.markdown.tags.scan import Tag, read_arguments, replace

_SHARED: Mapping[str, Converter] = {
    "figure": to.figure, "img": to.figure, "image": to.figure, "picture": to.figure,
    "youtube": to.youtube, "vimeo": to.vimeo, "gist": to.gist, "tweet": to.tweet, "twitter": to.tweet,
    "twitter_simple": to.tweet, "x": to.tweet, "instagram": to.instagram, "highlight": to.highlight,
}  # fmt: skip
_LIQUID: Mapping[str, Converter] = {
    **_SHARED, "img": to.legacy_image, "codeblock": to.codeblock, "code": to.codeblock, "blockquote": to.blockquote,
    "quote": to.blockquote, "pullquote": to.pullquote, "post_url": to.address_of, "link": to.address_of,
    "asset_path": to.address_of, "post_path": to.address_of, "asset_img": to.legacy_image, "post_link": to.link_of,
    "asset_link": to.link_of, "iframe": to.iframe,
}  # fmt: skip
_HEXO: Mapping[str, Converter] = {**_LIQUID, "link": to.plain_link}
_GO: Mapping[str, Converter] = {**_SHARED, "ref": to.address_of, "relref": to.address_of}
_ADMONITIONS = frozenset({"note", "tip", "info", "caution", "warning", "danger", "important"})
_VIDEO = {"youtube": to.youtube, "vimeo": to.vimeo}
_LITERAL = re.compile(r"([\"'])(?P<text>[^\"']*)\1\s*(?P<filters>(?:\|.*)?)", re.S)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_NAME = re.compile(r"(?P<table>site|page|root_url)(?:\.(?P<key>[\w.-]+))?\s*(?P<filters>(?:\|.*)?)", re.S)
_URL_FILTERS = frozenset({"relative_url", "absolute_url", "url", "prepend", "strip", "asset_url"})
_COMPUTED = re.compile(r"prepend:(?!\s*site\.)")
_TEXT_FILTERS = frozenset({"escape", "xml_escape", "strip_html", "safe", "strip", "markdownify", "smartify"})


def replace_tags(text: str, dialects: frozenset[str], around: Surroundings, first_line: int = 1) -> str:
    """Return the text with the tags of these dialects replaced. Unknown tags stay, and are reported."""
    if dialects.isdisjoint(_FORMS):
        return text

    def convert(tag: Tag) -> str | None:
        made = _convert(tag, dialects, around)
        if made is None:
            return None
        is_code = tag.name in ("highlight", "codeblock", "code") or tag.kind in ("raw", "escaped", "remark", "output")
        return made if is_code or tag.inner is None else replace_tags(made, dialects, around, tag.line)

    return replace(text, dialects, convert, first_line)


_FORMS = frozenset({"liquid", "liquid-tags", "go", "zola", "wiki", "directives", "mdx", "kramdown"})


def _convert(tag: Tag, dialects: frozenset[str], around: Surroundings) -> str | None:
    match tag.kind:
        case "raw" | "escaped":
            return tag.inner
        case "remark":
            return f"<!--{(tag.inner or '').replace('--', '- -')}-->"
        case "output":
            return _output(tag, around)
        case "options":
            return _options(tag, around)
        case "wiki":
            return _wiki(tag, around)
        case "module":
            around.report(f"{tag.name} of MDX", tag.line)
            return f"<!-- {tag.text.strip().replace('--', '- -')} -->\n"
        case "component":
            return _component(tag, around)
        case "directive":
            made = to.admonition(tag, around) if tag.name in _ADMONITIONS else None
            if made is None:
                around.report(f":::{tag.name}", tag.line)
            return made
    converters = {"go": _GO, "zola": _SHARED}.get(tag.kind, _HEXO if "hexo" in dialects else _LIQUID)
    if tag.name == "include" and tag.kind == "liquid":
        return _include(tag, around)
    if tag.kind == "liquid" and "zola" not in dialects and tag.name.startswith("end"):
        return None  # its beginning was reported
    if tag.kind == "go" and tag.name.startswith("/"):
        return None
    known = converters.get(tag.name)
    made = known(tag, around) if known else None
    if made is None and known not in (to.address_of, to.link_of):
        around.report(tag.name, tag.line)
    return made


def _include(tag: Tag, around: Surroundings) -> str | None:
    """Convert includes of Jekyll that show an image or a video, by their names."""
    name, _, rest = tag.arguments.partition(" ")
    stem = re.sub(r"[_-]?(?:player|embed|responsive|html)$", "", name.rpartition("/")[2].partition(".")[0].lower())
    given = read_arguments(rest)
    known: Converter | None = _SHARED.get(stem)
    if stem == "video":
        known = _VIDEO.get(given.get("provider"))
    plain = Tag(tag.kind, stem, rest, tag.text, tag.line, None, tag.is_block)
    dynamic = "{{" in rest or "page." in rest or "site." in rest
    made = known(plain, around) if known and not dynamic else None
    if made is None:
        around.report(f"include {name}", tag.line)
    return made


def _output(tag: Tag, around: Surroundings) -> str | None:
    """Return the value of an output tag: a literal, or a text of the site or page, without filters that compute."""
    made: str | None = None
    if literal := _LITERAL.fullmatch(tag.name):
        is_known = _filters(literal["filters"]) <= _URL_FILTERS | _TEXT_FILTERS
        made = literal["text"] if is_known and not _COMPUTED.search(literal["filters"]) else None
    elif (match := _NAME.fullmatch(tag.name)) and _filters(match["filters"]) <= _TEXT_FILTERS:
        table, key = match["table"], (match["key"] or "").lower()
        if (
            table == "root_url"
            or (table == "site" and key in ("baseurl", "base_url", "root"))
            or (table == "site" and key == "url" and tag.arguments)
        ):
            made = ""
        else:
            made = {"site": around.site, "page": around.page}.get(table, {}).get(key)
    if made is None:
        name = _QUOTED.sub('"…"', tag.name) if "|" in tag.name else tag.name
        around.report(f"{{{{ {' '.join(name.split())[:60]} }}}}", tag.line)
    return made


def _filters(written: str) -> frozenset[str]:
    return frozenset(part.strip().partition(":")[0].strip() for part in written.split("|") if part.strip())


def _options(tag: Tag, around: Surroundings) -> str | None:
    """Take out an attribute list of kramdown; an anchor stays."""
    identifier = re.search(r"(?:^|\s)#([\w-]+)", tag.name)
    around.report("{: } of kramdown, taken out", tag.line)
    return f'<a id="{identifier[1]}"></a>' if identifier and not tag.is_block else ""


def _wiki(tag: Tag, around: Surroundings) -> str | None:
    path, hash_sign, fragment = tag.name.partition("#")
    found = around.resolve(path.strip()) if path else ""
    if not found and path:
        around.missing(f"[[{path}]]", tag.line)
        return None
    text = tag.arguments or tag.name
    if tag.text.startswith("!"):
        is_size = re.fullmatch(r"\d+(?:x\d+)?", tag.arguments)
        return to.picture(found, "" if is_size else tag.arguments, "", "", tag, around)
    anchor = fragment.strip().lower().replace(" ", "-")
    return to.link(text, f"{found}{hash_sign}{anchor}", around)


def _component(tag: Tag, around: Surroundings) -> str | None:
    """Convert a picture whose file is imported; other components are reported, their contents stay."""
    given = read_arguments(tag.arguments.replace("={", "= {"))
    name = given.get("src")
    found = around.resolve(name.removesuffix(".src")) if name and tag.name in ("Image", "Picture", "img") else ""
    if found:
        return to.picture(found, given.get("alt"), "", "", tag, around)
    if tag.name in ("LinkCard", "LinkButton") and given.get("href") and given.get("title"):
        description = given.get("description")
        made = to.link(given.get("title"), given.get("href"), around)
        return f"{made} – {description}" if description else made
    around.report(f"<{tag.name}>", tag.line)
    return None
