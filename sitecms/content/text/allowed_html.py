"""The HTML that editors may write: tags, attributes, and their values. Nothing else is ever stored."""

import re
from collections.abc import Callable, Mapping

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
TABLE_SECTIONS = frozenset({"thead", "tbody", "tfoot"})
TABLE_CELLS = frozenset({"td", "th", "caption"})
TABLE_PARTS = TABLE_SECTIONS | TABLE_CELLS | {"table", "tr", "colgroup", "col"}
VOID = frozenset({"br", "hr", "img", "input", "wbr", "source", "track", "col"})
BLOCKS = HEADINGS | {
    "address", "article", "aside", "blockquote", "dd", "details", "div", "dl", "dt", "figcaption", "figure",
    "hr", "li", "ol", "p", "pre", "section", "summary", "ul",
}  # fmt: skip
_INLINE = frozenset(
    {
        "a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q",
        "rp", "rt", "ruby", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr",
        "audio", "iframe", "img", "picture", "source", "track", "video",
        "input", "label",  # of tasks: see CHECK_BOX
    }
)  # fmt: skip
MATH = "math"
MATH_TAGS = frozenset(
    {
        "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom", "mprescripts", "mroot",
        "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder",
        "munderover",
    }
)  # fmt: skip
"""Elements of MathML Core that stand within `<math>` only, and are the only ones there."""
TAGS = BLOCKS | _INLINE | TABLE_PARTS | MATH_TAGS | {MATH}
CONTENT_DROPPED = frozenset(
    {
        "annotation",
        "annotation-xml",
        "noembed",
        "noframes",
        "script",
        "select",
        "style",
        "svg",
        "template",
        "textarea",
        "title",
        "xmp",
    }
)

_OWN = {
    "a": "href title rel hreflang role",
    "abbr": "title",
    "audio": "src controls loop muted preload",
    "blockquote": "cite",
    "col": "span",
    "colgroup": "span",
    "del": "cite datetime",
    "details": "open",
    "dfn": "title",
    "iframe": "src width height title allow allowfullscreen loading",
    "input": "type disabled checked",
    "math": "display tabindex",
    "menclose": "notation",
    "mfrac": "linethickness",
    "mo": "fence form largeop lspace maxsize minsize movablelimits rspace separator stretchy symmetric",
    "mover": "accent",
    "mpadded": "depth height lspace voffset width",
    "mspace": "depth height width",
    "mtd": "columnspan rowspan",
    "munder": "accentunder",
    "munderover": "accent accentunder",
    "img": "src alt title width height loading decoding srcset sizes",
    "ins": "cite datetime",
    "li": "value",
    "ol": "start reversed type",
    "pre": "tabindex",
    "q": "cite",
    "section": "role",
    "source": "src srcset sizes type media width height",
    "table": "tabindex",
    "td": "colspan rowspan headers",
    "th": "colspan rowspan headers scope abbr",
    "time": "datetime",
    "track": "src kind srclang label default",
    "video": "src poster controls loop muted playsinline preload width height",
}


