"""All images of a build, known before the plan: variants, and the share image of each page.

A page without an image of its own gets one that is drawn from its title (a card).
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct, field

from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields
from sitecms.content.media import MEDIA_PREFIX, MediaFile
from sitecms.content.schema import FEATURED_IMAGE
from sitecms.errors import ConfigurationError
from sitecms.media.images.derive_cache import DerivedFile, open_cache
from sitecms.media.images.share_image import SHARE_HEIGHT, SHARE_WIDTH
from sitecms.settings.site import SiteSettings
from sitecms.site.images.images import ImageVariants, ReportProgress, derive_variants
from sitecms.site.images.share_cards import CardText, ShareCards, card_of_page, card_of_post, make_share_cards
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import ImageView
from sitecms.site.theme.assets import FileJob

_SHARED_TYPES = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif"})  # formats that other sites can show
_SEO = "seo"


class ImagePlan(Struct, frozen=True):
    """The images of one build. `cards`: share images, drawn when they are written; `notes`: problems for the owner."""

    variants: ImageVariants
    cards: ShareCards = field(default_factory=ShareCards)
    notes: tuple[str, ...] = ()

    def of_post(self, post: Entry) -> ImageView | None:
        """Return the share image of a post: its own image, else the card drawn from its title."""
        featured = self._own(post.featured_image, post.featured_image_alt) if post.featured_image else None
        return featured or (self._drawn(card_of_post(post), post.title) if self.cards.names else None)

    def of_page(self, page: Entry) -> ImageView | None:
        """Return the share image of a page."""
        return self.of_fields(page.fields) or self._drawn(card_of_page(page), page.title)

    def of_fields(self, fields: Fields) -> ImageView | None:
        """Return the first image of an entry; before all others that of its `seo` component, then its featured one."""
        first = _first_image((fields.get(_SEO), fields.get(FEATURED_IMAGE), fields), self.variants)
        return self._own(*first) if first else None

    def of_site(self, locale: str, name: str) -> ImageView | None:
        """Return the share image of the site, for pages without an image or card of their own."""
        return self._drawn(CardText(locale), name)

    def jobs(self, names: Iterable[str]) -> Iterator[FileJob]:
        """Yield a job for each derived file of the media with these names, and for each card among them."""
        names_of_media = set(names)
        for file in self.variants.files(sorted(names_of_media)):
            path = self.variants.folder / file.name
            yield FileJob(MEDIA_PREFIX[1:] + file.name, file.name, lambda path=path, file=file: _read(path, file))  # type: ignore[misc]  # bound now

        for text, name in self.cards.names.items():
            if name in names_of_media:
                yield FileJob(MEDIA_PREFIX[1:] + name, name, partial(self.cards.draw, text))

    def _own(self, address: str, alt: str) -> ImageView | None:
        media = self.variants.media.get(address.removeprefix(MEDIA_PREFIX)) if address else None
        if media is None:
            return None if address.startswith(MEDIA_PREFIX) or not address else ImageView(address, alt)
        published = self.variants.published(media)
        if published.content_type not in _SHARED_TYPES:
            return None
        return ImageView(self.variants.base_path + published.url, alt, published.width, published.height)

    def _drawn(self, text: CardText, alt: str) -> ImageView | None:
        name = self.cards.find(text)
        if name is None:
            return None
        return ImageView(self.variants.base_path + MEDIA_PREFIX + name, alt, SHARE_WIDTH, SHARE_HEIGHT)


def plan_images(
    snapshot: Snapshot, settings: SiteSettings, jobs: int = 0, progress: ReportProgress | None = None
) -> ImagePlan:
    """Derive the images that the cache lacks."""
    with open_cache(settings.derived_dir) as cache:
        variants, notes = derive_variants(snapshot, settings, cache, jobs, progress)
    texts = dict.fromkeys(_texts(snapshot, settings, ImagePlan(variants)))
    cards = make_share_cards(texts, settings)
    return ImagePlan(variants, cards, (*notes, *cards.notes()))


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
            yield card_of_page(page)


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
