"""Converters of tags to Markdown or HTML: images, videos, code, quotations, links."""

import re
from collections.abc import Callable, Mapping
from html import escape

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.importing.html.cleaning import embed_address
from sitecms.importing.readers.markdown.tags.scan import Arguments, Tag, read_arguments
from sitecms.importing.shortcodes import ShortcodeTable, callout_kind, html_container, is_callout_kind

_VIDEO_ID = re.compile(r"(?:youtu\.be/|v=|embed/|shorts/)([\w-]{6,})")
_PICTURE = re.compile(r"[/.]")
_PICTURE_FILE = re.compile(r"(?i)[^\s?#]+\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]\S*)?")
_PLAYER_FILE = re.compile(r"(?i)\.(?:mp4|webm|ogv|mov|m4v|(mp3|ogg|oga|m4a|wav|flac))(?:[?#]\S*)?\Z")
_MARKUP = re.compile(r"[*_`<\[\]\\~^=]|&\w+;|https?://")
_ADDRESS = re.compile(r"(?:https?:)?//\S+")
_ADDRESSES = {
    "asciinema": "https://asciinema.org/a/{}", "bilibili": "https://www.bilibili.com/video/{}",
    "codesandbox": "https://codesandbox.io/s/{}", "instagram": "https://www.instagram.com/p/{}/",
    "stackblitz": "https://stackblitz.com/edit/{}", "jsfiddle": "https://jsfiddle.net/{}/",
}  # fmt: skip
"""Addresses of what a shortcode shows by its number."""


class Context(Struct, frozen=True):
    """The context of a conversion: functions and values of the text and its site.

    `resolve` returns an address for a name of a file, "" for none; `report` takes tags that stay as text; `missing`
    takes names that no file has. `site` and `page` are the values that templates may name. `include` returns the text
    of a file that a tag includes, None for no such file; `depth` is the number of includes around the text.
    """

    resolve: Callable[[str], str]
    report: Callable[[str, int], None]
    missing: Callable[[str, int], None]
    is_html: bool = False
    site: Mapping[str, str] = field(default_factory=dict)
    page: Mapping[str, str] = field(default_factory=dict)
    include: Callable[[str], str | None] = lambda _name: None
    depth: int = 0
    shortcodes: ShortcodeTable = field(default_factory=ShortcodeTable)


def picture(address: str, alt: str, caption: str, link: str, tag: Tag, context: Context) -> str:
    """Return a picture; as a figure where it has a caption, which is Markdown."""
    is_plain = not _MARKUP.search(caption)
    if caption and (context.is_html or not tag.is_block or not is_plain):
        image = f'<img src="{escape(address)}" alt="{escape(alt)}">'
        image = f'<a href="{escape(link)}">{image}</a>' if link else image
        return f"<figure>{image}<figcaption>{inline_html(caption)}</figcaption></figure>"
    if context.is_html:
        image = f'<img src="{escape(address)}" alt="{escape(alt)}">'
        return f'<a href="{escape(link)}">{image}</a>' if link else image
    plain = " ".join(caption.split())
    title = ' "' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"' if plain else ""
    image = f"![{bracketed(alt)}]({destination(address)}{title})"
    return f"[{image}]({destination(link)})" if link else image


def inline_html(text: str) -> str:
    """Return Markdown of one line as HTML, without the paragraph around it."""
    from sitecms.content.text import markdown

    html = markdown.render(" ".join(text.split())).strip()
    return html.removeprefix("<p>").removesuffix("</p>") if html.count("<p>") == 1 else html


def destination(address: str) -> str:
    """Return an address in the form of Markdown; one with spaces or brackets in angle brackets."""
    if re.search(r"[\s()<>]", address):
        return "<" + address.replace("<", "%3C").replace(">", "%3E").replace("\n", " ") + ">"
    return address


def bracketed(text: str) -> str:
    """Return a text that stands in square brackets."""
    return re.sub(r"([\[\]\\])", r"\\\1", " ".join(text.split()))


def link(text: str, address: str, context: Context) -> str:
    """Return a link."""
    if context.is_html:
        return f'<a href="{escape(address)}">{escape(text)}</a>'
    return f"[{bracketed(text)}]({destination(address)})"


def frame(address: str, title: str, tag: Tag) -> str:
    """Return a frame; as a block of its own where the tag is one."""
    html = f'<iframe src="{escape(address)}" title="{escape(title)}"></iframe>'
    return f"<p>{html}</p>" if tag.is_block else html


