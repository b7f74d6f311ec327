"""Document: one file of the source, with its text and the keys of its front matter.

Front matter writes titles, images, summaries and authors in many forms.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, tzinfo
from typing import Any

from msgspec import Struct, field

from sitecms.content.author import Author, split_name
from sitecms.importing.formats.times import read_time
from sitecms.importing.readers.markdown.front_matter import SourceFrontMatter, split
from sitecms.importing.records import AuthorRecord, Note, NoteKind, Place
from sitecms.importing.source import SourceFile

_HOUSEKEEPING = re.compile(
    r"layout|lang|locale|menus?|type|status|save_as|redirect(?:_(?:to|from))?|sitemap|template|render|published|permalink|"
    r"(?:disqus|gitalk|gitment|giscus|utterances|isso|commento|eleventy|paginate)(?:_?\w+)?|(?:no_?)?comments?|comment(?:_\w+|(?-i:[A-Z]\w*))|"
    r"toc(?:_\w+|Open)?|(?:use_?hugo)toc|table_?of_?contents|(?:show|hide|disable|enable)_\w+|hide_?meta|no_?index|robots|"
    r"search_?hidden|in_search_index|math(?:jax)?|katex|mermaid|highlight|insert_anchor_links|page_template|"
    r"sort_by|generate_feeds?|sticky|pin(?:ned)?|top|share|related|read_time|author_profile|classes|sidebar|body_?class|"
    r"excerpt_separator|nav_(?:order|exclude)|has_(?:children|toc)|template_?engine_?override|cache_enable|"
    r"(?-i:(?:[Ss]how|[Hh]ide|[Dd]isable|[Ee]nable)[A-Z]\w*)|outputs",
    re.I,
)
"""Keys that say how a generator or theme shows a document, and nothing of what it is about."""
_LOOP = re.compile(r"\{%-?\s*(?:for|paginate)\b")
_TAG = re.compile(r"\{%(?:(?!\{%).)*?%\}|\{\{(?:(?!\{\{).)*?\}\}|<[^<>]*>", re.S)
_WORD = re.compile(r"[^\W_]{2,}")
_FEW_WORDS = 40
"""A text with fewer words outside of its loops is a list, and no page."""
_CODE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1|`[^`\n]*`", re.S | re.M)
_TRUE = frozenset({"true", "yes", "on", "1", "y"})
_FALSE = frozenset({"false", "no", "off", "0", "n"})
_FIGURE = re.compile(r"<figure\b(?:(?!<figure\b).)*?</figure>", re.S)
_WORDS = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b|,")
_HALF_DAY = re.compile(r"(.*?\b)(\d{1,2})(:\d{2}(?::\d{2})?)\s*([ap])\.?m\.?(.*)", re.I)
_MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july", "aug august",
         "sep sept september", "oct october", "nov november", "dec december"), 1,
    )
    for name in names.split()
}  # fmt: skip
_NAMED_DATE = re.compile(
    r"(?:[a-z]+\.?\s+)??(?:(?P<m1>[a-z]{3,9})\.?\s+(?P<d1>\d{1,2})|(?P<d2>\d{1,2})\s+(?P<m2>[a-z]{3,9})\.?)\s+(?P<y>\d{4})(?P<rest>.*)",
    re.I,
)
_NAMED_ZONES = {"est": "-0500", "edt": "-0400", "cst": "-0600", "cdt": "-0500", "mst": "-0700", "mdt": "-0600",
                "pst": "-0800", "pdt": "-0700", "bst": "+0100", "cet": "+0100", "cest": "+0200"}  # fmt: skip
_SHORT_OFFSET = re.compile(r"(:\d\d\s*)([+-])(\d)(?::?00)?$")
_ZONE_NAME = re.compile(r"(.*\d)\s+([A-Za-z]{3,4})$")


def read_lenient(text: str, zone: tzinfo) -> datetime | None:
    """Return a time as authors write it: ISO and its variants, `Jan 2, 2006 3:04 pm EST`."""
    plain = _SHORT_OFFSET.sub(r"\g<1>\g<2>0\g<3>00", text.strip())
    moment = read_time(plain, zone) if plain[:4].isdigit() else None
    if moment or not plain:
        return moment
    if match := _HALF_DAY.fullmatch(plain):
        hour = int(match[2]) % 12 + (12 if match[4] in "pP" else 0)
        plain = f"{match[1]}{hour:02}{match[3]}{match[5]}"
    if match := _ZONE_NAME.fullmatch(plain):
        plain = f"{match[1]} {_NAMED_ZONES.get(match[2].lower(), match[2])}"
    if match := _NAMED_DATE.fullmatch(_WORDS.sub("", plain)):
        month = _MONTHS.get((match["m1"] or match["m2"]).lower())
        if month:
            plain = f"{match['y']}-{month:02}-{int(match['d1'] or match['d2']):02}{match['rest']}"
    return read_time(plain, zone)


class Document(Struct):
    """A file with front matter, at `path` below the root of the site. Letter case of keys is ignored."""

    file: SourceFile
    path: str
    front: SourceFrontMatter
    defaults: Mapping[str, Any] = field(default_factory=dict)
    _keys: dict[str, Any] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._keys = lowered({**self.defaults, **self.front.data})

    @property
    def place(self) -> Place:
        """The file, for the report."""
        return Place(self.file.name)

    @property
    def folder(self) -> str:
        """The path of the folder, "" or with a slash at its end."""
        head, slash, _name = self.path.rpartition("/")
        return head + slash

    @property
    def stem(self) -> str:
        """The file name without its extension."""
        return self.path.rpartition("/")[2].rpartition(".")[0]

    @property
    def suffix(self) -> str:
        """The extension in lower case, as `.md`."""
        return "." + self.path.rpartition(".")[2].lower()

    def has(self, name: str) -> bool:
        """Return whether the front matter itself has a key."""
        return name in self._keys

    def get(self, *names: str) -> Any:
        """Return the value of the first of these keys that has one; mark all of them as known."""
        found = None
        for name in names:
            value = self.peek(name)
            if value is not None:
                self._used.add(name)
                found = value if found is None else found
        return found

    def peek(self, name: str) -> Any:
        """Return the value of a key without marking it as known."""
        if name in self._keys:
            return self._keys[name]
        outer, dot, inner = name.partition(".")
        table = table_of(self._keys.get(outer)) if dot else {}
        return next((value for key, value in table.items() if str(key).lower() == inner), None)

    def text(self, *names: str) -> str:
        """Return the first of these keys as text; "" for one that is a list or table."""
        return as_text(self.get(*names))

    def texts(self, *names: str) -> list[str]:
        """Return the first of these keys as a list of texts; a single text is a list of one."""
        return [text for each in listed(self.get(*names)) if (text := as_text(each).strip())]

    def truth(self, name: str) -> bool | None:
        """Return a key as true or false, words of YAML 1.1 included; None for any other value."""
        plain = self.text(name).strip().lower()
        return True if plain in _TRUE else False if plain in _FALSE else None

    @property
    def is_draft(self) -> bool:
        """True if the front matter says that the document is not published."""
        is_published, is_draft = self.truth("published"), self.truth("draft")
        return is_published is False or is_draft is True

    def time(self, names: tuple[str, ...], zone: tzinfo, notes: list[Note]) -> datetime | None:
        """Return the first time of these keys, those without zone in `zone`. Other values are reported in `notes`."""
        for name in names:
            value = self.text(name).strip()
            if value.lower() in ("", *_TRUE, *_FALSE):
                continue
            if found := read_lenient(value, zone):
                self._used.update(names)
                return found
            place = Place(f"{self.file.name}: {value[:60]}")
            notes.append(Note(NoteKind.DATE, f"{name}: not a valid time", place, "set published: in the file"))
        return None

    def unknown(self) -> Iterator[str]:
        """Yield the keys that were never read; those of inner tables as `extra.name`."""
        for name, value in self.front.data.items():
            key = str(name).lower()
            if key in self._used or value in (None, "", []):
                continue
            inner = [each for each in self._used if each.startswith(f"{key}.")]
            if isinstance(value, Mapping) and (inner or key in ("params", "extra", "taxonomies")):
                yield from (f"{name}.{each}" for each in value if f"{key}.{each}".lower() not in inner)
            else:
                yield str(name)[:60]

    def texts_of(self, names: Iterable[str]) -> dict[str, str]:
        """Return the values of keys that are plain texts about the document."""
        values = ((name, self.peek(name.lower())) for name in names if not _HOUSEKEEPING.fullmatch(name))
        return {name: text for name, value in values if (text := as_text(value).strip())}

    def scalars(self) -> dict[str, str]:
        """Return the keys with a text, which templates may name."""
        return {name: as_text(value) for name, value in self._keys.items() if not isinstance(value, Mapping | list)}


def as_text(value: Any) -> str:
    """Return a value as text; "" for null, lists and tables."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None or isinstance(value, Mapping | list) else str(value)


