"""WXR, the export format of WordPress: elements of one or several files become raw items."""

from collections.abc import Iterator

from msgspec import Struct, field

from sitecms.content.exchange import XML_NAMESPACE
from sitecms.importing.formats.xml import XmlElement, read_xml
from sitecms.importing.reader import noting_repairs
from sitecms.importing.records import Note, Place
from sitecms.importing.source import Source, SourceFile

_EXPORT = "wordpress.org/export/"
_CHANNEL_PARTS = frozenset(
    {
        "title", "link", "description", "language", "wp:base_site_url", "wp:base_blog_url", "wp:author", "wp:category",
        "wp:tag", "wp:term", "sitecms:site",
    }
)  # fmt: skip


class RawTerm(Struct, frozen=True):
    """A category of an item: its taxonomy, slug and name."""

    domain: str
    slug: str
    name: str


class RawComment(Struct, frozen=True):
    """A comment of an item, without e-mail and address."""

    id: str
    parent: str
    author: str
    date: str
    text: str
    kind: str
    is_approved: bool


class WxrItem(Struct, frozen=True):
    """An item of the file: texts by element name with prefix, meta values by key."""

    place: Place
    texts: dict[str, str]
    meta: dict[str, str]
    terms: tuple[RawTerm, ...]
    comments: tuple[RawComment, ...] = field(default=())
    old_slugs: tuple[str, ...] = ()
    old_days: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> str:
        """Return the text of an element; "" if the item has none."""
        return self.texts.get(name, "")

    @property
    def id(self) -> str:
        """The id of the post."""
        return self["wp:post_id"].strip()


def export_files(source: Source) -> tuple[SourceFile, ...]:
    """Return the files of a source that are WXR, in order of names, as parts of one export are."""
    return tuple(file for file in source.with_suffix(".xml", ".wxr") if is_export(file.beginning(8_000)))


def is_export(beginning: bytes) -> bool:
    """Return whether a file begins as WXR does."""
    head = beginning.replace(b"\x00", b"")
    return b"<rss" in head and (_EXPORT.encode() in head or b"wp:wxr_version" in head or b"<wp:" in head)


def usual_prefix(uri: str) -> str:
    """Return the prefix that WXR usually has for a namespace, in any of its versions."""
    if _EXPORT in uri:
        return "excerpt" if "excerpt" in uri else "wp"
    return {
        XML_NAMESPACE: "sitecms",
        "http://purl.org/rss/1.0/modules/content/": "content",
        "http://purl.org/dc/elements/1.1/": "dc",
        "http://wellformedweb.org/CommentAPI/": "wfw",
    }.get(uri, "")


def read_export(file: SourceFile, notes: list[Note], *, is_partial: bool) -> Iterator[XmlElement]:
    """Yield the parts of the channel and the items of a file; repairs are added to `notes`.

    Raises InvalidRequest for a broken file.
    """

    def is_wanted(path: tuple[str, ...]) -> bool:
        return len(path) == 3 and path[:2] == ("rss", "channel") and (path[2] == "item" or path[2] in _CHANNEL_PARTS)

    on_repair = noting_repairs(file, notes)
    with file.open() as opened:
        yield from read_xml(opened, file.name, is_wanted, on_repair, usual_prefix, is_partial=is_partial)


def raw_item(element: XmlElement, file: str) -> WxrItem:
    """Return the item of an element."""
    texts: dict[str, str] = {}
    meta: dict[str, str] = {}
    terms, comments = [], []
    former: dict[str, list[str]] = {"_wp_old_slug": [], "_wp_old_date": []}
    for child in element.children:
        match child.name:
            case "wp:postmeta":
                key, value = child.value("wp:meta_key"), child.value("wp:meta_value")
                meta.setdefault(key, value)
                if key in former and value.strip():
                    former[key].append(value.strip())
            case "category":
                if "domain" in child.attrs:
                    terms.append(RawTerm(child.attrs["domain"], child.attrs.get("nicename", ""), child.text))
            case "wp:comment":
                comments.append(_comment(child))
            case _:
                texts.setdefault(child.name, child.text)
    slugs, days = (tuple(each) for each in former.values())
    return WxrItem(Place(file, element.line), texts, meta, tuple(terms), tuple(comments), slugs, days)


def _comment(element: XmlElement) -> RawComment:
    """Return a comment; its author's e-mail, address and site are not read."""
    return RawComment(
        element.value("wp:comment_id"),
        element.value("wp:comment_parent"),
        element.value("wp:comment_author"),
        element.value("wp:comment_date_gmt"),
        element.value("wp:comment_content"),
        element.value("wp:comment_type"),
        element.value("wp:comment_approved").strip() in ("1", "approved"),
    )
