"""Blogger: the Atom file of a backup, or `feed.atom` of Google Takeout, which has kinds in other elements."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC

from msgspec.structs import replace

from sitecms.content.author import Author, split_name
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.errors import InvalidRequest
from sitecms.importing.formats.times import read_time
from sitecms.importing.formats.xml import XmlElement, read_xml
from sitecms.importing.html.addresses import Use, replace_addresses
from sitecms.importing.html.tree import Element, Node, parse, rewrite, to_html
from sitecms.importing.reader import ReaderOptions, RecordLookup, guarded, noting_repairs
from sitecms.importing.records import (
    AuthorRecord,
    Comment,
    EntryRecord,
    Kind,
    Note,
    NoteKind,
    Place,
    Record,
    RedirectRecord,
    Site,
    TermRecord,
)
from sitecms.importing.source import Source, SourceFile
from sitecms.web_address import split_address

MEDIA_HOSTS = ("blogger.googleusercontent.com", *(f"{number}.bp.blogspot.com" for number in range(1, 5)))
_NAMESPACES = {"http://schemas.google.com/blogger/2018": "blogger", "http://purl.org/atom/app#": "app"}
_ID_KIND = re.compile(r"\.(post|page)-\d+$")
_SIZE = re.compile(r"/(?:s|w)\d+(?:-[a-z0-9-]+)?/(?=[^/]+$)|=(?:s|w|h)\d+(?:-[a-z0-9-]+)*$")


def detect(source: Source) -> bool:
    """Return whether the source holds a backup of Blogger."""
    return next(_feeds(source), None) is not None


def _feeds(source: Source) -> Iterator[SourceFile]:
    for file in source.with_suffix(".xml", ".atom"):
        beginning = file.beginning()
        if b"<feed" in beginning and b"blogger" in beginning:
            yield file


class BloggerReader:
    """Reader of Blogger's backups."""

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield posts, pages, labels as tags, authors, and comments without addresses."""
        hosts: Counter[str] = Counter()
        has_feed = False
        for file in _feeds(source):
            has_feed = True
            repaired: list[Note] = []
            with file.open() as opened:
                on_repair = noting_repairs(file, repaired)
                entries = read_xml(opened, file.name, _is_read, on_repair, _prefix, is_partial=options.is_partial)
                for entry in entries:
                    for record in guarded(_records(entry, file), Place(file.name, entry.line)):
                        if isinstance(record, EntryRecord) and split_address(record.old_url).netloc:
                            hosts["://".join(split_address(record.old_url)[:2])] += 1
                        yield record
            yield from repaired
        if not has_feed:
            raise InvalidRequest(f"{source} has no backup of Blogger: an Atom file, or feed.atom of Google Takeout.")
        url = options.old_url or (hosts.most_common(1)[0][0] if hosts else "")
        yield Site(url=url, permalink="/{year}/{month}/{slug}.html", media_hosts=MEDIA_HOSTS)
        yield RedirectRecord("/feeds/posts/default/", "/atom.xml")

    def finish(self, entry: EntryRecord, lookup: RecordLookup) -> EntryRecord:  # noqa: ARG002 - the interface
        """Return the entry with its images in original size, without links to the images themselves."""
        root = parse(entry.body)
        replace_addresses(root, lambda address, use: original(address) if use is Use.MEDIA else address)
        rewrite(root, _simplify)
        return replace(entry, body=to_html(root))


reader = BloggerReader


def original(address: str) -> str:
    """Return the address of a picture in its original size."""
    host = split_address(address).hostname or ""
    if host not in MEDIA_HOSTS and not host.endswith(".googleusercontent.com"):
        return address
    return _SIZE.sub(lambda match: "/s0/" if match[0].startswith("/") else "=s0", address)


def _simplify(node: Node) -> list[Node] | None:
    if not isinstance(node, Element):
        return None
    if node.tag == "a" and len(node.children) == 1:
        match node.children[0]:
            case Element("img", attrs) as picture if original(attrs.get("src", "")) == original(
                node.attrs.get("href", "")
            ):
                return [picture]
    if node.tag == "div" and node.classes() & {"separator"}:
        return [Element("p", children=node.children)] if node.text().strip() or node.find("img") else []
    return None


def _is_read(path: tuple[str, ...]) -> bool:
    return path in (("feed", "entry"), ("feed", "title"))


def _prefix(uri: str) -> str:
    return _NAMESPACES.get(uri, "")


def _records(entry: XmlElement, file: SourceFile) -> Iterator[Record]:
    place = Place(file.name, entry.line)
    if entry.name == "title":
        yield Site(name=entry.text.strip())
        return
    kind = _kind(entry)
    if kind in ("post", "page"):
        yield from _entry(entry, kind, place)
    elif kind == "comment":
        yield from _comment(entry)
    elif kind == "settings":
        yield from _setting(entry.value("id").rpartition(".")[2], entry.value("content").strip())
    elif kind != "template":
        yield Note(NoteKind.SKIPPED, f"an entry of the kind {kind or '(none)'}", place)


def _setting(name: str, value: str) -> Iterator[Site]:
    match name:
        case "BLOG_NAME":
            yield Site(name=value)
        case "BLOG_DESCRIPTION":
            yield Site(description=value)
        case "BLOG_TIME_ZONE":
            yield Site(timezone=value)
        case "BLOG_LOCALE":
            yield Site(locale=value.partition("_")[0])


def _kind(entry: XmlElement) -> str:
    if own := entry.value("blogger:type"):
        return own.lower()
    for category in entry.all("category"):
        if category.attrs.get("scheme", "").endswith("#kind"):
            return category.attrs.get("term", "").rpartition("#")[2]
    named = _ID_KIND.search(entry.value("id"))  # in a feed of the blog, which has no kinds
    return named[1] if named else ""


def _entry(entry: XmlElement, kind: str, place: Place) -> Iterator[Record]:
    control = entry.child("app:control")
    status = entry.value("blogger:status").upper()
    is_draft = (control is not None and control.value("app:draft") == "yes") or status in ("DRAFT", "SOFT_TRASHED")
    if entry.value("blogger:trashed") or status == "SOFT_TRASHED":
        yield Note(NoteKind.LEFT_OUT, "entries in the trash", place)
        return
    url = next((link.attrs.get("href", "") for link in entry.all("link") if link.attrs.get("rel") == "alternate"), "")
    url = url or entry.value("blogger:filename")
    labels = [
        category.attrs.get("term", "")
        for category in entry.all("category")
        if category.attrs.get("scheme", "").endswith("ns#")
    ]
    for label in labels:
        yield TermRecord(TermKind.TAG, label, old_url=f"/search/label/{label}")
    author = entry.child("author")
    name = author.value("name") if author else ""
    if name:
        yield AuthorRecord(name, Author("", *split_name(name)))
    published = read_time(entry.value("published"), UTC)
    is_future = status == "SCHEDULED"
    yield EntryRecord(
        key=f"blogger:{entry.value('id').rpartition('-')[2] or url}",
        kind=Kind.POST if kind == "post" else Kind.PAGE,
        title=entry.value("title"),
        place=place,
        slug=split_address(url).path.rpartition("/")[2].removesuffix(".html"),
        old_url="" if is_draft else url,
        status=Status.DRAFT if is_draft else Status.SCHEDULED if is_future else Status.PUBLISHED,
        published_at=None if is_draft else published,
        created_at=read_time(entry.value("blogger:created"), UTC) or published,
        updated_at=read_time(entry.value("updated"), UTC),
        authors=(name,) if name else (),
        tags=tuple(labels),
        meta_description=entry.value("blogger:metaDescription"),
        body=entry.value("content"),
        guid=entry.value("id"),
    )


def _comment(entry: XmlElement) -> Iterator[Record]:
    """Yield a comment; the address of its author is not read."""
    parent = next((each.attrs.get("ref", "") for each in entry.children if each.name.endswith(":in-reply-to")), "")
    parent = parent or entry.value("blogger:parent")
    author = entry.child("author")
    yield Comment(
        entry=f"blogger:{parent.rpartition('-')[2]}",
        key=entry.value("id").rpartition("-")[2],
        name=author.value("name") if author else "",
        text=entry.value("content"),
        published_at=read_time(entry.value("published"), UTC),
    )
