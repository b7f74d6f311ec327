"""Cards: share images that are drawn from the title of a page which has no image of its own.

The name of a card is a digest of all that it is drawn from, so a published card is not drawn again. To draw one takes
as long as to read and write it.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path

import orjson
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from sitecms.content.entry import Entry
from sitecms.content.fingerprint import digest
from sitecms.errors import ConfigurationError
from sitecms.media.images.share_image import (
    FONT_PACKAGE,
    SHADES,
    SHARE_WIDTH,
    CardFile,
    Fonts,
    ShareCard,
    can_draw,
    draw_share_image,
    font_at,
    is_shaping,
    shade,
    share_fonts,
)
from sitecms.resources import library_version
from sitecms.settings.fonts import FontFile
from sitecms.settings.site import SiteSettings
from sitecms.settings.theme import ThemeSettings
from sitecms.site.theme.style import READABLE, contrast

_VERSION = 5  # of the way in which cards are drawn: a change draws all of them again
_WHITE, _BLACK = "#ffffff", "#000000"
_LEAST_TINT = 11  # of SHADES; a text in a softer tone is hard to read even where its contrast is enough
_HEAVY = 600
_TRIED_SIZE = 20
_OPAQUE = (".jpg", ".jpeg")


class CardText(Struct, frozen=True):
    """The data of a card's text, not yet written in its locale. `title` "": the card of the site itself."""

    locale: str
    title: str = ""
    author: str = ""
    day: datetime | None = None


class ShareCards(Struct, frozen=True):
    """The cards of a site: the names of their files by text; empty if cards are switched off.

    `blank` is a card without texts; `undrawn`: titles in letters that no font has, which have no card.
    """

    names: Mapping[CardText, str] = field(default_factory=dict)
    settings: SiteSettings | None = None
    fonts: Fonts = Fonts((), ())
    blank: ShareCard | None = None
    undrawn: tuple[str, ...] = ()

    def find(self, text: CardText) -> str | None:
        """Return the file name of the card of the text, else of that of the site; None if there is neither."""
        return self.names.get(text) or self.names.get(CardText(text.locale))

    def draw(self, text: CardText) -> bytes:
        """Draw a card that has a name."""
        if self.settings is None or self.blank is None:
            return b""
        data = draw_share_image(_written(text, self.settings, self.blank), self.fonts)
        if data is None:
            raise ConfigurationError("The font of the share images was changed while the site was built. Build again.")
        return data

    def notes(self) -> tuple[str, ...]:
        """Return a note about titles that are not drawn."""
        if not self.undrawn:
            return ()
        more = f" and {len(self.undrawn) - 1} other titles" if len(self.undrawn) > 1 else ""
        remedy = "name a font that has them under [share_images] fonts"
        if not is_shaping():
            remedy += "; Arabic, Hebrew and Indic scripts also need the library FriBiDi on this machine"
        return (f'No share image is drawn for "{self.undrawn[0][:60]}"{more}: no font has all letters ({remedy})',)


def card_of_post(post: Entry) -> CardText:
    """Return the text of a post's card."""
    return CardText(post.locale, post.title, post.author.name, post.published_at or post.created_at)


def card_of_page(page: Entry) -> CardText:
    """Return the text of a page's card."""
    return CardText(page.locale, page.title)


def draw_card(text: CardText, settings: SiteSettings) -> bytes | None:
    """Draw the card of a text, else that of the site; return None where the site has neither."""
    of_site = CardText(text.locale)
    cards = make_share_cards((text, of_site), settings)
    drawn = next((each for each in (text, of_site) if each in cards.names), None)
    return cards.draw(drawn) if drawn else None


def make_share_cards(texts: Iterable[CardText], settings: SiteSettings) -> ShareCards:
    """Return the cards of these texts but those in letters that no font has. None is drawn yet.

    Raises ConfigurationError for a font file that cannot be read.
    """
    if not settings.share_images.enabled or not settings.url:
        return ShareCards()
    fonts, blank = _fonts(settings), _blank(settings)
    inputs = _inputs(settings, fonts, blank)
    names, undrawn = {}, []
    for text in texts:
        title = _title(text, settings) or _name(text, settings)
        if can_draw(title, fonts):
            names[text] = f"{digest(orjson.dumps((inputs, text), default=asdict))}-{SHARE_WIDTH}.png"
        else:
            undrawn.append(title)
    return ShareCards(names, settings, fonts, blank, tuple(dict.fromkeys(undrawn)))


