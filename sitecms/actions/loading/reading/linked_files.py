"""Addresses of the content files that texts link to, and digests that show when they may have changed."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from sitecms.actions.loading.reading.files import CONTENT_ENDINGS, SINGLE_PAGES_FOLDER, ContentFile, FileKind, page_name
from sitecms.actions.loading.reading.post_front_matter import post_slug, without_aliases
from sitecms.actions.loading.reading.times import read_times
from sitecms.content.addresses import own_path, paths_by_locale
from sitecms.content.fingerprint import canonical, digest
from sitecms.content.permalink import day_of, entry_path, is_dated, locale_root, url_path
from sitecms.content.text.slug import slugify
from sitecms.documents import locator, nearest, read_front_matter, read_yaml
from sitecms.documents.folders import link_out, link_problem
from sitecms.errors import InvalidFiles, InvalidInput
from sitecms.settings.site import SiteSettings
from sitecms.store.site_state.loaded_files import FileLink

_MOST_READ = 20_000
_LINE = re.compile(r"""^(slug|path|locale|date|published)\s*[:=]\s*["']?([^"'\n#]+)""", re.MULTILINE)
_INCLUDES = re.compile(rb"\{%-?\s*(?:include|import|from|extends)\b")


class _WrongTime(InvalidInput):
    """A time that stands in an address cannot be read."""


class LinkedFiles:
    """Targets of links, each file read once; addresses follow from the file and the settings alone.

    That of a file that cannot be read is the one of its stored entry, by path and locale in `stored`, else one made
    from the file's name.
    """

    def __init__(self, settings: SiteSettings) -> None:
        self._settings = settings
        self.stored: Mapping[str, Mapping[str, str]] = {}
        self._folder = settings.folder
        links = settings.permalinks
        shared = (settings.locales, settings.default_locale, settings.timezone, settings.build.home)
        self._shared = canonical([*shared, links.post, links.page, links.single_page, settings.post_slug_from])
        self._data = cache(self._read)
        self._stamp = cache(self._read_stamp)

    def link(self, path: str, locale: str) -> FileLink:
        """Return the address of the page that is made from the file, in the locale if it is written in it.

        The address is "" if it cannot be known, because of errors in the file. Raises InvalidInput, with the reason,
        for a file that is missing or that no page is made from.
        """
        return FileLink(self._address(path, locale), self._stamp(path), locale)

    def is_guessed(self, path: str) -> bool:
        """Return whether the address of a file that cannot be read is made from its name, or unknown."""
        return self._data(path) is None and path not in self.stored

    def state(self, path: str) -> FileLink:
        """Return the present state of a template or collection, which may be missing."""
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
        is_post = parts[:2] == ("content", "posts") and path.endswith(".md")
        if is_post or (parts[:2] == ("content", "pages") and len(parts) == 4):
            return self._page_path(path, locale, "" if is_post else parts[2])
        if (self._folder / path).is_file():
            raise InvalidInput("is not the file of a post or page")
        raise InvalidInput(self._missing(path))

    def _page_path(self, path: str, locale: str, folder: str) -> str:
        """Return the address of the page of a file in a folder of pages, "" for a post."""
        is_sound, stored = self._data(path) is not None, self.stored.get(path)
        try:
            if is_sound or not stored:
                return url_path(self._page(path, folder, locale) if folder else self._post(path))
        except _WrongTime:
            pass
        except InvalidInput:
            if is_sound:
                raise
        return url_path(stored.get(locale) or next(iter(stored.values()))) if stored else ""

    def _post(self, path: str) -> str:
        data = self._data(path) or self._first_lines(path)
        if own := data.get("path"):
            return own_path(str(own))
        locale = str(data.get("locale") or self._settings.default_locale)
        file = ContentFile(FileKind.POST, path, self._folder, "", "", "", "")
        pattern = self._settings.permalinks.post
        return self._path(pattern, locale, post_slug(data, file, self._settings), self._times(data, path, pattern))

    def _page(self, path: str, folder: str, locale: str) -> str:
        data, settings = self._data(path) or self._first_lines(path), self._settings
        stem, named = page_name(path, settings.locales)
        locales = _locales({"locale": named, **data} if named else data, settings)
        wanted = locale if locale in locales and not named else next(iter(locales))
        slug = slugify(str(data.get("slug") or ""), max_bytes=None) or slugify(stem)
        is_single = folder == SINGLE_PAGES_FOLDER
        if settings.build.home == (slug if is_single else f"{folder}/{slug}"):
            return locale_root(wanted, settings.default_locale) + "/"
        written = data.get("path")
        if named and isinstance(written, str):
            written = {wanted: written}
        elif named and not written and (self._folder / (main := f"{PurePosixPath(path).parent}/{stem}.md")).is_file():
            written = (self._data(main) or {}).get("path")
        own = paths_by_locale(written, settings.locales, settings.default_locale).get(wanted)
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
        except (ValueError, TypeError, AttributeError) as error:  # the load of that file reports it
            raise _WrongTime from error
        moment = times.published_at or times.scheduled_at or times.created_at
        if moment is None:
            raise InvalidInput(f"has no known address yet: give {path} a published time, which is part of its address")
        return moment

    def _first_lines(self, path: str) -> Mapping[str, Any]:
        """Return what simple lines of the front matter say of the address of a file that cannot be read otherwise."""
        text = (self._folder / path).read_bytes()[:_MOST_READ].decode("utf-8", "replace")
        front = re.split(r"^(?:---|\+\+\+)\s*$", text, maxsplit=2, flags=re.MULTILINE)
        lines = front[1] if path.endswith(".md") and len(front) > 1 else text
        return {name: value.strip() for name, value in _LINE.findall(lines)}

    def _read(self, path: str) -> Mapping[str, Any] | None:
        """Return the data of a file, None if it cannot be read as such. Raises InvalidInput for a missing one."""
        file = self._folder / path
        if not file.is_file():
            raise InvalidInput(self._missing(path))
        if target := link_out(self._folder, path):
            raise InvalidInput(link_problem(target))
        try:
            if not path.endswith(".md"):
                found: Any = read_yaml(file, path)
            else:
                found = without_aliases(path, read_front_matter(file, path).data, locator(file))
        except InvalidFiles:
            return None
        return found if isinstance(found, dict) else None

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
