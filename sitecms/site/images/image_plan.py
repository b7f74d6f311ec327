"""All pictures of a build, decided before the plan: variants of images, and what each page is shared with."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sitecms.content.field_value import Fields
from sitecms.content.media import MEDIA_PREFIX, MediaFile
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.errors import ConfigurationError
from sitecms.media.images.derive_cache import DerivedFile, open_cache
from sitecms.settings.site import SiteSettings
from sitecms.site.images.images import Part, Pictures, Told, make_pictures
from sitecms.site.images.share_images import CardText, ShareCards, card_of_post, make_share_cards
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import ImageView
from sitecms.site.theme.assets import FileJob

_SHARED_TYPES = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif"})  # what other sites can show
_SEO = "seo"


@dataclass(frozen=True, slots=True)
class Gallery:
    """The pictures of one build; `notes` are what an owner may not have meant."""

    pictures: Pictures
    cards: ShareCards = field(default_factory=ShareCards)
    notes: tuple[str, ...] = ()

    def of_post(self, post: Post) -> ImageView | None:
        """What the post is shared with: its own image, else the one drawn from its title."""
        own = self._own(post.featured_image, post.featured_image_alt) if post.featured_image else None
        return own or (self._drawn(card_of_post(post), post.title) if self.cards.files else None)

    def of_page(self, page: Page) -> ImageView | None:
        """What the page is shared with."""
        return self.of_fields(page.fields) or self._drawn(_card_of_page(page), page.title)

    def of_fields(self, fields: Fields) -> ImageView | None:
        """The first image of an entry, that of its `seo` component before all others."""
        found = _first_image((fields.get(_SEO), fields), self.pictures)
        return self._own(*found) if found else None

    def of_site(self, locale: str, name: str) -> ImageView | None:
        """What all pages are shared with that have neither an image nor a card of their own."""
        return self._drawn(CardText(locale), name)

    def jobs(self, names: Iterable[str]) -> Iterator[FileJob]:
        """A copy of each derived file of the media of these names, and of each drawn picture among the names."""
        wanted = set(names)
        drawn = [file for file in self.cards.files.values() if file.name in wanted]
        for file in (*self.pictures.files(sorted(wanted)), *drawn):
            path = self.pictures.folder / file.name
            yield FileJob(MEDIA_PREFIX[1:] + file.name, file.name, lambda path=path, file=file: _read(path, file))  # type: ignore[misc]  # bound now

    def _own(self, address: str, alt: str) -> ImageView | None:
        media = self.pictures.media.get(address.removeprefix(MEDIA_PREFIX)) if address else None
        if media is None:
            return None if address.startswith(MEDIA_PREFIX) or not address else ImageView(address, alt)
        shown = self.pictures.published(media)
        if shown.content_type not in _SHARED_TYPES:
            return None
        return ImageView(self.pictures.base_path + shown.url, alt, shown.width, shown.height)

    def _drawn(self, text: CardText, alt: str) -> ImageView | None:
        file = self.cards.find(text)
        if file is None:
            return None
        return ImageView(self.pictures.base_path + MEDIA_PREFIX + file.name, alt, file.width, file.height)


def make_gallery(
    snapshot: Snapshot, settings: SiteSettings, jobs: int = 0, told: Told | None = None, part: Part | None = None
) -> Gallery:
    """Make what the cache of derived files does not hold yet, in this machine's part; a second build makes nothing."""
    with open_cache(settings.derived_dir) as cache:
        pictures, notes = make_pictures(snapshot, settings, cache, jobs, told, part)
        undrawn = Gallery(pictures)
        known, mine = (part.known, set(_texts(part.snapshot, settings, undrawn))) if part else ({}, None)
        texts = dict.fromkeys(_texts(snapshot, settings, undrawn))
        cards = make_share_cards(texts, settings, cache, jobs, told, known=known, mine=mine)
    return Gallery(pictures, cards, notes)


def file_name(image: ImageView | None) -> str:
    """The name under which an image is kept; "" for none."""
    return image.src.rpartition("/")[2] if image else ""


def plain_gallery(media: Mapping[str, MediaFile], base_path: str) -> Gallery:
    """One in which every image is shown as it is."""
    return Gallery(Pictures(media, base_path=base_path))


def _texts(snapshot: Snapshot, settings: SiteSettings, undrawn: Gallery) -> Iterator[CardText]:
    """What the cards say of all that has no image of its own, in an order that the content decides."""
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


def _first_image(value: object, pictures: Pictures) -> tuple[str, str] | None:
    """Address and alternative text of the first media field that holds an image fit to be shared."""
    if isinstance(value, dict):
        address = value.get("url")
        if isinstance(address, str) and _is_shared(address, pictures):
            return address, str(value.get("alt") or "")
        value = tuple(value.values())
    inner = (_first_image(each, pictures) for each in value) if isinstance(value, list | tuple) else ()
    return next(filter(None, inner), None)


def _is_shared(address: str, pictures: Pictures) -> bool:
    found = pictures.media.get(address.removeprefix(MEDIA_PREFIX))
    return found is not None and pictures.published(found).content_type in _SHARED_TYPES


def _read(path: Path, file: DerivedFile) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{path} has gone while the site was built: {error.strerror}. Build again.") from error
    if len(data) != file.size_bytes:
        raise ConfigurationError(f"{path} was changed while the site was built. Build again.")
    return data
