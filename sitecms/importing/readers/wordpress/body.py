"""Conversion of WordPress bodies to HTML: classic text, blocks, shortcodes and embeds."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape, unescape
from typing import Any

import orjson

from sitecms.importing.html.cleaning import embed_address, embed_html
from sitecms.importing.reader import RecordLookup
from sitecms.importing.readers.wordpress.shortcodes import Shortcode, language_of, read_attrs, replace_shortcodes
from sitecms.importing.records import EntryRecord, Media, Note, NoteKind
from sitecms.importing.shortcodes import Meaning, ShortcodeTable, callout_kind, html_container, unknown_remedy

_BLOCK = re.compile(
    r"<!--\s+(?P<end>/)?wp:(?P<name>(?:[a-z][a-z0-9_-]*/)?[a-z][a-z0-9_-]*)\s+(?P<data>\{(?:(?!<!--|-->).)*?\}\s++)?(?P<void>/)?-->",
    re.S,
)
_ALONE = re.compile(r"(?m)^(?=[ \t]*+[<h])[ \t]*+(?:<p[^<>]*+>\s*+)?(https?://[^\s<>\"\]\[]+)(?:\s*+</p>)?[ \t]*+$")
_IN_CODE = re.compile(r"(<pre\b.*?(?:</pre\s*>|\Z))", re.I | re.S)
_CODE_LINES = re.compile(r"(<code\b[^<>]*+>)((?:(?!</?code\b|</?pre\b).)*+)</code\s*+>", re.I | re.S)
_LISTING = re.compile(
    r"<(?P<tag>pre|code)\b(?=[^<>]*\slang\s*=)(?P<attrs>[^<>]*+)>(?P<code>(?:(?!</(?P=tag)\b|<(?P=tag)\b[^<>]*\slang\s*=).)*+)"
    r"</(?P=tag)\s*>",
    re.I | re.S,
)
_WRAPPED = re.compile(
    r"<pre\b[^<>]*+>\s*+(?P<code>\[(?P<name>[a-z][\w-]{0,40})(?![\w-])[^\[\]]*+\](?:(?!</?pre\b|\[/).)*+\[/(?P=name)\])"
    r"\s*+</pre\s*>",
    re.I | re.S,
)
"""A shortcode of code in the block of code that an editor put around it."""
_TAG = re.compile(r"<[a-z/!?]", re.I)
_PLAIN_TAGS = re.compile(r"</?(?:a|b|br|code|em|font|i|mark|span|strong|u)\b[^<>]*>", re.I)
_EMBED = re.compile(r'(<div class="wp-block-embed__wrapper">)\s*(https?://[^\s<]+)\s*(</div>)')
_CAPTION = re.compile(r"\s*((?:<a\b[^>]*>\s*)?<img\b[^>]*>(?:\s*</a>)?)(.*)\Z", re.S | re.I)
_GALLERY_LIST = re.compile(r'</?ul class="blocks-gallery[^<>]*>|<li class="blocks-gallery-item">|(?<=</figure>)</li>')
_BACKGROUND = re.compile(r'(<div class="wp-block-cover[^<>]*style="[^"]*background-image:\s*url\(([^()"]+)\)[^<>]*>)')
_MORE = re.compile(r"<!--\s*+(?:more(?:(?!<!--|-->).)*+|noteaser|nextpage)\s*+-->")
_SILENT_BLOCKS = frozenset({"more", "nextpage", "spacer", "separator", "footnotes", "post-content", "missing"})
_MAX_PATTERN_DEPTH = 5
_SOUND = ("src", "mp3", "m4a", "ogg", "wav", "wma", "flac")
_VIDEO = ("src", "mp4", "m4v", "webm", "ogv", "flv", "mov")
_MEDIA = frozenset({"caption", "wp_caption", "gallery", "audio", "video", "playlist", "wpvideo", "slideshare"})

BLOCKS = (
    "table|thead|tfoot|caption|col|colgroup|tbody|tr|td|th|div|dl|dd|dt|ul|ol|li|pre|form|map|area|blockquote|address|"
    "style|p|h[1-6]|hr|fieldset|legend|section|article|aside|hgroup|header|footer|nav|figure|figcaption|details|menu|"
    "summary|script|iframe|object|video|audio|noscript"
)
_BLOCK_OPEN = re.compile(rf"(<(?:{BLOCKS})(?=[\s/>]))", re.I)
_BLOCK_CLOSE = re.compile(rf"(</(?:{BLOCKS})>)", re.I)
_RULE = re.compile(r"(<hr\s*?/?>)", re.I)
_KEPT = re.compile(r"<(pre|script|style|textarea|svg|math)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.I | re.S)
_MARK = "\x02{}\x03"
_MARKED = re.compile("\x02(\\d+)\x03")
_BLANK = re.compile(r"\n[ \t]*\n+")
_ONLY_CLOSING = re.compile(rf"\s*(?:</(?:{BLOCKS})>\s*)+", re.I)
_LEADING_BLOCKS = re.compile(rf"((?:\s*<(/?)({BLOCKS})(?:\s[^<>]*)?>)+)", re.I)
_CLOSING = re.compile(rf"</(?:{BLOCKS})>", re.I)
_NAMES = re.compile(rf"<(/?)({BLOCKS})\b", re.I)
_LINE_END = re.compile(r"(?<![ \t])(?<!<br>)(?<!<br/>)(?<!<br />)[ \t]*\n[ \t]*(?!\Z)")
_TAG_END = re.compile(r"<(?=[^<>]*\n)[^<>]*+>")
_SPACE_BEFORE_BLOCK = re.compile(rf"(?<!\s)\s++(?=</?(?:{BLOCKS})(?=[\s/>]))", re.I)
_MARKUP = frozenset({"html", "html4strict", "html5", "php", "xhtml", "xml", "xslt"})


class BodyConverter:
    """Converter of the body of one entry; `patterns` are the synced patterns of the site by id."""

    def __init__(
        self, entry: EntryRecord, lookup: RecordLookup, patterns: Mapping[str, str], table: ShortcodeTable
    ) -> None:
        self._entry, self._lookup, self._patterns, self._table = entry, lookup, patterns, table
        self._is_encoded = bool(entry.data.get("is_encoded"))

    def html(self, text: str) -> str:
        """Return the body as HTML."""
        text = text.replace("\r\n", "\n")
        html = "".join(self._blocks(text, 0)) if "<!-- wp:" in text else self._classic(text)
        return _MORE.sub("", html) + self._footnotes()

    def _classic(self, text: str) -> str:
        """Return classic text with its shortcodes, embeds and paragraphs."""
        text = self._shortcodes(_LISTING.sub(_listing, _MORE.sub("\n\n", text)))
        text = _code_blocks(text) if "<code" in text else text
        parts = _IN_CODE.split(text)
        parts[::2] = [
            _ALONE.sub(lambda match: f"\n\n{embed_html(unescape(match[1]))}\n\n", part) for part in parts[::2]
        ]
        return add_paragraphs("".join(parts))

    def _shortcodes(self, text: str) -> str:
        text = _WRAPPED.sub(_unwrapped, text)
        return replace_shortcodes(text, self._is_known, self._shortcode, self._unknown_shortcode)

    def _unknown_shortcode(self, name: str, is_text: bool) -> None:
        if not self._table.is_silent(name):
            subject = f"[{name}]"
            remedy = "it stays as text" if is_text else unknown_remedy(subject)
            self._lookup.note(Note(NoteKind.UNKNOWN_SHORTCODE, subject, self._entry.place, remedy))

    def _blocks(self, text: str, depth: int) -> Iterator[str]:
        """Yield the HTML of a text of blocks; text between them is classic."""
        position, level, classic = 0, 0, 0
        for match in _BLOCK.finditer(text):
            name = match["name"].removeprefix("core/")
            between = text[position : match.start()]
            position = match.end()
            is_free = level == 0 or classic == level
            yield self._classic(between) if is_free and between.strip() else self._inside(between)
            if match["void"]:
                yield from self._void(name, match["data"], depth)
            elif match["end"]:
                if classic == level:
                    classic = 0
                level = max(0, level - 1)
            else:
                level += 1
                if name in ("freeform", "shortcode"):
                    classic = level
        rest = text[position:]
        yield self._classic(rest) if rest.strip() else rest

    def _inside(self, html: str) -> str:
        """Return the HTML of a block: shortcodes within it, embeds, galleries and covers."""
        html = self._shortcodes(html) if "[" in html else html
        if "wp-block-embed" in html:
            html = _EMBED.sub(lambda match: match[1] + embed_html(unescape(match[2])) + match[3], html)
        if "blocks-gallery" in html:
            html = _GALLERY_LIST.sub("", html)
        if "wp-block-cover" in html:
            html = _BACKGROUND.sub(lambda match: f'{match[1]}<img src="{match[2]}" alt="">', html)
        return html

    def _void(self, name: str, data: str | None, depth: int) -> Iterator[str]:
        """Yield the HTML of a block that stores none; report a block that WordPress renders on every request."""
        attrs = _json(data)
        if name == "block" and str(attrs.get("ref", "")) in self._patterns and depth < _MAX_PATTERN_DEPTH:
            yield from self._blocks(self._patterns[str(attrs["ref"])], depth + 1)
        elif isinstance(url := attrs.get("url"), str) and "embed" in name:
            yield embed_html(url)
        elif name == "social-link" and isinstance(url, str) and url:
            yield f'<p><a href="{escape(url)}">{escape(str(attrs.get("label") or attrs.get("service") or url))}</a></p>'
        elif name not in _SILENT_BLOCKS:
            self._lookup.note(
                Note(NoteKind.UNKNOWN_BLOCK, f"wp:{name}", self._entry.place, "it had no text of its own")
            )

    def _footnotes(self) -> str:
        """Return the footnotes of an entry, which WordPress keeps beside its body."""
        notes = _json_list(self._entry.data.get("footnotes", ""))
        items = [
            f'<li id="{escape(str(note["id"]))}">{note.get("content", "")} '
            f'<a href="#{escape(str(note["id"]))}-link">↩</a></li>'
            for note in notes
            if isinstance(note, dict) and note.get("id")
        ]
        return f"<ol>{''.join(items)}</ol>" if items else ""

    def _is_known(self, name: str) -> bool:
        return name in _MEDIA or language_of(name) is not None or self._table.meaning(name) is not None

    def _shortcode(self, code: Shortcode) -> str | None:
        """Return the HTML of a known shortcode; None for an unknown one."""
        meaning = self._table.meaning(code.name)
        if code.name not in self._table.own and (code.name in _MEDIA or language_of(code.name) is not None):
            return self._medium(code) if code.name in _MEDIA else self._code(code)
        match meaning:
            case Meaning.EMBED:
                return self._by_url(code)
            case Meaning.CODE:
                return self._code(code)
            case Meaning.FIGURE:
                return _picture(code)
            case Meaning.KEEP:
                return f"{code.opening}{code.inner or ''}{code.ending}"
            case Meaning.CONTENT | Meaning.GALLERY | Meaning.TABS:
                return code.inner
            case Meaning.CALLOUT | Meaning.DETAILS | Meaning.TAB if code.inner is not None:
                return self._container(meaning, code)
        return None

    def _container(self, meaning: Meaning, code: Shortcode) -> str:
        """Return a callout, a text that opens with a click, or one of several texts, with its title."""
        values = [code.attrs[name] for name in ("type", "style", "color", "class", "0") if name in code.attrs]
        names = ("title", "summary", "header", "heading", "label", "name")
        title = next((code.attrs[name] for name in names if code.attrs.get(name)), "")
        kind = callout_kind(self._table.known_name(code.name), tuple(values))
        name = kind if meaning is Meaning.CALLOUT else meaning.value
        default = "" if meaning is Meaning.CALLOUT else code.name.replace("-", " ").capitalize()
        return f"\n\n{html_container(name, escape(title or default, quote=False), code.inner or '')}\n\n"

    def _medium(self, code: Shortcode) -> str | None:
        """Return the HTML of a shortcode that shows files of the library, or of WordPress itself."""
        match code.name:
            case "caption" | "wp_caption":
                return _caption(code)
            case "gallery":
                return self._gallery(code)
            case "audio" | "video":
                return self._player(code)
            case "playlist":
                return "".join(f'<audio src="{_ref(each)}" controls></audio>' for each in self._chosen(code, "audio"))
            case "wpvideo":
                return embed_html(f"https://videopress.com/v/{code.attrs['0']}") if "0" in code.attrs else None
            case "slideshare":
                number = re.match(r"\d+", code.attrs.get("id", ""))
                return embed_html(f"https://www.slideshare.net/slideshow/embed_code/{number[0]}") if number else None
        return None

    def _by_url(self, code: Shortcode) -> str | None:
        value = (code.inner or "").strip() or code.attrs.get("url") or code.attrs.get("src") or code.attrs.get("0", "")
        value = value or code.attrs.get("id", "")
        if code.name in ("youtube", "vimeo") and re.fullmatch(r"[\w-]{6,15}", value):
            value = f"https://{code.name}.com/{'watch?v=' if code.name == 'youtube' else ''}{value}"
        if code.name == "gist" and re.fullmatch(r"[0-9a-f]{6,40}", value):
            value = f"https://gist.github.com/{value}"
        value = unescape(re.sub(r"<[^>]*>", "", value)).strip()
        return f"\n\n{embed_html(value)}\n\n" if value.startswith(("https://", "http://", "//")) else None

    def _code(self, code: Shortcode) -> str | None:
        if code.inner is None:
            return None
        named = code.attrs.get("language") or code.attrs.get("lang") or language_of(code.name) or ""
        text = code.inner.strip("\n")
        is_escaped = "<" not in text and re.search(r"&(?:lt|gt|amp|quot|#0?39);", text)
        if self._is_encoded or is_escaped:
            text = unescape(text)
        attribute = f' class="language-{escape(named)}"' if named and named not in ("text", "plain") else ""
        return f"\n\n<pre><code{attribute}>{escape(text, quote=False)}</code></pre>\n\n"

    def _gallery(self, code: Shortcode) -> str:
        figures = [_figure(each) for each in self._chosen(code, "image")]
        return "\n\n" + "\n".join(figures) + "\n\n"

    def _chosen(self, code: Shortcode, kind: str) -> Sequence[Media]:
        """Return the media that a gallery or playlist names, or all of that kind that belong to the entry."""
        ids = code.attrs.get("ids") or code.attrs.get("include") or ""
        if ids:
            media = (self._lookup.media(f"wp:{each.strip()}") for each in ids.split(","))
            return [each for each in media if each is not None]
        left_out = {f"wp:{each.strip()}" for each in code.attrs.get("exclude", "").split(",")}
        parent = f"wp:{code.attrs['id']}" if code.attrs.get("id", "").isdigit() else self._entry.key
        return [each for each in self._lookup.children(parent) if each.key not in left_out and _kind(each) == kind]

    def _player(self, code: Shortcode) -> str | None:
        names = _SOUND if code.name == "audio" else _VIDEO
        url = next((code.attrs[name] for name in names if code.attrs.get(name)), "")
        if not url and (value := code.attrs.get("0", "")).startswith(("http", "/")):
            url = value.partition("|")[0]
        if not url:
            own = next(iter(self._chosen(code, code.name)), None)
            url = _ref(own) if own else ""
        if not url:
            return None
        if frame := embed_address(url):
            return f'\n\n<iframe src="{escape(frame)}"></iframe>\n\n'
        poster = f' poster="{escape(code.attrs["poster"])}"' if code.attrs.get("poster") else ""
        return f'\n\n<{code.name} src="{escape(url)}" controls{poster}></{code.name}>\n\n'


def _unwrapped(match: re.Match[str]) -> str:
    """Return a shortcode of code without the block of code around it; any other block as it is."""
    return match["code"] if language_of(match["name"].lower()) is not None else match[0]


def _code_blocks(text: str) -> str:
    """Return classic text whose code of several lines is a block, since WordPress shows its lines."""
    parts = _IN_CODE.split(text)
    parts[::2] = [_CODE_LINES.sub(_code_block, part) for part in parts[::2]]
    return "".join(parts)


def _code_block(match: re.Match[str]) -> str:
    """Return code of several lines as a block, other code as it is."""
    text = match[2].strip("\n")
    return f"\n\n<pre>{match[1]}{text}</code></pre>\n\n" if "\n" in match[2] else match[0]


def _listing(match: re.Match[str]) -> str:
    """Return a `<pre lang="xml">` of the plug-in WP-Syntax, or `<code lang="xml">` of CodeColorer, as code in HTML.

    Its text is code as it was typed, unless it says `escaped="true"`, holds entities alone, or markup of a highlighter.
    """
    attrs, code = read_attrs(match["attrs"]), match["code"].removeprefix("\n")
    name = attrs.get("lang", "")
    tags = code if name in _MARKUP else _PLAIN_TAGS.sub("", code)
    is_typed = attrs.get("escaped", "").lower() != "true" and _TAG.search(tags)
    language = f' class="language-{escape(name)}"' if name not in ("", "text", "txt", "plain") else ""
    text = escape(unescape(code), quote=False) if is_typed else code
    is_inline = match["tag"].lower() == "code" and "\n" not in code
    return f"<code>{text}</code>" if is_inline else f"<pre><code{language}>{text}</code></pre>"


def _caption(code: Shortcode) -> str | None:
    match = _CAPTION.match(code.inner or "")
    if not match:
        return code.inner
    text = match[2].strip() or code.attrs.get("caption", "")
    caption = f"<figcaption>{text}</figcaption>" if text else ""
    return f"\n\n<figure>{match[1]}{caption}</figure>\n\n"


def _picture(code: Shortcode) -> str | None:
    """Return the picture that a shortcode of a plug-in names, or has within it."""
    address = next((code.attrs[name] for name in ("src", "url", "image", "file", "0") if code.attrs.get(name)), "")
    inner = (code.inner or "").strip()
    if not re.search(r"[./]", address) and re.fullmatch(r"(?:https?:)?/\S+", inner):
        address, inner = inner, ""
    if not re.search(r"[./]", address):
        return code.inner
    caption = code.attrs.get("caption") or code.attrs.get("title") or ""
    text = inner or escape(caption, quote=False)
    shown = f"<figcaption>{text}</figcaption>" if text else ""
    return f'\n\n<figure><img src="{escape(address)}" alt="{escape(code.attrs.get("alt", ""))}">{shown}</figure>\n\n'


def _figure(media: Media) -> str:
    caption = f"<figcaption>{escape(media.caption, quote=False)}</figcaption>" if media.caption else ""
    return f'<figure><img src="{_ref(media)}" alt="{escape(media.alt)}">{caption}</figure>'


def _ref(media: Media) -> str:
    return f"media:{media.key}"


def _kind(media: Media) -> str:
    suffix = media.address.rpartition(".")[2].lower()
    if suffix in ("jpg", "jpeg", "png", "gif", "webp", "avif", "svg", "jpe", "bmp"):
        return "image"
    return "audio" if suffix in ("mp3", "ogg", "oga", "m4a", "wav", "flac", "wma") else "video"


def _json(text: str | None) -> dict[str, Any]:
    try:
        data = orjson.loads(text) if text else {}
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _json_list(text: str) -> list[Any]:
    try:
        data = orjson.loads(text) if text else []
    except ValueError:
        return []
    return data if isinstance(data, list) else []


def add_paragraphs(text: str) -> str:
    """Return the text with `<p>` around its paragraphs and `<br>` at single line ends, as WordPress shows it."""
    if not text.strip():
        return ""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        mark = _MARK.format(len(kept) - 1)
        return mark if match[0].startswith("<!--") else f"\n\n{mark}\n\n"

    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _KEPT.sub(keep, text.replace("\x02", "").replace("\x03", ""))
    text = _TAG_END.sub(lambda match: match[0].replace("\n", " "), text)
    text = re.sub(r"<br\s*/?>\s*<br\s*/?>", "\n\n", text, flags=re.I)
    text = _BLOCK_OPEN.sub(r"\n\n\1", text)
    text = _BLOCK_CLOSE.sub(r"\1\n\n", text)
    text = _RULE.sub(r"\1\n\n", text)
    parts = [_paragraph(part) for part in _BLANK.split(text) if part.strip()]
    joined = "\n".join(parts)
    return _MARKED.sub(lambda match: kept[int(match[1])], joined)


def _paragraph(part: str) -> str:
    """Return one part between empty lines: a paragraph, unless it is a block or the beginning or end of one."""
    stripped = part.strip()
    marked = _MARKED.fullmatch(stripped)
    if marked or _ONLY_CLOSING.fullmatch(stripped):
        return stripped
    lead = _LEADING_BLOCKS.match(stripped)
    opening = lead[0] if lead else ""
    rest = stripped[len(opening) :]
    closing = ""
    if rest.endswith(">"):
        end = _closing_start(rest)
        closing, rest = rest[end:], rest[:end]
    if not rest.strip():
        return stripped
    inside = [name.lower() for slash, name in _NAMES.findall(opening) if not slash] if opening else []
    if inside and inside[-1] not in ("div", "blockquote", "section", "article", "aside", "header", "footer", "details"):
        return opening + _breaks(rest) + closing
    if inside and closing and "\n" not in rest.strip():  # `<div>text</div>` in one line stays without a paragraph
        return opening + _breaks(rest) + closing
    return f"{opening}<p>{_breaks(rest.strip())}</p>{closing}"


def _closing_start(text: str) -> int:
    """Return where the closing tags of blocks begin with which a text ends, with the white space before them."""
    end = len(text)
    while (
        text.endswith(">", 0, end) and (start := text.rfind("<", 0, end)) >= 0 and _CLOSING.fullmatch(text, start, end)
    ):
        end = start
        while end and text[end - 1].isspace():
            end -= 1
    return end


def _breaks(text: str) -> str:
    """Return the text with a `<br>` at each line end."""
    text = text.strip("\n")
    if "\n" not in text:
        return text
    return _LINE_END.sub("<br>\n", _SPACE_BEFORE_BLOCK.sub(lambda match: "\n" if "\n" in match[0] else match[0], text))
