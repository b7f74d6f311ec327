"""Substack: the export of a publication, `posts.csv` and `posts/<id>.<slug>.html`."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC
from html import unescape
from typing import Any

import orjson
from msgspec.structs import replace

from sitecms.content.status import Status
from sitecms.errors import InvalidRequest
from sitecms.importing.formats.tables import read_table
from sitecms.importing.formats.times import read_time
from sitecms.importing.html.formulas import formula
from sitecms.importing.html.tree import Element, Node, Remark, parse, rewrite, to_html
from sitecms.importing.reader import ReaderOptions, RecordLookup
from sitecms.importing.records import EntryRecord, Kind, Note, NoteKind, Place, Record, RedirectRecord, Site
from sitecms.importing.source import Source, SourceFile

MEDIA_HOSTS = ("substackcdn.com", "cdn.substack.com", "substack-post-media.s3.amazonaws.com")
_OWN = re.compile(r"https://([a-z0-9-]+\.substack\.com)/(?:subscribe|p/)")
_WIDGETS = frozenset(
    {
        "button-wrapper",
        "captioned-button-wrap",
        "community-chat",
        "directMessage",
        "install-substack-app-embed",
        "paywall",
        "paywall-jump",
        "subscription-widget",
        "subscription-widget-wrap",
        "subscription-widget-wrap-editor",
    }
)


def detect(source: Source) -> bool:
    """Return whether the source is an export of Substack."""
    return _table(source) is not None


def _table(source: Source) -> SourceFile | None:
    for file in source.files:
        if file.name.rsplit("/", 1)[-1] == "posts.csv" and b"post_id" in file.beginning(2000).split(b"\n")[0]:
            return file
    return None


class SubstackReader:
    """Reader of Substack's exports. Lists of subscribers in them are never opened."""

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield the posts and pages of posts.csv, with the texts that stand beside it."""
        table = _table(source)
        if table is None:
            raise InvalidRequest(f"{source} has no posts.csv with a column post_id; it is not an export of Substack.")
        folder = table.name.removesuffix("posts.csv")
        hosts: Counter[str] = Counter()
        for line, row in read_table(table)[1]:
            file = source.find(f"{folder}posts/{row.get('post_id')}.html")
            body = file.text() if file else ""
            hosts.update(_OWN.findall(body))
            place = Place(table.name, line)
            if not file and row.get("type") != "podcast":
                yield Note(NoteKind.SKIPPED, "a post without a text in the export", place)
            yield _entry(row, body, place, options)
        own = f"https://{hosts.most_common(1)[0][0]}" if hosts else ""
        yield Site(url=options.old_url or own, permalink="/p/{slug}/", media_hosts=MEDIA_HOSTS)
        yield RedirectRecord("/feed/", "/rss.xml")
        yield RedirectRecord("/archive/", "/blog/", 302)
        lists = [file for file in source.with_suffix(".csv") if file.name != table.name]
        for file in lists:
            yield Note(NoteKind.LEFT_OUT, "lists of subscribers and statistics, not opened", Place(file.name))

    def finish(self, entry: EntryRecord, lookup: RecordLookup) -> EntryRecord:
        """Return the entry with its body in plain HTML."""
        root = parse(entry.body)
        _simplify(root, entry, lookup)
        return replace(entry, body=to_html(root))


reader = SubstackReader


def _entry(row: Mapping[str, str], body: str, place: Place, options: ReaderOptions) -> EntryRecord:
    number, _, slug = (row.get("post_id") or "").partition(".")
    is_published = (row.get("is_published") or "").lower() == "true"
    is_hidden = (row.get("audience") or "everyone") != "everyone" and options.members != "public"
    sound = row.get("podcast_url") or ""
    if sound:
        body = f'<figure><audio controls src="{sound}"></audio></figure>\n{body}'
    return EntryRecord(
        key=f"substack:{number}",
        kind=Kind.PAGE if row.get("type") == "page" else Kind.POST,
        title=unescape(row.get("title") or ""),
        place=place,
        slug=slug,
        old_url=f"/p/{slug}" if is_published and slug else "",
        status=Status.PUBLISHED if is_published and not is_hidden else Status.DRAFT,
        hidden_as="members" if is_published and is_hidden else "",
        published_at=read_time(row.get("post_date") or "", UTC) if is_published else None,
        summary=unescape(row.get("subtitle") or ""),
        body=body,
    )


def _simplify(root: Element, entry: EntryRecord, lookup: RecordLookup) -> None:
    """Change Substack's markup of a body into plain HTML; buttons and forms of the service are dropped."""

    def note(kind: NoteKind, what: str) -> None:
        lookup.note(Note(kind, what, entry.place))

    def change(node: Node) -> list[Node] | None:
        if isinstance(node, Remark):
            return []
        if isinstance(node, str):
            return None
        classes = node.classes()
        if classes & _WIDGETS:
            note(NoteKind.LEFT_OUT, "buttons and forms of Substack")
            return []
        data = _data(node)
        for name, make in _EMBEDS.items():
            if name in classes:
                return make(node, data)
        if "data-component-name" in node.attrs and not node.text().strip() and not node.find("img"):
            note(NoteKind.UNKNOWN_BLOCK, node.attrs["data-component-name"])
        if node.tag == "div" and not node.attrs.get("id"):
            rewrite(node, change)
            return node.children
        kept = ("href", "src", "alt", "title", "id", "start", "width", "height", "allowfullscreen", "controls")
        node.attrs = {name: value for name, value in node.attrs.items() if name in kept}
        return None

    rewrite(root, change)


