"""Share images that are drawn from titles (cards), for pages without an image of their own.

The name of a card is a digest of all that it is drawn from, so a published card is not drawn again. To draw one takes
as long as to read and write it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache, lru_cache
from pathlib import Path
from zlib import ZLIB_RUNTIME_VERSION

import orjson

from sitecms.content.fingerprint import digest
from sitecms.content.post import Post
from sitecms.errors import ConfigurationError
from sitecms.media.images.share_fonts import FONT_PACKAGE, can_draw, is_shaping, share_fonts
from sitecms.media.images.share_image import SHARE_WIDTH, ShareCard, draw_share_image
from sitecms.resources import library_version
from sitecms.settings.site import SiteSettings
from sitecms.site.theme.style import link_colour, mixed

_VERSION = 3  # of the way in which cards are drawn: a change draws all of them again
_GROUND = (0.0, 0.36, 0.4)  # bounds of the accent's lightness, so that both texts on it have enough contrast
_INK_SHARE, _TINT_SHARE = 0.97, 0.74


@dataclass(frozen=True, slots=True)
class CardText:
    """The data of a card's text, not yet written in its locale. `title` "": the card of the site itself."""

    locale: str
    title: str = ""
    author: str = ""
    day: datetime | None = None


@dataclass(frozen=True, slots=True)
class ShareCards:
    """The cards of a site: the names of their files by text; empty if cards are switched off."""

    names: Mapping[CardText, str] = field(default_factory=dict)
    settings: SiteSettings | None = None

    def find(self, text: CardText) -> str | None:
        """Return the file name of the card of the text, else of that of the site; None if there is neither."""
        return self.names.get(text) or self.names.get(CardText(text.locale))

    def draw(self, text: CardText) -> bytes:
        """Draw a card that has a name."""
        return _drawn(text, self.settings) if self.settings else b""


def card_of_post(post: Post) -> CardText:
    """Return the text of a post's card."""
    return CardText(post.locale, post.title, post.author.name, post.published_at or post.created_at)


def make_share_cards(texts: Iterable[CardText], settings: SiteSettings) -> ShareCards:
    """Return the cards of these texts but those in letters that no font has. None is drawn yet.

    Raises ConfigurationError for a font file that cannot be read.
    """
    if not settings.share_images.enabled or not settings.url:
        return ShareCards()
    own = tuple(settings.folder / name for name in settings.share_images.fonts)
    machinery, fonts = _machinery(settings, own), share_fonts(own)
    shown = (text for text in texts if can_draw(text.title or settings.name, fonts))
    names = {text: f"{digest(orjson.dumps((machinery, text)))}-{SHARE_WIDTH}.png" for text in shown}
    return ShareCards(names, settings)


def _machinery(settings: SiteSettings, fonts: Sequence[Path]) -> str:
    """Return the digest of all that a card is drawn from but its text."""
    parts = (
        _VERSION, ZLIB_RUNTIME_VERSION, *map(library_version, ("pillow", "babel", FONT_PACKAGE)), is_shaping(),
        [_digest_of(path) for path in fonts], settings.name, settings.description, settings.theme.accent,
        settings.timezone,
    )  # fmt: skip
    return digest(orjson.dumps(parts))


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


def _drawn(text: CardText, settings: SiteSettings) -> bytes:
    from sitecms.site.theme.translations import text_direction

    line = " · ".join(filter(None, (text.author, _in_words(text, settings)))) if text.title else settings.description
    is_from_right = text_direction(text.locale) == "rtl"
    card = ShareCard(settings.name, text.title, line, is_from_right, *_colors(settings.theme.accent))
    data = draw_share_image(card, share_fonts(tuple(settings.folder / name for name in settings.share_images.fonts)))
    if data is None:
        raise ConfigurationError("The font of the share images was changed while the site was built. Build again.")
    return data


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
