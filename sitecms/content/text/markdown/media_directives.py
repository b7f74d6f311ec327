"""Directives for media: figure, gallery, video, audio, embed, bookmark, file and button, with addresses of players.

The content between the lines of a directive is the caption.
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from sitecms.content.text.markdown.problems import report_problem
from sitecms.web_address import split_address

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token
import re
from typing import NamedTuple
from urllib.parse import parse_qs, quote

GALLERY = "gallery"
MAX_COLUMNS = 6
RATIOS = ("21-9", "16-9", "4-3", "1-1", "9-16")
_YOUTUBE = frozenset({"youtube.com", "www.youtube.com", "m.youtube.com", "youtu.be", "www.youtube-nocookie.com"})
_VIDEO_ID = re.compile(r"[\w-]{6,20}")
_TIME = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?")
_ON_ALL = ("id", "class")
_EXAMPLES = {"url": "https://...", "title": "The text"}
_KNOWN: Mapping[str, Sequence[str]] = {
    "figure": ("src", "alt", "link"),
    GALLERY: ("columns",),
    "video": ("src", "poster", "captions", "captions_language", "title", "loop", "muted"),
    "audio": ("src", "title", "loop"),
    "embed": ("url", "title", "poster", "ratio"),
    "bookmark": ("url", "title", "description", "image", "site"),
    "file": ("src", "title"),
    "button": ("url", "title"),
}
_CLASSES = {"figure": "", "button": "buttons"}  # of the element; of others, the name


class Embed(NamedTuple):
    """The address of a player, in a frame of this ratio of width to height; "" for one that sets its own height."""

    src: str
    ratio: str = "16-9"


class _Page(NamedTuple):
    """The address of a page: whole, the parts of its path, and its query."""

    url: str
    parts: Sequence[str]
    query: Mapping[str, str]


def embed_of(url: str) -> Embed | None:
    """Return the player of a page on YouTube, Vimeo, Spotify, SoundCloud or CodePen; None for other addresses."""
    found = split_address(url)
    if found.scheme not in ("http", "https") or not found.hostname:
        return None
    parts = [part for part in found.path.split("/") if part]
    query = {name: values[-1] for name, values in parse_qs(found.query).items()}
    read = _READERS.get(found.hostname)
    return read(_Page(url, parts, query)) if read and parts else None


def _youtube(page: _Page) -> Embed | None:
    is_short = page.parts[0] == "shorts"
    is_second = page.parts[0] in ("shorts", "embed", "live") and len(page.parts) > 1
    name = page.query.get("v") or page.parts[1 if is_second else 0]
    if not _VIDEO_ID.fullmatch(name):
        return None
    start = _seconds(page.query.get("t") or page.query.get("start") or "")
    address = f"https://www.youtube-nocookie.com/embed/{name}?autoplay=1{f'&start={start}' if start else ''}"
    return Embed(address, "9-16" if is_short else "16-9")


def _seconds(time: str) -> int:
    match = _TIME.fullmatch(time)
    hours, minutes, seconds = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    return hours * 3600 + minutes * 60 + seconds


def _vimeo(page: _Page) -> Embed | None:
    name = next((part for part in page.parts if part.isdecimal()), "")
    return Embed(f"https://player.vimeo.com/video/{name}?autoplay=1&dnt=1") if name else None


def _spotify(page: _Page) -> Embed | None:
    kind_at = 1 if page.parts[0] == "embed" or page.parts[0].startswith("intl-") else 0
    path = [part for part in page.parts[kind_at : kind_at + 2] if part.isalnum()]
    return Embed(f"https://open.spotify.com/embed/{'/'.join(path)}", "") if len(path) == 2 else None


def _soundcloud(page: _Page) -> Embed | None:
    return Embed(f"https://w.soundcloud.com/player/?url={quote(page.url, safe='')}&auto_play=true", "")


def _codepen(page: _Page) -> Embed | None:
    if len(page.parts) < 3 or page.parts[1] not in ("pen", "embed") or not page.parts[2].isalnum():
        return None
    return Embed(f"https://codepen.io/{page.parts[0]}/embed/{page.parts[2]}?default-tab=result")


_READERS: Mapping[str, Callable[[_Page], Embed | None]] = {
    **dict.fromkeys(_YOUTUBE, _youtube),
    **dict.fromkeys(("vimeo.com", "www.vimeo.com", "player.vimeo.com"), _vimeo),
    "open.spotify.com": _spotify,
    **dict.fromkeys(("soundcloud.com", "www.soundcloud.com"), _soundcloud),
    "codepen.io": _codepen,
}


class Position(Struct, frozen=True):
    """The name of a directive, and its first and last line."""

    name: str
    line: int
    end_line: int


ArgumentTexts: TypeAlias = Mapping[str, str]
WriteMedia: TypeAlias = Callable[["StateBlock", Position, ArgumentTexts, Callable[[], None]], None]


def _figure(state: "StateBlock", place: Position, arguments: ArgumentTexts, content: Callable[[], None]) -> None:
    _open(state, place, arguments)
    if link := arguments.get("link"):
        _push(state, "a", 1, href=link)
    _push(state, "img", 0, src=_needed(state, place, arguments, "src"), alt=arguments.get("alt", ""))
    if link:
        _push(state, "a", -1)
    _close(state, content)


def _gallery(state: "StateBlock", place: Position, arguments: ArgumentTexts, content: Callable[[], None]) -> None:
    columns = arguments.get("columns", "")
    if columns and columns not in map(str, range(1, MAX_COLUMNS + 1)):
        report_problem(state.env, place.line, f'has a gallery of "{columns[:20]}" columns', f"write 1 to {MAX_COLUMNS}")
    _open(state, place, arguments, f"columns-{columns}" if columns else "")
    content()
    state.push("gallery_close", "figure", -1)


def _video(state: "StateBlock", place: Position, arguments: ArgumentTexts, content: Callable[[], None]) -> None:
    src = _needed(state, place, arguments, "src")
    _open(state, place, arguments)
    flags = {name: "" for name in ("loop", "muted") if name in arguments}
    poster = {"poster": arguments["poster"]} if arguments.get("poster") else {}
    _push(state, "video", 1, src=src, **poster, controls="", preload="metadata", playsinline="", **flags)
    if captions := arguments.get("captions"):
        language = {"srclang": arguments["captions_language"]} if arguments.get("captions_language") else {}
        _push(state, "track", 0, src=captions, kind="captions", **language, default="")
    _fallback(state, src, arguments)
    _push(state, "video", -1)
    _close(state, content)


def _audio(state: "StateBlock", place: Position, arguments: ArgumentTexts, content: Callable[[], None]) -> None:
    src = _needed(state, place, arguments, "src")
    _open(state, place, arguments)
    _push(state, "audio", 1, src=src, controls="", preload="metadata", **({"loop": ""} if "loop" in arguments else {}))
    _fallback(state, src, arguments)
    _push(state, "audio", -1)
    _close(state, content)


def _fallback(state: "StateBlock", src: str, arguments: ArgumentTexts) -> None:
    """Write a link to the file, which readers of feeds and old browsers show."""
    _push(state, "a", 1, href=src)
    _text(state, arguments.get("title") or src.rpartition("/")[2])
    _push(state, "a", -1)


def _embed(state: "StateBlock", place: Position, arguments: ArgumentTexts, content: Callable[[], None]) -> None:
    """Write a link with a picture and a title, or the name of its site.

    A script of the theme shows the player in its place when it is clicked.
    """
    url = _needed(state, place, arguments, "url")
    found = embed_of(url)
    ratio = arguments.get("ratio", "").replace(":", "-").replace("/", "-") or (found.ratio if found else "")
    if ratio and ratio not in RATIOS:
        known = ", ".join(name.replace("-", ":") for name in RATIOS)
        report_problem(state.env, place.line, f'has an embed with the unknown ratio "{ratio[:20]}"', f"write {known}")
    _open(state, place, arguments)
    shape = {"class": f"ratio-{ratio}"} if ratio else {}
    _push(state, "a", 1, href=url, **shape, **({"data-embed": found.src} if found else {}))
    if poster := arguments.get("poster"):
        _push(state, "img", 0, src=poster, alt="")
    _push(state, "span", 1)
    _text(state, arguments.get("title") or host_of(url) or url)
    _push(state, "span", -1)
    _push(state, "a", -1)
    _close(state, content)


def _bookmark(state: "StateBlock", place: Position, arguments: ArgumentTexts, content: Callable[[], None]) -> None:
    """Write a link with picture, title, description and site of the page that it leads to."""
    url = _needed(state, place, arguments, "url")
    _open(state, place, arguments)
    _push(state, "a", 1, href=url)
    if image := arguments.get("image"):
        _push(state, "img", 0, src=image, alt="")
    _push(state, "span", 1)
    _push(state, "strong", 1)
    _text(state, arguments.get("title") or url)
    _push(state, "strong", -1)
    for tag, text in (("span", arguments.get("description")), ("small", arguments.get("site") or host_of(url))):
        if text:
            _push(state, "br", 0)
            _push(state, tag, 1)
            _text(state, text)
            _push(state, tag, -1)
    _push(state, "span", -1)
    _push(state, "a", -1)
    _close(state, content)


def host_of(url: str) -> str:
    """Return the name of the site at an address, without `www.`; "" for a path."""
    return (split_address(url).hostname or "").removeprefix("www.")


def _file(state: "StateBlock", place: Position, arguments: ArgumentTexts, _: Callable[[], None]) -> None:
    src = _needed(state, place, arguments, "src")
    _link(state, place, arguments, {"href": src}, arguments.get("title") or src.rpartition("/")[2])


def _button(state: "StateBlock", place: Position, arguments: ArgumentTexts, _: Callable[[], None]) -> None:
    url, title = (_needed(state, place, arguments, name) for name in ("url", "title"))
    _link(state, place, arguments, {"href": url, "class": "button"}, title)


def _link(
    state: "StateBlock", place: Position, arguments: ArgumentTexts, attributes: Mapping[str, str], text: str
) -> None:
    """Write a paragraph of one link."""
    _open(state, place, arguments, tag="p")
    _push(state, "a", 1, **attributes)
    _text(state, text)
    _push(state, "a", -1)
    state.push(f"{place.name}_close", "p", -1)


WRITERS: Mapping[str, WriteMedia] = {
    "figure": _figure,
    GALLERY: _gallery,
    "video": _video,
    "audio": _audio,
    "embed": _embed,
    "bookmark": _bookmark,
    "file": _file,
    "button": _button,
}


def _open(
    state: "StateBlock", place: Position, arguments: ArgumentTexts, classes: str = "", tag: str = "figure"
) -> None:
    """Write the start of the element; report unknown arguments."""
    known = (*_KNOWN[place.name], *_ON_ALL)
    for name in arguments:
        if name not in known:
            meant = get_close_matches(name, known, 1)
            remedy = f'did you mean "{meant[0]}"?' if meant else f"{place.name} takes {', '.join(known)}"
            report_problem(state.env, place.line, f'has a {place.name} with an unknown argument "{name[:40]}"', remedy)
    own = _CLASSES.get(place.name, place.name)
    token = state.push(f"{place.name}_open", tag, 1)
    token.map = [place.line, place.end_line + 1]
    if joined := " ".join(part for part in (own, classes, arguments.get("class", "")) if part):
        token.attrSet("class", joined)
    if "id" in arguments:
        token.attrSet("id", arguments["id"])


def _close(state: "StateBlock", content: Callable[[], None]) -> None:
    """Write the caption and the end of the figure; a caption of one paragraph has no element for it."""
    before = len(state.tokens)
    opening = state.push("figcaption_open", "figcaption", 1)
    opening.block = True
    content()
    written = state.tokens[before + 1 :]
    if not written:
        state.tokens.pop()
        state.level -= 1
    else:
        if [token.type for token in written] == ["paragraph_open", "inline", "paragraph_close"]:
            written[0].hidden = written[2].hidden = True
        state.push("figcaption_close", "figcaption", -1)
    state.push("figure_close", "figure", -1)


def _needed(state: "StateBlock", place: Position, arguments: ArgumentTexts, name: str) -> str:
    value = arguments.get(name, "")
    if not value:
        example = _EXAMPLES.get(name, "media/...")
        report_problem(
            state.env,
            place.line,
            f"has a directive {place.name} without {name}",
            f'write ::: {place.name} {{{name}="{example}"}}',
        )
    return value


def _push(state: "StateBlock", tag: str, nesting: "int", **attrs: str) -> None:
    token = state.push(f"media_{tag}", tag, nesting)  # type: ignore[arg-type]
    token.block = False
    for name, value in attrs.items():
        token.attrSet(name, value)


def _text(state: "StateBlock", text: str) -> None:
    state.push("text", "", 0).content = text


def arrange_galleries(state: "StateCore") -> None:
    """Make each image of a gallery a figure with a link to the whole image; the other content is the caption."""
    if not any(token.type == "gallery_open" for token in state.tokens):
        return
    tokens: list[Token] = []
    inside: list[Token] | None = None
    for token in state.tokens:
        if token.type == "gallery_open":
            tokens.append(token)
            inside = []
        elif token.type == "gallery_close" and inside is not None:
            tokens += (*_items(state, inside), token)
            inside = None
        else:
            (tokens if inside is None else inside).append(token)
    state.tokens = tokens


def _items(state: "StateCore", inside: "list[Token]") -> "list[Token]":
    from markdown_it.token import Token

    items: list[Token] = []
    caption: list[Token] = []
    place = 0
    while place < len(inside):
        pictures = _pictures(inside[place + 1]) if inside[place].type == "paragraph_open" else []
        if not pictures:
            caption.append(inside[place])
            place += 1
            continue
        for picture in pictures:
            items += _item(picture, inside[place].level)
        place += 3
    if not items:
        line = inside[0].map[0] if inside and inside[0].map else 0
        report_problem(state.env, line, "has a gallery without images", "write lines such as ![A boat](media/boat.jpg)")
    if caption:
        opening, closing = Token("figcaption_open", "figcaption", 1), Token("figcaption_close", "figcaption", -1)
        if len(caption) == 3 and caption[0].type == "paragraph_open":
            caption[0].hidden = caption[2].hidden = True
        closing.block = True
        return [*items, opening, *caption, closing]
    return items


def _pictures(inline: "Token") -> "list[list[Token]]":
    """Return the images of a paragraph, each with the link around it; [] if it contains anything else."""
    found: list[list[Token]] = []
    is_linked = False
    for child in inline.children or ():
        if child.type == "link_open":
            found.append([child])
            is_linked = True
        elif child.type in ("image", "link_close"):
            if is_linked:
                found[-1].append(child)
            else:
                found.append([child])
            is_linked = is_linked and child.type != "link_close"
        elif child.type not in ("softbreak", "hardbreak") and child.content.strip():
            return []
    return found if all(any(each.type == "image" for each in picture) for picture in found) else []


def _item(picture: "list[Token]", level: int) -> "list[Token]":
    from markdown_it.token import Token

    image = next(token for token in picture if token.type == "image")
    title = str(image.attrs.pop("title", ""))
    if len(picture) == 1:
        link = Token("link_open", "a", 1, attrs={"href": image.attrs["src"]})
        picture = [link, image, Token("link_close", "a", -1)]
    children = [*picture, *([Token("figcaption", "", 0, content=title)] if title else [])]
    return [
        Token("figure_open", "figure", 1, level=level, block=True),
        Token("inline", "", 0, children=children, level=level + 1, block=True),
        Token("figure_close", "figure", -1, level=level, block=True),
    ]
