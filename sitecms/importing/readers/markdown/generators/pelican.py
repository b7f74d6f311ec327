"""Sites of Pelican. Its configuration is Python, of which only literals are read."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sitecms.content.term import TermKind
from sitecms.importing.formats.times import read_time
from sitecms.importing.menus import MenuLink, links_of
from sitecms.importing.readers.markdown.document import Document, as_text, table_of
from sitecms.importing.readers.markdown.generators.generator import (
    HTML,
    Generator,
    Placed,
    is_text,
    joined,
    locale_tag,
    split_list,
)
from sitecms.importing.records import Kind, NoteKind, Place, RedirectRecord, Site, StaticFile
from sitecms.importing.source import Source, SourceFile

_CONFIGS = ("pelicanconf.py", "pelican.conf.py", "publishconf.py")
_FIELD = re.compile(r"\{(\w+)(?::([^}]*))?\}")
_FILE_DATE = r"(?P<date>\d{4}-\d{2}-\d{2}).*"

_LISTS = {"CATEGORIES": "category", "TAGS": "tag", "AUTHORS": "author"}


class Pelican(Generator):
    """A site of Pelican."""

    name = "Pelican"
    dialects = frozenset({"pelican", "liquid-tags", "marked"})
    has_meta = True

    @classmethod
    def recognises(cls, names: frozenset[str], source: Source, root: str) -> bool:
        """Return whether there is `pelicanconf.py`."""
        return bool(names.intersection(_CONFIGS[:2]))

    def read_config(self) -> Mapping[str, Any]:
        """Return the literals of the settings; those of `publishconf.py` come last."""
        found: dict[str, Any] = {}
        for name in _CONFIGS:
            if file := self.files.get(name):
                found |= {key: value for key, value in self._literals(file).items() if value not in ("", None)}
        return found

    def _literals(self, file: SourceFile) -> dict[str, Any]:
        try:
            tree = ast.parse(file.text())
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.note(NoteKind.SKIPPED, f"settings that cannot be read: {error}", Place(file.name))
            return {}
        found = {}
        for statement in tree.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                try:
                    found[name] = ast.literal_eval(statement.value)
                except (ValueError, TypeError, MemoryError, RecursionError):
                    if name.isupper() and name.endswith(("_URL", "_SAVE_AS", "PATH", "_PATHS", "SITEURL", "TIMEZONE")):
                        what = f"the setting {name} is computed, and is not read"
                        self.note(NoteKind.SETTING, what, Place(file.name, statement.lineno))
        return found

    def menu(self) -> Sequence[MenuLink]:
        """Return MENUITEMS."""
        return links_of(self.config.get("MENUITEMS"))

    def timezone(self) -> str:
        """Return the time zone."""
        return self._setting("TIMEZONE", "UTC")

    def default_locale(self) -> str:
        """Return the default language."""
        return super().default_locale() or locale_tag(self._setting("DEFAULT_LANG", "en")) or "en"

    def _setting(self, name: str, default: str = "") -> str:
        return as_text(self.config.get(name)) or default

    def _below(self) -> str:
        folder = self._setting("PATH").strip("./")
        if not folder:
            folder = "content" if any(path.startswith("content/") for path in self.files) else ""
        return f"{folder}/" if folder else ""

    def site(self) -> Site:
        """Return name, address, language and time zone."""
        url = self._setting("SITEURL").rstrip("/")
        return Site(
            name=self._setting("SITENAME"),
            url=url if "://" in url else "",
            description=self._setting("SITESUBTITLE"),
            locale=self.default_locale(),
            timezone=self.timezone(),
        )

    def _folders(self, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
        written = self.config.get(name, default)
        values = [written] if isinstance(written, str) else written if isinstance(written, list | tuple) else default
        return tuple(as_text(each).strip("/") for each in values)

    def _is_below(self, path: str, folders: tuple[str, ...]) -> bool:
        return any(not each or each == "." or path == each or path.startswith(f"{each}/") for each in folders)

    def documents(self) -> Iterator[tuple[str, SourceFile]]:
        """Yield articles and pages in Markdown and HTML."""
        below = self._below()
        statics = self._folders("STATIC_PATHS", ("images",))
        readers = self.config.get("READERS")
        has_html = bool(table_of(readers).get("html", True))
        for full, file in self.files.items():
            path = full.removeprefix(below)
            if not full.startswith(below) or path in _CONFIGS or path.rpartition("/")[2].startswith("."):
                continue
            if any(each and self._is_below(path, (each,)) for each in statics if each not in (".", "")):
                continue
            if self.skip_other(path, file):
                continue
            if is_text(path) or (has_html and path.lower().endswith(HTML)):
                yield path, file

    def defaults(self, path: str) -> Mapping[str, Any]:
        """Return what file names and paths say by FILENAME_METADATA and PATH_METADATA."""
        found: dict[str, Any] = {}
        stem = path.rpartition("/")[2].rpartition(".")[0]
        for pattern, text in (
            (self._setting("FILENAME_METADATA", _FILE_DATE), stem),
            (self._setting("PATH_METADATA"), path),
        ):
            try:
                match = re.match(pattern, text) if pattern and len(text) < 500 else None
            except re.error:
                continue
            found |= {name.lower(): value for name, value in match.groupdict().items() if value} if match else {}
        return {**found, **self._placed_by_settings(path)}

    def place(self, document: Document) -> Placed | RedirectRecord | None:
        """Return the part of an article or page, by its status, language, slug and the patterns of the settings."""
        status = (document.text("status") or "published").strip().lower()
        if status == "skip":
            self.note(NoteKind.SKIPPED, "its status is skip", document.place)
            return None
        if not document.text("title") and not document.front.body.strip():
            self.note(NoteKind.SKIPPED, "an empty file", document.place)
            return None
        is_page = self._is_below(document.path, self._folders("PAGE_PATHS", ("pages",)))
        date = self._date(document)
        if date is None and not is_page:
            what = "an article without date, which Pelican does not publish"
            self.note(NoteKind.DRAFT, what, document.place, "set published: and status: in the file")
        slug = document.text("slug") or self._slug_source(document)
        lang = document.text("lang").strip()
        is_original = not lang or locale_tag(lang) == self.default_locale()
        document.get("translation")
        category = document.text("category").strip() or self._folder_category(document)
        values = {"slug": slug, "lang": lang or self.default_locale(), "category": self._slug(category),
                  "author": self._slug(next(iter(self.authors(document)), "")),
                  "base_name": document.stem, "path": document.path}  # fmt: skip
        url = self._url("PAGE" if is_page else "ARTICLE", values, date, document, is_original=is_original)
        why = "it was published without a link to it (hidden)" if status == "hidden" else ""
        is_draft = status in ("draft", "hidden") or (date is None and not is_page)
        return Placed(
            Kind.PAGE if is_page else Kind.POST,
            old_url=url if status != "draft" and (date or is_page) else "",
            slug=slug,
            published_at=date,
            updated_at=document.time(("modified",), self.zone, self.notes),
            status=self.status(None if is_page else date, is_draft=is_draft),
            why_draft=why,
            locale=locale_tag(lang) or self.default_locale(),
            pair=f"{'page' if is_page else 'article'} {slug}",
            categories=() if is_page else (category,),
            tags=tuple(self._list(document.get("tags"))),
            names=(document.path,),
            base=joined(document.folder),
        )

    def _date(self, document: Document) -> datetime | None:
        found = document.time(("date",), self.zone, self.notes)
        default = self.config.get("DEFAULT_DATE")
        if found is None and isinstance(default, tuple | list) and len(default) >= 3:
            parts = [*map(int, default), 0, 0, 0][:6]
            return read_time("{}-{:02}-{:02} {:02}:{:02}:{:02}".format(*parts), self.zone)
        return found or (read_time(default, self.zone) if isinstance(default, str) and default != "fs" else None)

    def _slug_source(self, document: Document) -> str:
        source = self._setting("SLUGIFY_SOURCE", "title")
        return self._slug(document.stem if source == "basename" else document.text("title") or document.stem)

    def _slug(self, text: str) -> str:
        """Return a slug as Pelican makes it: signs dropped, white space and hyphens as one hyphen."""
        if as_text(self.config.get("SLUGIFY_USE_UNICODE")) == "true":
            import unicodedata

            plain = unicodedata.normalize("NFKC", text)
        else:
            plain = _plain_ascii(text)
        plain = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip())
        return plain if as_text(self.config.get("SLUGIFY_PRESERVE_CASE")) == "true" else plain.lower()

    def _folder_category(self, document: Document) -> str:
        folder = document.folder.rstrip("/").rpartition("/")[2]
        roots = self._folders("ARTICLE_PATHS", ("",))
        if (
            folder
            and as_text(self.config.get("USE_FOLDER_AS_CATEGORY", True)) == "true"
            and document.folder.rstrip("/") not in roots
        ):
            return folder
        return self._setting("DEFAULT_CATEGORY", "misc")

    def authors(self, document: Document) -> list[str]:
        """Return the authors: of the document, else the site's."""
        found = self._list(document.get("authors", "author"))
        return found or ([self._setting("AUTHOR")] if self._setting("AUTHOR") else [])

    def _list(self, written: Any) -> list[str]:
        text = as_text(written)
        return split_list(written, r"\s*;\s*" if ";" in text else r"\s*,\s*") if text or written else []

    def _url(
        self, kind: str, values: Mapping[str, str], date: datetime | None, document: Document, *, is_original: bool
    ) -> str:
        """Return the address by `save_as` and `url` of the document or the settings."""
        if given := document.text("save_as") or document.text("url"):
            return joined(given).removesuffix("index.html")
        infix = "" if is_original else "LANG_"
        default = ("pages/" if kind == "PAGE" else "") + ("{slug}.html" if is_original else "{slug}-{lang}.html")
        pattern = self._setting(f"{kind}_{infix}SAVE_AS") or self._setting(f"{kind}_{infix}URL") or default
        local = date.astimezone(self.zone) if date else None

        def value(match: re.Match[str]) -> str:
            if match[1] == "date":
                return local.strftime(match[2] or "%Y-%m-%d") if local else match[0]
            return values.get(match[1], match[0])

        made = joined(_FIELD.sub(value, pattern))
        if "{" in made:
            self.note(NoteKind.ADDRESS, f"an address that is not understood: {pattern}", document.place)
            return ""
        return made.removesuffix("index.html")

    def term_url(self, kind: TermKind, name: str) -> str:
        """Return the address of a term."""
        folder = kind.value
        pattern = self._setting(f"{folder.upper()}_SAVE_AS") or self._setting(f"{folder.upper()}_URL")
        return joined((pattern or f"{folder}/{{slug}}.html").replace("{slug}", self._slug(name))).removesuffix(
            "index.html"
        )

    def author_url(self, name: str) -> str:
        """Return the address of an author."""
        pattern = self._setting("AUTHOR_SAVE_AS") or self._setting("AUTHOR_URL") or "author/{slug}.html"
        return joined(pattern.replace("{slug}", self._slug(name))).removesuffix("index.html")

    def served(self) -> Iterator[tuple[str, str]]:
        """Yield all other files below the content: `{static}` and `{attach}` name them by their paths."""
        below = self._below()
        for address, path in self.served_below(below):
            if not is_text(path) and not path.endswith((".py", ".rst")):
                yield joined(self._moved_to(path.removeprefix(below)) or address), path

    def static(self) -> Iterator[StaticFile]:
        """Yield the files of STATIC_PATHS, at the paths that EXTRA_PATH_METADATA gives them."""
        folders = self._folders("STATIC_PATHS", ("images",))
        for each in self.static_below(self._below()):
            is_source = is_text(each.path) or each.path.endswith((".py", ".rst"))
            if self._is_below(each.path, folders) and not is_source:
                yield StaticFile(self._moved_to(each.path) or each.path, each.file)

    def _moved_to(self, path: str) -> str:
        """Return the path on the site that the settings give a file; "" for none."""
        return as_text(self._placed_by_settings(path).get("path")).strip("/")

    def _placed_by_settings(self, path: str) -> Mapping[str, Any]:
        return table_of(table_of(self.config.get("EXTRA_PATH_METADATA")).get(path))

    def redirects(self) -> Iterator[RedirectRecord]:
        """Yield the redirects of the feeds and lists, and of their further pages."""
        for name, default, target in (("FEED_ALL_ATOM", "feeds/all.atom.xml", "atom"), ("FEED_ALL_RSS", "", "rss")):
            if path := self._setting(name, default):
                yield RedirectRecord(joined(path), f"feed:{target}")
        archives = ("ARCHIVES_SAVE_AS", "archives.html", "list:")
        terms = [(f"{name}_SAVE_AS", f"{name.lower()}.html", f"index:{kind}") for name, kind in _LISTS.items()]
        for name, default, target in (archives, *terms):
            if path := self._setting(name, default):
                yield RedirectRecord(joined(path.removesuffix("index.html")), target, 302)
        size = self._setting("DEFAULT_PAGINATION", "")
        pages = len(self.files) // int(size) + 2 if size.isdecimal() and int(size) else 0
        yield from (RedirectRecord(f"/index{number}.html", "list:", 302) for number in range(2, pages))


def _plain_ascii(text: str) -> str:
    import unicodedata

    plain = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("æ", "ae").replace("ø", "o"))
    return plain.encode("ascii", "ignore").decode() or text