def table_of(value: Any) -> Mapping[str, Any]:
    """Return a value that is a table; an empty one for any other."""
    return value if isinstance(value, Mapping) else {}


def lowered(table: Any) -> dict[str, Any]:
    """Return a table with its keys in lower case, as generators take any case; an empty one for any other value."""
    return {str(name).lower(): value for name, value in table_of(table).items()}


def listed(value: Any) -> list[Any]:
    """Return a list as it is, and any other value as the only one of a list."""
    return value if isinstance(value, list) else [value]


def read_document(
    file: SourceFile, path: str, notes: list[Note], *, has_meta: bool = False, defaults: Mapping[str, Any] | None = None
) -> Document:
    """Return a file as document; repairs are added to `notes`. Raises InvalidRequest."""
    data = file.read()
    text = _decoded(data, file, notes)
    is_html = path.lower().endswith((".html", ".htm"))
    front = split(text, is_html=is_html, has_meta=has_meta)
    for line, problem in front.problems:
        notes.append(Note(NoteKind.REPAIRED, f"front matter: {problem}", Place(file.name, line)))
    return Document(file, path, front, defaults or {})


def _decoded(data: bytes, file: SourceFile, notes: list[Note]) -> str:
    """Return the text without byte order mark, with plain line ends; replace and report bytes that are not UTF-8."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", errors="replace")
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            column = error.start - data.rfind(b"\n", 0, error.start)
            what = "bytes that are no UTF-8, read as Windows-1252"
            place = Place(f"{file.name}:{line}:{column}")
            notes.append(Note(NoteKind.REPAIRED, what, place, "save the file as UTF-8"))
            text = _mixed(data)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _mixed(data: bytes) -> str:
    """Return UTF-8 text in which single bytes are Windows-1252."""
    parts: list[str] = []
    while data:
        try:
            parts.append(data.decode("utf-8"))
            break
        except UnicodeDecodeError as error:
            parts.append(data[: error.start].decode("utf-8"))
            parts.append(data[error.start : error.end].decode("cp1252", errors="replace"))
            data = data[error.end :]
    return "".join(parts)


def is_list_template(body: str) -> bool:
    """Return whether a text is loops of a template, outside of code, and few words besides."""
    plain = _CODE.sub("", body)
    for name in ("raw", "highlight"):
        plain = _without_blocks(plain, name)
    rest = _without_blocks(plain, "for")
    return bool(_LOOP.search(plain)) and len(_WORD.findall(_TAG.sub(" ", rest))) < _FEW_WORDS


def _without_blocks(text: str, name: str) -> str:
    """Return a text without the blocks of a tag of Liquid, each up to the first end of one."""
    opening, ending = re.compile(rf"\{{%-?\s*{name}\b"), re.compile(rf"\{{%-?\s*end{name}\s*-?%\}}")
    parts: list[str] = []
    position = 0
    while begin := opening.search(text, position):
        end = ending.search(text, begin.end())
        if end is None:  # nor has any block below
            break
        parts.append(text[position : begin.start()])
        position = end.end()
    return " ".join((*parts, text[position:]))


def one_line(text: str) -> str:
    """Return a text with each run of white space as one space."""
    return " ".join(text.split())


def plain_heading(text: str) -> str:
    """Return the text of a heading without its marks."""
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    plain = re.sub(r"\s*\{[#:.][^}]*\}\s*$", "", plain)
    return one_line(re.sub(r"[*`]|<[^>]+>", "", plain))


def title_of(document: Document, slug: str) -> str:
    """Return a title made of the file's name, as generators do; "" if the title must be taken from the body."""
    name = slug.rpartition("/")[2] or document.stem
    words = re.sub(r"[-_]+", " ", name).strip()
    return words[:1].upper() + words[1:]


