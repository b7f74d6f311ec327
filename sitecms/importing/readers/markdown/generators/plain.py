"""Sites of other generators: any folder of Markdown, whose addresses follow the paths of its files."""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import cached_property

from sitecms.importing.formats.times import read_time
from sitecms.importing.readers.markdown.document import Document
from sitecms.importing.readers.markdown.generators.generator import (
    POST_FOLDERS,
    REPOSITORY,
    Generator,
    Placed,
    dated_name,
    is_language,
    is_text,
    joined,
    language_folders,
    locale_tag,
    main_language,
    split_list,
)
from sitecms.importing.records import Kind, NoteKind, Place, RedirectRecord, Site, StaticFile
from sitecms.importing.source import Source, SourceFile

DATES = (
    "date", "pubdate", "publishdate", "published", "publish_date", "publisheddate", "publishedat", "datepublished",
    "created", "createdat",
)  # fmt: skip
_UPDATED = (
    "updateddate", "updated", "lastmod", "lastupdated", "modified", "moddate", "updatedat", "last_modified_at",
    "modifieddate",
)  # fmt: skip
_PUBLIC_FOLDERS = (
    ("next.config.", "public/"), ("nuxt.config.", "public/"), ("gatsby-config.", "static/"),
    ("docusaurus.config.", "static/"), ("svelte.config.", "static/"), ("vite.config.", "public/"),
)  # fmt: skip
"""Beginnings of the names of configurations, and the folder that their programs copy to the root of a site."""
_LITERAL = re.compile(r"^(?: {1,4}|\t)(?P<name>title|tagline|url):\s*([\"'`])(?P<text>[^\"'`\n]*)\2", re.M)
_AT_ROOT = re.compile(
    r"\.well-known/.+|CNAME|_headers|_redirects|(?:app-)?ads\.txt|robots\.txt|humans\.txt|llms\.txt|security\.txt|"
    r"favicon\.\w+|apple-touch-icon[\w-]*\.png|browserconfig\.xml|(?:site|manifest)\.webmanifest|manifest\.json|"
    r"google[0-9a-f]+\.html|yandex_[0-9a-f]+\.html|BingSiteAuth\.xml|[0-9a-f]{32}\.txt|keybase\.txt",
    re.I,
)
"""Files that stand at the root of a site, wherever its program takes them from."""
TEMPLATE = re.compile(r"\{\{|\{%")


