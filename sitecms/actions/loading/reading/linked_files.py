"""Addresses of the content files that texts link to, and digests that show when they may have changed."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from sitecms.actions.loading.reading.files import CONTENT_ENDINGS, SINGLE_PAGES_FOLDER, ContentFile, FileKind
from sitecms.actions.loading.reading.prepare_posts import post_slug, read_times, without_aliases
from sitecms.content.addresses import paths_by_locale, site_path
from sitecms.content.fingerprint import canonical, digest
from sitecms.content.permalink import day_of, entry_path, is_dated, locale_root, url_path
from sitecms.content.text.slug import slugify
from sitecms.documents import locator, nearest, read_front_matter, read_yaml
from sitecms.errors import InvalidFiles, InvalidInput
from sitecms.settings.site import SiteSettings
from sitecms.store.site_state.loaded_files import FileLink

_INCLUDES = re.compile(rb"\{%-?\s*(?:include|import|from|extends)\b")


class LinkedFiles:
    """Targets of links, each file read once; addresses follow from the file and the settings alone."""

    def __init__(self, settings: SiteSettings) -> None:
        self._settings = settings
        self._folder = settings.folder
        links = settings.permalinks
        shared = (settings.locales, settings.default_locale, settings.timezone, settings.build.home)
        self._shared = canonical([*shared, links.post, links.page, links.single_page, settings.post_slug_from])
        self._data = cache(self._read)
        self._stamp = cache(self._read_stamp)

    def link(self, path: str, locale: str) -> FileLink:
        """Return the address of the page that is made from the file, in the locale if it is written in it.

        Raises InvalidInput, with the reason, for a file that is missing or that no page is made from.
        """
        return FileLink(self._address(path, locale), self._stamp(path), locale)

    def template(self, path: str) -> FileLink:
        """Return the present state of a template, which may be missing."""
        return FileLink("", self._stamp(path))

    def is_current(self, path: str, link: FileLink) -> bool:
        """Return whether a link that was made earlier still leads to the page."""
        if self._stamp(path) == link.stamp:
            return True
        try:
            return self._address(path, link.locale) == link.address
        except InvalidInput:
            return False

    def _address(self, path: str, locale: str) -> str:
        parts = PurePosixPath(path).parts
        if parts[:2] == ("content", "posts") and path.endswith(".md"):
            return url_path(self._post(path))
        if parts[:2] == ("content", "pages") and len(parts) == 4:
            return url_path(self._page(path, parts[2], locale))
        if (self._folder / path).is_file():
            raise InvalidInput("is not the file of a post or page")
        raise InvalidInput(self._missing(path))

    def _post(self, path: str) -> str:
        data = self._data(path)
        if own := data.get("path"):
            return site_path(str(own))
        locale = str(data.get("locale") or self._settings.default_locale)
        file = ContentFile(FileKind.POST, path, self._folder, "", "", "", "")
        pattern = self._settings.permalinks.post
        return self._path(pattern, locale, post_slug(data, file, self._settings), self._times(data, path, pattern))

    def _page(self, path: str, folder: str, locale: str) -> str:
        data, settings = self._data(path), self._settings
        locales = _locales(data, settings)
        wanted = locale if locale in locales else next(iter(locales))
        slug = slugify(str(data.get("slug") or ""), max_bytes=None) or slugify(PurePosixPath(path).stem)
        is_single = folder == SINGLE_PAGES_FOLDER
        if settings.build.home == (slug if is_single else f"{folder}/{slug}"):
            return locale_root(wanted, settings.default_locale) + "/"
        own = paths_by_locale(data.get("path"), settings.locales, settings.default_locale).get(wanted)
        pattern = settings.permalinks.single_page if is_single else settings.permalinks.page
        times = self._times(data, path, pattern, wanted)
        return own or self._path(pattern, wanted, slug, times, "" if is_single else folder)

    def _path(self, pattern: str, locale: str, slug: str, moment: Any, page_type: str = "") -> str:
        day = day_of(moment, self._settings.timezone) if moment else None
        return entry_path(pattern, locale, self._settings.default_locale, slug=slug, page_type=page_type, day=day)

    def _times(self, data: Mapping[str, Any], path: str, pattern: str, locale: str = "") -> Any:
        """Return the time whose day stands in the address; None if the pattern has no day."""
        if not is_dated(pattern):
            return None
        try:
            times = read_times(data, self._settings.zone, locale)
        except (ValueError, TypeError) as error:  # the load of that file reports it
            raise InvalidInput("leads to a file with errors") from error
        moment = times.published_at or times.scheduled_at or times.created_at
        if moment is None:
            raise InvalidInput(f"has no known address yet: give {path} a published time, which is part of its address")
        return moment

    def _read(self, path: str) -> Mapping[str, Any]:
        file = self._folder / path
        if not file.is_file():
            raise InvalidInput(self._missing(path))
        try:
            if not path.endswith(".md"):
                found: Any = read_yaml(file, path)
            else:
                found = without_aliases(path, read_front_matter(file, path).data, locator(file))
        except InvalidFiles as error:
            raise InvalidInput("leads to a file with errors") from error
        return found if isinstance(found, dict) else {}

    def _missing(self, path: str) -> str:
        folder = (self._folder / path).parent
        try:
            others = [file.name for file in folder.iterdir() if file.name.endswith(CONTENT_ENDINGS)]
        except OSError:
            others = []
        meant = nearest(PurePosixPath(path).name, others)
        return "does not exist in the site folder" + (f'; did you mean "{meant}"?' if meant else "")

    def _read_stamp(self, path: str) -> str:
        file = self._folder / path
        try:
            data = file.read_bytes()
            if path.startswith("templates/") and _INCLUDES.search(data):
                data += b"".join(other.read_bytes() for other in sorted(file.parent.rglob("*.html")))
        except OSError:
            return ""
        return digest(data + self._shared)


def _locales(data: Mapping[str, Any], settings: SiteSettings) -> Iterable[str]:
    """Return the locales that a page is written in."""
    fields = data.get("fields")
    keys = [key for key in fields if key in settings.locales] if isinstance(fields, dict) else []
    if keys and isinstance(fields, dict) and len(keys) == len(fields):
        return keys
    return [str(data.get("locale") or settings.default_locale)]
