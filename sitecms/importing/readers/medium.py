"""Medium: the archive of an account, `posts/*.html` and `profile/profile.html`."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, tzinfo

from msgspec.structs import replace

from sitecms.content.author import Author, split_name
from sitecms.content.status import Status
from sitecms.errors import InvalidRequest
from sitecms.importing.formats.times import read_time
from sitecms.importing.html.tree import Element, Node, Remark, line_of, parse, rewrite, to_html
from sitecms.importing.reader import ReaderOptions, RecordLookup, guarded
from sitecms.importing.records import AuthorRecord, EntryRecord, Kind, Note, NoteKind, Place, Record, Site
from sitecms.importing.source import Source, SourceFile
from sitecms.web_address import split_address

MEDIA_HOSTS = ("miro.medium.com", *(f"cdn-images-{number}.medium.com" for number in (1, 2, 3)))
RESPONSE_MAX_LENGTH = 2_000
_ID = re.compile(r"(?:^|[-/_])([0-9a-f]{8,14})$")
_FILE_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})_")
_KEPT = frozenset({"href", "src", "alt", "title", "cite", "start", "srcset", "width", "height", "allowfullscreen"})
_HEADINGS = {"h2": "h2", "h3": "h2", "h4": "h3"}


def detect(source: Source) -> bool:
    """Return whether the source is an archive of Medium."""
    return next(_posts(source), None) is not None


def _posts(source: Source) -> Iterator[SourceFile]:
    for file in source.with_suffix(".html"):
        if "posts/" in f"/{file.name}" and b'class="h-entry"' in file.beginning():
            yield file


class MediumReader:
    """Reader of Medium's archives. A story is found again by the hexadecimal id at the end of its address."""

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield stories and drafts; responses to stories of others are left out and counted."""
        hosts: Counter[str] = Counter()
        keys: set[str] = set()
        for file in _posts(source):
            for record in guarded(_story(file, options.zone()), Place(file.name)):
                if isinstance(record, EntryRecord):
                    hosts[split_address(record.old_url).hostname or ""] += 1
                    if record.key in keys:  # a copy under another name is a story of its own
                        record = replace(record, key=f"medium:{file.name}")  # noqa: PLW2901
                    keys.add(record.key)
                yield record
        if not keys:
            raise InvalidRequest(f"{source} has no stories of Medium: HTML files in posts/.")
        host_name = next((host for host, _count in hosts.most_common() if host and not _is_medium(host)), "")
        url = options.old_url or (f"https://{host_name}" if host_name else "")
        yield Site(url=url, media_hosts=MEDIA_HOSTS)
        if not url:
            what = "addresses on medium.com cannot be kept or redirected"
            yield Note(NoteKind.ADDRESS, what, remedy="leave a link to the new site in each story there")
        profile = source.find("profile/profile.html") or next(
            (file for file in source.files if file.name.endswith("/profile/profile.html")), None
        )
        if profile:
            yield from _profile(profile)

    def finish(self, entry: EntryRecord, lookup: RecordLookup) -> EntryRecord:
        """Return the entry with its body in plain HTML and links to other stories resolved."""
        root = parse(entry.body)
        _simplify(root, entry, lookup)
        return replace(entry, body=to_html(root))


reader = MediumReader


def _is_medium(host: str) -> bool:
    return host == "medium.com" or host.endswith(".medium.com")


def _story(file: SourceFile, zone: tzinfo) -> Iterator[Record]:
    place = Place(file.name)
    article = parse(file.text()).with_class("h-entry")
    body = article.with_class("e-content") if article else None
    if article is None or body is None:
        yield Note(NoteKind.SKIPPED, "a file without a story", place)
        return
    title, subtitle = line_of(article.with_class("p-name")), line_of(article.with_class("p-summary"))
    name = file.name.rsplit("/", 1)[-1].removesuffix(".html")
    if not subtitle and _is_response(title, body):
        yield Note(NoteKind.LEFT_OUT, "responses to stories", place)
        return
    published = article.with_class("dt-published")
    published_at = read_time(published.attrs.get("datetime", ""), UTC) if published else None
    is_draft = name.startswith("draft_") or published_at is None
    canonical = article.with_class("p-canonical")
    url = canonical.attrs.get("href", "") if canonical else ""
    if published_at is None and (dated := _FILE_DATE.match(name)):
        published_at = read_time(dated[1], zone)
    author = article.with_class("p-author")
    tags = [each for each in article.elements() if "p-tag" in each.classes() and each.tag == "a"]
    if author:
        yield _author(author)
    yield EntryRecord(
        key=f"medium:{_story_id(url) or _story_id(name) or name}",
        kind=Kind.POST,
        title=title,
        place=place,
        slug=_slug(url),
        old_url=url.partition("?")[0],
        status=Status.DRAFT if is_draft else Status.PUBLISHED,
        published_at=None if is_draft else published_at,
        authors=(_author(author).key,) if author else (),
        tags=tuple(line_of(tag) for tag in tags),
        summary=subtitle,
        body="".join(map(to_html, body.children)),
        data={"title": title, "subtitle": subtitle},
    )


def _is_response(title: str, body: Element) -> bool:
    """Return whether the text is an answer to a story: short, without heading and picture, and its own title."""
    text = line_of(body)
    has_parts = any(each.tag in ("h3", "h4", "img", "iframe", "pre") for each in body.elements())
    start = title.rstrip("….").strip()
    return not has_parts and len(text) <= RESPONSE_MAX_LENGTH and bool(start) and text.startswith(start)


def _author(link: Element) -> AuthorRecord:
    name = line_of(link)
    url = link.attrs.get("href", "")
    key = url.rstrip("/").rpartition("/")[2].lstrip("@") or name
    return AuthorRecord(key, Author("", *split_name(name)))


def _profile(file: SourceFile) -> Iterator[Record]:
    """Yield the author of the account, and the site with that name. E-mail addresses and ids are not read."""
    card = parse(file.text())
    link, name, photo = card.with_class("u-url"), line_of(card.with_class("p-name")), card.with_class("u-photo")
    if not link or not name:
        return
    author = _author(replace(link, children=[name]))
    twitter = next(
        (each for each in card.elements() if each.attrs.get("href", "").startswith("https://twitter.com/")), None
    )
    facts = replace(
        author.facts,
        profile_image=photo.attrs.get("src", "") if photo else "",
        twitter_handle=line_of(twitter).lstrip("@"),
    )
    yield replace(author, facts=facts)
    yield Site(name=name)


def _story_id(address: str) -> str:
    match = _ID.search(split_address(address).path.rstrip("/"))
    return match[1] if match else ""


def _slug(url: str) -> str:
    last = split_address(url).path.rstrip("/").rpartition("/")[2]
    return re.sub(r"-?[0-9a-f]{8,14}$", "", last)


def _simplify(root: Element, entry: EntryRecord, lookup: RecordLookup) -> None:
    """Change Medium's markup of a body into plain HTML; the title and subtitle in it are dropped once."""
    repeated = [entry.data.get("title"), entry.data.get("subtitle")]
    dividers = 0

    def change(node: Node) -> list[Node] | None:
        nonlocal dividers
        if isinstance(node, Remark):
            return []
        if isinstance(node, str):
            return None if node.strip() else ["\n"] if "\n" in node else None
        classes = node.classes()
        if {"graf--title", "graf--subtitle"} & classes and line_of(node) in repeated:
            repeated.remove(line_of(node))
            return []
        if "section-divider" in classes:
            dividers += 1
            return [Element("hr")] if dividers > 1 and node.tag == "div" else []
        if made := _special(node, classes):
            return made
        if node.tag in ("section", "div"):
            rewrite(node, change)
            return node.children
        node.tag = _HEADINGS.get(node.tag, node.tag)
        node.attrs = {name: value for name, value in node.attrs.items() if name in _KEPT}
        if node.tag == "a":
            node.attrs["href"] = _link(node.attrs.get("href", ""), lookup)
        return None

    rewrite(root, change)


