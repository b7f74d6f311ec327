"""Sites of Jekyll, and of Octopress, whose files stand in `source/`."""

import fnmatch
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from functools import cached_property
from typing import Any
from urllib.parse import quote

from sitecms.importing.formats.times import read_time
from sitecms.importing.menus import MenuLink, links_of
from sitecms.importing.readers.markdown.document import Document, as_text, read_document, table_of, title_of
from sitecms.importing.readers.markdown.generators.generator import (
    HTML,
    Generator,
    Placed,
    dated_name,
    is_text,
    is_tool_file,
    joined,
    language_folders,
    locale_tag,
    main_language,
    split_list,
)
from sitecms.importing.readers.markdown.generators.patterns import date_parts, fill, pretty, slugified
from sitecms.importing.records import Kind, NoteKind, Place, RedirectRecord, Site, StaticFile
from sitecms.importing.source import Source, SourceFile

CONFIGS = ("_config.yml", "_config.yaml", "_config.toml")
_STYLES = {
    "date": "/:categories/:year/:month/:day/:title:output_ext",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "ordinal": "/:categories/:year/:y_day/:title:output_ext",
    "weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
    "none": "/:categories/:title:output_ext",
}
_TIMESTAMP = re.compile(r"\d{4}-\d\d?-\d\d?[Tt ]\d\d?:\d\d:\d\d(?:\.\d*)?")
_TEMPLATE = re.compile(r"\{%-?\s*(?:for|paginate|assign)\b")
_HIDDEN = ("_", ".", "#")
_TRANSLATIONS = "_i18n/"
"""The folder in which a plug-in looks for posts by language."""
_EXCLUDED = ("node_modules", "vendor", "Gemfile", "_site", "README.md", "readme.md")


