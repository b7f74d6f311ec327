"""Share images that are drawn from titles (cards), for pages without an image of their own.

The key of a card is a digest of all that it is drawn from, so a card in the cache is not drawn again.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

import orjson

from sitecms.content.fingerprint import digest
from sitecms.content.post import Post
from sitecms.errors import ConfigurationError
from sitecms.media.images.derive_cache import CacheEntry, DerivedCache, DerivedFile, write_whole
from sitecms.media.images.derive_workers import run_limited_tasks
from sitecms.media.images.share_fonts import FONT_PACKAGE, Fonts, is_shaping, share_fonts
from sitecms.media.images.share_image import SHARE_HEIGHT, SHARE_WIDTH, ShareCard, draw_share_image
from sitecms.settings.site import SiteSettings
from sitecms.site.images.images import ReportProgress, processes_for
from sitecms.site.theme.style import link_colour, mixed

_VERSION = 1  # of the way in which cards are drawn: a change draws all of them again
_GROUND = (0.0, 0.36, 0.4)  # bounds of the accent's lightness, so that both texts on it have enough contrast
_INK_SHARE, _TINT_SHARE = 0.97, 0.74
_MIN_CARDS_FOR_PROCESSES = 60


@dataclass(frozen=True, slots=True)
class CardText:
    """The data of a card's text, not yet written in its locale. `title` "": the card of the site itself."""

    locale: str
    title: str = ""
    author: str = ""
    day: datetime | None = None


@dataclass(frozen=True, slots=True)
class ShareCards:
    """The drawn cards by their text; empty if cards are switched off."""

    files: Mapping[CardText, DerivedFile] = field(default_factory=dict)

    def find(self, text: CardText) -> DerivedFile | None:
        """Return the card of the text, else that of the site; None if there is neither."""
        return self.files.get(text) or self.files.get(CardText(text.locale))


def card_of_post(post: Post) -> CardText:
    """Return the text of a post's card."""
    return CardText(post.locale, post.title, post.author.name, post.published_at or post.created_at)


def make_share_cards(
    texts: Iterable[CardText],
    settings: SiteSettings,
    cache: DerivedCache,
    jobs: int = 0,
    progress: ReportProgress | None = None,
    *,
    known: Mapping[str, CacheEntry] | None = None,
    own: Container[CardText] | None = None,
) -> ShareCards:
    """Draw the cards that are neither in the cache nor `known`; of several machines each draws its `own`.

    Raises ConfigurationError for a font file that cannot be read.
    """
    if not settings.share_images.enabled or not settings.url:
        return ShareCards()
    fonts = tuple(settings.folder / name for name in settings.share_images.fonts)
    keys = _keys(texts, settings, fonts)
    known = known or {}
    entries = {text: entry for text, key in keys.items() if (entry := cache.find(key) or known.get(key))}
    missing = [text for text in keys if text not in entries and (own is None or text in own)]
    tasks = list(_tasks(missing, keys, settings, share_fonts(fonts), cache.folder))
    processes = processes_for(jobs, is_worth_it=len(tasks) > _MIN_CARDS_FOR_PROCESSES)
    for done, (number, entry) in enumerate(run_limited_tasks(tasks, processes), 1):
        if entry is not None:
            cache.keep(entry)
            entries[missing[number]] = entry
        if progress:
            progress(done, len(tasks))
    return ShareCards({text: entry.files[0] for text, entry in entries.items() if entry.files})


def _keys(texts: Iterable[CardText], settings: SiteSettings, fonts: Sequence[Path]) -> dict[CardText, str]:
    parts = (
        _VERSION, version("pillow"), version("babel"), version(FONT_PACKAGE), is_shaping(),
        [_digest_of(path) for path in fonts], settings.name, settings.description, settings.theme.accent,
        settings.timezone,
    )  # fmt: skip
    machinery = digest(orjson.dumps(parts))
    return {text: digest(orjson.dumps((machinery, text))) for text in texts}


def _digest_of(path: Path) -> str:
    from PIL import ImageFont

    try:
        ImageFont.truetype(path, 20)
        return digest(path.read_bytes())
    except OSError as error:
        raise ConfigurationError(
            f"site.toml: share_images.fonts names {path.name}, which cannot be read as a font ({error}). "
            "Put a .ttf or .otf file there, or remove the name."
        ) from error


def _tasks(
    missing: Sequence[CardText], keys: Mapping[CardText, str], settings: SiteSettings, fonts: Fonts, folder: Path
) -> Iterator[Callable[[], CacheEntry]]:
    ground = link_colour(settings.theme.accent, _GROUND)
    colors = (ground, mixed("#ffffff", ground, _INK_SHARE), mixed("#ffffff", ground, _TINT_SHARE))
    for text in missing:
        yield partial(_drawn, text, keys[text], settings, colors, fonts, folder)


def _drawn(
    text: CardText, key: str, settings: SiteSettings, colors: tuple[str, str, str], fonts: Fonts, folder: Path
) -> CacheEntry:
    """Draw one card into the folder; none if no font has its letters."""
    from sitecms.site.theme.translations import text_direction

    line = " · ".join(filter(None, (text.author, _in_words(text, settings)))) if text.title else settings.description
    is_from_right = text_direction(text.locale) == "rtl"
    data = draw_share_image(ShareCard(settings.name, text.title, line, is_from_right, *colors), fonts)
    if data is None:
        return CacheEntry(key)
    name = f"{key}-{SHARE_WIDTH}.png"
    write_whole(folder / name, data)
    return CacheEntry(key, "", (DerivedFile(name, SHARE_WIDTH, SHARE_HEIGHT, len(data)),))


def _in_words(text: CardText, settings: SiteSettings) -> str:
    from zoneinfo import ZoneInfo

    from babel.dates import format_date

    from sitecms.site.theme.translations import babel_locale

    if text.day is None:
        return ""
    return format_date(text.day.astimezone(ZoneInfo(settings.timezone)), "long", babel_locale(text.locale))
