"""All images of a build, known before the plan: variants, and the share image of each page.

A page without an image of its own gets one that is drawn from its title (a card). The name of a card is a digest of all
that it is drawn from, so a published card is not drawn again. To draw one takes as long as to read and write it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import date, datetime
from functools import cache, lru_cache, partial
from pathlib import Path
from zlib import ZLIB_RUNTIME_VERSION

import orjson

from sitecms.content.field_value import Fields
from sitecms.content.fingerprint import digest
from sitecms.content.media import MEDIA_PREFIX, MediaFile
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.errors import ConfigurationError
from sitecms.media.images.derive_cache import DerivedFile, open_cache
from sitecms.media.images.share_fonts import FONT_PACKAGE, can_draw, is_shaping, share_fonts
from sitecms.media.images.share_image import SHARE_HEIGHT, SHARE_WIDTH, ShareCard, draw_share_image
from sitecms.resources import library_version, library_versions
from sitecms.settings.site import SiteSettings
from sitecms.site.images.images import ImageShare, ImageVariants, ReportProgress, derive_variants
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import ImageView
from sitecms.site.theme.assets import FileJob
from sitecms.site.theme.style import link_colour, mixed
from sitecms.values import dataclass

_VERSION = 4  # of the way in which cards are drawn: a change draws all of them again
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
        _VERSION, library_versions().get("isal", ZLIB_RUNTIME_VERSION),
        *map(library_version, ("pillow", "babel", FONT_PACKAGE)), is_shaping(), [_digest_of(path) for path in fonts],
        settings.name, settings.description, settings.theme.accent, settings.timezone,
        *([settings.words_in] if settings.words_in else []),
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

    words = settings.words_in.get(text.locale, {})
    description = words.get(settings.description, settings.description)
    is_page = bool(text.title) and not text.author  # a post is a text of its locale already
    title = words.get(text.title, text.title) if is_page else text.title
    line = " · ".join(filter(None, (text.author, _in_words(text, settings)))) if text.title else description
    is_from_right = text_direction(text.locale) == "rtl"
    card = ShareCard(
        words.get(settings.name, settings.name), title, line, is_from_right, *_colors(settings.theme.accent)
    )
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


_SHARED_TYPES = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif"})  # formats that other sites can show
_SEO = "seo"


@dataclass(frozen=True, slots=True)
class ImagePlan:
    """The images of one build. `cards`: share images, drawn when they are written; `notes`: problems for the owner."""

    variants: ImageVariants
    cards: ShareCards = field(default_factory=ShareCards)
    notes: tuple[str, ...] = ()

    def of_post(self, post: Post) -> ImageView | None:
        """Return the share image of a post: its own image, else the card drawn from its title."""
        own = self._own(post.featured_image, post.featured_image_alt) if post.featured_image else None
        return own or (self._drawn(card_of_post(post), post.title) if self.cards.names else None)

    def of_page(self, page: Page) -> ImageView | None:
        """Return the share image of a page."""
        return self.of_fields(page.fields) or self._drawn(_card_of_page(page), page.title)

    def of_fields(self, fields: Fields) -> ImageView | None:
        """Return the first image of an entry, that of its `seo` component before all others."""
        first = _first_image((fields.get(_SEO), fields), self.variants)
        return self._own(*first) if first else None

    def of_site(self, locale: str, name: str) -> ImageView | None:
        """Return the share image of the site, for pages without an image or card of their own."""
        return self._drawn(CardText(locale), name)

    def jobs(self, names: Iterable[str]) -> Iterator[FileJob]:
        """Yield a job for each derived file of the media with these names, and for each card among them."""
        wanted = set(names)
        for file in self.variants.files(sorted(wanted)):
            path = self.variants.folder / file.name
            yield FileJob(MEDIA_PREFIX[1:] + file.name, file.name, lambda path=path, file=file: _read(path, file))  # type: ignore[misc]  # bound now

        for text, name in self.cards.names.items():
            if name in wanted:
                yield FileJob(MEDIA_PREFIX[1:] + name, name, partial(self.cards.draw, text))

    def _own(self, address: str, alt: str) -> ImageView | None:
        media = self.variants.media.get(address.removeprefix(MEDIA_PREFIX)) if address else None
        if media is None:
            return None if address.startswith(MEDIA_PREFIX) or not address else ImageView(address, alt)
        shown = self.variants.published(media)
        if shown.content_type not in _SHARED_TYPES:
            return None
        return ImageView(self.variants.base_path + shown.url, alt, shown.width, shown.height)

    def _drawn(self, text: CardText, alt: str) -> ImageView | None:
        name = self.cards.find(text)
        if name is None:
            return None
        return ImageView(self.variants.base_path + MEDIA_PREFIX + name, alt, SHARE_WIDTH, SHARE_HEIGHT)


def plan_images(
    snapshot: Snapshot,
    settings: SiteSettings,
    jobs: int = 0,
    progress: ReportProgress | None = None,
    share: ImageShare | None = None,
) -> ImagePlan:
    """Derive the images that the cache lacks; of several machines each derives those of its `share`."""
    with open_cache(settings.derived_dir) as cache:
        variants, notes = derive_variants(snapshot, settings, cache, jobs, progress, share)
    texts = dict.fromkeys(_texts(snapshot, settings, ImagePlan(variants)))
    cards = make_share_cards(texts, settings)
    return ImagePlan(variants, cards, notes)


def file_name(image: ImageView | None) -> str:
    """Return the name of the file of an image; "" for None."""
    return image.src.rpartition("/")[2] if image else ""


def plain_image_plan(media: Mapping[str, MediaFile], base_path: str) -> ImagePlan:
    """Return a plan in which every image is shown as it is."""
    return ImagePlan(ImageVariants(media, base_path=base_path))


def _texts(snapshot: Snapshot, settings: SiteSettings, undrawn: ImagePlan) -> Iterator[CardText]:
    """Yield the text of the card of each entry that has no image of its own, in the order of the content."""
    for locale in settings.locales:
        yield CardText(locale)
    for post in snapshot.posts:
        if post.locale in settings.locales and undrawn.of_post(post) is None:
            yield card_of_post(post)
    for page in snapshot.pages:
        if page.locale in settings.locales and undrawn.of_page(page) is None:
            yield _card_of_page(page)


def _card_of_page(page: Page) -> CardText:
    return CardText(page.locale, page.title)


def _first_image(value: object, variants: ImageVariants) -> tuple[str, str] | None:
    """Return address and alternative text of the first media field with an image that other sites can show."""
    if isinstance(value, dict):
        address = value.get("url")
        if isinstance(address, str) and _is_shared(address, variants):
            return address, str(value.get("alt") or "")
        value = tuple(value.values())
    inner = (_first_image(each, variants) for each in value) if isinstance(value, list | tuple) else ()
    return next(filter(None, inner), None)


def _is_shared(address: str, variants: ImageVariants) -> bool:
    media = variants.media.get(address.removeprefix(MEDIA_PREFIX))
    return media is not None and variants.published(media).content_type in _SHARED_TYPES


def _read(path: Path, file: DerivedFile) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"{path} was deleted while the site was built: {error.strerror}. Build again."
        ) from error
    if len(data) != file.size_bytes:
        raise ConfigurationError(f"{path} was changed while the site was built. Build again.")
    return data
