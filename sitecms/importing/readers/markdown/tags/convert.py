"""Converters of tags to Markdown or HTML: images, videos, code, quotations, links."""

import re
from collections.abc import Callable, Mapping
from html import escape

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.importing.readers.markdown.tags.scan import Arguments, Tag, read_arguments

_VIDEO_ID = re.compile(r"(?:youtu\.be/|v=|embed/|shorts/)([\w-]{6,})")
_TAGS = re.compile(r"<[^>]+>")
_PICTURE = re.compile(r"[/.]")


class Surroundings(Struct, frozen=True):
    """Context of a conversion: functions and values of the text and its site.

    `resolve` returns an address for a name of a file, "" for none; `report` takes tags that stay as text; `missing`
    takes names that no file has. `site` and `page` are the values that templates may name.
    """

    resolve: Callable[[str], str]
    report: Callable[[str, int], None]
    missing: Callable[[str, int], None]
    is_html: bool = False
    site: Mapping[str, str] = field(default_factory=dict)
    page: Mapping[str, str] = field(default_factory=dict)


def picture(address: str, alt: str, caption: str, link: str, tag: Tag, around: Surroundings) -> str:
    """Return a picture; as a figure where it has a caption."""
    plain_caption = " ".join(_TAGS.sub("", caption).split())
    if around.is_html or (plain_caption and not tag.is_block):
        image = f'<img src="{escape(address)}" alt="{escape(alt)}">'
        image = f'<a href="{escape(link)}">{image}</a>' if link else image
        return f"<figure>{image}<figcaption>{escape(plain_caption)}</figcaption></figure>" if plain_caption else image
    title = ' "' + plain_caption.replace("\\", "\\\\").replace('"', '\\"') + '"' if plain_caption else ""
    image = f"![{bracketed(alt)}]({destination(address)}{title})"
    return f"[{image}]({destination(link)})" if link else image


def destination(address: str) -> str:
    """Return an address in the form of Markdown; one with spaces or brackets in angle brackets."""
    if re.search(r"[\s()<>]", address):
        return "<" + address.replace("<", "%3C").replace(">", "%3E").replace("\n", " ") + ">"
    return address


def bracketed(text: str) -> str:
    """Return a text that stands in square brackets."""
    return re.sub(r"([\[\]\\])", r"\\\1", " ".join(text.split()))


def link(text: str, address: str, around: Surroundings) -> str:
    """Return a link."""
    if around.is_html:
        return f'<a href="{escape(address)}">{escape(text)}</a>'
    return f"[{bracketed(text)}]({destination(address)})"


def frame(address: str, title: str, tag: Tag) -> str:
    """Return a frame; as a block of its own where the tag is one."""
    made = f'<iframe src="{escape(address)}" title="{escape(title)}"></iframe>'
    return f"<p>{made}</p>" if tag.is_block else made


def code(text: str, language: str, tag: Tag, around: Surroundings) -> str:
    """Return a block of code."""
    plain = text.strip("\n")
    language = re.sub(r"[^\w+#.-]", "", language)
    if around.is_html:
        named = f' class="language-{escape(language)}"' if language else ""
        return f"<pre><code{named}>{escape(plain, quote=False)}\n</code></pre>"
    longest = max((len(run) for run in re.findall(r"`{3,}", plain)), default=2)
    ticks = "`" * max(3, longest + 1)
    made = f"{ticks}{language}\n{plain}\n{ticks}"
    return made if tag.is_block else f"\n\n{made}\n\n"


def figure(tag: Tag, around: Surroundings) -> str | None:
    """Convert figure, img and image, with their arguments by name or position."""
    given = read_arguments(tag.arguments)
    address = given.get("src", "url", "image_path", "path", "file", "image", "img", "filename", "href") or next(
        (each for each in given.values if _PICTURE.search(each)), ""
    )
    if not address:
        return None
    caption = given.get("caption", "title", "attr") or (tag.inner or "").strip()
    target = given.get("link") or (given.get("href") if given.get("src") else "")
    alt = given.get("alt", "description") or (given.get("title", "caption") if tag.name != "img" else "")
    found = around.resolve(address) or address
    return picture(found, _TAGS.sub("", alt), caption, target, tag, around)


def legacy_image(tag: Tag, around: Surroundings) -> str | None:
    """Convert Octopress's and Hexo's img: classes, address, width, height, then title and alternative text."""
    if re.search(r"\b(?:src|url)\s*=", tag.arguments):
        return figure(tag, around)
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
    return picture(around.resolve(written) or written, alt or title, title if alt else "", "", tag, around)


def youtube(tag: Tag, around: Surroundings) -> str | None:
    """Convert a video of YouTube."""
    given = read_arguments(tag.arguments)
    written = given.get("id", "youtubeid", "videoid", "video_id", "url", "src", "0")
    found = _VIDEO_ID.search(written)
    number = found[1] if found else written
    if not re.fullmatch(r"[\w-]{5,}", number):
        return None
    return frame(f"https://www.youtube.com/embed/{number}", given.get("title") or "YouTube", tag)


def vimeo(tag: Tag, around: Surroundings) -> str | None:
    """Convert a video of Vimeo."""
    given = read_arguments(tag.arguments)
    number = re.search(r"\d{5,}", given.get("id", "video_id", "url", "0"))
    return frame(f"https://player.vimeo.com/video/{number[0]}", given.get("title") or "Vimeo", tag) if number else None