def picture_of(document: Document) -> tuple[str, str]:
    """Return the address and the alternative text of the featured image of an entry."""
    names = (
        "featured_image", "featuredimage", "featured", "image", "cover", "thumbnail", "hero", "heroimage", "banner",
        "header.image", "cover.image", "img", "images", "photos", "og_image", "ogimage", "teaser_image", "extra.image",
        "params.image", "hero_image", "cover_image", "coverimage", "thumb", "preview", "header.teaser",
        "extra.thumbnail",
    )  # fmt: skip
    alt = document.text(
        "image_alt", "imagealt", "featured_image_alt", "cover.alt", "alt", "hero_alt", "heroalt", "image_alt_text"
    )
    for name in names:
        value = document.peek(name)
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, Mapping):
            facts = {key: as_text(each) for key, each in lowered(first).items()}
            keys = ("src", "url", "path", "image", "file", "feature", "teaser")
            address = next((facts[key] for key in keys if facts.get(key)), "")
            alt = alt or facts.get("alt", "")
        else:
            address = as_text(first).strip()
        if address and address not in ("true", "false") and re.search(r"[./]", address):
            document.get(name)
            return address, alt
    return "", alt


def summary_of(text: str, *, is_html: bool) -> str:
    """Return a summary as plain text, without captions of pictures."""
    from sitecms.content.text import markdown
    from sitecms.content.text.html import plain_text

    return plain_text(_FIGURE.sub(" ", text if is_html else markdown.render(text))).strip()


def author_of(key: str, name: str, written: Any, known: Mapping[str, Any], url: str) -> AuthorRecord:
    """Return an author with what the document or the data of the site says; e-mail addresses are left out."""
    held = written if isinstance(written, Mapping) else known.get(name, known.get(key))
    facts = {key: as_text(value) for key, value in lowered(held).items()}
    full = facts.get("name") or facts.get("full_name") or facts.get("display_name") or name
    first, last = split_name(full)
    picture = facts.get("avatar") or facts.get("image") or facts.get("picture") or ""
    author = Author(
        slug=name if isinstance(held, Mapping) and full != name else "",
        first_name=first,
        last_name=last,
        bio=facts.get("bio") or facts.get("description") or "",
        title=facts.get("title") or facts.get("role") or "",
        twitter_handle=facts.get("twitter", "").removeprefix("@").rpartition("/")[2],
        profile_image=picture if picture.startswith(("http://", "https://", "/")) else "",
    )
    return AuthorRecord(key, author, url)
