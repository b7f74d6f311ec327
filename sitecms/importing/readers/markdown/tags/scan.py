"""Tags of templates in a text, found outside of its code, and their arguments."""

import re
from collections.abc import Callable
from functools import cache

from msgspec import Struct, field
from msgspec.structs import replace as replace_fields

_FENCE = (
    r"(?P<fence>^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<ticks>`{3,}|~{3,})[^\n]*\n"
    r"(?:.*?^[ \t>]*(?P=ticks)[`~]*[ \t]*$|.*\Z))"
)
_INLINE = r"(?P<inline>(?P<tick>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=tick)(?!`))"
_ELEMENT = r"(?P<element><(?P<code>pre|code|script|style)\b[^>]*>.*?</(?P=code)\s*>|<!--.*?-->)"
_ARGUMENTS = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^%{}]|%(?!\})|[{}](?!%))*?"
_RAW = r"(?P<raw>\{%-?\s*raw\s*-?%\}(?P<rawinner>.*?)\{%-?\s*endraw\s*-?%\})"
_REMARK = r"(?P<remark>\{%-?\s*comment\s*-?%\}(?P<remarkinner>.*?)\{%-?\s*endcomment\s*-?%\}|\{#.*?#\})"
_LIQUID = rf"(?P<liquid>\{{%-?\s*(?P<lname>[\w-]+)(?P<largs>{_ARGUMENTS})-?%\}})"
_OUTPUT = r"(?P<output>\{\{-?\s*(?P<expression>[^{}]*?)\s*-?\}\})"
_GO_ESCAPED = r"(?P<goescaped>\{\{(?P<goopen>[<%])/\*(?P<goinner>.*?)\*/(?P<goend>[>%])\}\})"
_GO = (
    r"(?P<go>\{\{(?P<godelimiter>[<%])\s*(?P<gname>/?[\w./-]*[\w.-])"
    r"(?P<gargs>(?:\"(?:\\.|[^\"\\])*\"|`[^`]*`|[^\"`])*?)(?P<gself>/?)\s*[>%]\}\})"
)
_ZOLA_ESCAPED = r"(?P<zescaped>\{(?P<zopen>[{%])/\*(?P<zinner>.*?)\*/(?P<zclose>[}%])\})"
_CALL = r"\((?:\"[^\"]*\"|'[^']*'|`[^`]*`|[^()\"'`])*\)"
_ZOLA = rf"(?P<zola>\{{(?P<zkind>[{{%])-?\s*(?P<zname>\w+)(?P<zargs>{_CALL})\s*-?[}}%]\}})"
_WIKI = r"(?P<wiki>(?P<embed>!?)\[\[(?P<wname>[^\[\]|\n]+)(?:\|(?P<wtext>[^\[\]\n]*))?\]\])"
_DIRECTIVE = r"(?P<directive>^[ \t]*:::+[ \t]*(?P<dname>[a-z][\w-]*)(?P<dtext>[^\n]*)$)"
_MODULE = (
    r"(?P<module>^(?:(?P<mname>import)[ \t](?:[\w*{},$\s]+?from\s+)?[\"'][^\"'\n]+[\"'][ \t]*;?[ \t]*(?:\n|\Z)"
    r"|(?P<ename>export)[ \t](?:const|let|var|function|default|async|class|type|\{)(?:[^\n]+\n)+))"
)
_COMPONENT = (
    r"(?P<component><(?P<cname>/?[A-Z][\w.]*)"
    r"(?P<cargs>(?:\"[^\"]*\"|'[^']*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[^<>\"'{}])*?)/?>)"
)
_MDX_REMARK = r"(?P<mdxremark>\{/\*(?P<mdxremarkinner>.*?)\*/\})"
_BRACES = r"\{(?:[^{}]|\{[^{}]*\})*\}"
_JSX = rf"(?P<jsx><(?P<jname>[a-z][a-z0-9]*)(?P<jargs>(?:\s(?:\"[^\"]*\"|'[^']*'|{_BRACES}|[^<>\"'{{}}])*)?)>)"
_OPTIONS = r"(?P<options>\{::?(?P<oname>[^{}\n]*)\})"
_MARKED = (
    r"(?P<marked><(?P<hname>[a-zA-Z][\w-]*)(?=[^<>]*\smarkdown\s*=\s*[\"']?(?:1|block|span)\b)(?P<hargs>\s[^<>]*)>)"
)

