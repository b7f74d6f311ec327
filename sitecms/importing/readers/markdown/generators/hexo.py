"""Sites of Hexo."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatch
from typing import Any

from sitecms.content.term import TermKind
from sitecms.importing.formats.times import offset_of, read_time
from sitecms.importing.menus import MenuLink, links_of
from sitecms.importing.readers.markdown.document import Document, as_text, listed, table_of
from sitecms.importing.readers.markdown.generators.generator import (
    HTML,
    Generator,
    Placed,
    is_language,
    is_text,
    joined,
    locale_tag,
    split_list,
)
from sitecms.importing.readers.markdown.generators.patterns import date_parts, fill
from sitecms.importing.records import Kind, NoteKind, RedirectRecord, Site, StaticFile
from sitecms.importing.source import Source, SourceFile

CONFIGS = ("_config.yml", "_config.yaml", "_config.json")
_FILE_PARTS = {
    "year": r"(?P<year>\d{4})", "month": r"(?P<month>\d{2})", "day": r"(?P<day>\d{2})",
    "i_month": r"(?P<month>\d{1,2})", "i_day": r"(?P<day>\d{1,2})", "title": r"(?P<title>.+)",
}  # fmt: skip
_RENDERED = (".styl", ".scss", ".sass", ".less", ".ejs", ".pug", ".njk", ".swig")
_UNFIT = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'<>,.?/]+")


class Hexo(Generator):
    """A site of Hexo."""

    name = "Hexo"
    dialects = frozenset({"liquid", "hexo"})

    @classmethod
    def recognises(cls, names: frozenset[str], source: Source, root: str) -> bool:
        """Return whether there is a configuration with `source/_posts`."""
        has_posts = any(name.startswith(("source/_posts/", "source/_drafts/")) for name in names)
        return has_posts and bool(names.intersection(CONFIGS) or "package.json" in names)

    def read_config(self) -> Mapping[str, Any]:
        """Return the configuration."""
        return self.load(*CONFIGS)

    def menu(self) -> Sequence[MenuLink]:
        """Return the menu of the theme's configuration."""
        theme = as_text(self.config.get("theme"))
        configs = (f"_config.{theme}.yml", f"themes/{theme}/_config.yml", f"source/_data/{theme}.yml")
        own = (self.config, table_of(self.config.get("theme_config")), *(self.load(name) for name in configs))
        return next((found for each in own if (found := links_of(each.get("menu")))), [])

    @property
    def _below(self) -> str:
        return (as_text(self.config.get("source_dir")).strip("/") or "source") + "/"

    def _languages(self) -> list[str]:
        written = listed(self.config.get("language"))
        return [tag for each in written if (tag := locale_tag(as_text(each)))]

    def default_locale(self) -> str:
        """Return the first language of the configuration."""
        return super().default_locale() or next(iter(self._languages()), "")

    def site(self) -> Site:
        """Return title, address, languages and time zone."""
        url, root = as_text(self.config.get("url")).rstrip("/"), as_text(self.config.get("root")).strip("/")
        if root and not url.endswith(f"/{root}"):
            url = f"{url}/{root}"
        return Site(
            name=as_text(self.config.get("title")),
            url=url if "://" in url and "//example.com" not in url and "//yoursite.com" not in url else "",
            description=as_text(self.config.get("description") or self.config.get("subtitle")),
            locale=self.default_locale(),
            timezone=self.timezone(),
        )

    def documents(self) -> Iterator[tuple[str, SourceFile]]:
        """Yield posts, drafts and all other texts, which are pages."""
        for full, file in self.files.items():
            path = full.removeprefix(self._below)
            if path == full or any(part.startswith((".", "#")) for part in path.split("/")):
                continue
            top = path.split("/", 1)[0]
            if top.startswith("_") and top not in ("_posts", "_drafts"):
                continue
            if self.skip_other(path, file):
                continue
            is_html = path.lower().endswith(HTML) and file.beginning(4).startswith(b"---")
            if is_text(path) or is_html:
                yield path, file

    def place(self, document: Document) -> Placed | RedirectRecord | None:
        """Return the part of a document, by its folder and the permalink."""
        top, _, inner = document.path.partition("/")
        is_post = top in ("_posts", "_drafts")
        if document.text("layout") in ("false", "categories", "tags") and not document.front.body.strip():
            return None
        if not is_post and document.text("type") in ("tags", "categories") and not document.front.body.strip():
            self.note(NoteKind.LEFT_OUT, "pages that only list terms", document.place)
            return None
        return self._post(document, top, inner) if is_post else self._page(document)

    def _post(self, document: Document, top: str, inner: str) -> Placed:
        parts = self._name_parts(inner.rpartition(".")[0])
        published = document.time(("date",), self.zone, self.notes)
        if not published and "year" in parts:
            day = f"{parts['year']}-{parts.get('month', '01')}-{parts.get('day', '01')}"
            published = read_time(day, self.zone)
        is_draft = top == "_drafts" or document.is_draft
        if not published and not is_draft:
            what = "a post without date, which had that of its file"
            self.note(NoteKind.DATE, what, document.place, "set published: in the file")
        categories = self._categories(document.get("categories", "category"))
        slug = parts.get("title", document.stem)  # Hexo takes no notice of a slug in the front matter
        locale, pair = self._locale(document, inner)
        url = self._url(document, slug, published, categories, locale)
        slug_name = slug.rpartition("/")[2]
        return Placed(
            Kind.POST,
            old_url="" if is_draft else url,
            slug=slug_name,
            published_at=published,
            updated_at=document.time(("updated", "lastmod"), self.zone, self.notes),
            status=self.status(published, is_draft=is_draft),
            locale=locale,
            pair=pair,
            former_urls=tuple(joined(each) for each in document.texts("alias", "aliases", "redirect_from")),
            categories=tuple(dict.fromkeys(each for chain in categories for each in chain)),
            tags=tuple(document.texts("tags", "tag")),
            names=(slug, slug_name, document.stem),
        )

    def _url(
        self, document: Document, slug: str, published: datetime | None, categories: list[list[str]], locale: str
    ) -> str:
        if given := document.text("permalink"):
            return joined(given if given.endswith(("/", ".html")) or "." in given else f"{given}.html")
        pattern = as_text(self.config.get("permalink")) or ":year/:month/:day/:title/"
        default = as_text(self.config.get("default_category")) or "uncategorized"
        slugs = [self._term_slug("category_map", each) for each in categories[0]] if categories else []
        values = {
            **(date_parts(self._local(document, published)) if published else {}),
            "title": slug,
            "name": slug.rpartition("/")[2],
            "post_title": _slugize(document.text("title") or slug),
            "category": "/".join(slugs) if categories else default,
            "lang": locale,
        }
        url = fill(pattern, values)
        if "/:" not in url:
            return url
        if published:
            self.note(NoteKind.ADDRESS, f"a permalink that is not understood: {pattern}", document.place)
        return ""

    def _local(self, document: Document, published: datetime) -> datetime:
        """Return the time by which Hexo makes an address: one with a zone counts as UTC without it."""
        return published.astimezone(UTC if offset_of(document.text("date").strip()) else self.zone)

    def _page(self, document: Document) -> Placed:
        name = document.stem
        url = joined(document.folder) if name == "index" else joined(document.folder, f"{name}.html")
        if given := document.text("permalink"):
            url = joined(given)
        published = document.time(("date",), self.zone, self.notes)
        is_draft = document.is_draft
        locale, pair = self._locale(document, document.path)
        return Placed(
            Kind.PAGE,
            old_url="" if is_draft else url,
            slug=document.folder.rstrip("/").rpartition("/")[2] if name == "index" else name,
            published_at=published,
            updated_at=document.time(("updated",), self.zone, self.notes),
            status=self.status(None, is_draft=is_draft),
            locale=locale,
            pair=pair,
        )

    def _name_parts(self, inner: str) -> dict[str, str]:
        """Return the parts of a file name by `new_post_name`."""
        pattern = (as_text(self.config.get("new_post_name")) or ":title.md").rpartition(".")[0]
        expression = re.sub(
            r"\\?:(\w+?)(?=\W|_|$)", lambda match: _FILE_PARTS.get(match[1], "[^/]+"), re.escape(pattern)
        )
        try:
            match = re.fullmatch(expression, inner)
        except re.error:
            match = None
        return {name: value for name, value in match.groupdict().items() if value} if match else {"title": inner}

    def _categories(self, written: Any) -> list[list[str]]:
        """Return chains of categories: a list is one hierarchy, unless it holds lists."""
        values = written if isinstance(written, list) else [written] if as_text(written) else []
        if any(isinstance(each, list) for each in values):
            chains = [listed(each) for each in values]
        else:
            chains = [values] if values else []
        return [found for chain in chains if (found := [text for each in chain if (text := as_text(each).strip())])]

    def _locale(self, document: Document, path: str) -> tuple[str, str]:
        given = document.text("lang", "language")
        top, _, rest = path.partition("/")
        languages = self._languages()
        if rest and is_language(top) and locale_tag(top) in languages:
            return locale_tag(given or top), rest
        return locale_tag(given), path

    def _term_slug(self, table: str, name: str) -> str:
        """Return the slug of a term, which a table of the configuration may give."""
        mapped = table_of(self.config.get(table))
        return as_text(mapped[name]) if name in mapped else _slugize(name)

    def term_url(self, kind: TermKind, name: str) -> str:
        """Return the address of a tag or category."""
        if kind is TermKind.TAG:
            return joined(as_text(self.config.get("tag_dir")) or "tags", self._term_slug("tag_map", name), "/")
        slug = self._term_slug("category_map", name)
        return joined(as_text(self.config.get("category_dir")) or "categories", slug, "/")

    def term_pages(self, url: str) -> tuple[str, ...]:
        """Return the address of the further pages of a term."""
        return (joined(url, "page/"),)

    def served(self) -> Iterator[tuple[str, str]]:
        """Yield the files beside the texts, and those in the folders of posts' assets."""
        return self.served_in_plain_folders(self._below)

    def static(self) -> Iterator[StaticFile]:
        """Yield the files that are no texts: Hexo copies them, hidden ones if the configuration includes them."""
        included = split_list(self.config.get("include"))
        for each in self.static_below(self._below):
            parts = each.path.split("/")
            is_hidden = any(part.startswith((".", "#", "_")) for part in parts)
            is_included = any(fnmatch(each.path, pattern.removeprefix(self._below)) for pattern in included)
            if (is_hidden and not is_included) or is_text(each.path) or each.path.endswith(_RENDERED):
                continue
            if not (each.path.lower().endswith(HTML) and each.file.beginning(3) == b"---"):
                yield each

    def redirects(self) -> Iterator[RedirectRecord]:
        """Yield the redirects of the feeds, of lists of posts and terms, and of further pages."""
        yield RedirectRecord("/atom.xml", "feed:atom")
        yield RedirectRecord("/rss2.xml", "feed:rss")
        yield RedirectRecord(joined(as_text(self.config.get("archive_dir")) or "archives", "/"), "/blog/", 302)
        yield RedirectRecord("/page/", "list:", is_prefix=True)
        for name, default, kind in (("tag_dir", "tags", "tag"), ("category_dir", "categories", "category")):
            yield RedirectRecord(joined(as_text(self.config.get(name)) or default, "/"), f"index:{kind}")


def _slugize(text: str) -> str:
    return _UNFIT.sub("-", text.strip()).strip("-")
