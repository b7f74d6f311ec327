"""Sites of Eleventy, whose scripts are not executed; only literal texts in them are read."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatch
from functools import cached_property
from typing import Any

from sitecms.content.term import TermKind
from sitecms.importing.formats.times import read_time
from sitecms.importing.menus import MenuLink, weight_of
from sitecms.importing.readers.markdown.document import Document, as_text
from sitecms.importing.readers.markdown.generators.generator import (
    HTML,
    POST_FOLDERS,
    REPOSITORY,
    Placed,
    ascii_slug,
    dated_name,
    is_text,
    joined,
    split_list,
)
from sitecms.importing.readers.markdown.generators.plain import DATES, TEMPLATE, Plain
from sitecms.importing.records import NoteKind, Place, RedirectRecord, StaticFile
from sitecms.importing.source import Source, SourceFile

_TERM_FOLDER = re.compile(r"([\w/-]*/)?\b(?P<name>tags?|topics?|categor(?:y|ies))/\s*(?:\{\{|\$\{|[\"'`]\s*[+~])", re.I)
_TEMPLATES = (".njk", ".liquid", ".html", ".js", ".cjs", ".mjs", ".ts", ".webc", ".hbs", ".vto")
_ANY_DATE = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")
_LITERAL = re.compile(r"^\s*(permalink|tags|date|lang)\s*:\s*([\"'`])([^\"'`\n]*)\2", re.M)
_COPIED = re.compile(r"addPassthroughCopy\(\s*\{([^{}]*)\}")
_COPIED_AS_IS = re.compile(r"addPassthroughCopy\(\s*([\"'`])([^\"'`\n]+)\1")
_FOLDER = re.compile(r"\b(input|includes|data|layouts|output)\s*:\s*([\"'`])([^\"'`\n]*)\2")
"""The folders in configurations; those of templates and data are below the one of the input."""
_SPELT = {
    "&": " and ", "'": "", "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "o", "ł": "l", "đ": "d",
}  # fmt: skip
_PAIR = re.compile(r"[\"']?([\w./-]+)[\"']?\s*:\s*[\"']([\w./-]*)[\"']")
_SIMPLE_SLUG = re.compile(r"\{\{-?\s*(page\.fileSlug|slug|title|page\.date)\s*(?:\|\s*([^}]*?)\s*)?-?\}\}")


class Eleventy(Plain):
    """A site of Eleventy."""

    name = "Eleventy"
    dialects = frozenset({"liquid"})
    has_meta = False

    @classmethod
    def recognises(cls, names: frozenset[str], source: Source, root: str) -> bool:
        """Return whether there is a configuration of Eleventy."""
        return any(name.startswith(("eleventy.config.", ".eleventy.")) for name in names)

    def read_config(self) -> Mapping[str, Any]:
        """Return the input folder, which is a literal in most configurations. The script is not executed."""
        self._input = ""
        self._folders_of: dict[str, str] = {}
        self._copied: list[tuple[str, str]] = []
        self._patterns: list[str] = []
        for path, file in self.files.items():
            if path.startswith(("eleventy.config.", ".eleventy.")):
                for copied in _COPIED.finditer(file.text()):
                    self._copied += [(_folder(one), _folder(two)) for one, two in _PAIR.findall(copied[1])]
                self._patterns += [_folder(match[2]) for match in _COPIED_AS_IS.finditer(file.text())]
                self._folders_of |= {match[1]: _folder(match[3]) for match in _FOLDER.finditer(file.text())}
                folder = self._folders_of.get("input", "")
                if folder and any(each.startswith(f"{folder}/") for each in self.files):
                    self._input = f"{folder}/"
        self._data = {
            path.rpartition("/")[0] + "/": self._table(path)
            for path in self.files
            if path.endswith((".json", ".11tydata.js", ".11tydata.cjs", ".11tydata.mjs")) and self._is_data(path)
        }
        return {}

    def _is_data(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        own = folder.rpartition("/")[2]
        return bool(own) and (name == f"{own}.json" or name.startswith(f"{own}.11tydata."))

    def _table(self, path: str) -> Mapping[str, Any]:
        if not path.endswith(".json"):  # a script, in which only literal texts are looked for
            text = self.files[path].text()
            literal = {match[1]: match[3] for match in _LITERAL.finditer(text)}
            if "permalink" not in literal and re.search(r"\bpermalink\b", text):
                remedy = "compare with sitecms import urls, and set path: in the files, or permalinks in site.toml"
                what = "addresses that a script computes are not known"
                self.note(NoteKind.ADDRESS, what, Place(self.files[path].name), remedy)
            return literal
        try:
            data = json.loads(self.files[path].text())
        except ValueError as error:
            self.note(NoteKind.SKIPPED, f"data of a folder that cannot be read: {error}", Place(self.files[path].name))
            return {}
        return data if isinstance(data, dict) else {}

    def _inner(self, path: str) -> str:
        return path.removeprefix(self._input)

    def defaults(self, path: str) -> Mapping[str, Any]:
        """Return the data of the folders above a document, the nearest first; tags are added up."""
        found: dict[str, Any] = {}
        for folder, values in sorted(self._data.items()):
            if path.startswith(folder):
                found |= values
        return found

    def documents(self) -> Iterator[tuple[str, SourceFile]]:
        """Yield Markdown, and HTML with front matter, of the input folder."""
        for path, file in self.files.items():
            if not path.startswith(self._input) or any(part.startswith(".") for part in path.split("/")[:-1]):
                continue
            if any(path == each or path.startswith(f"{each}/") or fnmatch(path, each) for each in self._ignored):
                continue
            if self.skip_other(path, file):
                continue
            if is_text(path):
                if "/" in path or not self.is_about_folder(path):
                    yield path, file
            elif path.lower().endswith(HTML) and file.beginning(3) == b"---":
                yield path, file

    @cached_property
    def _ignored(self) -> tuple[str, ...]:
        """The paths and patterns that Eleventy does not read: those of templates and data, and of the ignore files."""
        links = []
        for name, default in (("includes", "_includes"), ("data", "_data"), ("layouts", ""), ("output", "_site")):
            folder = self._folders_of.get(name, default)
            links.append(folder if name == "output" else _folder(f"{self._input}{folder}") if folder else "")
        for name in (".eleventyignore", ".gitignore"):
            lines = self.files[name].text().splitlines() if name in self.files else ()
            links += [_folder(line.strip().lstrip("/")) for line in lines if line.strip() and line[0] not in "#!"]
        return tuple(each.replace("**/", "*") for each in links if each)

    def is_about_folder(self, path: str) -> bool:
        """Return whether a file is about the repository."""
        return path.rpartition(".")[0].lower() in REPOSITORY

    def date(self, document: Document, named: str) -> datetime | None:
        """Return the date; words such as `Last Modified` stand for facts that a copy of the folder does not have."""
        written = document.text("date").strip().lower()
        if written in ("last modified", "created", "git last modified", "git created"):
            self.note(NoteKind.DATE, f"the date is {written}", document.place, "set published: in the file")
            return None
        moment = document.time(DATES, self.zone, self.notes)
        if moment is None and (match := _ANY_DATE.search(document.path)):
            return read_time(match[1], self.zone)
        return moment

    def is_post(self, document: Document, parts: list[str], date: datetime | None) -> bool:
        """Return whether a document is in a collection of posts, or has a date."""
        tags = {each.lower() for each in document.texts("tags")}
        inherited = {each.lower() for each in split_list(document.defaults.get("tags"))}
        return bool((tags | inherited) & POST_FOLDERS) or super().is_post(document, parts, date)

    def tags(self, document: Document) -> list[str]:
        """Return the tags but those that only make collections."""
        control = (
            POST_FOLDERS | {"all", "nav", "page", "pages", "featured"} | set(split_list(document.defaults.get("tags")))
        )
        found = split_list(document.get("tags", "tag"), r",\s*")
        dropped = [each for each in found if each.lower() in control]
        for each in dropped:
            if document.front.data.get("tags"):
                self.note(NoteKind.TERM, f"the tag {each} makes a collection and is left out", document.place)
        return [each for each in found if each not in dropped]

    def place(self, document: Document) -> Placed | RedirectRecord | None:
        """Return the part of a document; lists made by a template are skipped."""
        if document.suffix in HTML and re.search(r"\{%-?\s*(?:for|set|include|extends)\b", document.front.body):
            self.note(NoteKind.SKIPPED, "a page that is a template", document.place, "lists are made by the theme")
            return None
        placed = super().place(document)
        if isinstance(placed, Placed) and placed.old_url:
            self._remember_link(document, placed)
        target = document.text("redirect_to", "redirect")
        if isinstance(placed, Placed) and target and placed.old_url:
            return RedirectRecord(placed.old_url, target)
        if isinstance(placed, Placed) and re.search(r"\.(?!html?$)[a-z]{2,5}$", placed.old_url):
            self.note(NoteKind.SKIPPED, f"a template of {placed.old_url}, which is no page", document.place)
            return None
        return placed

    def _remember_link(self, document: Document, placed: Placed) -> None:
        """Remember the entry that `eleventyNavigation` of a page adds to the menu."""
        facts = document.get("eleventynavigation")
        if not isinstance(facts, Mapping) or not (key := as_text(facts.get("key"))):
            return
        label, address = as_text(facts.get("title")) or key, as_text(facts.get("url")) or placed.old_url
        weight = weight_of(facts.get("order"))
        link = MenuLink(label, address, key, as_text(facts.get("parent")), placed.locale, weight)
        self.page_links.append(("", link))

    def menu(self) -> Sequence[MenuLink]:
        """Return the entries of `eleventyNavigation`, by their order."""
        return sorted((link for _name, link in self.page_links), key=lambda link: link.weight)

    def address(self, document: Document, parts: list[str], date: datetime | None) -> str:
        """Return the address: `permalink`, or the path of the file without date."""
        permalink = document.get("permalink")
        given = as_text(permalink)
        if given == "false" or permalink is False:
            return ""
        name = dated_name(parts[-1])[1] or parts[-1] if parts else ""
        stem = [each for each in (*document.path.removeprefix(self._input).split("/")[:-1], document.stem) if each]
        is_folder = stem[-1] == "index" or stem[-2:-1] == stem[-1:]
        default = joined(*(stem[:-1] if is_folder else stem), "/")
        if not given:
            return default
        if TEMPLATE.search(given):
            given = self._filled(given, document, name, date)
            if TEMPLATE.search(given):
                self.note(NoteKind.ADDRESS, "a permalink that is a template", document.place)
                return default
        return joined(given).removesuffix("index.html")

    def _filled(self, pattern: str, document: Document, name: str, date: datetime | None) -> str:
        """Return a permalink with what is known of its template; a filter of dates of the site's own is guessed."""
        values = {"page.fileSlug": name, "slug": document.text("slug") or name, "title": document.text("title")}

        def value(match: re.Match[str]) -> str:
            text, given = values.get(match[1]), (match[2] or "").strip()
            if match[1] == "page.date" and date:
                return self._date_part(given, date, document)
            if text is None or given not in ("", "slug", "slugify", "url"):
                return match[0]
            if given in ("slug", "slugify"):
                return _slugified(text) or match[0]
            return text

        return _SIMPLE_SLUG.sub(value, pattern)

    def _date_part(self, given: str, date: datetime, document: Document) -> str:
        written = re.search(r"[\"']([^\"']+)[\"']", given)
        if written and "%" in written[1]:
            return date.strftime(written[1])
        if written:
            return _luxon(written[1], date)
        what = f"the filter {given.partition('(')[0].strip()} in permalinks is taken for year/month/day"
        self.note(NoteKind.ADDRESS, what, document.place, "compare with the addresses of the old site")
        return date.strftime("%Y/%m/%d")

    def term_url(self, kind: TermKind, name: str) -> str:
        """Return the address of a term by the folder that a template or script puts in front of its slug."""
        folder = self._term_folders.get(kind, "/tags/" if kind is TermKind.TAG else "")
        return joined(folder, ascii_slug(name), "/") if folder and ascii_slug(name) else ""

    @cached_property
    def _term_folders(self) -> Mapping[TermKind, str]:
        """The folders of terms, such as `/topics/`, of texts like `/topics/{{ topic | slugify }}/`."""
        kinds: dict[TermKind, str] = {}
        for path, file in self.files.items():
            is_list = re.search(r"tag|topic|categor", path.rpartition("/")[2], re.I)
            if path.endswith(_TEMPLATES) or (is_list and is_text(path)):
                for match in _TERM_FOLDER.finditer(file.beginning().decode("utf-8", "replace")):
                    kind = TermKind.CATEGORY if match["name"].lower().startswith("cat") else TermKind.TAG
                    kinds.setdefault(kind, joined(match[1] or "", match["name"], "/"))
        return kinds

    def served(self) -> Iterator[tuple[str, str]]:
        """Yield the files that the configuration copies, those of `public/`, and those of the input folder."""
        for folder, target in (*self._copied, ("public", "")):
            yield from self.served_below(f"{folder}/", joined(target, "/"))
        yield from self.served_beside_texts(self._input)
        if self._input:
            yield from ((f"/{path}", path) for path in self.files if not path.startswith(self._input) and "/" in path)

    def static(self) -> Iterator[StaticFile]:
        """Yield the files that the configuration copies: `{ from: to }`, and paths or patterns that stay in place."""
        for source, target in self._copied:
            if source in self.files:
                yield StaticFile(target, self.files[source])
            yield from self.static_below(f"{source}/" * bool(source), f"{target}/" * bool(target))
        for each in self.static_below(""):
            if any(_is_copied(each.path, pattern) for pattern in self._patterns):
                yield StaticFile(each.path.removeprefix(self._input), each.file)

    @property
    def include_folders(self) -> tuple[str, ...]:
        """The folder of includes."""
        return (f"{self._input}{self._folders_of.get('includes', '_includes')}/",)

    def redirects(self) -> Iterator[RedirectRecord]:
        """Yield the redirects of the feed, and of the list of tags."""
        yield RedirectRecord("/feed.xml", "feed:atom")
        yield RedirectRecord("/feed/feed.xml", "feed:atom")
        yield RedirectRecord(self._term_folders.get(TermKind.TAG, "/tags/"), "list:", 302)


def _slugified(text: str) -> str:
    """Return a text as the filters of Eleventy make a slug of it; "" if that needs a table of its letters."""
    spelt = "".join(_SPELT.get(sign, sign) for sign in unicodedata.normalize("NFC", text.lower()))
    plain = "".join(sign for sign in unicodedata.normalize("NFD", spelt) if not unicodedata.combining(sign))
    is_known = all(sign.isascii() or not sign.isalpha() for sign in plain)
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") if is_known else ""


def _folder(path: str) -> str:
    """Return a path of the configuration without `./` before it and slashes around it; "" for the root."""
    return "" if path == "." else path.strip().removeprefix("./").strip("/")


def _is_copied(path: str, pattern: str) -> bool:
    """Return whether a path is, or lies below, what a pattern names; `**/` is any folder or none."""
    return path == pattern or path.startswith(f"{pattern}/") or fnmatch(path, pattern.replace("**/", "*"))


def _luxon(pattern: str, date: datetime) -> str:
    for name, code in (("yyyy", "%Y"), ("YYYY", "%Y"), ("MM", "%m"), ("LL", "%m"), ("dd", "%d"), ("DD", "%d")):
        pattern = pattern.replace(name, date.strftime(code))
    return pattern
