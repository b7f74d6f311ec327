"""Reader of Notion exports: rows of databases become posts or pages of a type, other pages single pages."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sitecms.content.author import Author, split_name
from sitecms.content.status import Status
from sitecms.content.text.slug import slugify
from sitecms.errors import InvalidRequest
from sitecms.importing.html.formulas import TAG, formula
from sitecms.importing.html.tree import Element, Node, line_of, parse, rewrite, to_html
from sitecms.importing.reader import ReaderOptions, RecordLookup, field_name, guarded, type_name
from sitecms.importing.readers.notion.properties import Properties, is_of_posts
from sitecms.importing.readers.notion.tree import NotionDatabase, NotionPage, Tree, has_ids, plain_folder
from sitecms.importing.records import (
    AuthorRecord,
    BodyFormat,
    Declaration,
    EntryRecord,
    Kind,
    Media,
    MediaValue,
    Note,
    NoteKind,
    Place,
    Record,
    Site,
)
from sitecms.importing.source import Source

_HEADING = re.compile(r"\s*#[ \t]+([^\n]*)\n?")
_PROPERTY = re.compile(r"([^\n:]{1,80}): ?([^\n]*)(?:\n|\Z)")
_ASIDE = re.compile(r"^([ \t]*)<aside>\n(.*?)^\1</aside>[ \t]*$", re.M | re.S)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.M)
_FIELDS = ("body", "description", "image")

_LANGUAGE = ("code", "class")
_KEPT = frozenset(
    {"id", "href", "src", "alt", "title", "start", "width", "height", "colspan", "rowspan", "open", "scope"}
)


class HtmlPage(Struct, frozen=True):
    """A page: its title, its properties by name, the address of its cover, and its body."""

    title: str
    properties: Mapping[str, str]
    cover: str
    description: str
    body: Element


def read_html_page(html: str) -> HtmlPage | None:
    """Return a page; None for a file that is none."""
    root = parse(html)
    article = next((each for each in root.elements() if each.tag == "article"), None)
    body = article.with_class("page-body") if article else None
    if article is None or body is None:
        return None
    cover = article.with_class("page-cover-image")
    title, description = article.with_class("page-title"), article.with_class("page-description")
    properties = {}
    for row in (each for each in article.elements() if "property-row" in each.classes()):
        name, value = row.find("th"), row.find("td")
        if name and value:
            properties[" ".join(name.text().split())] = _value(value)
    rewrite(body, _plain)
    return HtmlPage(
        " ".join(title.text().split()) if title else "",
        properties,
        cover.attrs.get("src", "") if cover else "",
        line_of(description),
        Element("", children=body.children),
    )


def _value(cell: Element) -> str:
    """Return the value of a property: several choices with commas, a checkbox as Yes or No, a picture's address."""
    box = cell.with_class("checkbox")
    if box:
        return "Yes" if "checkbox-on" in box.classes() else "No"
    if image := cell.find("img"):
        return image.attrs.get("src", "")
    choices = [each for each in cell.elements() if "selected-value" in each.classes() or "user" in each.classes()]
    if choices:
        return ", ".join(" ".join(each.text().split()) for each in choices)
    status = cell.with_class("status-value") or cell
    return " ".join(status.text().split())


