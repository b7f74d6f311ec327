"""Variants of images: the widths and formats that are derived of each, its size and its colour.

Variants are derived before the plan, since pages name them: what a page shows of an image is part of its fingerprint.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import orjson
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from sitecms.content.field_value import Fields
from sitecms.content.fingerprint import digest
from sitecms.content.kinds import KINDS
from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX, NO_DETAILS, MediaFile
from sitecms.content.text.allowed_html import allowed_url
from sitecms.content.text.markdown import ResolvedImage
from sitecms.errors import InvalidMedia
from sitecms.media.decoding.cut_off import CUT_OFF, is_cut_off
from sitecms.media.images.derive_cache import CacheEntry, DerivedCache, DerivedFile, write_whole
from sitecms.media.images.derived_images import DERIVED_TYPES, LEAST_BYTES, STAND_IN_TYPES, derive
from sitecms.media.library import open_library
from sitecms.resources import library_version
from sitecms.settings.media import ImageSettings
from sitecms.settings.site import SiteSettings
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import ImageSource, ImageView

ReportProgress = Callable[[int, int], None]
"""Receives steps done and steps in all."""
DOWNLOAD_BATCH = 64  # media files of a remote library
_VERSION = 4  # of the way in which variants are derived: a change derives all of them again
_MIN_PIXELS_FOR_PROCESSES = 2_000_000
_TONE_STEP = 17
_BODY_SIZES = "(min-width: 71rem) 50rem, (min-width: 60rem) calc(100vw - 20.5rem), 90vw"
_MEDIA_IN_BYTES = re.compile(MEDIA_NAME.pattern.encode())
_IMAGE_IN_BYTES = re.compile(rb"/media/([0-9a-f]{32})(?:-[0-9]{1,5})?(\.[a-z0-9]{2,5})")
"""Address of a media file, or of a file that is derived of one and named by the key of its cache entry."""


class ImageVariants(Struct, frozen=True):
    """The derived files of media, by the name of the media file. Images without an entry are shown as they are.

    `stand_ins`: the derived files that replace media files which are not published themselves. `sources`: the names of
    the media files by the keys of their entries, with which the names of derived files begin.
    """

    media: Mapping[str, MediaFile]
    entries: Mapping[str, CacheEntry] = field(default_factory=dict)
    formats: tuple[str, ...] = ()
    largest: int = 0
    base_path: str = ""
    folder: Path = field(default_factory=Path)
    stand_ins: Mapping[str, DerivedFile] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)

    def view(self, address: str, alt: str = "") -> ImageView | None:
        """Return the image at a stored media address with its size, colour and variants; None if it is invalid.

        Without `alt` it has the alt text of the media file.
        """
        if not address:
            return None
        name = address.removeprefix(MEDIA_PREFIX)
        media = self.media.get(name)
        if media is None:
            return ImageView(address, alt) if allowed_url(address) is not None else None
        entry, published = self.entries.get(name), self.published(media)
        sources = tuple(self._sources(media, entry, self.base_path)) if entry else ()
        tone = tone_of(entry.color) if entry else ""
        said = media.details
        size = (published.width, published.height)
        focus = said.focus_classes if said is not NO_DETAILS else ""
        return ImageView(self.base_path + published.url, alt or said.alt, *size, sources, tone, focus)

    def published(self, media: MediaFile) -> MediaFile:
        """Return the file that is published for a media file: itself, or its stand-in if it is too large."""
        file = self.stand_ins.get(media.name)
        if file is None:
            return media
        content_type = STAND_IN_TYPES[file.form]
        return replace(
            media,
            name=file.name,
            content_type=content_type,
            size_bytes=file.size_bytes,
            width=file.width,
            height=file.height,
        )

    def facts(self, address: str) -> tuple[object, ...] | None:
        """Return all that `view` and `tag_in_text` add to a stored media address, for fingerprints of pages."""
        name = address.removeprefix(MEDIA_PREFIX)
        media = self.media.get(name) if address else None
        if media is None:
            return None
        entry = self.entries.get(name)
        derived = (entry.color, *(file.name for file in entry.files)) if entry else ()
        return (media.width, media.height, media.details.alt, media.details.focus_classes, *derived)

    def tag_in_text(self, attributes: Mapping[str, str]) -> str | None:
        """Return an image in sanitised HTML with its focal point, as a <picture> if it has variants; None for others.

        Addresses start at the root, as they are stored. An image with a `srcset` gets no variants.
        """
        name = attributes.get("src", "").removeprefix(MEDIA_PREFIX)
        media, entry = self.media.get(name), self.entries.get(name)
        if media is None or "srcset" in attributes:
            return None
        focus = media.details.focus_classes if media.details is not NO_DETAILS else ""
        if entry is None:
            return _image_tag(attributes, focus) if focus else None
        published = self.published(media)
        tag_attributes = {**attributes, "src": published.url}
        if published.width and published.height and not attributes.keys() & {"width", "height"}:
            tag_attributes |= {"width": str(published.width), "height": str(published.height)}
        image = _image_tag(tag_attributes, tone_of(entry.color) if _is_wide(media) else "", focus)
        sources = "".join(
            f'<source type="{source.type}" srcset="{source.srcset}" sizes="{_BODY_SIZES}">'
            for source in self._sources(media, entry, "")
        )
        return f"<picture>{sources}{image}</picture>" if sources else image

    def named_in(self, serialised: bytes) -> tuple[MediaFile, ...]:
        """Return the media files that serialised values show, themselves or by a derived file, in order of name.

        A large image may be shown by its derived files alone.
        """
        images_by_address = {
            self.sources.get(key.decode()) or (key + ending).decode()
            for key, ending in _IMAGE_IN_BYTES.findall(serialised)
        }
        return tuple(self.media[name] for name in sorted(images_by_address) if name in self.media)

    def resolved(self, address: str) -> ResolvedImage | None:
        """Return an image of the library with its size, for Markdown; None for another address."""
        media = self.media.get(address.removeprefix(MEDIA_PREFIX)) if address.startswith(MEDIA_PREFIX) else None
        return ResolvedImage(address, media.width, media.height) if media else None

    def files(self, names: Iterable[str]) -> tuple[DerivedFile, ...]:
        """Return the derived files of these media files."""
        entries = (self.entries[name] for name in names if name in self.entries)
        return tuple(file for entry in entries for file in entry.files)

    def _sources(self, media: MediaFile, entry: CacheEntry, prefix: str) -> Iterator[ImageSource]:
        """Yield the widths of each format; the image itself replaces a variant that would have more bytes."""
        for form in self.formats:
            files = [file for file in entry.files if file.form == form]
            if not files:
                continue
            candidates = [f"{prefix}{MEDIA_PREFIX}{file.name} {file.width}w" for file in files]
            if media.width and files[-1].width < min(media.width, self.largest):
                published = self.published(media)
                candidates.append(f"{prefix}{published.url} {published.width}w")
            yield ImageSource(f"image/{form}", ", ".join(candidates))


def _image_tag(attributes: Mapping[str, str], *classes: str) -> str:
    """Return an <img> with further classes; values of attributes are escaped already."""
    css_classes = " ".join(filter(None, (attributes.get("class"), *classes)))
    written = "".join(
        f' {key}="{value}"' for key, value in {**attributes, **({"class": css_classes} if css_classes else {})}.items()
    )
    return f"<img{written}>"


def tone_of(color: str) -> str:
    """Return the classes of style.css for a colour, each of its parts in one of sixteen steps; "" for no colour."""
    if not color:
        return ""
    parts = (int(color[start : start + 2], 16) for start in (1, 3, 5))
    return "tone " + " ".join(f"{name}{round(part / _TONE_STEP):x}" for name, part in zip("rgb", parts, strict=True))


def _is_wide(media: MediaFile) -> bool:
    """Return whether the image fills its box in a text; the box of a higher one is wider, and gets no colour."""
    return bool(media.width and media.height and media.width >= media.height * 1.25)


def derive_variants(
    snapshot: Snapshot,
    settings: SiteSettings,
    cache: DerivedCache,
    jobs: int = 0,
    progress: ReportProgress | None = None,
) -> tuple[ImageVariants, tuple[str, ...]]:
    """Return the variants of all published images, and a note for each that is broken or stays as it is.

    Derives the variants that the cache lacks, in `jobs` processes (0: as many as processors).
    """
    images, published = settings.images, _published(snapshot)
    sources = {name: media for name, media in published.items() if images.enabled and media.size_bytes >= LEAST_BYTES}
    keys = _keys(sources, images)
    entries = {name: entry for name, key in keys.items() if (entry := cache.find(key))}
    notes = []
    missing = [sources[name] for name in keys if name not in entries]
    for done, (media, entry) in enumerate(_derive_missing(missing, keys, settings, cache, jobs), 1):
        if entry is None:
            notes.append(
                f"{media.original_name} is published as it is: to make it smaller takes too much time or memory"
            )
        else:
            cache.keep(entry)
            entries[media.name] = entry
        if progress:
            progress(done, len(missing))
    stand_ins = {name: file for name, each in entries.items() for file in each.files if file.form in STAND_IN_TYPES}
    variants = ImageVariants(
        snapshot.media,
        entries,
        images.formats,
        images.widths[-1],
        settings.base_path,
        cache.folder,
        stand_ins,
        sources={entry.key: name for name, entry in entries.items()},
    )
    notes += _broken(published, entries, snapshot, settings)
    return variants, tuple(sorted(notes))


def _broken(
    published: Mapping[str, MediaFile], entries: Mapping[str, CacheEntry], snapshot: Snapshot, settings: SiteSettings
) -> Iterator[str]:
    """Yield a note about each broken image. Of those without variants only the end is looked at, if they are here."""
    library = open_library(settings)
    for name, media in published.items():
        entry = entries.get(name)
        problem = entry.problem if entry else ""
        if entry is None and not library.is_remote and library.exists(name):
            problem = CUT_OFF if is_cut_off(library.path(name), media.content_type) else ""
        if problem:
            yield (
                f"{media.original_name}{_place_of(name, snapshot)} is broken, so readers see a part of it or nothing "
                f"({problem}): copy or save it again"
            )


def _place_of(name: str, snapshot: Snapshot) -> str:
    """Return the first entry that shows the image, in words; "" for none."""
    for entry in snapshot.all_entries:
        if name in (*entry.body_media, entry.featured_image.removeprefix(MEDIA_PREFIX)) or _is_in(name, entry.fields):
            kind = KINDS[entry.kind]
            place = f"{entry.type or '*'}/" if kind.type_key else ""
            return f" in the {entry.kind} {place}{entry.slug if kind.has_slug else entry.id}"
    return ""


def _is_in(name: str, fields: Fields) -> bool:
    return bool(fields) and name.encode() in orjson.dumps(fields)


def _keys(sources: Mapping[str, MediaFile], images: ImageSettings) -> dict[str, str]:
    """Return the key of each image in the cache; the limits of originals are part of it for larger ones only."""
    plain = replace(images, original_max_pixels=0, original_max_mb=0)
    machinery = digest(orjson.dumps((_VERSION, library_version("pillow"), plain), default=asdict))
    return {
        name: digest(f"{name} {machinery}{' with a stand-in' if _is_too_large(media, images) else ''}".encode())
        for name, media in sources.items()
    }


def _is_too_large(media: MediaFile, images: ImageSettings) -> bool:
    return not images.publishes_original(media.width or 0, media.height or 0, media.size_bytes)


def _derive_missing(
    missing: list[MediaFile], keys: Mapping[str, str], settings: SiteSettings, cache: DerivedCache, jobs: int
) -> Iterator[tuple[MediaFile, CacheEntry | None]]:
    """Derive these images, None for one that takes too much time or memory. Remote files are downloaded first."""
    if not missing:
        return
    from sitecms.media.images.limited_tasks import run_limited_tasks

    library = open_library(settings)
    batch_size = DOWNLOAD_BATCH if library.is_remote else max(1, len(missing))
    for start in range(0, len(missing), batch_size):
        batch = missing[start : start + batch_size]
        with library.storage.held([each.name for each in batch], keep=True) as paths:
            present = [each for each in batch if each.name in paths]
            tasks = [
                partial(
                    _derived,
                    paths[each.name],
                    keys[each.name],
                    cache.folder,
                    settings.images,
                    with_stand_in=_is_too_large(each, settings.images),
                )
                for each in present
            ]
            processes = processes_for(jobs, is_worth_it=sum(map(_pixels, present)) > _MIN_PIXELS_FOR_PROCESSES)
            for number, entry in run_limited_tasks(tasks, processes):
                yield present[number], entry


def _published(snapshot: Snapshot) -> dict[str, MediaFile]:
    """Return the images that published content names, sorted by name."""
    names: set[str] = set()
    for entry in snapshot.all_entries:
        names.update(entry.body_media)
        names.add(entry.featured_image.removeprefix(MEDIA_PREFIX))
    names.update(author.profile_image.removeprefix(MEDIA_PREFIX) for author in snapshot.authors)
    fields = (entry.fields for entry in snapshot.all_entries)
    names.update(name.decode() for each in fields if each for name in _MEDIA_IN_BYTES.findall(orjson.dumps(each)))
    images = {name: snapshot.media[name] for name in sorted(names) if name in snapshot.media}
    return {name: media for name, media in images.items() if media.content_type in DERIVED_TYPES}


def processes_for(jobs: int, *, is_worth_it: bool) -> int:
    """Return the number of processes: one for work so small that starting others would take longer."""
    return (jobs or os.cpu_count() or 1) if is_worth_it else 1


def _pixels(media: MediaFile) -> int:
    return (media.width or 0) * (media.height or 0)


def _derived(path: Path, key: str, folder: Path, images: ImageSettings, *, with_stand_in: bool) -> CacheEntry | None:
    """Derive the variants of an image into the folder; one of which nothing can be decoded has none."""
    try:
        derived = derive(path.read_bytes(), images, with_stand_in=with_stand_in)
    except InvalidMedia as error:
        return CacheEntry(key, problem=str(error))
    files = []
    for variant in derived.variants:
        name = f"{key}-{variant.width}.{variant.form}"
        write_whole(folder / name, variant.data)
        files.append(DerivedFile(name, variant.width, variant.height, len(variant.data)))
    return CacheEntry(key, derived.color, tuple(files), derived.problem)