def code(text: str, language: str, tag: Tag, context: Context) -> str:
    """Return a block of code."""
    plain = text.strip("\n")
    language = re.sub(r"[^\w+#.-]", "", language)
    if context.is_html:
        named = f' class="language-{escape(language)}"' if language else ""
        return f"<pre><code{named}>{escape(plain, quote=False)}\n</code></pre>"
    longest = max((len(run) for run in re.findall(r"`{3,}", plain)), default=2)
    ticks = "`" * max(3, longest + 1)
    prefix = tag.prefix if tag.is_block else ""  # of a quotation or an item of a list, before each line
    outer = re.compile(rf"[ \t>]{{0,{len(prefix)}}}" if ">" in prefix else rf"[ \t]{{0,{len(prefix)}}}")
    lines = [outer.sub("", line, count=1) for line in plain.split("\n")] if prefix else plain.split("\n")
    lines = lines[:-1] if prefix and not lines[-1] else lines
    block = f"\n{prefix}".join((f"{ticks}{language}", *lines, ticks))
    return block if tag.is_block else f"\n\n{block}\n\n"


def figure(tag: Tag, context: Context) -> str | None:
    """Convert figure, img and image, with their arguments by name or position."""
    given = read_arguments(tag.arguments)
    address = given.get("src", "url", "image_path", "path", "file", "image", "img", "filename", "href") or next(
        (each for each in given.values if _PICTURE.search(each)), ""
    )
    if not address:
        return None
    target = given.get("link") or (given.get("href") if given.get("src") else "")
    alt = given.get("alt", "description") or (given.get("title", "caption") if tag.name != "img" else "")
    found = context.resolve(address) or address
    return picture(found, _plain_line(alt), _caption(given, tag), target, tag, context)


def _caption(given: Arguments, tag: Tag) -> str:
    """Return the caption of a figure in Markdown: its title, its text, and whom it is of, as Hugo shows them."""
    title, text = given.get("title"), given.get("caption") or " ".join((tag.inner or "").split())
    credit = given.get("attr")
    credit = f"[{credit}]({given.get('attrlink')})" if credit and given.get("attrlink") else credit
    parts = (f"**{title}**" if title and (text or credit) else title, text, credit)
    return " ".join(part for part in parts if part)


def looks_like_figure(tag: Tag) -> bool:
    """Return whether a tag without a known name shows one picture: an argument is the address of one."""
    given = read_arguments(tag.arguments)
    named = (given.get("src", "url", "image", "path", "file", "img"), *given.values[:1])
    return tag.inner is None and any(_PICTURE_FILE.fullmatch(each) for each in named)


def _plain_line(text: str) -> str:
    """Return Markdown or HTML as plain text."""
    if not _MARKUP.search(text):
        return " ".join(text.split())
    from sitecms.content.text.html import plain_text

    return plain_text(inline_html(text)).strip()


def legacy_image(tag: Tag, context: Context) -> str | None:
    """Convert Octopress's and Hexo's img: classes, address, width, height, then title and alternative text."""
    if re.search(r"\b(?:src|url)\s*=", tag.arguments):
        return figure(tag, context)
    parts = list(read_arguments(tag.arguments).values)
    place = next((n for n, each in enumerate(parts) if "/" in each or re.search(r"\.\w{2,5}$", each)), None)
    if place is None:
        return None
    rest = [each for each in parts[place + 1 :] if not re.fullmatch(r"\d+(?:px|%)?", each)]
    if tag.arguments.rstrip()[-1:] not in ("'", '"'):  # words without quotes are one title
        rest = [" ".join(rest)]
    title = rest[0] if rest else ""
    alt = rest[1] if len(rest) > 1 else ""
    if inner := re.search(r"'([^']*)'\s*$", title):
        title, alt = title[: inner.start()].strip(), inner[1]
    written = parts[place]
    return picture(context.resolve(written) or written, alt or title, title if alt else "", "", tag, context)


def youtube(tag: Tag, context: Context) -> str | None:
    """Convert a video of YouTube."""
    given = read_arguments(tag.arguments)
    written = given.get("id", "youtubeid", "videoid", "video_id", "url", "src", "0")
    found = _VIDEO_ID.search(written)
    number = found[1] if found else written
    if not re.fullmatch(r"[\w-]{5,}", number):
        return None
    return frame(f"https://www.youtube.com/embed/{number}", given.get("title") or "YouTube", tag)


def vimeo(tag: Tag, context: Context) -> str | None:
    """Convert a video of Vimeo."""
    given = read_arguments(tag.arguments)
    number = re.search(r"\d{5,}", given.get("id", "video_id", "url", "0"))
    return frame(f"https://player.vimeo.com/video/{number[0]}", given.get("title") or "Vimeo", tag) if number else None


