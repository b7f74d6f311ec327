"""Sites of Hugo."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from sitecms.content.term import TermKind
from sitecms.errors import InvalidRequest
from sitecms.importing.formats.times import read_time
from sitecms.importing.menus import MenuLink
from sitecms.importing.readers.markdown.document import Document, as_text, listed, lowered, read_document, table_of
from sitecms.importing.readers.markdown.generators.generator import (
    HTML,
    POST_FOLDERS,
    Generator,
    Placed,
    dated_name,
    is_text,
    joined,
    locale_tag,
)
from sitecms.importing.readers.markdown.generators.hugo_addresses import DATES, HugoAddresses
from sitecms.importing.readers.markdown.generators.hugo_cascade import cascaded_values
from sitecms.importing.readers.markdown.generators.hugo_config import SUFFIXES, read_hugo_config
from sitecms.importing.readers.markdown.generators.hugo_folders import HugoFolders
from sitecms.importing.readers.markdown.generators.hugo_menus import declared_links, main_menu
from sitecms.importing.records import Kind, NoteKind, RedirectRecord, Site, StaticFile
from sitecms.importing.source import Source, SourceFile

_OWN_TAXONOMIES = frozenset({"tags", "categories", "author", "authors"})


class Hugo(Generator):
    """A site of Hugo."""

    name = "Hugo"
    dialects = frozenset({"go"})

    @classmethod
    def recognises(cls, names: frozenset[str], source: Source, root: str) -> bool:
        """Return whether there is `hugo.toml`, or `config.toml` with `content/` that is not Zola's."""
        if any(f"hugo{suffix}" in names for suffix in SUFFIXES) or any(
            name.startswith("config/_default/") for name in names
        ):
            return True
        has_content = any(name.startswith("content/") for name in names)
        return has_content and any(f"config{suffix}" in names for suffix in SUFFIXES)

    def read_config(self) -> Mapping[str, Any]:
        """Return the configuration, its keys in lower case, with the files of `config/_default`."""
        return read_hugo_config(self.files, self.load)

    @cached_property
    def _folders(self) -> HugoFolders:
        return HugoFolders(self.config)

    @cached_property
    def _addresses(self) -> HugoAddresses:
        return HugoAddresses(self.config, self._folders, self.zone)

    def menu(self) -> Sequence[MenuLink]:
        """Return the menu of the header in each language; a language without one of its own has that of all."""
        links: list[MenuLink] = []
        own = self._folders.languages
        for code in dict.fromkeys((self._folders.default_code, *own)):
            table = own.get(code, {})
            menus = table_of(
                table.get("menus") or table.get("menu") or self.config.get("menus") or self.config.get("menu")
            )
            locale = locale_tag(code) if code != self._folders.default_code else self.default_locale()
            links += main_menu(menus, self.page_links, locale, self._folders.root(code))
        return links

    def default_locale(self) -> str:
        """Return the default language."""
        written = (
            self.config.get("defaultcontentlanguage") or self.config.get("languagecode") or self.config.get("locale")
        )
        return super().default_locale() or locale_tag(as_text(written).partition("-")[0]) or "en"

    def site(self) -> Site:
        """Return title, address, languages and time zone."""
        params = lowered(self.config.get("params"))
        own = self._folders.languages.get(self._folders.default_code, {})
        url = as_text(self.config.get("baseurl"))
        return Site(
            name=as_text(own.get("title") or self.config.get("title")),
            url=url if "://" in url and "example.org" not in url else "",
            description=as_text(params.get("description") or own.get("description")),
            locale=self.default_locale(),
            locales=tuple(tag for code in self._folders.languages if (tag := locale_tag(code))),
            timezone=self.timezone(),
        )

    def documents(self) -> Iterator[tuple[str, SourceFile]]:
        """Yield all texts in the folders of content."""
        folders = self._folders.content
        for full, file in self.files.items():
            folder = next((each for each, _code in folders if full.startswith(each)), None)
            if folder is None or full.rpartition("/")[2].startswith(".") or self.skip_other(full, file):
                continue
            if is_text(full) or full.lower().endswith(HTML):
                yield full, file

    def defaults(self, path: str) -> Mapping[str, Any]:
        """Return what `cascade` of the configuration and of the lists above a document sets for it."""
        inner, code = self._folders.split(path)
        language = code or self._folders.default_code
        found: dict[str, Any] = {}
        for (folder, of_language), cascade in self._cascades:
            if of_language in ("", language) and f"/{inner}".startswith(folder):
                found |= cascaded_values(cascade, f"/{inner}", language)
        return found

    @cached_property
    def _cascades(self) -> list[tuple[tuple[str, str], Any]]:
        """The values of `cascade`, each with the folder and the language in which it holds, the outer ones first."""
        found = [(("/", ""), self.config.get("cascade"))]
        for path, file in self.files.items():
            is_list = is_text(path) and path.rpartition("/")[2].startswith("_index.")
            if is_list and any(path.startswith(folder) for folder, _code in self._folders.content):
                inner, code = self._folders.split(path)
                try:
                    cascade = read_document(file, path, []).peek("cascade")
                except InvalidRequest:  # reported where the document itself is read
                    continue
                found.append(((f"/{inner.removesuffix('_index')}", code or self._folders.default_code), cascade))
        return sorted((each for each in found if each[1]), key=lambda each: each[0][0].count("/"))

    def place(self, document: Document) -> Placed | RedirectRecord | None:
        """Return the part of a document: a page, or a post if it has a date and stands in a section of posts."""
        path, code = self._folders.split(document.path)
        parts = path.split("/")
        if parts[-1] == "_index":
            return self._list(document, path, code)
        if any("/".join(parts[: n + 1]) in self._bundles for n in range(len(parts) - 1)) and parts[-1] != "index":
            self.note(NoteKind.SKIPPED, "a text that is part of a page bundle", document.place, "put it into the page")
            return None
        if document.truth("headless"):
            self.note(NoteKind.SKIPPED, "a headless bundle, which has no page", document.place)
            return None
        dates = self._dates(document, parts)
        why = self._hidden(document)
        is_draft = bool(why) or document.truth("draft") is True
        section = parts[0] if len(parts) > 1 else ""
        is_post = self._is_post(document, section, dates["date"])
        url = self._addresses.url(document, path, code, dates["date"])
        if not is_draft:
            self.page_links += declared_links(document, url, self._locale(document, code))
        publish = document.time(("publishdate",), self.zone, self.notes) if document.has("publishdate") else None
        published = publish if publish and publish > self.now else dates["date"] or dates["lastmod"]
        name = parts[-2] if parts[-1] == "index" and len(parts) > 1 else parts[-1]
        return Placed(
            Kind.POST if is_post else Kind.PAGE,
            old_url="" if is_draft else url,
            slug=document.text("slug") or (url.strip("/").rpartition("/")[2].removesuffix(".html") or name),
            published_at=published,
            updated_at=dates["lastmod"],
            status=self.status(published, is_draft=is_draft),
            why_draft=why,
            locale=self._locale(document, code),
            pair=document.text("translationkey") or path,
            former_urls=tuple(self._addresses.alias(each, url) for each in document.texts("aliases")),
            categories=tuple(document.texts("categories", "category", "params.categories")),
            tags=(*document.texts("tags", "tag", "params.tags"), *self.further_terms(document, self._taxonomies)),
            names=(path, name, path.removesuffix("/index")),
        )

    @cached_property
    def _taxonomies(self) -> tuple[str, ...]:
        """The declared taxonomies whose terms join the tags: all but tags, categories and authors."""
        tables = (table_of(self.config.get(name)) for name in ("taxonomies", "indexes"))  # the latter is an old name
        declared = (as_text(plural) for table in tables for plural in table.values())
        return tuple(plural for plural in declared if plural and plural.lower() not in _OWN_TAXONOMIES)

    @cached_property
    def _feed(self) -> str:
        """The name of the files of feeds."""
        rss = lowered(self.config.get("outputformats")).get("rss")
        return f"{as_text(lowered(rss).get('basename')) or 'index'}.xml"

    @cached_property
    def _bundles(self) -> frozenset[str]:
        """The folders of page bundles, whose texts are named index."""
        texts = (path for path in self.files if is_text(path) and "/index." in path)
        inside = [each for each in texts if any(each.startswith(folder) for folder, _ in self._folders.content)]
        return frozenset(
            path.removesuffix("/index")
            for path in (self._folders.split(each)[0] for each in inside)
            if path.endswith("/index")
        )

    def _list(self, document: Document, path: str, code: str) -> Placed | RedirectRecord | None:
        """Return a section's page if it has a text; else its list becomes that of all posts."""
        folder = path.removesuffix("_index").strip("/")
        url = self._folders.root(code) + (f"{folder}/" if folder else "")
        if not document.truth("draft"):
            self.page_links += declared_links(document, document.text("url") or url, self._locale(document, code))
        if document.front.body.strip():
            return Placed(
                Kind.PAGE,
                old_url="" if document.truth("draft") else document.text("url") or url.lower(),
                slug=folder.rpartition("/")[2] or "home",
                published_at=document.time(DATES, self.zone, self.notes),
                updated_at=document.time(("lastmod", "modified"), self.zone, self.notes),
                status=self.status(None, is_draft=document.truth("draft") is True),
                locale=self._locale(document, code),
                pair=path,
                former_urls=tuple(self._addresses.alias(each, url) for each in document.texts("aliases")),
                names=(path, folder),
            )
        if folder.split("/", 1)[0] in self._main_sections():
            return RedirectRecord(url, "/blog/", 302)
        self.note(NoteKind.LEFT_OUT, "lists of sections without a text", document.place)
        return None

    def _main_sections(self) -> frozenset[str]:
        params = lowered(self.config.get("params"))
        written = params.get("mainsections") or self.config.get("mainsections")
        return frozenset(text for each in listed(written) if (text := as_text(each))) | POST_FOLDERS

    def _is_post(self, document: Document, section: str, date: datetime | None) -> bool:
        kind = document.text("type")
        if section in self._main_sections() or kind in ("post", "posts", "blog"):
            return True
        return bool(section or not self._has_sections) and date is not None and kind not in ("page", "docs")

    @cached_property
    def _has_sections(self) -> bool:
        """True if texts stand in folders of the content, as those of most sites do."""
        texts = (path for path in self.files if is_text(path) and not path.endswith("/index.md"))
        folders = [folder for folder, _code in self._folders.content]
        return any("/" in path.removeprefix(folder) for path in texts for folder in folders if path.startswith(folder))

    def _dates(self, document: Document, parts: list[str]) -> dict[str, datetime | None]:
        written = table_of(self.config.get("frontmatter"))
        named, _rest = dated_name(parts[-2] if parts[-1] == "index" and len(parts) > 1 else parts[-1])
        found: dict[str, datetime | None] = {}
        for name, default in (("date", DATES), ("lastmod", ("lastmod", "modified"))):
            sources = written.get(name) if isinstance(written.get(name), list) else list(default)
            found[name] = None
            for source in sources or ():
                key = as_text(source).lower()
                if key == ":default":
                    found[name] = document.time(default, self.zone, self.notes)
                elif key == ":filename":
                    found[name] = read_time(named, self.zone) if named else None
                elif not key.startswith(":"):
                    found[name] = document.time((key,), self.zone, self.notes)
                if found[name]:
                    break
        return found

    def _hidden(self, document: Document) -> str:
        expires = document.time(("expirydate", "unpublishdate"), self.zone, self.notes)
        if expires and expires <= self.now:
            return "it had expired"
        for name in ("build.render", "_build.render"):
            if document.text(name).lower() in ("never", "link", "false"):
                return "it had no page of its own (build.render)"
        return ""

    def _locale(self, document: Document, code: str) -> str:
        return locale_tag(code) if code else self.default_locale()

    def term_url(self, kind: TermKind, name: str) -> str:
        """Return the address of a term."""
        folder = "tags" if kind is TermKind.TAG else "categories"
        return joined(folder, self._addresses.term_slug(name), "/")

    def served(self) -> Iterator[tuple[str, str]]:
        """Yield the files of `static/`, and those beside the texts."""
        for folder, prefix in self._folders.static():
            yield from self.served_below(folder, f"/{prefix}")
        for folder, code in self._folders.content:
            yield from self.served_beside_texts(folder, self._folders.root(code))
        yield from self.served_below("assets/")

    def static(self) -> Iterator[StaticFile]:
        """Yield the files of the static folders."""
        for folder, prefix in self._folders.static():
            yield from self.static_below(folder, prefix)

    def term_feeds(self, url: str) -> tuple[str, ...]:
        """Return the feed of a term in each language."""
        return tuple(joined(root, url, self._feed) for root in self._folders.roots())

    @property
    def include_folders(self) -> tuple[str, ...]:
        """The folders of content and assets, from which themes include texts."""
        return (*(folder for folder, _code in self._folders.content), "assets/", "")

    def term_pages(self, url: str) -> tuple[str, ...]:
        """Return the addresses of the further pages of a term in each language."""
        return tuple(joined(root, url, "page/") for root in self._folders.roots())

    def redirects(self) -> Iterator[RedirectRecord]:
        """Yield the redirects of feeds, lists of sections and terms, and their further pages, in each language."""
        folders = [folder for folder, _code in self._folders.content]
        paths = (path.removeprefix(folder) for path in self.files for folder in folders if path.startswith(folder))
        sections = dict.fromkeys(path.split("/", 1)[0] for path in paths if "/" in path)
        for root in self._folders.roots():
            yield RedirectRecord(joined(root, self._feed), "feed:rss")
            yield RedirectRecord(joined(root, "page/"), "list:", is_prefix=True)
            yield RedirectRecord(joined(root, "sitemap.xml"), "/sitemap.xml")
            for name, kind in (("tags", TermKind.TAG), ("categories", TermKind.CATEGORY)):
                yield RedirectRecord(joined(root, name, "/"), f"index:{kind.value}")
                yield RedirectRecord(joined(root, name, self._feed), "feed:rss")
                yield RedirectRecord(joined(root, name, "page/"), f"index:{kind.value}", is_prefix=True)
            for section in map(self._addresses.clean, sections):
                yield RedirectRecord(joined(root, section, "/"), "list:", 302)
                yield RedirectRecord(joined(root, section, self._feed), "feed:rss")
                yield RedirectRecord(joined(root, section, "page/"), "list:", is_prefix=True)
            for taxonomy in self._taxonomies:
                url = joined(root, self._addresses.clean(taxonomy), "/")
                yield RedirectRecord(joined(url, self._feed), "feed:rss")
                yield from self.taxonomy_redirects(taxonomy, url, self._addresses.term_slug, self._feed)
        if self._folders.languages and self._folders.root("") == "/":
            yield RedirectRecord(f"/{self._folders.default_code}/", "/")
            yield RedirectRecord(f"/{self._folders.default_code}/sitemap.xml", "/sitemap.xml")