def _plain(node: Node) -> list[Node] | None:
    """Change Notion's markup into plain HTML; None: the node stays, and its children are changed."""
    if not isinstance(node, Element):
        return None if isinstance(node, str) else []
    if node.tag == TAG:
        return None
    classes = node.classes()
    if node.tag == "style" or classes & {"page-header-icon", "table_of_contents"}:  # the theme has contents of its own
        return []
    if "callout" in classes or node.tag == "aside":
        quotation = Element("blockquote", children=_blocks(node))
        rewrite(quotation, _plain)
        return [quotation]
    if "checkbox" in classes and node.tag == "div":
        checked = {"checked": ""} if "checkbox-on" in classes else {}
        return [Element("input", {"type": "checkbox", "disabled": "", **checked}), " "]
    if "bookmark" in classes and node.tag == "a":
        title = node.with_class("bookmark-title")
        text = " ".join(title.text().split()) if title else ""
        return [Element("a", {"href": node.attrs.get("href", "")}, [text or node.attrs.get("href", "")])]
    if node.tag == "figure" and "equation" in classes:
        rewrite(node, _plain)
        return [Element("p", children=node.children)]
    if "katex" in classes or "katex-display" in classes:
        return _formula(node)
    if node.tag == "div" and ({"indented", "column", "column-list", "source"} & classes or not node.attrs.get("id")):
        rewrite(node, _plain)
        return node.children
    if node.tag in ("span", "mark") and "to-do-children" not in " ".join(classes):
        rewrite(node, _plain)
        return node.children
    node.attrs = {name: value for name, value in node.attrs.items() if name in _KEPT or (node.tag, name) == _LANGUAGE}
    return None


def _blocks(callout: Element) -> list[Node]:
    """Return the text of a callout, its symbol at the beginning of the first paragraph."""
    icon = callout.with_class("icon")
    symbol = icon.text().strip() if icon else ""
    boxes = [each for each in callout.children if isinstance(each, Element)]
    content = boxes[-1].children if boxes and icon and len(boxes) > 1 else callout.children
    has_blocks = any(isinstance(each, Element) and each.tag in ("p", "ul", "ol", "h1", "h2", "h3") for each in content)
    blocks: list[Node] = list(content) if has_blocks else [Element("p", children=list(content))]
    first = next((each for each in blocks if isinstance(each, Element) and each.tag == "p"), None)
    if symbol and first:
        first.children.insert(0, f"{symbol} ")
    return blocks


def _formula(node: Element) -> list[Node]:
    """Return a formula by its TeX."""
    source = next((each for each in node.elements() if each.tag == "annotation"), None)
    return [formula(source.text(), is_block="katex-display" in node.classes())] if source else [node.text()]


def detect(source: Source) -> bool:
    """Return whether the source is an export of Notion."""
    return bool(source.paths) and has_ids(source)