class Plain(Generator):
    """A folder of Markdown files of no known generator."""

    name = "Markdown"
    dialects = frozenset({"wiki"})
    has_meta = True

    @cached_property
    def is_mdx(self) -> bool:  # type: ignore[override]
        """True for a site of Docusaurus."""
        return any(path.startswith("docusaurus.config.") for path in self.files)

    @classmethod
    def recognises(cls, names: frozenset[str], source: Source, root: str) -> bool:
        """Return True: this generator is the last one in the order."""
        return True

    def site(self) -> Site:
        """Return the languages, and what the script of a known program says of the site in literal texts."""
        facts = self._literals
        url = facts.get("url", "")
        return Site(
            name=facts.get("title", ""),
            url=url.rstrip("/") if "://" in url else "",
            description=facts.get("tagline", ""),
            locale=self.default_locale(),
            locales=tuple(sorted(locale_tag(each) for each in self._folders)),
        )

    @cached_property
    def _literals(self) -> dict[str, str]:
        """The literal texts at the top of the configuration of Docusaurus, which is a script."""
        names = sorted(path for path in self.files if path.startswith("docusaurus.config."))
        text = self.files[names[0]].text() if names else ""
        texts: dict[str, str] = {}
        for match in _LITERAL.finditer(text):
            texts.setdefault(match["name"], match["text"])
        return texts

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The top folders that hold languages."""
        return language_folders(self._texts)

    @property
    def _texts(self) -> list[str]:
        return [inner for path in self.files if is_text(path) and (inner := self._inner(path))]

    def default_locale(self) -> str:
        """Return the language of the options, or that of most texts."""
        return super().default_locale() or main_language(self._folders, self._texts)

    def _inner(self, path: str) -> str:
        """Return a path below the folder of content; "" if it is not there."""
        return path

    def documents(self) -> Iterator[tuple[str, SourceFile]]:
        """Yield all Markdown files but those about the folder itself."""
        for path, file in self.files.items():
            if any(part.startswith((".", "_")) for part in path.split("/")[:-1]) or self.skip_other(path, file):
                continue
            if is_text(path):
                if self.is_about_folder(path):
                    self.note(NoteKind.LEFT_OUT, "files about the folder itself", Place(file.name))
                else:
                    yield path, file

    def is_about_folder(self, path: str) -> bool:
        """Return whether a file is about the repository, such as a licence."""
        name = path.rpartition(".")[0].lower()
        return name in REPOSITORY and (name != "readme" or sum(map(is_text, self.files)) > 1) and name != "readme"

    def place(self, document: Document) -> Placed | RedirectRecord | None:
        """Return the part of a document: a post if it has a date or stands in a folder of posts, else a page."""
        inner = self._inner(document.path).rpartition(".")[0]
        locale, path = self._language(document, inner)
        parts = path.split("/")
        name = parts[-1]
        named = dated_name(name)[0]
        if name.lower() in ("index", "readme", "_index") or (dated_name(name)[1].lower() == "index" and named):
            parts = parts[:-1]
            name = parts[-1] if parts else "home"
        named, rest = dated_name(name)[0] or named, dated_name(name)[1]
        date = self.date(document, named)
        is_draft = document.is_draft or document.text("status").lower() in ("draft", "private")
        url = self.address(document, [locale, *parts] if locale in self._folders else parts, date)
        is_post = self.is_post(document, parts, date)
        return Placed(
            Kind.POST if is_post else Kind.PAGE,
            old_url="" if is_draft else url,
            slug=document.text("slug").strip("/").rpartition("/")[2] or (rest if named and rest else name),
            published_at=date,
            updated_at=document.time(_UPDATED, self.zone, self.notes),
            status=self.status(date if is_post else None, is_draft=is_draft),
            locale=locale_tag(locale) or self.default_locale(),
            pair=path,
            former_urls=tuple(
                joined(each) for each in document.texts("aliases", "redirect_from", "alias") if " " not in each
            ),
            categories=tuple(split_list(document.get("categories"), r",\s*") or document.texts("category")),
            tags=tuple(self.tags(document)),
            names=(path, name, rest, "/".join(parts)),
        )

    def tags(self, document: Document) -> list[str]:
        """Return the tags."""
        return split_list(document.get("tags", "tag", "keywords"), r",\s*")

    def _language(self, document: Document, inner: str) -> tuple[str, str]:
        """Return the language of a document as written, and its path without it."""
        given = document.text("lang", "locale", "language")
        top, _, rest = inner.partition("/")
        if top in self._folders:
            return top, rest
        stem, dot, ending = inner.rpartition(".")
        if dot and is_language(ending) and "/" not in ending:
            return ending, stem
        return given, inner

    def date(self, document: Document, named: str) -> datetime | None:
        """Return the date of the front matter, or that in the file name."""
        return document.time(DATES, self.zone, self.notes) or (read_time(named, self.zone) if named else None)

    def is_post(self, document: Document, parts: list[str], date: datetime | None) -> bool:
        """Return whether a document is a post."""
        kind = document.text("type").lower()
        if kind in ("page", "post"):
            return kind == "post"
        return date is not None or any(part.lower() in POST_FOLDERS for part in parts[:-1])

    def address(self, document: Document, parts: list[str], date: datetime | None) -> str:
        """Return the address: the path of the file, unless the front matter states one."""
        given = document.text("permalink", "url", "path")
        if given.startswith("/") and not TEMPLATE.search(given):
            return joined(given)
        if self.is_mdx and parts[:1] == ["blog"]:  # Docusaurus makes folders of the day in a name
            named, rest = dated_name(parts[-1])
            own = document.text("slug") or (f"{named.replace('-', '/')}/{rest}" if named else parts[-1])
            return joined(*parts[:-1], own, "/")
        return joined(*parts, "/")

    def served(self) -> Iterator[tuple[str, str]]:
        """Yield all other files, at their paths; those of a folder that a known program copies at the root."""
        for folder in self._public or ("public/", "static/"):
            yield from self.served_below(folder)
        yield from self.served_beside_texts("")

    def static(self) -> Iterator[StaticFile]:
        """Yield the files of the folder that a known program copies, else those that stand at the root of a site."""
        for folder in self._public:
            yield from self.static_below(folder)
        for folder in () if self._public else ("", "static/", "public/"):
            yield from (each for each in self.static_below(folder) if _AT_ROOT.fullmatch(each.path))

    @cached_property
    def _public(self) -> tuple[str, ...]:
        """The folder that a known program copies to the root; nothing without one."""
        found = (folder for name, folder in _PUBLIC_FOLDERS if any(path.startswith(name) for path in self.files))
        return tuple(dict.fromkeys(found))