_PATTERNS = {
    "liquid": (_RAW, _REMARK, _LIQUID, _OUTPUT),
    "liquid-tags": (_LIQUID,),
    "go": (_GO_ESCAPED, _GO),
    "zola": (_ZOLA_ESCAPED, _ZOLA),
    "wiki": (_WIKI,),
    "directives": (_DIRECTIVE,),
    "mdx": (_MODULE, _COMPONENT),
    "jsx": (_MDX_REMARK, _JSX),
    "kramdown": (_OPTIONS,),
    "marked": (_MARKED,),
}
_SIGNS = {
    "liquid": ("{%", "{{", "{#"),
    "liquid-tags": ("{%",),
    "go": ("{{<", "{{%"),
    "zola": ("{{", "{%"),
    "wiki": ("[[",),
    "directives": (":::",),
    "mdx": ("import ", "export ", "<"),
    "jsx": ("<", "{/*"),
    "kramdown": ("{:",),
    "marked": ("markdown",),
}
_PART = re.compile(
    r"""(?:(?P<name>[\w-]+)\s*[=]\s*)?(?:"(?P<double>(?:\\.|[^"\\])*)"|'(?P<single>(?:\\.|[^'\\])*)'|`(?P<tick>[^`]*)`"""
    r"""|\{(?P<brace>[^{}]*)\}|(?P<bare>[^\s,]+))"""
)
_LINE_END = re.compile(r"[ \t]*(?:\n|\Z)")
_IN_LINK = re.compile(r"\]\([^()\s]*\Z|\]:[ \t]*\S*\Z|<[a-zA-Z][^<>\n]*\Z|https?://\S*\Z")
_NAMED_GROUPS = (
    ("liquid", "lname", "largs"),
    ("go", "gname", "gargs"),
    ("zola", "zname", "zargs"),
    ("wiki", "wname", "wtext"),
    ("directive", "dname", "dtext"),
    ("module", "mname", "module"),
    ("component", "cname", "cargs"),
    ("marked", "hname", "hargs"),
    ("jsx", "jname", "jargs"),
)


class Tag(Struct, frozen=True):
    """A tag: `kind` is its form, `inner` the text up to its end tag, `prefix` what stands before it on its line.

    `opening` and `ending` are the tags themselves. One that `is_in_address` is a part of a link or of a tag of HTML.
    """

    kind: str
    name: str
    arguments: str
    opening: str
    line: int
    inner: str | None = None
    ending: str = ""
    prefix: str = ""
    is_in_address: bool = False

    @property
    def is_block(self) -> bool:
        """True if the tag begins its line."""
        return not self.prefix.strip(" \t>")

    @property
    def text(self) -> str:
        """The whole text, from the beginning of the tag to the end of its end tag."""
        return f"{self.opening}{self.inner or ''}{self.ending}"


ConvertTag = Callable[[Tag], str | None]
"""Gets a tag and returns what replaces it; None keeps it as it is."""


@cache
def _pattern(dialects: frozenset[str]) -> re.Pattern[str]:
    tags = [each for name in sorted(dialects & _PATTERNS.keys()) for each in _PATTERNS[name]]
    return re.compile("|".join((_FENCE, _INLINE, _ELEMENT, *tags)), re.M | re.S)


def has_tags(text: str, dialects: frozenset[str]) -> bool:
    """Return whether a text may hold tags."""
    return any(sign in text for name in dialects for sign in _SIGNS.get(name, ()))