def _link(url: str, lookup: RecordLookup) -> str:
    """Return the address of a link; `entry:KEY` for one to a story of this archive."""
    host = split_address(url).hostname or ""
    key = f"medium:{_story_id(url)}"
    return f"entry:{key}" if _is_medium(host) and lookup.has_entry(key) else url


def _special(node: Element, classes: frozenset[str]) -> list[Node]:
    """Return the plain form of code, quotations, embedded links, gists and pictures; [] for another element."""
    if node.tag == "pre":
        language = node.attrs.get("data-code-block-lang", "")
        code = Element("code", {"class": f"language-{language}"} if language else {}, [_code(node)])
        return [Element("pre", children=[code])]
    if node.tag == "blockquote" and not node.find("p"):
        return [Element("blockquote", children=[Element("p", children=node.children)])]
    if "graf--mixtapeEmbed" in classes:
        link = node.find("a")
        title = node.find("strong")
        url = link.attrs.get("href", "") if link else ""
        return [Element("p", children=[Element("a", {"href": url}, [line_of(title) or url])])] if url else ["\n"]
    if node.tag == "figure":
        script = node.find("script")
        if script and "gist.github.com" in script.attrs.get("src", ""):
            url = script.attrs["src"].removesuffix(".js")
            return [Element("p", children=[Element("a", {"href": url}, [url])])]
        caption = node.find("figcaption")
        shown: list[Node] = [each for each in node.elements() if each.tag in ("img", "iframe", "video")]
        if not shown:
            return []
        return [Element("figure", children=[*shown, *([caption] if caption and line_of(caption) else [])])]
    return []


def _code(node: Element) -> str:
    """Return the text of a block of code, whose line ends are elements."""
    return "".join(
        child if isinstance(child, str) else "\n" if child.tag == "br" else _code(child)
        for child in node.children
        if not isinstance(child, Remark)
    )
