"""The sheet of a shard: what it was made from, and what is in its folder. It is the last file that comes there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from sitecms import __version__
from sitecms.content.fingerprint import canonical, digest
from sitecms.errors import ConfigurationError
from sitecms.media.images.derive_cache import write_whole
from sitecms.settings.site import SiteSettings
from sitecms.site.images.media_links import linked_at
from sitecms.site.sharding.shard import Shard
from sitecms.site.theme.theme import Theme
from sitecms.store.database import Session

SHEET = "shard.json"
_FORMAT = 1
_PARTS = {
    "change_number": "from change {theirs} of the store, and here it is at {ours}",
    "change_mark": "from another store, or another copy of it that was changed since",
    "programs": "with other versions of sitecms and its libraries",
    "theme": "with another theme (templates, assets, translations)",
    "settings": "with other settings (site.toml, --base-url)",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """All that a build is made from, alike on every machine that has the same snapshot, site folder and programs."""

    change_number: int
    change_mark: str
    programs: str
    theme: str
    settings: str

    def difference(self, other: "Origin") -> str:
        """What the other was made from, in words, where that is something else; "" where it is the same."""
        for name, words in _PARTS.items():
            if getattr(self, name) != getattr(other, name):
                return words.format(ours=getattr(self, name), theirs=getattr(other, name))
        return ""


def origin_of(session: Session, settings: SiteSettings, theme: Theme, *, searchable: bool) -> Origin:
    """Of a build of this very snapshot."""
    build = settings.build
    shown = (
        settings.name, settings.url, settings.description, settings.locales, settings.default_locale,
        settings.timezone, settings.permalinks, settings.feeds, build.page_size, build.home, settings.images,
        settings.share_images, settings.markdown_typographer, settings.theme, settings.delivery, settings.search,
        linked_at(settings), searchable,
    )  # fmt: skip
    assets = {name: digest(theme.asset_bytes(name)) for name in theme.assets}
    return Origin(
        change_number=session.change_number(),
        change_mark=session.change_mark(),
        programs=digest(f"{__version__} {theme.machinery}".encode()),
        theme=digest(canonical((dict(theme.sources), assets))),
        settings=digest(canonical(shown)),
    )


@dataclass(frozen=True, slots=True)
class Sheet:
    """`pages`: by path in the folder `pages` the fingerprint that its plan gave it, a space, digest of its bytes."""

    shard: Shard
    origin: Origin
    pages: Mapping[str, str] = field(default_factory=dict)


def pages_folder(folder: Path) -> Path:
    """Where the pages of a shard lie."""
    return folder / "pages"


def write_sheet(folder: Path, sheet: Sheet) -> None:
    """Keep it, as a whole: the shard is done."""
    plain = {
        "format": _FORMAT,
        "shard": (sheet.shard.number, sheet.shard.count),
        "origin": sheet.origin,
        "pages": sheet.pages,
    }
    write_whole(folder / SHEET, orjson.dumps(plain, option=orjson.OPT_SORT_KEYS))


def read_sheet(folder: Path, shard: Shard) -> Sheet:
    """The sheet of that shard. Raises ConfigurationError where it is not done, or is none of ours."""
    again = f"Run it again: sitecms build --shard {shard}"
    try:
        data: Any = orjson.loads((folder / SHEET).read_bytes())
        if data["format"] != _FORMAT or Shard(*data["shard"]) != shard:
            raise ConfigurationError(f"{folder / SHEET} is that of another shard, or of another sitecms. {again}")
        return Sheet(shard, Origin(**data["origin"]), dict(data["pages"]))
    except FileNotFoundError:
        raise ConfigurationError(f"The shard {shard} is not done: {folder} has no {SHEET}. {again}") from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ConfigurationError(f"{folder / SHEET} cannot be read as the sheet of a shard. {again}") from error
