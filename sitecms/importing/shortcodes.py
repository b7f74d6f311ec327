"""Shortcodes of all systems: what each name becomes. The owner of a site adds to the table in imports/shortcodes.toml.

A reader finds tags in its own syntax (`{{< note >}}`, `{% note %}`, `[note]`, `<Note>`) and asks `ShortcodeTable` for
the meaning of their names. A name without a meaning becomes a comment of HTML in the file, which readers of the site do
not see. The text between two tags is content, whatever their name.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path

from msgspec import Struct, field

from sitecms.documents import locator, read_toml
from sitecms.errors import FileError, InvalidFiles
from sitecms.importing.state import FOLDER

FILE = f"{FOLDER}/shortcodes.toml"
MARK = "\ue000"
"""Sign at the beginning of a comment until it has its place in the text; no text of a person holds it."""
_LOGIC = frozenset(
    {
        "assign", "block", "call", "capture", "case", "else", "elsif", "filter", "for", "if", "macro", "set", "unless",
        "when", "while", "with",
    }
)  # fmt: skip
"""Tags of templates that only compute, which no meaning could help."""
_CODE_COLORER = re.compile(r"cc[a-z]*(?:_\w+)?", re.I)
_KINDS: Mapping[str, str] = {
    "attention": "warning", "alert": "warning", "warn": "warning", "bug": "warning", "caution": "caution",
    "danger": "caution", "error": "caution", "failure": "caution", "important": "important", "tip": "tip",
    "hint": "tip", "success": "tip", "check": "tip", "warning": "warning", "note": "note", "info": "note",
    "information": "note", "primary": "note", "secondary": "note", "default": "note",
}  # fmt: skip
"""Kinds of callouts by the names that themes give them."""
_COMMENT = rf"<!--{MARK}(?:(?!-->).)*-->"
_MARKED = re.compile(_COMMENT)
_FOLLOWED_HYPHEN = re.compile("-(?=-)")
_BEGINS_LINE = re.compile(
    rf"(?m)^(?P<start>[ \t>]*(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]+)?)"
    rf"(?P<comments>(?:{_COMMENT}[ \t]*)+)(?P<rest>[^\s<][^\n]*|<(?!!--{MARK})[^\n]*)$"
)
_IN_ROW = re.compile(rf"(?m)^[ \t]*\|[^\n]*{MARK}[^\n]*$")


class Meaning(StrEnum):
    """Meaning of a shortcode: what it becomes in a text of this site.

    CONTENT leaves only the text within, KEEP leaves the tag too, for a site with a shortcode of that name.
    """

    CALLOUT = "callout"
    DETAILS = "details"
    TAB = "tab"
    TABS = "tabs"
    FIGURE = "figure"
    GALLERY = "gallery"
    EMBED = "embed"
    CODE = "code"
    INCLUDE = "include"
    CONTENT = "content"
    COMMENT = "comment"
    KEEP = "keep"


_NAMES: Mapping[Meaning, str] = {
    Meaning.CALLOUT: (
        "note notice notes tip tips info information warning warn important danger hint attention callout alert "
        "admonition caution error success aside infobox info-box message tldr box alert-box notification"
    ),
    Meaning.DETAILS: (
        "details spoiler expand expander collapse collapsible accordion accordion-item toggle fold folding hide-toggle "
        "hidetoggle expandable disclosure"
    ),
    Meaning.TAB: "tab tabitem tab-item codetab",
    Meaning.TABS: "tabs tabgroup codetabs code-tabs tabpane tabs-group",
    Meaning.FIGURE: (
        "figure fig img image picture photo imgproc image-caption imgcap responsive-image lazyimg lightbox caption "
        "wp-caption"
    ),
    Meaning.GALLERY: "gallery galleries image-gallery imagegallery photo-gallery lightgallery slideshow carousel",
    Meaning.EMBED: (
        "youtube youtubelite youtube-lite youtube-embed yt vimeo dailymotion soundcloud gist tweet twitter "
        "twitter-simple x instagram instagram-simple facebook ted vine flickr googlemaps mixcloud spotify tiktok "
        "scribd hulu twitch polldaddy videopress wpvideo slideshare embed video audio mp3 mp4 player bilibili "
        "asciinema codepen jsfiddle codesandbox stackblitz iframe mastodon bluesky playlist"
    ),
    Meaning.CODE: "highlight code codeblock sourcecode source crayon prism pre",
    Meaning.INCLUDE: "include include-relative include-cached include-file readfile partial",
    Meaning.COMMENT: (
        "toc ez-toc lwptoc table-of-contents contact-form contact-form-7 ninja-form wpforms gravityform mc4wp-form "
        "sitemap subscribe searchform search-form login-form adsense ads"
    ),
    Meaning.CONTENT: "rawhtml raw-html html unsafe md markdown markdownify center",
}
SHORTCODES: Mapping[str, Meaning] = {name: meaning for meaning, names in _NAMES.items() for name in names.split()}
"""Meaning of each known name, in lower case, with hyphens."""
_MEANINGS = frozenset(Meaning)


class ShortcodeTable(Struct, frozen=True):
    """Table of one site: names that its owner mapped to a meaning or to another known name, before SHORTCODES."""

    own: Mapping[str, str] = field(default_factory=dict)

    def known_name(self, name: str) -> str:
        """Return the name in the form of the table; for one that the owner mapped to another name, that one."""
        plain = _plain(name)
        for each in (plain, plain.rpartition("/")[2]):
            if target := self.own.get(each):
                return each if target in _MEANINGS else target
        last = plain.rpartition("/")[2]
        return last if last in SHORTCODES else plain

    def meaning(self, name: str) -> Meaning | None:
        """Return the meaning of a name; None for an unknown one."""
        plain = _plain(name)
        for each in (plain, plain.rpartition("/")[2]):
            if target := self.own.get(each):
                return Meaning(target) if target in _MEANINGS else SHORTCODES[target]
        return SHORTCODES.get(self.known_name(name)) or (Meaning.CODE if _CODE_COLORER.fullmatch(name) else None)

    def is_silent(self, name: str) -> bool:
        """Return whether the owner made comments of a name, so that it need not be reported."""
        return self.own.get(_plain(name)) == Meaning.COMMENT

    def over(self, other: "ShortcodeTable") -> "ShortcodeTable":
        """Return the table with the names of another one that it lacks."""
        return ShortcodeTable({**other.own, **self.own})

    @property
    def signature(self) -> str:
        """Text that changes with the names that the owner mapped; "" for none."""
        return "\n".join(f"{name}={target}" for name, target in sorted(self.own.items()))


def kept_names(names: Iterable[str]) -> ShortcodeTable:
    """Return a table that keeps shortcodes of these names, which plug-ins of the site render."""
    return ShortcodeTable({_plain(name): Meaning.KEEP.value for name in names})


def read_table(folder: Path) -> ShortcodeTable:
    """Return the table of a site folder. Raises InvalidFiles for a name without a valid meaning."""
    path = folder / FILE
    if not path.is_file():
        return ShortcodeTable()
    errors, own, locate = [], {}, locator(path)
    for name, target in read_toml(path, FILE).items():
        if isinstance(target, str) and (target in _MEANINGS or _plain(target) in SHORTCODES):
            own[_plain(name)] = target if target in _MEANINGS else _plain(target)
        else:
            remedy = f"write one of {', '.join(Meaning)}, or the name of a known shortcode, in quotation marks"
            errors.append(FileError(FILE, name, f"has no meaning {target!r}", remedy, locate([name])))
    if errors:
        raise InvalidFiles(errors)
    return ShortcodeTable(own)


def unknown_remedy(name: str) -> str:
    """Return what the owner can do about an unknown tag, by its name in the report."""
    plain = name.strip("<>:[]").removeprefix("include ").partition(" ")[0]
    if name.startswith("{") or plain in _LOGIC:
        return "a comment in the file"
    key = plain if re.fullmatch(r"[\w-]+", plain) else f'"{plain}"'
    return f'a comment in the file; to have another, write {key} = "callout" or the like in {FILE}'


def callout_kind(name: str, arguments: tuple[str, ...]) -> str:
    """Return the kind of a callout (note, tip, important, warning, caution), as an argument or its own name says it."""
    words = (*(each.lower().strip() for each in arguments), _plain(name))
    return next((_KINDS[each] for each in words if each in _KINDS), "note")


def is_callout_kind(word: str) -> bool:
    """Return whether an argument is the kind of a callout, rather than its title."""
    return word.lower().strip() in _KINDS


def html_container(name: str, title: str, inner: str) -> str:
    """Return HTML around a text, as the directive of that name is rendered; the title is HTML."""
    match name:
        case "details":
            return f"<details><summary>{title}</summary>\n\n{inner.strip()}\n\n</details>"
        case "tab":
            return f"<p><strong>{title}</strong></p>\n\n{inner.strip()}\n\n"
        case "tabs" | "gallery":
            return inner
    heading = f'<p class="callout-title">{title or name.capitalize()}</p>'
    return f'<aside class="callout callout-{name}">{heading}\n\n{inner.strip()}\n\n</aside>'


def comment(text: str) -> str:
    """Return a tag as a comment of HTML, marked until `place_comments` finds its place."""
    return f"<!--{MARK} {within_comment(' '.join(text.split()))} -->"


def within_comment(text: str) -> str:
    """Return a text that does not end the comment of HTML in which it stands after a space."""
    return _FOLLOWED_HYPHEN.sub("- ", text)


def place_comments(text: str) -> str:
    """Return Markdown whose comments stand where they hide nothing: a line that begins with one would be HTML."""
    if MARK not in text:
        return text
    text = _BEGINS_LINE.sub(lambda match: f"{match['start']}{match['rest']} {match['comments'].rstrip()}", text)
    text = _IN_ROW.sub(lambda row: _MARKED.sub(lambda each: each[0].replace("|", "&#124;"), row[0]), text)
    return text.replace(MARK, "")


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").removesuffix(".html").removesuffix(".md")