def _inputs(settings: SiteSettings, fonts: Fonts, blank: ShareCard) -> str:
    """Return the digest of all that a card is drawn from but its text."""
    files = [font.digest for font in fonts.strong]
    look = (blank.ground, blank.ink, blank.tint, blank.logo and blank.logo.digest, blank.has_plate)
    parts = (
        _VERSION, *map(library_version, ("pillow", "babel", FONT_PACKAGE)), is_shaping(), files, look,
        settings.name, settings.description, settings.timezone, *([settings.words_in] if settings.words_in else []),
    )  # fmt: skip
    return digest(orjson.dumps(parts))


def _fonts(settings: SiteSettings) -> Fonts:
    """Return the fonts that the site names for cards, that of its headings, and the built-in one."""
    files = []
    for name in settings.share_images.fonts:
        try:
            files.append(_readable_font(settings.folder / name))
        except OSError as error:
            raise ConfigurationError(
                f"site.toml: share_images.fonts names {Path(name).name}, which cannot be read as a font ({error}). "
                "Put a .ttf, .otf or .woff2 file there, or remove the name."
            ) from error
    heading = _heading_font(settings.theme, settings.folder)
    return share_fonts((*files, *([heading] if heading else ())))


def _readable_font(path: Path) -> CardFile:
    """Return a font. Raises OSError if it cannot be read."""
    file = _card_file(path)
    font_at(file, _TRIED_SIZE)
    return file


def _card_file(path: Path) -> CardFile:
    return CardFile(path, digest(path.read_bytes()))


def _heading_font(theme: ThemeSettings, folder: Path) -> CardFile | None:
    """Return the site's file of the font of headings, in the weight next to theirs; None if none can be read."""
    family = theme.heading_font or theme.text_font
    files = [font for font in theme.fonts if font.family == family and font.style == "normal"]
    for font in sorted(files, key=_distance):
        with suppress(OSError):
            return _readable_font(_asset(folder, font.file))
    return None


def _distance(font: FontFile) -> int:
    weights = [int(weight) for weight in font.weight.split()]
    return max(min(weights) - _HEAVY, _HEAVY - max(weights), 0)


def _asset(folder: Path, name: str) -> Path:
    return folder / (name if name.startswith("media/") else f"assets/{name}")


def _logo(theme: ThemeSettings, folder: Path) -> tuple[CardFile | None, bool]:
    """Return the logo for the ground of the cards, and whether it needs a plate: it was made for a light page.

    An SVG file is left out, since Pillow cannot draw it.
    """
    is_dark = _colours(theme.accent)[0] == _WHITE
    names = (theme.dark_logo, theme.logo) if is_dark else (theme.logo,)
    for name in names:
        path = _asset(folder, name)
        if name and not name.lower().endswith(".svg") and path.is_file():
            return _card_file(path), is_dark and name != theme.dark_logo and not name.lower().endswith(_OPAQUE)
    return None, False


def _colours(accent: str) -> tuple[str, int]:
    """Return the ink on the accent, white where that can be read, and the softest shade that can be read, too."""
    ink = _WHITE if contrast(_WHITE, accent) >= READABLE else _BLACK
    tints = (tint for tint in range(_LEAST_TINT, SHADES) if contrast(shade(accent, ink, tint), accent) >= READABLE)
    return ink, next(tints, SHADES - 1)


def _title(text: CardText, settings: SiteSettings) -> str:
    """Return the title in its locale; that of a post is written in it."""
    return text.title if text.author else _in_locale(text.title, text, settings)


def _name(text: CardText, settings: SiteSettings) -> str:
    return _in_locale(settings.name, text, settings)


def _in_locale(words: str, text: CardText, settings: SiteSettings) -> str:
    return settings.words_in.get(text.locale, {}).get(words, words)


def _blank(settings: SiteSettings) -> ShareCard:
    """Return a card without texts."""
    accent = settings.theme.accent
    logo, has_plate = _logo(settings.theme, settings.folder)
    return ShareCard("", "", "", False, accent, *_colours(accent), logo, has_plate)


def _written(text: CardText, settings: SiteSettings, blank: ShareCard) -> ShareCard:
    """Return the card with its texts, in their locale."""
    from sitecms.translations import text_direction

    about = " · ".join(filter(None, (text.author, _in_words(text, settings))))
    return replace(
        blank,
        site_name=_name(text, settings),
        title=_title(text, settings),
        line=about if text.title else _in_locale(settings.description, text, settings),
        is_from_right=text_direction(settings.language_tag(text.locale)) == "rtl",
    )


def _in_words(text: CardText, settings: SiteSettings) -> str:
    from zoneinfo import ZoneInfo

    if text.day is None:
        return ""
    return _day(text.day.astimezone(ZoneInfo(settings.timezone)).date(), settings.language_tag(text.locale))


@lru_cache(1_000)
def _day(day: date, language: str) -> str:
    from babel.dates import format_date

    from sitecms.translations import babel_locale

    return format_date(day, "long", babel_locale(language))
