"""Reader of folders of Markdown: files to records, then bodies with their tags and links replaced."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote

from msgspec.structs import replace

from sitecms.content.exchange import ENTRY_PARAM, SITE_FILE, read_carried
from sitecms.content.status import Status
from sitecms.content.term import TermKind, name_key
from sitecms.errors import InvalidRequest
from sitecms.importing.html.addresses import Use
from sitecms.importing.media.needed_media import is_hidden, is_media_path
from sitecms.importing.menus import menu_records
from sitecms.importing.reader import ReaderOptions, RecordLookup
from sitecms.importing.readers.markdown.document import (
    Document,
    as_text,
    author_of,
    is_list_template,
    listed,
    one_line,
    picture_of,
    plain_heading,
    read_document,
    summary_of,
    title_of,
)
from sitecms.importing.readers.markdown.file_index import FileIndex
from sitecms.importing.readers.markdown.front_matter import UnreadableFrontMatter, split
from sitecms.importing.readers.markdown.generators import open_generator
from sitecms.importing.readers.markdown.generators.generator import HTML, Generator, Placed, is_text
from sitecms.importing.readers.markdown.tags.convert import Context
from sitecms.importing.readers.markdown.tags.dialects import replace_tags
from sitecms.importing.readers.own_export import OwnExport
from sitecms.importing.records import (
    AuthorRecord,
    BodyFormat,
    EntryRecord,
    Kind,
    Media,
    Note,
    NoteKind,
    Place,
    Record,
    RedirectRecord,
    TermRecord,
)
from sitecms.importing.report import FIRST_PLACES
from sitecms.importing.shortcodes import ShortcodeTable, unknown_remedy
from sitecms.importing.source import Source, SourceFile
from sitecms.spool import Spool

_AUTHOR_FILES = (
    "_data/authors.yml", "_data/authors.yaml", "data/authors.yaml", "data/authors.toml", "_data/team.yml",
)  # fmt: skip
_HEADING = re.compile(r"\s*(?:#[ \t]+(?P<atx>[^\n]+?)[ \t]*#*[ \t]*(?:\n|\Z)|(?P<setext>[^\n]+)\n=+[ \t]*(?:\n|\Z))")
_MORE = re.compile(r"<!--\s*(?:more|excerpt|truncate)\s*-->|\{/\*\s*truncate\s*\*/\}", re.I)
_PELICAN = re.compile(r"(?:\{(\w+)\}|\|(\w+)\|)(.*)", re.S)
_IMPORT = re.compile(r"^import\s+(\w+)\s+from\s+[\"']([^\"']+)[\"']", re.M)
_ATTRIBUTE_LIST = re.compile(r"\{:\s*toc\s*\}", re.I)
_TOC_ITEM = re.compile(r"^(?:[*+-]|\d+\.)[ \t]+[^\n]*\n(?=\{:\s*toc\b)", re.M | re.I)

_COMPARE = "compare them with the old site: sitecms import urls SITE --sitemap URL"
_SHORTEST_PAGE = 4
"""Most entries of a term whose list had one page on any old site."""
_MDX = frozenset({"mdx", "jsx", "directives"})
_ERROR_PAGES = ("/404.html", "/404/")
DEFAULT_LOCALE = "en"
"""The locale of a site whose source names none."""
_MAX_INCLUDED = 4_000_000  # characters that the includes of one text may bring, each counted with _INCLUDE_COST more
_INCLUDE_COST = 10_000
_SAFE = "/!$&'*+,;=:@-._~"
STATIC_FOLDERS = (
    "static", "source", "public", "assets", "source/_posts", "content", "src", "src/assets", "images", "assets/images",
)  # fmt: skip


def detect(source: Source) -> bool:
    """Return whether the source holds Markdown."""
    return any(is_text(file.name) or file.name.endswith("hugo.toml") for file in source.files)


class MarkdownReader:
    """Reader of folders of Markdown. `wanted` is the name of a generator, "" for the one that is recognised."""

    def __init__(self, wanted: str = "") -> None:
        self._shortcodes = ShortcodeTable()
        self._wanted = wanted
        self._index = FileIndex()
        self._own = OwnExport()

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield the site, media, entries, terms, authors, redirects; translations after what they translate."""
        self._generator = generator = open_generator(source, options, self._wanted)
        self._shortcodes = options.shortcodes
        self._terms: dict[tuple[TermKind, str], str] = {}
        self._term_counts: Counter[tuple[TermKind, str]] = Counter()
        self._authors: dict[str, AuthorRecord] = {}
        self._pairs: dict[str, str] = {}
        self._locales: set[str] = set()
        self._used = 0
        yield Note(NoteKind.SETTING, f"read as a site of {generator.name}", remedy="name another one with --from")
        yield replace(generator.site(), addresses_by=generator.name)
        yield Note(NoteKind.ADDRESS, f"addresses are computed by the rules of {generator.name}", remedy=_COMPARE)
        yield from self._media(generator)
        yield from generator.static()
        if SITE_FILE in generator.files:
            self._own.add_site(generator.load(SITE_FILE))
        reasons = []
        for record in self._entries(generator):
            if isinstance(record, Note) and record.kind is NoteKind.SKIPPED:
                reasons.append(f" {record.place}: {record.subject.rstrip('.')}.")
            yield record
        if not self._used:
            what = f"{source} has no Markdown that is an entry of a site of {generator.name}."
            raise InvalidRequest("".join((what, *reasons[:FIRST_PLACES])))
        yield replace(generator.site(), locales=tuple(sorted({*generator.site().locales, *self._locales} - {""})))
        yield from self._names(generator)
        yield from generator.redirects()
        if SITE_FILE in generator.files:
            yield from self._own.items(generator.files)
        else:
            yield from menu_records(generator.menu(), Place())
        yield from self._own.records()

    def _entries(self, generator: Generator) -> Iterator[Record]:
        """Yield the entries and the notes about them; translations come last, after what they translate."""
        default = generator.default_locale() or DEFAULT_LOCALE
        with Spool[tuple[EntryRecord, str]]() as waiting:
            unread = {path for path in generator.files if is_text(path)}
            for path, file in generator.documents():
                unread.discard(file.name.removeprefix(generator.root))
                for record in self._records(generator, path, file):
                    if isinstance(record, tuple):
                        entry, pair = record
                        if entry.locale in ("", default):
                            self._pairs.setdefault(pair, entry.key)
                            yield entry
                        else:
                            waiting.append(record)
                    else:
                        yield record
                yield from generator.notes
                generator.notes.clear()
            waiting.flush()
            for number in range(len(waiting)):
                entry, pair = waiting[number]
                self._locales.add(entry.locale)
                yield replace(entry, translation_of=self._pairs.get(pair, ""))
        yield from generator.notes
        for folder, count in sorted(Counter(map(_top_folder, unread)).items()):
            what = f"Markdown in folders that {generator.name} does not publish"
            remedy = "import it alone with --from markdown if it belongs to the site"
            yield Note(NoteKind.SKIPPED, what, Place(f"{generator.root}{folder}: {count}"), remedy, count)

    def _names(self, generator: Generator) -> Iterator[Record]:
        """Yield the authors and terms that entries name, with the redirects of their feeds."""
        yield from map(self._own.author, self._authors.values())
        for (kind, _key), name in self._terms.items():
            url = generator.term_url(kind, name)
            yield self._own.term(TermRecord(kind, name, url.rstrip("/").rpartition("/")[2].removesuffix(".html"), url))
            yield from (RedirectRecord(feed, f"feed:{kind.value}:{name}") for feed in generator.term_feeds(url))
            if self._term_counts[kind, name_key(name)] > _SHORTEST_PAGE:
                pages = generator.term_pages(url)
                yield from (RedirectRecord(page, f"{kind.value}:{name}", is_prefix=True) for page in pages)

    def _media(self, generator: Generator) -> Iterator[Media]:
        addresses: dict[str, str] = {}
        for address, path in generator.served():
            addresses.setdefault(path, address)
        for path, file in generator.files.items():
            if is_media_path(path):
                media = Media(key_of(path), addresses.get(path, ""), file.name, media_path(path))
                self._index.add_media(replace(media, file=path))
                yield media

    def _records(self, generator: Generator, path: str, file: SourceFile) -> Iterator[Any]:
        """Yield the records of one file: notes, and an entry with its pair, or a redirect."""
        try:
            document = read_document(
                file, path, generator.notes, has_meta=generator.has_meta, defaults=generator.defaults(path)
            )
        except UnreadableFrontMatter as error:
            yield Note(NoteKind.SKIPPED, str(error), Place(file.name, error.line), "correct it and import again")
            return
        except InvalidRequest as error:
            yield Note(NoteKind.SKIPPED, str(error), Place(file.name))
            return
        placed = generator.place(document)
        if placed is None or isinstance(placed, RedirectRecord):
            yield from (placed,) if placed else ()
            return
        if placed.kind is Kind.PAGE and _is_root(placed) and not document.front.body.strip():
            what = "home pages without a text, which only a layout fills"
            yield Note(NoteKind.LEFT_OUT, what, document.place, "the theme's home page lists the posts")
            if placed.old_url != "/":
                yield RedirectRecord(placed.old_url, "/", 302)
            return
        self._used += 1
        if placed.old_url in _ERROR_PAGES:
            why = "the site has an error page of its own (templates/404.html replaces it)"
            placed = replace(placed, old_url="", status=Status.DRAFT, why_draft=why)
        elif placed.kind is Kind.PAGE and "liquid" in generator.dialects and is_list_template(document.front.body):
            why = "it is a template with loops: lists are made by the theme"
            placed = replace(placed, old_url="", status=Status.DRAFT, why_draft=why)
        placed = replace(placed, old_url=placed.old_url.replace("#", "%23"))
        entry = self._entry(generator, document, placed)
        facts, fields = document.get(f"params.{ENTRY_PARAM}"), document.get("params.fields")
        if facts and (held := read_carried({**facts, "fields": fields or {}})):
            entry, notes = self._own.restored(entry, held)
            yield from notes
        self._index.add_entry(entry.key, (entry.data["path"], path), placed)
        if placed.why_draft:
            yield Note(NoteKind.DRAFT, placed.why_draft, document.place)
        unknown = tuple(document.unknown())
        yield replace(entry, extras=document.texts_of(unknown)), placed.pair
        for name in unknown:
            yield Note(NoteKind.UNKNOWN_KEY, name, document.place, "it has no place here")

    def _entry(self, generator: Generator, document: Document, placed: Placed) -> EntryRecord:
        full = document.file.name.removeprefix(generator.root)
        body = document.front.body
        title = one_line(document.text("title", "seo.title", "extra.title"))
        line = document.front.body_line
        heading = _HEADING.match(body) if document.suffix not in HTML else None
        headed = plain_heading(heading["atx"] or heading["setext"]) if heading else ""
        if heading and title in ("", headed):  # the theme shows the title above the text
            title = headed
            line += body.count("\n", 0, heading.end())
            body = body[heading.end() :]
        image, alt = picture_of(document)
        for kind, names in ((TermKind.CATEGORY, placed.categories), (TermKind.TAG, placed.tags)):
            for name in names:
                self._terms.setdefault((kind, name_key(name)), name)
                self._term_counts[kind, name_key(name)] += 1
        has_templates = "page." in body or "Page." in body
        return EntryRecord(
            key=f"md:{key_of(full)}",
            kind=placed.kind,
            title=title or (generator.site().name if placed.old_url == "/" else "") or title_of(document, placed.slug),
            place=document.place,
            slug=placed.slug,
            old_url=placed.old_url,
            former_urls=placed.former_urls,
            base=placed.base or placed.old_url,
            status=placed.status,
            published_at=placed.published_at,
            updated_at=placed.updated_at,
            authors=tuple(self._author_keys(generator, document)),
            categories=placed.categories,
            tags=placed.tags,
            summary=one_line(document.text("summary", "excerpt", "lead", "teaser", "tldr")),
            seo_title=one_line(document.text("seo_title", "seo.title", "metatitle", "meta_title")),
            meta_description=one_line(
                document.text("description", "meta_description", "seo.description", "metadescription")
            ),
            featured_image=image,
            featured_image_alt=alt,
            body=body,
            format=BodyFormat.OWN,
            locale=placed.locale,
            guid=document.text("guid"),
            data={
                "path": full,
                "line": line,
                "html": document.suffix in HTML,
                "page": document.scalars() if has_templates else {},
            },
        )

    def _author_keys(self, generator: Generator, document: Document) -> Iterator[str]:
        """Yield the keys of the document's authors; add a record for each author with known facts."""
        for each in listed(generator.authors(document)):
            name = as_text(each.get("name") if isinstance(each, Mapping) else each).strip()
            if not name:
                continue
            key = name.lower()
            if key not in self._authors:
                self._authors[key] = author_of(key, name, each, self._known_authors, generator.author_url(name))
            yield key

    @cached_property
    def _known_authors(self) -> Mapping[str, Any]:
        """The authors in the data files of the site."""
        files = [f"{folder}{name}" for folder in ("", "src/", "source/") for name in _AUTHOR_FILES]
        return self._generator.load(*files)

    def finish(self, entry: EntryRecord, lookup: RecordLookup) -> EntryRecord:
        """Return the entry with its tags and links resolved; its Markdown is not reformatted."""
        entry = self._own.finished(entry)
        if entry.data.get("own") and entry.kind is not Kind.POST:
            return entry
        generator, is_html = self._generator, bool(entry.data["html"])
        path = entry.data["path"]
        imports = dict(_IMPORT.findall(entry.body)) if path.endswith(".mdx") or "mdx" in generator.dialects else {}
        dialects = generator.dialects | (_MDX if path.endswith(".mdx") or (generator.is_mdx and not is_html) else set())

        def resolve(name: str) -> str:
            return self._resolve(imports.get(name, name), path, entry.locale)

        def report(name: str, line: int) -> None:
            place = Place(entry.place.file, line)
            lookup.note(Note(NoteKind.UNKNOWN_SHORTCODE, name, place, unknown_remedy(name)))

        def missing(name: str, line: int) -> None:
            lookup.note(Note(NoteKind.LINK, f"{name}: no such file in the source", Place(entry.place.file, line)))

        page = entry.data["page"]
        site = (
            {str(name).lower(): as_text(value) for name, value in generator.config.items() if as_text(value)}
            if page or "site." in entry.body
            else {}
        )
        body = entry.body
        if "{:" in body and "kramdown" in generator.dialects and _ATTRIBUTE_LIST.search(body):
            body = _TOC_ITEM.sub("", body)
        included = 0

        def include(name: str) -> str | None:
            nonlocal included
            text = self._included(name, path) if included < _MAX_INCLUDED else None
            included += len(text or "") + _INCLUDE_COST
            return text

        around = Context(resolve, report, missing, is_html, site, page, include=include, shortcodes=self._shortcodes)
        body = replace_tags(body, dialects, around, entry.data["line"])
        summary = entry.summary
        may_be_cut = not summary and entry.kind is Kind.POST and ("<!--" in body or "{/*" in body)
        if may_be_cut and (more := _MORE.search(body)):
            summary = summary_of(body[: more.start()], is_html=is_html)
        lookup.resolve_addresses(entry.key, lambda address, use: self._address(address, use, path, entry, lookup))
        image = self._address(entry.featured_image, Use.MEDIA, path, entry, lookup) if entry.featured_image else ""
        image = resolve(image) or image if image and ":" not in image else image
        format_ = BodyFormat.HTML if is_html else BodyFormat.MARKDOWN
        return replace(entry, body=body, format=format_, summary=summary, featured_image=image)

    def _resolve(self, name: str, path: str, locale: str) -> str:
        """Return the address of the file that a tag names; "" for none."""
        plain = unquote(name.strip())
        if not plain or "://" in plain:
            return ""
        folder = posixpath.dirname(path)
        if not is_media_path(plain):
            return self._index.entry(plain, folder, locale)
        near = "" if plain.startswith("/") else self._near(plain, path)
        placed = (self._index.media(posixpath.join(base, plain.lstrip("/"))) for base in ("", *STATIC_FOLDERS))
        return near or next((each for each in placed if each), "") or self._index.media_by_name(plain)

    def _included(self, name: str, path: str) -> str | None:
        """Return the text of a file that a tag includes, without its front matter; None if there is none."""
        generator, plain = self._generator, name.lstrip("/")
        if is_hidden(posixpath.normpath(plain).replace("../", "")):
            return None
        for folder in (posixpath.dirname(path), *generator.include_folders):
            for each in (plain, f"{plain}.md"):
                file = generator.files.get(posixpath.normpath(posixpath.join(folder, each)))
                if file:
                    try:
                        text = file.text()
                        text = split(text).body if is_text(each) or each.lower().endswith(HTML) else text
                    except InvalidRequest:
                        return None
                    return text if "\0" not in text else None
        return None

    def _near(self, name: str, path: str) -> str:
        """Return the address of a file beside a text, or in the folder of its name; "" for none."""
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        own = posixpath.normpath(posixpath.join(path.rpartition(".")[0], name))
        return self._index.media(beside) or self._index.media(own)

    def _address(self, address: str, use: Use, source: str, entry: EntryRecord, lookup: RecordLookup) -> str:
        """Return the address of a file in the source that a link names; other addresses stay."""
        folder = posixpath.dirname(source)
        if match := _PELICAN.fullmatch(address):
            return self._pelican(match, address, folder, entry, lookup)
        path, hash_sign, fragment = address.partition("#")
        if not path or re.match(r"[a-z][a-z0-9+.-]*:|//", path, re.I):
            return address
        plain = unquote(path)
        found = ""
        if plain.startswith("@/"):
            found = self._index.text_file(f"content/{plain[2:]}")
            if not found and plain.endswith("/_index.md"):  # a list without a text
                found = f"/{plain[2 : -len('_index.md')]}"
        elif is_media_path(plain):
            return (self._near(plain, source) if not plain.startswith("/") else "") or address
        elif is_text(plain) and use is Use.LINK:
            target = posixpath.normpath(posixpath.join(folder, plain)).lstrip("/")
            found = self._index.text_file(target) or self._index.entry(plain, folder, entry.locale)
        return found + hash_sign + fragment if found else address

    def _pelican(
        self, match: re.Match[str], address: str, folder: str, entry: EntryRecord, lookup: RecordLookup
    ) -> str:
        """Return the address of `{static}x`, `{filename}x`, `{tag}x` and their like."""
        what, rest = match[1] or match[2], match[3]
        path, hash_sign, fragment = rest.partition("#")
        generator = self._generator
        if what == "index":
            return "/"
        if what in ("tag", "category"):
            return generator.term_url(TermKind.TAG if what == "tag" else TermKind.CATEGORY, rest)
        if what == "author":
            return generator.author_url(rest) or rest
        if what not in ("static", "attach", "filename"):
            return address
        root = next((each for each in ("content/", "") if folder.startswith(each.rstrip("/"))), "")
        base = root if path.startswith("/") else folder
        target = posixpath.normpath(posixpath.join(base, unquote(path).lstrip("/")))
        found = self._index.media(target) or self._index.text_file(target) or self._index.entry(path, folder)
        return found + hash_sign + fragment if found else address


reader = MarkdownReader


def _is_root(placed: Placed) -> bool:
    """Return whether a page is the home page, or that of its language."""
    name = placed.old_url.strip("/").lower()
    return bool(placed.old_url) and (not name or name == placed.locale.lower())


def _top_folder(path: str) -> str:
    """Return the two outer folders of a path; the path itself if it is in no folder."""
    return "/".join(path.split("/")[:-1][:2]) or path


def key_of(path: str) -> str:
    """Return the key of the entry or media file at a path, without characters that end an address in a text."""
    return "".join(sign if ord(sign) > 127 and not sign.isspace() else quote(sign, safe=_SAFE) for sign in path)


def media_path(path: str) -> str:
    """Return the path below media/: the path in the source without folders of static files."""
    plain = re.sub(r"^(?:static|source|public|content|assets|src)/", "", path)
    return re.sub(r"^(?:assets|_posts)/(?=.)", "", plain)
