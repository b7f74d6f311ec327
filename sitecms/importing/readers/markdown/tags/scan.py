"""Tags of templates in a text, found outside of its code, and their arguments."""

import re
from collections.abc import Callable
from functools import cache

from msgspec import Struct, field

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
    r"(?P<component><(?P<cname>[A-Z][\w.]*)"
    r"(?P<cargs>(?:\"[^\"]*\"|'[^']*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[^<>\"'{}])*?)/?>)"
)
_OPTIONS = r"(?P<options>\{::?(?P<oname>[^{}\n]*)\})"

_PATTERNS = {
    "liquid": (_RAW, _REMARK, _LIQUID, _OUTPUT),
    "liquid-tags": (_LIQUID,),
    "go": (_GO_ESCAPED, _GO),
    "zola": (_ZOLA_ESCAPED, _ZOLA),
    "wiki": (_WIKI,),
    "directives": (_DIRECTIVE,),
    "mdx": (_MODULE, _COMPONENT),
    "kramdown": (_OPTIONS,),
}
_SIGNS = {
    "liquid": ("{%", "{{", "{#"),
    "liquid-tags": ("{%",),
    "go": ("{{<", "{{%"),
    "zola": ("{{", "{%"),
    "wiki": ("[[",),
    "directives": (":::",),
    "mdx": ("import ", "export ", "<"),
    "kramdown": ("{:",),
}
_PART = re.compile(
    r"""(?:(?P<name>[\w-]+)\s*[=]\s*)?(?:"(?P<double>(?:\\.|[^"\\])*)"|'(?P<single>(?:\\.|[^'\\])*)'|`(?P<tick>[^`]*)`"""
    r"""|\{(?P<brace>[^{}]*)\}|(?P<bare>[^\s,]+))"""
)


class Tag(Struct, frozen=True):
    """A tag: `kind` is its form, `inner` the text up to its end tag."""

    kind: str
    name: str
    arguments: str
    text: str
    line: int
    inner: str | None = None
    is_block: bool = False


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
    while match := pattern.search(text, position):
        parts.append(text[position : match.start()])
        position = match.end()
        line += text.count("\n", counted, match.start())
        counted = match.start()
        if match["fence"] or match["inline"] or match["element"]:
            parts.append(_code(match[0], dialects))
            continue
        if _is_indented(text, match.start()):
            parts.append(match[0])
            continue
        tag, position = _tag(match, text, line)
        made = convert(tag)
        if made is None:
            position = match.end()
            parts.append(match[0])
        else:
            parts.append(made)
    return "".join((*parts, text[position:]))


def _code(code: str, dialects: frozenset[str]) -> str:
    """Return code as it was shown: marks that kept the generator from reading it are dropped."""
    if "liquid" in dialects and "raw" in code:
        code = re.sub(r"\{%-?\s*(?:end)?raw\s*-?%\}", "", code)
    if "go" in dialects and "/*" in code:
        code = re.sub(_GO_ESCAPED, r"{{\g<goopen>\g<goinner>\g<goend>}}", code, flags=re.S)
    if "zola" in dialects and "/*" in code:
        code = re.sub(_ZOLA_ESCAPED, r"{\g<zopen>\g<zinner>\g<zclose>}", code, flags=re.S)
    return code


def _tag(match: re.Match[str], text: str, line: int) -> tuple[Tag, int]:
    """Return the tag of a match with what it encloses, and where it ends."""
    groups = match.groupdict()
    end = match.end()
    line_start = text.rfind("\n", 0, match.start()) + 1
    is_block = not text[line_start : match.start()].strip(" \t>")
    if groups.get("raw") is not None:
        return Tag("raw", "raw", "", match[0], line, groups["rawinner"]), end
    if groups.get("remark") is not None:
        return Tag("remark", "comment", "", match[0], line, groups.get("remarkinner") or match[0][2:-2]), end
    for kind in ("goescaped", "zescaped"):
        if groups.get(kind) is not None:
            return Tag("escaped", "", "", match[0], line, _code(match[0], frozenset({"go", "zola"}))), end
    for kind, name, arguments in (
        ("liquid", "lname", "largs"),
        ("go", "gname", "gargs"),
        ("zola", "zname", "zargs"),
        ("wiki", "wname", "wtext"),
        ("directive", "dname", "dtext"),
        ("module", "mname", "module"),
        ("component", "cname", "cargs"),
    ):
        if groups.get(kind) is not None:
            named = groups[name] or groups.get("ename") or ""
            tag = Tag(kind, named, (groups[arguments] or "").strip(), match[0], line, None, is_block)
            return _with_inner(tag, match, text)
    if groups.get("options") is not None:
        return Tag("options", groups["oname"], "", match[0], line, None, is_block), end
    following = text[end : end + 1] if text[end : end + 1] in ("/", "{") else ""
    return Tag("output", groups["expression"] or "", following, match[0], line, None, is_block), end


def _with_inner(tag: Tag, match: re.Match[str], text: str) -> tuple[Tag, int]:
    """Return the tag with the text up to its end tag, and where that ends; a tag without one as it is."""
    name = re.escape(tag.name)
    match tag.kind:
        case "liquid":
            ending = rf"\{{%-?\s*end_?{name}\s*-?%\}}"
        case "go" if not match["gself"] and not tag.name.startswith("/"):
            ending = rf"\{{\{{[<%]\s*/\s*{name}\s*[>%]\}}\}}"
        case "zola" if match["zkind"] == "%":
            ending = r"\{%-?\s*end\s*-?%\}"
        case "directive":
            ending = r"^[ \t]*:::+[ \t]*$"
        case _:
            return tag, match.end()
    found = re.compile(ending, re.M).search(text, match.end())
    if not found:
        return tag, match.end()
    inner = text[match.end() : found.start()]
    whole = text[match.start() : found.end()]
    return Tag(tag.kind, tag.name, tag.arguments, whole, tag.line, inner, tag.is_block), found.end()


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
                found = self.values[int(name)] if int(name) < len(self.values) else ""
            else:
                found = self.named.get(name, "")
            if found:
                return found
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