def replace(text: str, dialects: frozenset[str], convert: ConvertTag, first_line: int = 1) -> str:
    """Return the text with its tags replaced; code stays unchanged, as the generator showed it."""
    if not has_tags(text, dialects):
        return text
    pattern = _pattern(dialects)
    parts: list[str] = []
    position, counted, line = 0, 0, first_line
    endless: set[str] = set()  # end tags that the rest of the text does not have
    while match := pattern.search(text, position):
        parts.append(text[position : match.start()])
        position = match.end()
        line += text.count("\n", counted, match.start())
        counted = match.start()
        if match["fence"] or match["inline"] or match["element"]:
            parts.append(_code(match[0], dialects))
            continue
        if "jsx" not in dialects and _is_indented(text, match.start()):  # MDX has no such blocks
            parts.append(match[0])
            continue
        tag, position = _tag(match, text, line, endless)
        replacement = convert(tag)
        if replacement is None:
            position = match.end()
            parts.append(_left_in_address(tag, text[position : position + 1]) if tag.is_in_address else match[0])
        else:
            parts.append(replacement)
            ends_block = replacement.endswith((":::", "```"))
            if ends_block and not _LINE_END.match(text, position):  # else it would not end the block
                parts.append(f"\n\n{re.sub('[^>]', ' ', tag.prefix)}")
    return "".join((*parts, text[position:]))


def _left_in_address(tag: Tag, following: str) -> str:
    """Return what stays of an unknown tag in an address: "#" for a whole one, so that the link stays a link."""
    if tag.kind not in ("liquid", "go", "zola", "output"):
        return tag.opening
    return "#" if tag.prefix.endswith(("(", "<", '"', "'")) and following in (")", ">", '"', "'") else ""


def _code(code: str, dialects: frozenset[str]) -> str:
    """Return code as it was shown: marks that kept the generator from reading it are dropped."""
    if "liquid" in dialects and "hexo" not in dialects and "raw" in code:
        code = re.sub(r"\{%-?\s*(?:end)?raw\s*-?%\}", "", code)
    if "go" in dialects and "/*" in code:
        code = re.sub(_GO_ESCAPED, r"{{\g<goopen>\g<goinner>\g<goend>}}", code, flags=re.S)
    if "zola" in dialects and "/*" in code:
        code = re.sub(_ZOLA_ESCAPED, r"{\g<zopen>\g<zinner>\g<zclose>}", code, flags=re.S)
    return code


def _tag(match: re.Match[str], text: str, line: int, endless: set[str]) -> tuple[Tag, int]:
    """Return the tag of a match with what it encloses, and where it ends."""
    groups = match.groupdict()
    end = match.end()
    prefix = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    is_in_address = bool(_IN_LINK.search(prefix))
    if groups.get("raw") is not None:
        return Tag("raw", "raw", "", "", line, groups["rawinner"]), end
    if groups.get("remark") is not None:
        return Tag("remark", "comment", "", "", line, groups.get("remarkinner") or match[0][2:-2]), end
    if groups.get("mdxremark") is not None:
        return Tag("remark", "comment", "", "", line, groups["mdxremarkinner"]), end
    for kind in ("goescaped", "zescaped"):
        if groups.get(kind) is not None:
            return Tag("escaped", "", "", "", line, _code(match[0], frozenset({"go", "zola"}))), end
    for kind, name, arguments in _NAMED_GROUPS:
        if groups.get(kind) is not None:
            named = groups[name] or groups.get("ename") or ""
            values = (groups[arguments] or "").strip()
            tag = Tag(kind, named, values, match[0], line, prefix=prefix, is_in_address=is_in_address)
            return _with_inner(tag, match, text, endless)
    if groups.get("options") is not None:
        return Tag("options", groups["oname"], "", match[0], line, prefix=prefix), end
    following = text[end : end + 1] if text[end : end + 1] in ("/", "{") else ""
    expression = groups["expression"] or ""
    is_in_address = is_in_address or following == "/"
    return Tag("output", expression, following, match[0], line, prefix=prefix, is_in_address=is_in_address), end