class Jekyll(Generator):
    """A site of Jekyll."""

    name = "Jekyll"
    dialects = frozenset({"liquid", "kramdown", "marked"})

    @classmethod
    def recognises(cls, names: frozenset[str], source: Source, root: str) -> bool:
        """Return whether there is `_config.yml` with `_posts`, a collection, or pages that name a layout."""
        if not names.intersection(CONFIGS):
            return not root and any(name.startswith("_posts/") for name in names)
        parts = {part for name in names for part in name.split("/")[:-1]}
        return bool(parts & {"_posts", "_layouts", "_drafts", "_includes"}) or "Gemfile" in names

    def read_config(self) -> Mapping[str, Any]:
        """Return the configuration."""
        return self.load(*CONFIGS)

    def menu(self) -> Sequence[MenuLink]:
        """Return `header_pages`, or the menu in a data file that themes read."""
        pages = self.config.get("header_pages")
        if isinstance(pages, list):
            paths = [as_text(each).strip("/") for each in pages]
            return [self._page_link(path) for path in paths if path in self.files]
        below = self._below
        for name in ("navigation", "nav", "menu", "navbar"):
            written: Any = self.load(*(f"{below}_data/{name}{suffix}" for suffix in (".yml", ".yaml")))
            table = table_of(written)
            if found := links_of(table.get("main") or table.get("header") or written):
                return found
        return links_of(self.config.get("navigation"))

    def _page_link(self, path: str) -> MenuLink:
        document = read_document(self.files[path], path, [])
        label = document.text("title") or title_of(document, document.stem)
        return MenuLink(label, f"entry:md:{quote(path)}")

    @property
    def _below(self) -> str:
        """The folder of the sources, "" or with a slash at its end."""
        written = as_text(self.config.get("source")).strip().removeprefix("./").strip("/")
        folder = "" if written == "." else written
        return f"{folder}/" if folder else ""

    def default_locale(self) -> str:
        """Return the language of the configuration."""
        written = as_text(self.config.get("lang") or self.config.get("locale") or self.config.get("default_lang"))
        stated = super().default_locale() or locale_tag(written) or next(iter(self._languages), "")
        return stated or main_language(self._folders, self._texts)

    def site(self) -> Site:
        """Return title, address, language and time zone."""
        url, base = as_text(self.config.get("url")), as_text(self.config.get("baseurl"))
        return Site(
            name=as_text(self.config.get("title") or self.config.get("name")),
            url=url.rstrip("/") + (f"/{base.strip('/')}" if base.strip("/") else "") if "://" in url else "",
            description=as_text(self.config.get("description")),
            locale=self.default_locale(),
            timezone=self.timezone(),
        )

    @cached_property
    def _written(self) -> defaultdict[str, set[str]]:
        """The locales in which each text was published, by its address in the default one."""
        return defaultdict(set)

    @cached_property
    def _languages(self) -> tuple[str, ...]:
        """The languages that a plug-in builds the site in, the default one first: the others are below folders."""
        written = [locale_tag(as_text(each)) for each in split_list(self.config.get("languages"))]
        first = locale_tag(as_text(self.config.get("default_lang"))) or next(iter(written), "")
        return tuple(dict.fromkeys((first, *written))) if len(written) > 1 else ()

    def _collections(self) -> dict[str, Mapping[str, Any]]:
        found = self.config.get("collections")
        if isinstance(found, list):
            return {as_text(name): {} for name in found}
        return {str(name): table_of(value) for name, value in table_of(found).items()}

    def documents(self) -> Iterator[tuple[str, SourceFile]]:
        """Yield posts, drafts, documents of collections, and all other files with front matter."""
        below, collections = self._below, self._collections()
        if not any(path.startswith(below) for path in self.files):
            what = f"the configuration names the folder {below} as the source, which is missing"
            self.note(NoteKind.SKIPPED, what, Place(f"{self.root}{below}"), "add the folder, or correct source:")
        folder = as_text(self.config.get("collections_dir")).strip("/")
        excluded = (*_EXCLUDED, *split_list(self.config.get("exclude")))
        included = frozenset(split_list(self.config.get("include")))
        for full, file in self.files.items():
            if not full.startswith(below):
                continue
            path = full.removeprefix(below)
            path = path.removeprefix(f"{folder}/") if folder else path
            parts = path.split("/")
            hidden = [part for part in parts if part.startswith(_HIDDEN)]
            top = parts[0].removeprefix("_")
            is_held = hidden and (
                hidden[0] in ("_posts", "_drafts")
                or (parts[0].startswith("_") and top in collections)
                or (path.startswith(_TRANSLATIONS) and hidden[1:2] in (["_posts"], ["_drafts"]))
            )
            if (hidden and not is_held and not included.intersection(parts)) or _is_excluded(path, excluded):
                continue
            if self.skip_other(path, file):
                continue
            is_html = path.lower().endswith(HTML)
            if is_text(path) or (is_html and file.beginning(8).lstrip(b"\xef\xbb\xbf").startswith(b"---")):
                yield path, file

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The top folders that hold languages."""
        return language_folders(self._texts)

    @property
    def _texts(self) -> list[str]:
        paths = (path.removeprefix(self._below) for path in self.files if path.startswith(self._below))
        return [path for path in paths if is_text(path) or path.endswith(HTML)]

    def defaults(self, path: str) -> Mapping[str, Any]:
        """Return what `defaults` of the configuration sets for documents at the path."""
        rules = self.config.get("defaults")
        kind = self._type(path)
        found: dict[str, Any] = {}
        for rule in rules if isinstance(rules, list) else ():
            scope = rule.get("scope") if isinstance(rule, Mapping) else None
            values = rule.get("values") if isinstance(rule, Mapping) else None
            if not isinstance(values, Mapping) or not isinstance(scope, Mapping | None):
                continue
            wanted, below = as_text((scope or {}).get("type")), as_text((scope or {}).get("path")).strip("/")
            if wanted in ("", kind, f"{kind}s") and (
                not below or path == below or path.startswith(f"{below}/") or fnmatch.fnmatch(path, below)
            ):
                found |= values
        return found

    def _type(self, path: str) -> str:
        parts = path.split("/")
        if "_posts" in parts[:-1]:
            return "posts"
        if "_drafts" in parts[:-1]:
            return "drafts"
        return parts[0][1:] if parts[0].startswith("_") and len(parts) > 1 else "pages"

    def place(self, document: Document) -> Placed | RedirectRecord | None:
        """Return the part of a document, by its folder and its permalink."""
        kind = self._type(document.path)
        if not document.front.has_data and kind == "pages":
            return None  # Jekyll copies it as it is
        if kind == "pages" and (document.suffix in HTML) and _TEMPLATE.search(document.front.body):
            self.note(NoteKind.SKIPPED, "a page that is a template", document.place, "lists are made by the theme")
            return None
        options = self._collections().get(kind, {})
        if kind not in ("posts", "drafts", "pages") and as_text(options.get("output")) != "true":
            what = f"the collection {kind}, which has no pages of its own"
            self.note(NoteKind.SKIPPED, what, document.place, "set output: true in _config.yml and import again")
            return None
        placed = self._placed(document, kind, options)
        if kind == "pages" and not document.front.body.strip() and (term := document.text("tag", "category")):
            of = "tag" if document.text("tag") else "category"
            self.note(NoteKind.LEFT_OUT, "pages that only list terms", document.place)
            return RedirectRecord(placed.old_url, f"{of}:{term}") if placed.old_url else None
        given = document.text("permalink")
        if re.search(r"\.(?!html?$)[a-z]{2,5}$", given):
            self.note(NoteKind.SKIPPED, f"a template of {given}, which is no page", document.place)
            return None
        if target := document.text("redirect_to"):
            return RedirectRecord(placed.old_url, target) if placed.old_url else None
        return placed

    def _placed(self, document: Document, kind: str, options: Mapping[str, Any]) -> Placed:
        is_post = kind in ("posts", "drafts")
        named, name = dated_name(document.stem) if kind != "pages" else ("", document.stem)
        published = self._time(document, named)
        is_draft = kind == "drafts" or document.is_draft
        if kind == "posts" and not published:
            self.note(NoteKind.DATE, "a post whose name has no date", document.place, "Jekyll did not publish it")
            is_draft = True
        slug = document.text("slug") or name
        above, given = self._categories(document, kind)
        in_url = list(dict.fromkeys(each.lower() for each in (*above, *given)))
        terms = above[1:] if above and above[0] in self._folders else above
        categories = tuple(dict.fromkeys((*terms, *given)))
        locale, path = self._locale(document)
        pattern = document.text("permalink") or self._pattern(kind, options)
        parts = {
            **(date_parts(published.astimezone(self.zone)) if published else {}),
            "categories": "/".join(in_url),
            "slugified_categories": "/".join(map(slugified, in_url)),
            "title": pretty(slug),
            "slug": slugified(slug),
        }
        url = self._page_url(document) if kind == "pages" else self._filled(document, kind, pattern, parts)
        if locale in self._languages[1:] and not (above and above[0] in self._folders):
            path, url = url, joined(locale, url)
        elif self._languages:
            path = url
        elif ":collection" not in pattern:  # the documents stand among the pages
            path = path.removeprefix(f"_{kind}/")
        if self._languages and not is_draft:
            self._written[path].add(locale or self._languages[0])
        former = map(joined, document.texts("redirect_from", "aliases", "alias"))
        if "/:" in url and is_draft:
            url = ""  # a draft has no date yet
        elif "/:" in url:
            self.note(NoteKind.ADDRESS, f"a permalink that is not understood: {url}", document.place)
            url = ""
        url, file = _folder_address(url)
        post_name = f"{document.folder.partition('_posts/')[0]}{document.stem}" if is_post else ""
        return Placed(
            Kind.POST if is_post else Kind.PAGE,
            old_url="" if is_draft else url,
            slug=slug if is_post or slug != "index" else document.folder.rstrip("/").rpartition("/")[2],
            published_at=published,
            updated_at=document.time(
                ("last_modified_at", "updated", "modified", "date_updated"), self.zone, self.notes
            ),
            status=self.status(published if is_post else None, is_draft=is_draft),
            locale=locale,
            pair=path,
            former_urls=(*former, *file),
            categories=categories if is_post or document.has("categories") else (),
            tags=tuple(split_list(document.get("tags")) or document.texts("tag")),
            names=(post_name, document.stem) if is_post else (document.path,),
        )

    def _filled(self, document: Document, kind: str, pattern: str, values: Mapping[str, str]) -> str:
        """Return the address of a post or of a document of a collection, by its pattern."""
        of_file = {
            "name": slugified(document.stem),
            "path": document.path.removeprefix(f"_{kind}/").rpartition(".")[0],
            "collection": kind,
            "output_ext": ".html",
        }
        return fill(pattern, {**values, **of_file})

    def _time(self, document: Document, named: str) -> Any:
        """Return the time: `date` before that of the name. A timestamp of YAML without zone is UTC, as in Ruby."""
        written = document.text("date")
        if _TIMESTAMP.fullmatch(written.strip()):
            return read_time(written, UTC)
        found = document.time(("date",), self.zone, self.notes)
        if found or not named:
            return found
        return read_time(named, self.zone)

    def _pattern(self, kind: str, options: Mapping[str, Any]) -> str:
        wanted = as_text(options.get("permalink"))
        if kind in ("posts", "drafts"):
            wanted = wanted or as_text(self.config.get("permalink")) or "date"
        return _STYLES.get(wanted, wanted) or f"/:collection/:path{self._ending}"

    def _page_url(self, document: Document) -> str:
        if given := document.text("permalink"):
            return joined(fill(given, {"output_ext": ".html", "basename": document.stem, "path": document.folder}))
        folder, name = document.folder, document.stem
        if name == "index":
            return joined(folder)
        return joined(folder, name) + self._ending.replace(":output_ext", ".html")

    @property
    def _ending(self) -> str:
        """The end of addresses without a pattern of their own, by that of posts: a slash, an extension, or nothing."""
        style = as_text(self.config.get("permalink")) or "date"
        pattern = "" if style == "weekdate" else _STYLES.get(style, style)  # as Jekyll has it
        return next((ending for ending in ("/", ":output_ext") if pattern.endswith(ending)), "")

    def _categories(self, document: Document, kind: str) -> tuple[list[str], list[str]]:
        """Return the folders above `_posts` or `_drafts`, which are categories, and those of the front matter."""
        parts = document.path.removeprefix(_TRANSLATIONS).split("/")
        folders = parts[: parts.index(f"_{kind}")] if kind in ("posts", "drafts") else []
        is_translated = document.path.startswith(_TRANSLATIONS)
        return folders[is_translated:], split_list(document.get("categories")) or document.texts("category")

    def _locale(self, document: Document) -> tuple[str, str]:
        """Return the locale of a document, and its path without it, which its translations share."""
        given = document.text("lang", "locale", "language")
        top, _, rest = document.path.removeprefix(_TRANSLATIONS).partition("/")
        if top in self._folders or document.path.startswith(_TRANSLATIONS):
            return locale_tag(given) or locale_tag(top), rest
        path, tag = document.path, locale_tag(given)
        if tag:
            path = re.sub(rf"[-_.]{re.escape(given)}(?=\.\w+$)", "", path)
            path = "/".join(part for part in path.split("/") if locale_tag(part) != tag)
        shared = document.text("ref", "translation_id", "page_id")
        return tag, shared or path

    def served(self) -> Iterator[tuple[str, str]]:
        """Yield all other files: Jekyll copies them."""
        return self.served_in_plain_folders(self._below)

    def static(self) -> Iterator[StaticFile]:
        """Yield the files without front matter, which Jekyll copies, but those about the folder itself."""
        excluded = (*_EXCLUDED, *split_list(self.config.get("exclude")))
        included = frozenset(split_list(self.config.get("include")))
        for each in self.static_below(self._below):
            parts = each.path.split("/")
            hidden = [part for part in parts if part.startswith(_HIDDEN)]
            if (hidden and not included.intersection(parts)) or _is_excluded(each.path, excluded):
                continue
            if each.path.endswith((".scss", ".sass", ".coffee")) or each.file.beginning(3) == b"---":
                continue
            if len(parts) == 1 and is_tool_file(each.path):
                self.note(NoteKind.LEFT_OUT, "files about the folder itself", Place(each.file.name))
            elif is_text(each.path):
                what = "Markdown without front matter, which Jekyll copies as it is"
                self.note(NoteKind.LEFT_OUT, what, Place(each.file.name), "copy it to static/ if you need it")
            else:
                yield each

    @property
    def include_folders(self) -> tuple[str, ...]:
        """The folders of includes, and of code in Octopress."""
        folder = as_text(self.config.get("includes_dir")).strip("/") or "_includes"
        return (f"{self._below}{folder}/", f"{self._below}downloads/code/")

    def redirects(self) -> Iterator[RedirectRecord]:
        """Yield the redirects of the feeds."""
        yield RedirectRecord("/feed.xml", "feed:atom")
        yield RedirectRecord("/atom.xml", "feed:atom")
        yield RedirectRecord("/rss.xml", "feed:rss")
        for url, locales in self._written.items():  # the plug-in shows what is not translated in each language
            if self._languages[0] in locales:
                others = (each for each in self._languages[1:] if each not in locales)
                yield from (RedirectRecord(joined(each, url), url) for each in others)


def _folder_address(url: str) -> tuple[str, tuple[str, ...]]:
    """Return an address without an extension as a folder, which every host finds, and the address of Jekyll's file."""
    if not url or url.endswith(("/", ".html", ".htm")):
        return url, ()
    return f"{url}/", (f"{url}.html",)


def _is_excluded(path: str, patterns: tuple[str, ...]) -> bool:
    return any(
        path == each.strip("/") or path.startswith(f"{each.strip('/')}/") or fnmatch.fnmatch(path, each)
        for each in patterns
    )


def is_octopress(config: Mapping[str, Any]) -> bool:
    """Return whether a site with `source/_posts` is Octopress's and not Hexo's."""
    return bool({"source", "destination", "code_dir"} & set(config)) and "new_post_name" not in config