CHECK_BOX: Mapping[str, str] = {"type": "checkbox", "disabled": ""}
"""Attributes of every `<input>`: it shows whether a task is done, and nobody can change it."""
NOTE_ROLES = frozenset({"doc-backlink", "doc-endnotes", "doc-noteref"})
"""Roles of the parts of footnotes; what else has a role is the theme's."""
_ON_ALL_MATH = "displaystyle mathbackground mathcolor mathsize mathvariant scriptlevel"
ON_ALL_TAGS = frozenset({"aria-describedby", "aria-hidden", "aria-label", "class", "dir", "id", "lang"})
DATA_PREFIX = "data-"
ATTRIBUTES: Mapping[str, set[str]] = {
    "*": set(ON_ALL_TAGS),
    **{tag: set(_ON_ALL_MATH.split()) for tag in MATH_TAGS},
    **{tag: set(f"{names} {_ON_ALL_MATH if tag in MATH_TAGS else ''}".split()) for tag, names in _OWN.items()},
}
"""Attributes by tag. Every tag may also have attributes whose name begins with DATA_PREFIX (see `allowed_name`)."""
RESERVED_DATA = "data-pagefind"
_DATA_NAME = re.compile(r"data-[a-z0-9][a-z0-9_.-]*")
URL_SCHEMES = frozenset(
    {"ftp", "geo", "http", "https", "irc", "ircs", "mailto", "news", "sms", "tel", "webcal", "whatsapp", "xmpp"}
)
MAX_VALUE_LENGTH = 10_000
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_IGNORED_IN_URLS = dict.fromkeys((*range(33), 127))  # browsers skip most of them; skip all
_EMBED_HOSTS = (
    "www.youtube-nocookie.com",
    "www.youtube.com",
    "player.vimeo.com",
    "open.spotify.com",
    "w.soundcloud.com",
    "codepen.io",
    "www.openstreetmap.org",
)
_MAPS = "www.google.com/maps/embed"
EMBEDS = (*_EMBED_HOSTS, _MAPS, f"{_MAPS}/")
"""Hosts of frames, as a Content-Security-Policy names them after `https://`."""
_EMBED = re.compile(
    rf"(?:https:)?(//(?:(?:{'|'.join(map(re.escape, _EMBED_HOSTS))})/|{re.escape(_MAPS)}(?:/v1/\w+)?(?=[?#]|\Z))"
    r"[!-\[\]-~]*)"
)
_FEATURES = frozenset(
    {
        "accelerometer", "autoplay", "clipboard-write", "encrypted-media", "fullscreen", "gyroscope",
        "picture-in-picture", "web-share",
    }
)  # fmt: skip


def allowed_url(value: str) -> str | None:
    """Return the address if it is relative or of URL_SCHEMES, else None; characters that browsers skip are skipped."""
    scheme = _SCHEME.match(value.translate(_IGNORED_IN_URLS))
    return value if scheme is None or scheme[1].lower() in URL_SCHEMES else None


def _srcset(value: str) -> str | None:
    return value if all(allowed_url(candidate) is not None for candidate in value.split(",")) else None


def _embed(value: str) -> str | None:
    match = _EMBED.fullmatch(value)
    return f"https:{match[1]}" if match else None


def _features(value: str) -> str | None:
    wanted = (part.strip() for part in value.split(";"))
    return "; ".join(part for part in wanted if part in _FEATURES) or None


def _focusable(value: str) -> str | None:
    return value if value == "0" else None


def _id(value: str) -> str | None:
    return None if value.startswith("_") else value


def _role(value: str) -> str | None:
    return value if value in NOTE_ROLES else None


_VALUES: Mapping[str, Callable[[str], str | None]] = {
    "allow": _features,
    "cite": allowed_url,
    "href": allowed_url,
    "id": _id,
    "poster": allowed_url,
    "role": _role,
    "src": allowed_url,
    "srcset": _srcset,
    "tabindex": _focusable,
}


def allowed_name(tag: str, attribute: str) -> bool:
    """Return whether tags of this name may have the attribute, whose name is in lower case.

    Names of `data-` attributes are plain, since other code finds attributes by pattern in sanitised HTML. Those of
    Pagefind are reserved: they decide what the site's search shows.
    """
    if attribute.startswith(DATA_PREFIX):
        return _DATA_NAME.fullmatch(attribute) is not None and not attribute.startswith(RESERVED_DATA)
    return attribute in ON_ALL_TAGS or attribute in ATTRIBUTES.get(tag, ())


def allowed_value(tag: str, attribute: str, value: str) -> str | None:
    """Return the value as it may be stored, or None where the attribute must be removed.

    Frames show named hosts over https only; other addresses are relative or of URL_SCHEMES. `data:` is refused.
    Ids that begin with `_` are the theme's own. Names of `data-` attributes are checked here as well.
    """
    if len(value) > MAX_VALUE_LENGTH:  # escaping a long value costs the sanitiser quadratic time
        return None
    if tag == "iframe" and attribute == "src":
        return _embed(value)
    if rule := _VALUES.get(attribute):
        return rule(value)
    return value if "-" not in attribute or allowed_name(tag, attribute) else None