def gist(tag: Tag, around: Surroundings) -> str | None:
    """Convert a gist to a link."""
    given = read_arguments(tag.arguments)
    parts = [each for each in given.values if re.fullmatch(r"[\w/-]+", each)]
    if parts and "/" not in parts[0] and len(parts) > 1 and re.fullmatch(r"[0-9a-f]{5,}", parts[1]):
        address = f"https://gist.github.com/{parts[0]}/{parts[1]}"
    elif number := (parts[0] if parts else given.get("id", "gist")):
        address = f"https://gist.github.com/{number}"
    else:
        return None
    return link(address, address, around)


def tweet(tag: Tag, around: Surroundings) -> str | None:
    """Convert a message of Twitter to a link."""
    given = read_arguments(tag.arguments)
    url = next((each for each in (*given.values, *given.named.values()) if each.startswith("http")), "")
    number = given.get("id") or next((each for each in given.values if each.isdigit()), "")
    if not url and not number:
        return None
    user = given.get("user") or next((each for each in given.values if not each.isdigit()), "") or "i"
    address = url or f"https://twitter.com/{user}/status/{number}"
    return link(address, address, around)


def instagram(tag: Tag, around: Surroundings) -> str | None:
    """Convert a picture of Instagram to a link."""
    number = read_arguments(tag.arguments).get("id", "0")
    address = f"https://www.instagram.com/p/{number}/"
    return link(address, address, around) if re.fullmatch(r"[\w-]+", number) else None


def highlight(tag: Tag, around: Surroundings) -> str | None:
    """Convert a block of code whose first argument is its language."""
    if tag.inner is None:
        return None
    given = read_arguments(tag.arguments)
    return code(tag.inner, given.get("language", "lang", "0"), tag, around)


def codeblock(tag: Tag, around: Surroundings) -> str | None:
    """Convert Octopress's and Hexo's codeblock: a title, `lang:x`, an address."""
    if tag.inner is None:
        return None
    words = tag.arguments.split()
    language = next((each[5:] for each in words if each.startswith("lang:")), "")
    address = next((each for each in words if each.startswith(("http://", "https://"))), "")
    options = re.compile(r"^(?:lang|line_number|highlight|first_line|mark|wrap|start|range|linenos):")
    titled = " ".join(each for each in words if each != address and not options.match(each))
    made = code(tag.inner, language, tag, around)
    heading = link(titled or address, address, around) if address else titled
    return f"{heading}\n\n{made}" if heading else made


def blockquote(tag: Tag, around: Surroundings) -> str | None:
    """Convert a quotation with author, source and link."""
    if tag.inner is None:
        return None
    address = next((each for each in tag.arguments.split() if each.startswith(("http://", "https://"))), "")
    before, _, after = tag.arguments.partition(address) if address else (tag.arguments, "", "")
    source = after.strip() or (address if address else "")
    credit = before.strip().rstrip(",")
    if address:
        credit = f"{credit}, {link(source, address, around)}" if credit else link(source, address, around)
    inner = tag.inner.strip("\n")
    if around.is_html:
        return f"<blockquote>{inner}{f'<p>— {credit}</p>' if credit else ''}</blockquote>"
    lines = [*inner.split("\n"), *(["", f"— {credit}"] if credit else [])]
    return "\n".join(f"> {line}".rstrip() for line in lines)


def pullquote(tag: Tag, around: Surroundings) -> str | None:
    """Convert a quotation whose arguments concern only its appearance."""
    return blockquote(replace(tag, arguments=""), around)


def admonition(tag: Tag, around: Surroundings) -> str | None:
    """Convert a box with a note to a quotation that begins with its title."""
    if tag.inner is None:
        return None
    given = re.match(r"\s*\[([^\]]*)\]", tag.arguments)
    title = given[1] if given else tag.name.replace("-", " ").capitalize()
    lines = [f"**{title}**", "", *tag.inner.strip("\n").split("\n")]
    return "\n".join(f"> {line}".rstrip() for line in lines)


def address_of(tag: Tag, around: Surroundings) -> str | None:
    """Convert post_url, link, ref, relref, asset_path: the address of a file, with its fragment."""
    given = read_arguments(tag.arguments)
    written = given.get("path", "0")
    path, hash_sign, fragment = written.partition("#")
    if not path and hash_sign:
        return written
    found = around.resolve(path)
    if not found:
        around.missing(f"{tag.name} {path}", tag.line)
        return None
    return found + hash_sign + fragment


def link_of(tag: Tag, around: Surroundings) -> str | None:
    """Convert Hexo's post_link and asset_link: a file's name, and the text of the link."""
    given = read_arguments(tag.arguments)
    name, *words = given.values or ("",)
    if words and words[-1] in ("true", "false"):
        words.pop()
    path, hash_sign, fragment = name.partition("#")
    found = around.resolve(path)
    if not found:
        around.missing(f"{tag.name} {name}", tag.line)
        return None
    return link(" ".join(words) or name.rpartition("/")[2], found + hash_sign + fragment, around)


def plain_link(tag: Tag, around: Surroundings) -> str | None:
    """Convert Hexo's link: a text, an address, and more."""
    parts = tag.arguments.split()
    place = next((n for n, each in enumerate(parts) if each.startswith(("http://", "https://", "/"))), None)
    return None if place is None else link(" ".join(parts[:place]) or parts[place], parts[place], around)


def iframe(tag: Tag, around: Surroundings) -> str | None:
    """Convert a frame by its address."""
    address = read_arguments(tag.arguments).get("src", "url", "0")
    return frame(address, "", tag) if address.startswith(("http://", "https://", "//")) else None


Converter = Callable[[Tag, Surroundings], str | None]


__all__ = ["Arguments", "Converter", "Surroundings"]