def gist(tag: Tag, context: Context) -> str | None:
    """Convert a gist to a link."""
    given = read_arguments(tag.arguments)
    parts = [each for each in given.values if re.fullmatch(r"[\w/-]+", each)]
    if parts and "/" not in parts[0] and len(parts) > 1 and re.fullmatch(r"[0-9a-f]{5,}", parts[1]):
        address = f"https://gist.github.com/{parts[0]}/{parts[1]}"
    elif number := (parts[0] if parts else given.get("id", "gist")):
        address = f"https://gist.github.com/{number}"
    else:
        return None
    return link(address, address, context)


def tweet(tag: Tag, context: Context) -> str | None:
    """Convert a message of Twitter to a link."""
    given = read_arguments(tag.arguments)
    url = next((each for each in (*given.values, *given.named.values()) if each.startswith("http")), "")
    number = given.get("id") or next((each for each in given.values if each.isdigit()), "")
    if not url and not number:
        return None
    user = given.get("user") or next((each for each in given.values if not each.isdigit()), "") or "i"
    address = url or f"https://twitter.com/{user}/status/{number}"
    return link(address, address, context)


def embed(tag: Tag, context: Context) -> str | None:
    """Convert a player of a file, or what another site shows: a frame for videos, else a link."""
    given = read_arguments(tag.arguments)
    values = [*given.values, *given.named.values(), (tag.inner or "").strip()]
    if file := next((each for each in values if _PLAYER_FILE.search(each)), ""):
        match = _PLAYER_FILE.search(file)
        name = "audio" if match and match[1] else "video"
        player = f'<{name} src="{escape(context.resolve(file) or file)}" controls></{name}>'
        return f"<p>{player}</p>" if tag.is_block else player
    address = next((each for each in values if _ADDRESS.fullmatch(each)), "")
    if video := embed_address(address):
        return frame(video, given.get("title"), tag)
    number = given.get("id", "0")
    if not address and tag.name in _ADDRESSES and re.fullmatch(r"[\w-]+", number):
        address = _ADDRESSES[tag.name].format(number)
    return link(given.get("title") or address, address, context) if address else None


def highlight(tag: Tag, context: Context) -> str | None:
    """Convert a block of code whose first argument is its language."""
    if tag.inner is None:
        return None
    given = read_arguments(tag.arguments)
    return code(tag.inner, given.get("language", "lang", "0"), tag, context)


def codeblock(tag: Tag, context: Context) -> str | None:
    """Convert Octopress's and Hexo's codeblock: a title, `lang:x`, an address."""
    if tag.inner is None:
        return None
    words = tag.arguments.split()
    language = next((each[5:] for each in words if each.startswith("lang:")), "")
    address = next((each for each in words if each.startswith(("http://", "https://"))), "")
    options = re.compile(r"^(?:lang|line_number|highlight|first_line|mark|wrap|start|range|linenos):")
    titled = " ".join(each for each in words if each != address and not options.match(each))
    block = code(tag.inner, language, tag, context)
    heading = link(titled or address, address, context) if address else titled
    return f"{heading}\n\n{block}" if heading else block


def blockquote(tag: Tag, context: Context) -> str | None:
    """Convert a quotation with author, source and link."""
    if tag.inner is None:
        return None
    address = next((each for each in tag.arguments.split() if each.startswith(("http://", "https://"))), "")
    before, _, after = tag.arguments.partition(address) if address else (tag.arguments, "", "")
    source = after.strip() or (address if address else "")
    credit = before.strip().rstrip(",")
    if address:
        credit = f"{credit}, {link(source, address, context)}" if credit else link(source, address, context)
    inner = tag.inner.strip("\n")
    if context.is_html:
        return f"<blockquote>{inner}{f'<p>— {credit}</p>' if credit else ''}</blockquote>"
    lines = [*inner.split("\n"), *(["", f"— {credit}"] if credit else [])]
    return "\n".join(f"> {line}".rstrip() for line in lines)


def pullquote(tag: Tag, context: Context) -> str | None:
    """Convert a quotation whose arguments concern only its appearance."""
    return blockquote(replace(tag, arguments=""), context)


def address_of(tag: Tag, context: Context) -> str | None:
    """Convert post_url, link, ref, relref, asset_path: the address of a file, with its fragment."""
    given = read_arguments(tag.arguments)
    written = given.get("path", "0")
    path, hash_sign, fragment = written.partition("#")
    if not path and hash_sign:
        return written
    found = context.resolve(path)
    if not found:
        context.missing(f"{tag.name} {path}", tag.line)
        return None
    return found + hash_sign + fragment