def _data(node: Element) -> Mapping[str, Any]:
    """Return the facts in `data-attrs`."""
    try:
        data = orjson.loads(node.attrs.get("data-attrs") or "{}")
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _value(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _link(url: str, text: str) -> list[Node]:
    return [Element("p", children=[Element("a", {"href": url}, [text or url])])] if url else []


def _picture(node: Element, _data_of_box: Mapping[str, Any]) -> list[Node]:
    """Return a picture with its original address, which stands in the facts of the image."""
    img = node.find("img")
    if img is None:
        return []
    data = _data(img)
    alt = _value(data, "alt") or img.attrs.get("alt", "")
    attrs = {"src": _value(data, "src") or img.attrs.get("src", ""), "alt": alt}
    shown: Node = Element("img", attrs)
    target = _value(data, "href")
    if target:
        shown = Element("a", {"href": target}, [shown])
    caption = node.find("figcaption")
    return [Element("figure", children=[shown, *([caption] if caption and caption.text().strip() else [])])]


def _frame(address: str) -> list[Node]:
    return [Element("figure", children=[Element("iframe", {"src": address, "allowfullscreen": ""})])]


def _youtube(node: Element, data: Mapping[str, Any]) -> list[Node]:
    frame = node.find("iframe")
    video = _value(data, "videoId")
    if video:
        return _frame(f"https://www.youtube-nocookie.com/embed/{video}")
    return _frame(frame.attrs.get("src", "")) if frame else []


def _vimeo(node: Element, data: Mapping[str, Any]) -> list[Node]:
    frame = node.find("iframe")
    video = _value(data, "videoId")
    return _frame(f"https://player.vimeo.com/video/{video}" if video else frame.attrs.get("src", "") if frame else "")


def _tweet(node: Element, data: Mapping[str, Any]) -> list[Node]:
    url, text = _value(data, "url"), _value(data, "full_text")
    if not text:
        return _link(url, "") or node.children
    words: list[Node] = [Element("p", children=[text])]
    return [Element("blockquote", {"cite": url} if url else {}, words + _link(url, _value(data, "name")))]


def _post(node: Element, data: Mapping[str, Any]) -> list[Node]:
    link = node.find("a")
    url = _value(data, "canonical_url") or _value(data, "url") or (link.attrs.get("href", "") if link else "")
    return _link(url.partition("?")[0], _value(data, "title"))


def _quotation(node: Element, _data_of_box: Mapping[str, Any]) -> list[Node]:
    has_blocks = any(isinstance(child, Element) for child in node.children)
    return [Element("blockquote", children=node.children if has_blocks else [Element("p", children=node.children)])]


def _formula(node: Element, data: Mapping[str, Any]) -> list[Node]:
    return [Element("p", children=[formula(_value(data, "persistentExpression") or node.text(), is_block=True)])]


def _file(node: Element, _data_of_box: Mapping[str, Any]) -> list[Node]:
    link = next((each for each in node.elements() if each.tag == "a" and each.attrs.get("href")), None)
    title = node.with_class("file-embed-details-h1")
    return _link(link.attrs["href"], title.text().strip() if title else "") if link else []


_EMBEDS = {
    "captioned-image-container": _picture,
    "youtube-wrap": _youtube,
    "vimeo-wrap": _vimeo,
    "tweet": _tweet,
    "digest-post-embed": _post,
    "embedded-post-wrap": _post,
    "pullquote": _quotation,
    "callout-block": _quotation,
    "latex-rendered": _formula,
    "file-embed-wrapper": _file,
}