def _with_inner(tag: Tag, match: re.Match[str], text: str, endless: set[str]) -> tuple[Tag, int]:
    """Return the tag with the text up to its end tag, and where that ends; a tag without one as it is."""
    name = re.escape(tag.name)
    match tag.kind:
        case "liquid":
            opening, ending = rf"\{{%-?\s*{name}(?![\w-])", rf"\{{%-?\s*end_?{name}\s*-?%\}}"
        case "go" if not match["gself"] and not tag.name.startswith("/"):
            opening = rf"\{{\{{[<%]\s*{name}(?![\w./-])(?:(?![>%]\}}\}}).)*(?<!/)[>%]\}}\}}"
            ending = rf"\{{\{{[<%]\s*/\s*{name}\s*[>%]\}}\}}"
        case "zola" if match["zkind"] == "%":
            opening, ending = r"\{%-?\s*\w+\(", r"\{%-?\s*end\s*-?%\}"
        case "directive":
            opening, ending = r"^[ \t]*:::+[ \t]*[a-z]", r"^[ \t]*:::+[ \t]*$"
        case "marked" | "jsx" if not tag.opening.endswith("/>"):
            opening, ending = rf"<{name}(?![\w-])[^<>]*>", rf"</{name}\s*>"
        case "component" if not tag.name.startswith("/") and not tag.opening.endswith("/>"):
            opening, ending = rf"<{name}(?![\w.])(?:[^<>]*[^/<>])?>", rf"</{name}\s*>"
        case _:
            return tag, match.end()
    end = None if ending in endless else _end_tag(text, match.end(), opening, ending)
    if not end:
        endless.add(ending)
        return tag, match.end()
    return replace_fields(tag, inner=text[match.end() : end.start()], ending=end[0]), end.end()


def _end_tag(text: str, start: int, opening: str, ending: str) -> re.Match[str] | None:
    """Return the end tag that belongs to a tag, those of tags within it left out; the first one if they are unequal."""
    first, depth = None, 0
    for match in re.compile(f"(?P<end>{ending})|{opening}", re.M | re.S).finditer(text, start):
        if match["end"] is None:
            depth += 1
            continue
        if depth == 0:
            return match
        first, depth = first or match, depth - 1
    return first


def _is_indented(text: str, position: int) -> bool:
    """Return whether a place is in a block of indented code."""
    start = text.rfind("\n", 0, position) + 1
    if not text.startswith(("    ", "\t"), start):
        return False
    lines = text[:start].split("\n")[:-1]
    is_after_blank = False
    for line in reversed(lines):
        if not line.strip():
            is_after_blank = True
        elif line.startswith(("    ", "\t")):
            is_after_blank = False
        else:
            return is_after_blank and not re.match(r"[ ]{0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)", line)
    return True


class Arguments(Struct, frozen=True):
    """Arguments by position and by name, names in lower case."""

    values: tuple[str, ...] = ()
    named: dict[str, str] = field(default_factory=dict)

    def get(self, *names: str) -> str:
        """Return the first of these arguments that is not empty; numbers are positions."""
        for name in names:
            if name.isdigit():
                value = self.values[int(name)] if int(name) < len(self.values) else ""
            else:
                value = self.named.get(name, "")
            if value:
                return value
        return ""


def read_arguments(text: str) -> Arguments:
    """Return the arguments of a tag."""
    plain = text.strip()
    if plain.startswith("(") and plain.endswith(")"):
        plain = plain[1:-1]
    values: list[str] = []
    named: dict[str, str] = {}
    for match in _PART.finditer(plain):
        quoted = match["double"] if match["double"] is not None else match["single"]
        value = quoted if quoted is not None else match["tick"] or match["brace"] or match["bare"] or ""
        if quoted is not None and "\\" in value:
            value = re.sub(r"\\([\"'\\])", r"\1", value)
        if match["name"]:
            named[match["name"].lower()] = value
        else:
            values.append(value)
    return Arguments(tuple(values), named)
