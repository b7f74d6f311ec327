"""Addresses of documents and terms, as Hugo makes them from its configuration."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from functools import cached_property
from typing import Any

from sitecms.importing.formats.times import offset_of
from sitecms.importing.readers.markdown.document import Document, as_text, read_lenient, table_of
from sitecms.importing.readers.markdown.generators.generator import dated_name, joined
from sitecms.importing.readers.markdown.generators.hugo_folders import HugoFolders
from sitecms.importing.readers.markdown.generators.patterns import fill_hugo, sanitised

DATES = ("date", "publishdate", "pubdate", "published", "lastmod", "modified")
"""Keys of the date of a document, the most exact first."""


class HugoAddresses:
    """The addresses of one site; `zone` is that of dates without one."""

    def __init__(self, config: Mapping[str, Any], folders: HugoFolders, zone: tzinfo) -> None:
        self._config, self._folders, self._zone = config, folders, zone

    def url(self, document: Document, path: str, code: str, date: datetime | None) -> str:
        """Return the address of a document; `path` is that below content."""
        root = self._folders.root(code)
        given = document.text("url")
        if given:
            return joined(given) if given.startswith("/") else joined(root, given)
        parts = path.split("/")
        if parts[-1] == "index":
            parts = parts[:-1] or ["index"]
        section = parts[0] if len(parts) > 1 else ""
        slug = sanitised(document.text("slug").strip("-").strip())
        name = parts[-1]
        if self._is_dated_by_name and not slug:
            slug = dated_name(name)[1] if dated_name(name)[0] else ""
        pattern = self._permalink(section)
        if pattern:
            made = fill_hugo(pattern, document.text("title"), parts, slug, self._local(document, date))
        else:
            made = "/".join((*(each.replace(" ", "-") for each in parts[:-1]), slug or name.replace(" ", "-")))
        made = self.clean(made).removesuffix(".html")
        is_ugly = as_text(_ugly(self._config.get("uglyurls"), section)).lower() == "true"
        return joined(root, made + (".html" if is_ugly or pattern.endswith(".html") else "/"))

    def _local(self, document: Document, date: datetime | None) -> datetime | None:
        """Return the date of a document in the zone in which it is written, else that of the site."""
        if date is None:
            return None
        written = (as_text(document.peek(name)) for name in DATES)
        offsets = (offset_of(each) for each in written if read_lenient(each, self._zone) == date)
        return date.astimezone(next((each for each in offsets if each), self._zone))

    def _permalink(self, section: str) -> str:
        rules = table_of(self._config.get("permalinks"))
        pages = table_of(rules.get("page"))
        return as_text(pages.get(section) or rules.get(section))

    def clean(self, path: str) -> str:
        """Return a path as Hugo writes it: lower case, spaces as hyphens, letters and digits of any script."""
        plain = sanitised(path)
        is_kept = as_text(self._config.get("disablepathtolower")).lower() == "true"
        return plain if is_kept else "".join(sign.lower()[:1] for sign in plain)

    @staticmethod
    def alias(alias: str, url: str) -> str:
        """Return a former address, which may be relative to the present one."""
        parent = url.rstrip("/").rpartition("/")[0]
        return joined(alias) if alias.startswith("/") else joined(parent, alias)

    def term_slug(self, name: str) -> str:
        """Return the last part of the address of a term."""
        return self.clean(name.replace(" ", "-"))

    @cached_property
    def _is_dated_by_name(self) -> bool:
        """True if names of files begin with dates, which are not part of addresses."""
        sources = table_of(self._config.get("frontmatter")).get("date")
        return ":filename" in [as_text(each).lower() for each in sources or ()]


def _ugly(value: Any, section: str) -> Any:
    return value.get(section) if isinstance(value, Mapping) else value
