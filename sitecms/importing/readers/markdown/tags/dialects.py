"""Converters of each dialect's tags by name, and values that templates output."""

import re
from collections.abc import Mapping

from msgspec.structs import replace as replace_fields

from sitecms.importing.readers.markdown.tags import convert as to
from sitecms.importing.readers.markdown.tags.convert import Context, Converter
from sitecms.importing.readers.markdown.tags.elements import jsx_element, marked_element
from sitecms.importing.readers.markdown.tags.includes import included_code, included_text
from sitecms.importing.readers.markdown.tags.scan import Tag, read_arguments, replace
from sitecms.importing.shortcodes import MARK, Meaning, comment, place_comments, within_comment

_BY_MEANING: Mapping[Meaning, Converter] = {
    Meaning.CALLOUT: to.callout, Meaning.DETAILS: to.details, Meaning.TAB: to.tab, Meaning.TABS: to.tabs,
    Meaning.FIGURE: to.figure, Meaning.GALLERY: to.gallery, Meaning.EMBED: to.embed, Meaning.CODE: to.highlight,
    Meaning.CONTENT: to.content,
}  # fmt: skip
_BY_NAME: Mapping[str, Converter] = {
    "youtube": to.youtube, "youtubelite": to.youtube, "youtube-lite": to.youtube, "youtube-embed": to.youtube,
    "yt": to.youtube, "vimeo": to.vimeo, "gist": to.gist, "tweet": to.tweet, "twitter": to.tweet,
    "twitter-simple": to.tweet, "x": to.tweet, "iframe": to.iframe,
}  # fmt: skip
"""Converters of shortcodes whose arguments are not those of their kind."""
_LIQUID: Mapping[str, Converter] = {
    "img": to.legacy_image, "asset_img": to.legacy_image, "codeblock": to.codeblock, "code": to.codeblock,
    "blockquote": to.blockquote, "quote": to.blockquote, "pullquote": to.pullquote, "post_url": to.address_of,
    "link": to.address_of, "asset_path": to.address_of, "post_path": to.address_of, "post_link": to.link_of,
    "asset_link": to.link_of, "include_code": included_code,
}  # fmt: skip
"""Tags of one generator, before the names that all systems share."""
_HEXO: Mapping[str, Converter] = {**_LIQUID, "link": to.plain_link}
_GO: Mapping[str, Converter] = {"ref": to.address_of, "relref": to.address_of}
_VIDEO = {"youtube": to.youtube, "vimeo": to.vimeo}
_QUOTES = "\"'"
_ADDRESS_TAGS = (to.address_of, to.link_of)
FORMS = frozenset({"liquid", "liquid-tags", "go", "zola", "wiki", "directives", "mdx", "jsx", "kramdown", "marked"})
_TEMPLATE_KINDS = frozenset({"raw", "escaped", "remark", "output", "module", "options", "wiki"})
_TEXT_ARGUMENT = re.compile(r"\b(?:content|text|body)\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_LITERAL = re.compile(r"([\"'])(?P<text>[^\"']*)\1\s*(?P<filters>(?:\|.*)?)", re.S)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_NAME = re.compile(r"(?P<table>site|page|root_url)(?:\.(?P<key>[\w.-]+))?\s*(?P<filters>(?:\|.*)?)", re.S)
_URL_FILTERS = frozenset({"relative_url", "absolute_url", "url", "prepend", "strip", "asset_url"})
_COMPUTED = re.compile(r"prepend:(?!\s*site\.)")
_TEXT_FILTERS = frozenset({"escape", "xml_escape", "strip_html", "safe", "strip", "markdownify", "smartify"})
_CODE_TAGS = frozenset({to.codeblock, to.highlight})
_RAW_MARKS = re.compile(r"\{%-?\s*(?:end)?raw\s*-?%\}")
_LOOPS = frozenset({"for", "paginate", "tablerow"})
"""Tags around a template that is filled again and again, so that the text within them is none."""


def replace_tags(text: str, dialects: frozenset[str], context: Context, first_line: int = 1) -> str:
    """Return the text with the tags of these dialects replaced; unknown ones become comments, and are reported."""
    if dialects.isdisjoint(FORMS):
        return text
    converted = _replaced(text, dialects, context, first_line)
    return converted if context.is_html else place_comments(converted)


def _replaced(text: str, dialects: frozenset[str], context: Context, first_line: int) -> str:
    def convert(tag: Tag) -> str | None:
        if tag.kind in _TEMPLATE_KINDS:
            return _template_part(tag, context)
        meaning = context.shortcodes.meaning(tag.name)
        own = _own_converters(tag, dialects).get(tag.name)
        if tag.kind == "liquid" and tag.name in _LOOPS and tag.inner is not None:
            context.report(tag.name, tag.line)
            return comment(tag.text)
        if tag.inner is not None and not (own in _CODE_TAGS or (own is None and meaning is Meaning.CODE)):
            tag = replace_fields(tag, inner=_replaced(tag.inner, dialects, context, tag.line))
        elif tag.inner is not None and tag.kind == "liquid" and "hexo" not in dialects:
            tag = replace_fields(tag, inner=_RAW_MARKS.sub("", tag.inner))
        made = _include(tag, context) if tag.kind == "liquid" and tag.name == "include" else None
        if made is None and meaning is Meaning.INCLUDE and (text := included_text(tag, context)) is not None:
            return _replaced(text, dialects, replace_fields(context, depth=context.depth + 1), tag.line)
        return _shortcode(tag, own, meaning, context) if made is None else made

    return replace(text, dialects, convert, first_line)


def _own_converters(tag: Tag, dialects: frozenset[str]) -> Mapping[str, Converter]:
    """Return the converters of tags that only this generator has."""
    if tag.kind == "go":
        return _GO
    if tag.kind != "liquid" or "zola" in dialects:
        return {}
    return _HEXO if "hexo" in dialects else _LIQUID


def _template_part(tag: Tag, context: Context) -> str | None:
    """Return what replaces a tag that is no shortcode."""
    match tag.kind:
        case "raw" | "escaped":
            return tag.inner
        case "remark":
            inner = within_comment(tag.inner or "")
            return f"<!--{MARK}{inner if inner[:1].isspace() else f' {inner}'}-->"
        case "output":
            made = _output(tag, context)
            return comment(tag.text) if made is None and not tag.is_in_address else made
        case "options":
            return _options(tag, context)
        case "wiki":
            return _wiki(tag, context)
    context.report(f"{tag.name} of MDX", tag.line)
    return f"<!-- {within_comment(tag.text.strip())} -->\n"


def _shortcode(tag: Tag, converter: Converter | None, meaning: Meaning | None, context: Context) -> str | None:
    """Return what replaces a shortcode; None for one that stays."""
    if tag.kind == "marked":
        return marked_element(tag, context)
    if tag.kind == "jsx":
        return jsx_element(tag, context)
    if tag.name.startswith("/") or (tag.kind == "liquid" and tag.name.startswith("end")):
        return None if tag.is_in_address else comment(tag.text)  # its beginning was reported
    if tag.kind == "component" and (made := _component(tag, context)) is not None:
        return made
    if converter:
        made = converter(tag, context)
        if made is None and converter in _ADDRESS_TAGS:
            return None if tag.is_in_address else comment(tag.text)
    elif meaning is Meaning.KEEP:
        return tag.text
    elif meaning is None and to.looks_like_figure(tag):
        made = to.figure(tag, context)
    else:
        name = context.shortcodes.known_name(tag.name)
        known = (_BY_NAME.get(name) if meaning is Meaning.EMBED else None) or (
            _BY_MEANING.get(meaning) if meaning else None
        )
        made = known(replace_fields(tag, name=name), context) if known else None
    if made is not None or tag.is_in_address:
        if made is None:
            context.report(_shown_name(tag), tag.line)
        return made
    if not context.shortcodes.is_silent(tag.name):
        context.report(_shown_name(tag), tag.line)
    return _as_comments(tag)


def _shown_name(tag: Tag) -> str:
    """Return the name of a tag as the report names it."""
    match tag.kind:
        case "component":
            return f"<{tag.name}>"
        case "directive":
            return f":::{tag.name}"
    return f"include {tag.arguments.partition(' ')[0].strip(_QUOTES)}" if tag.name == "include" else tag.name


def _as_comments(tag: Tag) -> str:
    """Return a tag as comments around the text within it, which keeps its lines."""
    if tag.inner is None:
        return comment(tag.opening)
    if "\n" not in tag.inner:
        return f"{tag.inner}{comment(f'{tag.opening}…{tag.ending}')}"
    return f"{comment(tag.opening)}{tag.inner}{comment(tag.ending)}"


def _include(tag: Tag, context: Context) -> str | None:
    """Convert includes of Jekyll that show an image, a video or a note, by their names."""
    name, _, rest = tag.arguments.partition(" ")
    stem = re.sub(r"[_-]?(?:player|embed|responsive|html)$", "", name.rpartition("/")[2].partition(".")[0].lower())
    given = read_arguments(rest)
    meaning = context.shortcodes.meaning(stem)
    known = _VIDEO.get(given.get("provider")) if stem == "video" else _BY_NAME.get(stem)
    known = known or (_BY_MEANING.get(meaning) if meaning else None)
    inner = given.get("content", "text", "body") if meaning is Meaning.CALLOUT else ""
    plain = replace_fields(tag, name=stem, arguments=_TEXT_ARGUMENT.sub("", rest), inner=inner or None)
    is_dynamic = "{{" in rest or "page." in rest or "site." in rest
    return known(plain, context) if known and not is_dynamic else None


def _output(tag: Tag, context: Context) -> str | None:
    """Return the value of an output tag: a literal, or a text of the site or page, without filters that compute."""
    value: str | None = None
    if literal := _LITERAL.fullmatch(tag.name):
        is_known = _filters(literal["filters"]) <= _URL_FILTERS | _TEXT_FILTERS
        value = literal["text"] if is_known and not _COMPUTED.search(literal["filters"]) else None
    elif (match := _NAME.fullmatch(tag.name)) and _filters(match["filters"]) <= _TEXT_FILTERS:
        table, key = match["table"], (match["key"] or "").lower()
        if (
            table == "root_url"
            or (table == "site" and key in ("baseurl", "base_url", "root"))
            or (table == "site" and key == "url" and tag.arguments)
        ):
            value = ""
        else:
            value = {"site": context.site, "page": context.page}.get(table, {}).get(key)
    if value is None:
        name = _QUOTED.sub('"…"', tag.name) if "|" in tag.name else tag.name
        context.report(f"{{{{ {' '.join(name.split())[:60]} }}}}", tag.line)
    return value


def _filters(text: str) -> frozenset[str]:
    return frozenset(part.strip().partition(":")[0].strip() for part in text.split("|") if part.strip())


def _options(tag: Tag, context: Context) -> str | None:
    """Take out an attribute list of kramdown; an anchor stays."""
    identifier = re.search(r"(?:^|\s)#([\w-]+)", tag.name)
    context.report("{: } of kramdown, taken out", tag.line)
    return f'<a id="{identifier[1]}"></a>' if identifier and not tag.is_block else ""


def _wiki(tag: Tag, context: Context) -> str | None:
    path, hash_sign, fragment = tag.name.partition("#")
    address = context.resolve(path.strip()) if path else ""
    text = tag.arguments or tag.name
    if not address and path:
        context.missing(f"[[{path}]]", tag.line)
        return tag.name if tag.text.startswith("!") else text  # as Obsidian shows a note that does not exist
    if tag.text.startswith("!") and not address.startswith("entry:"):
        is_size = re.fullmatch(r"\d+(?:x\d+)?", tag.arguments)
        return to.picture(address, "" if is_size else tag.arguments, "", "", tag, context)
    anchor = fragment.strip().lower().replace(" ", "-")
    return to.link(text, f"{address}{hash_sign}{anchor}", context)


def _component(tag: Tag, context: Context) -> str | None:
    """Convert a picture whose file is imported, and a card that is a link; None for other components."""
    given = read_arguments(tag.arguments.replace("={", "= {"))
    name = given.get("src")
    address = context.resolve(name.removesuffix(".src")) if name and tag.name in ("Image", "Picture", "img") else ""
    if address:
        return to.picture(address, given.get("alt"), "", "", tag, context)
    if tag.name in ("LinkCard", "LinkButton") and given.get("href") and given.get("title"):
        description = given.get("description")
        made = to.link(given.get("title"), given.get("href"), context)
        return f"{made} – {description}" if description else made
    return None