class NotionReader:
    """Reader of exports in Markdown and CSV, or in HTML."""

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield pages, attachments, types and the site."""
        self._tree = tree = Tree(source)
        if not tree.pages and not tree.databases:
            raise InvalidRequest(f"{source} has no pages of Notion, whose file names end in an id of 32 characters.")
        self._zone = options.zone()
        self._roots = [page for page in tree.pages.values() if not tree.parent(page.path) and not self._of(page)]
        self._authors: set[str] = set()
        self._columns: dict[str, dict[str, str]] = {}
        home = self._roots[0] if len(self._roots) == 1 and len(tree.pages) > 1 else None
        self._home = home
        for file in tree.attachments.values():
            yield Media(f"notion:{file.name}", file=file.name, path=slug_path(plain_folder(file.name)))
        name = ""
        for page in tree.pages.values():
            for record in guarded(self._page(page, self._of(page)), Place(page.file.name)):
                name = record.title if isinstance(record, EntryRecord) and page is home else name
                yield record
        for database in tree.databases.values():
            yield from guarded(self._rows_without_page(database), Place(database.file.name))
        yield from self._declarations()
        only = next(iter(tree.databases.values())).name if len(tree.databases) == 1 and not self._roots else ""
        yield Site(name or only, options.old_url, timezone=options.timezone)

    def finish(self, entry: EntryRecord, lookup: RecordLookup) -> EntryRecord:
        """Return the entry with the links of its body resolved, and its callouts as quotations."""
        folder = entry.data["folder"]

        lookup.resolve_addresses(entry.key, lambda address, _use: self._address(address, folder))
        image = self._address(entry.featured_image, folder) if entry.featured_image else ""
        if entry.format is BodyFormat.OWN:
            return replace(entry, body=_with_quotations(entry.body), format=BodyFormat.MARKDOWN, featured_image=image)
        return replace(entry, featured_image=image)

    def _of(self, page: NotionPage) -> NotionDatabase | None:
        return self._tree.database_of(page)

    def _page(self, page: NotionPage, database: NotionDatabase | None) -> Iterator[Record]:
        """Yield the entry of a page, with its authors and notes."""
        text = page.file.text().replace("\r\n", "\n")
        cover = description = ""
        if page.file.name.lower().endswith(".html"):
            found = read_html_page(text)
            if found is None:
                yield Note(NoteKind.SKIPPED, "a file that is no page of Notion", Place(page.file.name))
                return
            title, properties, body, format_ = found.title, found.properties, to_html(found.body), BodyFormat.HTML
            cover, description = found.cover, found.description
        else:
            title, properties, body = read_markdown_page(text, database)
            format_ = BodyFormat.OWN
        entry = EntryRecord(
            _key(page),
            Kind.PAGE,
            title or page.name,
            Place(page.file.name),
            body=body,
            format=format_,
            featured_image=cover,
            summary=description,
            data={"folder": posixpath.dirname(page.file.name)},
        )
        yield from self._with_properties(entry, database, properties, self._own_path(page, entry.title))

    def _rows_without_page(self, database: NotionDatabase) -> Iterator[Record]:
        """Yield the rows of a database that was exported without its pages."""
        if not database.columns:
            return
        first = database.columns[0]
        folder = f"{database.path}/"
        if any(page.path.startswith(folder) for page in self._tree.pages.values()):
            return
        for number, row in enumerate(database.rows, 1):
            if title := row.get(first, "").strip():
                key = f"notion:{database.id}:{slugify(title) or number}"
                data = {"folder": posixpath.dirname(database.file.name)}
                entry = EntryRecord(key, Kind.PAGE, title, Place(database.file.name), format=BodyFormat.OWN, data=data)
                properties = {name: value for name, value in row.items() if name != first}
                yield from self._with_properties(entry, database, properties, "")

    def _own_path(self, page: NotionPage, title: str) -> str:
        """Return the address of a nested page below that of its parents; "" for a page at the top."""
        parts = [slugify(title) or slugify(page.name)]
        parent = self._tree.parent(page.path)
        while parent and parent is not self._home:
            parts.append(slugify(parent.name))
            parent = self._tree.parent(parent.path)
        return f"/{'/'.join(reversed(parts))}/" if len(parts) > 1 and all(parts) else ""

    def _with_properties(
        self, entry: EntryRecord, database: NotionDatabase | None, given: Mapping[str, str], path: str
    ) -> Iterator[Record]:
        """Yield the entry with its properties, and what they name."""
        properties = Properties(given, self._zone)
        published, created, updated = properties.times()
        status, why = properties.status()
        if why:
            yield Note(
                NoteKind.DRAFT, f"status {why}"[:80], entry.place, "set status: published to show it to everyone"
            )
        authors = properties.names("authors")
        for name in authors:
            if name.lower() not in self._authors:
                self._authors.add(name.lower())
                yield AuthorRecord(name.lower(), Author("", *split_name(name)))
        facts: dict[str, Any] = {name: value for name, value in properties.facts().items() if value}
        is_post = database is not None and is_of_posts((*database.columns[1:], *given))
        is_root = self._home is not None and entry.key == _key(self._home)
        number = entry.key.removeprefix("notion:")
        former = (f"/{_dashed(entry.title)}-{number}", f"/{number}") if ":" not in number else ()
        entry = replace(
            entry,
            kind=Kind.POST if is_post else Kind.PAGE,
            group="" if is_post or database is None else type_name(database.name),
            old_url="/" if is_root else "" if is_post or database else path,
            former_urls=former,
            status=status,
            published_at=(published or created) if status is not Status.DRAFT else None,
            created_at=created,
            updated_at=updated,
            authors=tuple(name.lower() for name in authors),
            tags=properties.names("tags"),
            categories=properties.names("categories"),
            **facts,
        )
        if entry.group:
            entry = self._with_fields(entry, properties)
        yield entry
        for name, value in properties.unknown() if not entry.group else ():
            place = Place(f"{entry.place.file}: {value[:60]}")
            yield Note(NoteKind.UNKNOWN_KEY, f"property {name}", place, "it has no place here")

    def _with_fields(self, entry: EntryRecord, properties: Properties) -> EntryRecord:
        """Return the page of a type with the properties that have no other place as fields."""
        columns = self._columns.setdefault(entry.group, {})
        values: dict[str, Any] = {}
        for name, value in properties.unknown():
            slug = field_name(name)
            slug = f"{slug}_" if slug in _FIELDS else slug
            if slug:
                columns[slug] = name
                values[slug] = value
        for name, words in (("categories", entry.categories), ("tags", entry.tags)):
            if words:
                columns[name], values[name] = name.title(), ", ".join(words)
        address = self._address(entry.featured_image, entry.data["folder"]) if entry.featured_image else ""
        image = MediaValue(address, entry.featured_image_alt) if address else ""
        described = {"description": entry.meta_description or entry.summary, "image": image}
        return replace(entry, fields={**values, **described}, categories=(), tags=())

    def _declarations(self) -> Iterator[Declaration]:
        """Yield a page type for each database that holds no posts."""
        for group, columns in sorted(self._columns.items()):
            standard = [
                {"slug": "body", "type": "wysiwyg", "searchable": True},
                {"slug": "description", "type": "long_text"},
                {"slug": "image", "type": "media"},
            ]
            own = [{"slug": slug, "name": name, "type": "long_text"} for slug, name in sorted(columns.items())]
            yield Declaration("page_types", group, {"slug": group, "fields": [*standard, *own]})

    def _address(self, address: str, folder: str) -> str:
        """Return the page or attachment that a link leads to; addresses of the web stay."""
        plain, hash_sign, fragment = address.partition("#")
        target = self._tree.target(plain, folder) if plain else ""
        if target in self._tree.pages:
            return f"entry:notion:{target}{hash_sign}{fragment}"
        if target in self._tree.databases:
            return self._list(self._tree.databases[target])
        return f"media:notion:{target}" if target else address

    def _list(self, database: NotionDatabase) -> str:
        """Return the address of the list of a database's rows."""
        return "/blog/" if is_of_posts(database.columns[1:]) else f"/{type_name(database.name)}/"


