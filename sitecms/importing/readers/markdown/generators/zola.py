"""Sites of Zola."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from sitecms.content.term import TermKind
from sitecms.importing.formats.times import read_time
from sitecms.importing.menus import MenuLink, links_of
from sitecms.importing.readers.markdown.document import Document, as_text, table_of
from sitecms.importing.readers.markdown.generators.generator import (
    POST_FOLDERS,
    Generator,
    Placed,
    ascii_slug,
    dated_name,
    is_text,
    joined,
    locale_tag,
)
from sitecms.importing.records import Kind, NoteKind, RedirectRecord, Site, StaticFile
from sitecms.importing.source import Source, SourceFile

_CONFIGS = ("zola.toml", "config.toml")
_MENU = re.compile(r"menu|nav", re.I)
_DATED_PATH = re.compile(r"/?(?:[\w-]+/)*?(\d{4})/(\d{1,2})/(\d{1,2})/")
"""The day in a `path`, which sites give instead of a date."""


class Zola(Generator):
    """A site of Zola."""

    name = "Zola"
    dialects = frozenset({"zola"})

    @classmethod
    def recognises(cls, names: frozenset[str], source: Source, root: str) -> bool:
        """Return whether there is a configuration with `base_url`."""
        if "zola.toml" in names:
            return True
        file = source.find(f"{root}config.toml")
        return file is not None and b"base_url" in file.beginning()

    def read_config(self) -> Mapping[str, Any]:
        """Return the configuration."""
        return self.load(*_CONFIGS)

    def default_locale(self) -> str:
        """Return the default language."""
        return super().default_locale() or locale_tag(as_text(self.config.get("default_language"))) or "en"

    def _codes(self) -> tuple[str, ...]:
        return tuple(table_of(self.config.get("languages")))

    def site(self) -> Site:
        """Return title, address and languages."""
        url = as_text(self.config.get("base_url"))
        return Site(
            name=as_text(self.config.get("title")),
            url=url.rstrip("/") if "://" in url else "",
            description=as_text(self.config.get("description")),
            locale=self.default_locale(),
            locales=tuple(tag for code in self._codes() if (tag := locale_tag(code))),
        )

    def menu(self) -> Sequence[MenuLink]:
        """Return the menu that a theme reads from `extra`, whatever it calls it, in each language that it names."""
        for name, written in table_of(self.config.get("extra")).items():
            if not _MENU.search(str(name)) or not isinstance(written, list):
                continue
            inner = [each for each in written if isinstance(each, Mapping)]
            found = links_of(inner) or [
                replace(link, locale=locale_tag(as_text(table.get("code"))))
                for table in inner
                for value in table.values()
                for link in links_of(value)
            ]
            if found:
                return [replace(link, address=_menu_address(link.address)) for link in found]
        return ()

    def documents(self) -> Iterator[tuple[str, SourceFile]]:
        """Yield all texts in `content/`."""
        for path, file in self.files.items():
            if path.rpartition("/")[2].startswith("."):
                continue
            if path.startswith("content/") and not self.skip_other(path, file) and is_text(path):
                yield path, file

    @property
    def _taxonomies(self) -> tuple[str, ...]:
        """The names of the declared taxonomies besides tags and categories, whose terms join the tags."""
        declared = self.config.get("taxonomies")
        names = [as_text(each.get("name")) for each in declared or () if isinstance(each, Mapping)]
        return tuple(each for each in names if each and each not in ("tags", "categories", "tag", "category"))

    def _split(self, full: str) -> tuple[str, str]:
        path = full.removeprefix("content/").rpartition(".")[0]
        stem, dot, ending = path.rpartition(".")
        return (stem, ending) if dot and ending in self._codes() else (path, "")

    def place(self, document: Document) -> Placed | RedirectRecord | None:
        """Return the part of a page, or of a section with a text."""
        path, code = self._split(document.path)
        parts = path.split("/")
        root = f"/{code}/" if code else "/"
        is_draft = document.truth("draft") is True
        why = "it had no page of its own (render = false)" if document.truth("render") is False else ""
        updated = document.time(("updated",), self.zone, self.notes)
        locale = locale_tag(code) or self.default_locale()
        if target := document.text("redirect_to"):
            folder = [part for part in parts if part != "_index"]
            return RedirectRecord(
                joined(root, *map(self._slug, folder), "/"), target if "://" in target else joined(target)
            )
        if parts[-1] == "_index":
            return self._section(document, parts[:-1], root, locale, is_draft=is_draft or bool(why))
        name = parts[-2] if parts[-1] == "index" and len(parts) > 1 else parts[-1]
        folders = parts[:-2] if parts[-1] == "index" else parts[:-1]
        named, rest = dated_name(name)
        named, rest = (named, rest) if rest else ("", name)
        published = document.time(("date",), self.zone, self.notes) or (read_time(named, self.zone) if named else None)
        slug = document.text("slug") or rest or name
        given = document.text("path")
        if published is None and (dated := _DATED_PATH.match(given)):
            published = read_time("-".join(dated.groups()), self.zone)
        # a path in the front matter is the whole address, that of its language included
        url = joined(given, "/") if given else joined(root, *map(self._slug, folders), self._slug(slug), "/")
        is_post = published is not None or bool(folders and folders[0] in POST_FOLDERS)
        return Placed(
            Kind.POST if is_post else Kind.PAGE,
            old_url="" if is_draft or why else url,
            slug=self._slug(slug),
            published_at=published,
            updated_at=updated,
            status=self.status(published, is_draft=is_draft or bool(why)),
            why_draft=why,
            locale=locale,
            pair=path,
            former_urls=tuple(joined(each) for each in document.texts("aliases")),
            categories=tuple(document.texts("taxonomies.categories", "taxonomies.category")),
            tags=(
                *document.texts("taxonomies.tags", "taxonomies.tag"),
                *self.further_terms(document, self._taxonomies),
            ),
            names=(path, f"{path}.md"),
        )

    def _section(
        self, document: Document, folders: list[str], root: str, locale: str, *, is_draft: bool
    ) -> Placed | RedirectRecord | None:
        url = joined(root, *map(self._slug, folders), "/")
        if not document.front.body.strip():
            if folders and not is_draft:
                return RedirectRecord(url, "list:", 302)
            self.note(NoteKind.LEFT_OUT, "lists of sections without a text", document.place)
            return None
        return Placed(
            Kind.PAGE,
            old_url="" if is_draft else url,
            slug=folders[-1] if folders else "home",
            status=self.status(None, is_draft=is_draft),
            locale=locale,
            pair="/".join((*folders, "_index")),
            former_urls=tuple(joined(each) for each in document.texts("aliases")),
            names=("/".join((*folders, "_index")), "/".join((*folders, "_index.md"))),
        )

    def _slug(self, part: str) -> str:
        """Return a part of an address by the strategy of the configuration: ASCII, safe signs, or as it is."""
        rules = self.config.get("slugify")
        strategy = as_text(rules.get("paths") if isinstance(rules, Mapping) else rules) or "on"
        if strategy == "on":
            return ascii_slug(part) or part
        return "".join("_" if sign in '<>:"/|?*#\\()[] \n' else sign for sign in part) if strategy == "safe" else part

    def term_url(self, kind: TermKind, name: str) -> str:
        """Return the address of a term."""
        return joined("tags" if kind is TermKind.TAG else "categories", self._slug(name), "/")

    def term_pages(self, url: str) -> tuple[str, ...]:
        """Return the address of the further pages of a term."""
        return (joined(url, "page/"),)

    def served(self) -> Iterator[tuple[str, str]]:
        """Yield the files of `static/`, and those beside the texts."""
        yield from self.served_below("static/")
        for address, path in self.served_beside_texts("content/"):
            folder, _, name = address.rpartition("/")
            parts = [dated_name(part)[1] or part for part in folder.split("/")]
            yield joined(*map(self._slug, parts), name), path

    def static(self) -> Iterator[StaticFile]:
        """Yield the files of `static/`."""
        yield from self.static_below("static/")

    def redirects(self) -> Iterator[RedirectRecord]:
        """Yield the redirects of the feeds."""
        yield RedirectRecord("/atom.xml", "feed:atom")
        yield RedirectRecord("/rss.xml", "feed:rss")
        for taxonomy in self._taxonomies:
            yield from self.taxonomy_redirects(taxonomy, joined(self._slug(taxonomy), "/"), self._slug, "atom.xml")


def _menu_address(written: str) -> str:
    """Return the address of an entry of a menu; one that is not absolute starts at the root of the site."""
    plain = re.sub(r"^\$BASE_URL|^@/", "", written)
    return plain if re.match(r"[a-z][a-z0-9+.-]*:|//|#", plain, re.I) else joined(plain)