def link_of(tag: Tag, context: Context) -> str | None:
    """Convert Hexo's post_link and asset_link: a file's name, and the text of the link."""
    given = read_arguments(tag.arguments)
    name, *words = given.values or ("",)
    if words and words[-1] in ("true", "false"):
        words.pop()
    path, hash_sign, fragment = name.partition("#")
    found = context.resolve(path)
    if not found:
        context.missing(f"{tag.name} {name}", tag.line)
        return None
    return link(" ".join(words) or name.rpartition("/")[2], found + hash_sign + fragment, context)


def plain_link(tag: Tag, context: Context) -> str | None:
    """Convert Hexo's link: a text, an address, and more."""
    parts = tag.arguments.split()
    place = next((n for n, each in enumerate(parts) if each.startswith(("http://", "https://", "/"))), None)
    return None if place is None else link(" ".join(parts[:place]) or parts[place], parts[place], context)


def iframe(tag: Tag, context: Context) -> str | None:
    """Convert a frame by its address."""
    address = read_arguments(tag.arguments).get("src", "url", "0")
    return frame(address, "", tag) if address.startswith(("http://", "https://", "//")) else None


def callout(tag: Tag, context: Context) -> str | None:
    """Convert a box with a note, a warning or the like, and its title."""
    if tag.inner is None:
        return None
    given = read_arguments(_in_brackets(tag.arguments))
    named = [given.named.get(name, "") for name in ("type", "kind", "status", "level", "color", "style", "class")]
    kind = callout_kind(tag.name, (*named, *given.values))
    words = [each for each in given.values if not is_callout_kind(each) and each != "%"]
    title = given.get("title", "header", "heading", "name") or " ".join(words)
    return _container(kind, title, tag, context)


def details(tag: Tag, context: Context) -> str | None:
    """Convert a text that opens with a click on its summary."""
    if tag.inner is None:
        return None
    given = read_arguments(_in_brackets(tag.arguments))
    words = [each for each in given.values if each not in ("open", "closed", "show", "hide")]
    summary = given.get("summary", "title", "header", "heading", "label", "name", "text") or " ".join(words)
    return _container("details", summary or tag.name.replace("-", " ").capitalize(), tag, context)


def tab(tag: Tag, context: Context) -> str | None:
    """Convert one of several texts of which one is visible."""
    if tag.inner is None:
        return None
    given = read_arguments(tag.arguments)
    title = given.get("title", "label", "name", "header", "0", "lang")
    return _container("tab", title, tag, context) if title else None


def tabs(tag: Tag, context: Context) -> str | None:
    """Convert several texts of which one is visible; None if the texts are no tabs with titles."""
    return _container("tabs", "", tag, context) if tag.inner and "::: tab " in tag.inner else None


def gallery(tag: Tag, context: Context) -> str | None:
    """Convert several pictures; None if the text within is none."""
    if not tag.inner or not re.search(r"!\[|<img\b", tag.inner):
        return None
    if context.is_html or "<img" in tag.inner:
        return tag.inner
    return _container("gallery", "", tag, context)


def content(tag: Tag, context: Context) -> str | None:
    """Return the text within a tag."""
    return tag.inner


def _in_brackets(arguments: str) -> str:
    """Return the title of `:::note[Title]` as an argument."""
    match = re.match(r"\s*\[([^\]]*)\]", arguments)
    return f"title={match[1]!r}" if match and "'" not in match[1] else arguments


def _container(name: str, title: str, tag: Tag, context: Context) -> str:
    """Return a directive around the text within a tag; in HTML, the elements that it is rendered to."""
    inner, plain = tag.inner or "", " ".join(title.split())
    if context.is_html:
        return html_container(name, inline_html(plain), inner)
    prefix = tag.prefix if tag.is_block else ""
    indent = re.sub(r"[^>]", " ", prefix)
    if tag.is_block and "\n" in inner:
        first, _, rest = inner.rpartition("\n")
        lines = first if not rest.strip(" \t>") else inner
    else:
        lines = f"\n{indent}{inner.strip()}"
    lines = lines if lines.startswith("\n") else f"\n{indent}{lines.lstrip()}"
    opening = f"::: {name} {plain.replace('{', '&#123;')}".rstrip()
    directive = f"{opening}{lines}\n{indent}:::"
    return directive if tag.is_block else f"\n\n{directive}\n\n"


Converter = Callable[[Tag, Context], str | None]
