"""The site that an import writes into: its existing settings, or those that the import creates."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from sitecms.documents import load_schema
from sitecms.settings.site import SETTINGS_FILE, load_settings

_PERMALINKS = load_schema("site")["properties"]["permalinks"]["properties"]


@dataclass(frozen=True, slots=True)
class Target:
    """The site folder with the settings that planning needs. `permalinks` are patterns by name."""

    folder: Path
    is_new: bool
    name: str = ""
    url: str = ""
    description: str = ""
    default_locale: str = "en"
    locales: tuple[str, ...] = ("en",)
    owner: str = ""
    timezone: str = "UTC"
    permalinks: Mapping[str, str] | None = None
    home: str = ""
    typographer: bool = False

    def pattern(self, name: str) -> str:
        """Return a permalink pattern: post, page, single_page, category, tag, author, year."""
        return (self.permalinks or {}).get(name) or str(_PERMALINKS[name]["default"])

    def local(self, moment: datetime | None) -> datetime | None:
        """Return the time in the site's time zone."""
        return moment.astimezone(ZoneInfo(self.timezone) if self.timezone != "UTC" else UTC) if moment else None

    def locale_of(self, locale: str) -> str:
        """Return the locale of an entry: its own if the site has it, the same language, or the default locale."""
        if locale in self.locales:
            return locale
        language = locale.partition("-")[0].lower()
        return next((each for each in self.locales if each.partition("-")[0].lower() == language), self.default_locale)


def is_permalink(name: str, pattern: str) -> bool:
    """Return whether the pattern is valid in site.toml."""
    return re.search(str(_PERMALINKS[name]["pattern"]), pattern) is not None


def open_target(folder: Path) -> Target:
    """Return the existing site, or an empty new one. Raises InvalidFiles for invalid settings."""
    if not (folder / SETTINGS_FILE).is_file():
        return Target(folder, is_new=True)
    settings = load_settings(folder)
    links = settings.permalinks
    names = ("post", "page", "single_page", "category", "tag", "author", "year")
    return Target(
        folder,
        is_new=False,
        name=settings.name,
        url=settings.url,
        description=settings.description,
        default_locale=settings.default_locale,
        locales=settings.locales,
        owner=settings.owner,
        timezone=settings.timezone,
        permalinks={name: getattr(links, name) for name in names},
        home=settings.build.home,
        typographer=settings.markdown_typographer,
    )
