"""Share images that are drawn from titles (cards), for pages without an image of their own.

The key of a card is a digest of all that it is drawn from, so a card in the cache is not drawn again.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache, lru_cache, partial
from pathlib import Path
from zlib import ZLIB_RUNTIME_VERSION

import orjson

from sitecms.content.fingerprint import digest
from sitecms.content.post import Post
from sitecms.errors import ConfigurationError, OutputFailed
from sitecms.fork_pool import run_in_processes
from sitecms.media.images.derive_cache import CacheEntry, DerivedCache, DerivedFile, write_unlisted
from sitecms.media.images.share_fonts import FONT_PACKAGE, Fonts, is_shaping, share_fonts
from sitecms.media.images.share_image import SHARE_HEIGHT, SHARE_WIDTH, ShareCard, draw_share_image
from sitecms.resources import library_version
from sitecms.settings.site import SiteSettings
from sitecms.site.images.images import ReportProgress, processes_for
from sitecms.site.theme.style import link_colour, mixed

_VERSION = 2  # of the way in which cards are drawn: a change draws all of them again
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
    derived: DerivedCache,
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
    entries = {text: entry for text, key in keys.items() if (entry := derived.find(key) or known.get(key))}
    missing = [text for text in keys if text not in entries and (own is None or text in own)]
    draw = partial(_drawn, settings=settings, fonts=share_fonts(fonts), folder=derived.folder)
    done = 0
    for drawn in _in_batches([(text, keys[text]) for text in missing], draw, jobs):
        derived.keep(*drawn.values())
        entries |= drawn
        done += len(drawn)
        if progress:
            progress(done, len(missing))
    return ShareCards({text: entry.files[0] for text, entry in entries.items() if entry.files})


def _keys(texts: Iterable[CardText], settings: SiteSettings, fonts: Sequence[Path]) -> dict[CardText, str]:
    parts = (
        _VERSION, ZLIB_RUNTIME_VERSION, *map(library_version, ("pillow", "babel", FONT_PACKAGE)), is_shaping(),
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


def _in_batches(
    missing: Sequence[tuple[CardText, str]], draw: Callable[[CardText, str], CacheEntry], jobs: int
) -> Iterator[dict[CardText, CacheEntry]]:
    """Draw these cards in `jobs` processes, and yield some at a time as they are ready. Raises OutputFailed."""

    def run(batch: range, _needs: None) -> list[dict[CardText, CacheEntry] | OutputFailed]:
        try:
            return [{text: draw(text, key) for text, key in missing[batch.start : batch.stop]}]
        except OutputFailed as error:
            return [error]

    processes = processes_for(jobs, is_worth_it=len(missing) > _MIN_CARDS_FOR_PROCESSES)
    for result in run_in_processes(processes, len(missing), lambda _batch: None, run):
        if isinstance(result, OutputFailed):
            raise result
        yield result


def _drawn(text: CardText, key: str, settings: SiteSettings, fonts: Fonts, folder: Path) -> CacheEntry:
    """Draw one card into the folder; none if no font has its letters."""
    from sitecms.site.theme.translations import text_direction

    line = " · ".join(filter(None, (text.author, _in_words(text, settings)))) if text.title else settings.description
    is_from_right = text_direction(text.locale) == "rtl"
    card = ShareCard(settings.name, text.title, line, is_from_right, *_colors(settings.theme.accent))
    data = draw_share_image(card, fonts)
    if data is None:
        return CacheEntry(key)
    name = f"{key}-{SHARE_WIDTH}.png"
    write_unlisted(folder / name, data)
    return CacheEntry(key, "", (DerivedFile(name, SHARE_WIDTH, SHARE_HEIGHT, len(data)),))


@cache
def _colors(accent: str) -> tuple[str, str, str]:
    """Return the colours of ground, title and small print."""
    ground = link_colour(accent, _GROUND)
    return (ground, mixed("#ffffff", ground, _INK_SHARE), mixed("#ffffff", ground, _TINT_SHARE))


def _in_words(text: CardText, settings: SiteSettings) -> str:
    from zoneinfo import ZoneInfo

    return _day(text.day.astimezone(ZoneInfo(settings.timezone)).date(), text.locale) if text.day else ""


@lru_cache(1_000)
def _day(day: date, locale: str) -> str:
    from babel.dates import format_date

    from sitecms.site.theme.translations import babel_locale

    return format_date(day, "long", babel_locale(locale))