reader = NotionReader


def read_markdown_page(text: str, database: NotionDatabase | None) -> tuple[str, dict[str, str], str]:
    """Return the title of a page, its properties and the rest; only rows of databases have properties."""
    title = ""
    if heading := _HEADING.match(text):
        title, text = heading[1].strip(), text[heading.end() :]
    properties: dict[str, str] = {}
    rest = text.lstrip("\n")
    is_row = database is not None and bool(database.columns)
    while is_row and database and (line := _PROPERTY.match(rest)) and line[1].strip() in database.columns:
        properties[line[1].strip()] = line[2].strip()
        rest = rest[line.end() :]
    return title, properties, rest.lstrip("\n")


def slug_path(path: str) -> str:
    """Return the path of an attachment in plain letters."""
    folder, _, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    parts = [slugify(part) for part in folder.split("/")]
    return "/".join((*filter(None, parts), f"{slugify(stem) or 'file'}{dot}{suffix.lower()}"))


def _with_quotations(body: str) -> str:
    """Return Markdown with callouts as quotations; those within code stay."""

    def quoted(match: re.Match[str]) -> str:
        if len(_FENCE.findall(body, 0, match.start())) % 2:
            return match[0]
        lines = match[2].strip("\n").split("\n")
        return "\n".join(f"{match[1]}> {line.removeprefix(match[1])}".rstrip() for line in lines)

    return _ASIDE.sub(quoted, body)


def _key(page: NotionPage) -> str:
    return f"notion:{page.id}"


def _dashed(title: str) -> str:
    """Return a title as it stands in addresses of public pages."""
    return "-".join(re.findall(r"\w+", title))
