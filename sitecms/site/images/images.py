"""What becomes of a page's images: each in the widths and formats that were derived of it, with its size and colour.

Variants are made before the plan, since pages name them; what a page shows of an image is part of its fingerprint.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

import orjson

from sitecms.content.fingerprint import digest
from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX, MediaFile
from sitecms.content.text.allowed_html import allowed_url
from sitecms.content.text.markdown import ResolvedImage
from sitecms.errors import InvalidMedia
from sitecms.media.images.derive_cache import DerivedCache, DerivedFile, Entry, write_whole
from sitecms.media.images.derive_workers import in_processes
from sitecms.media.images.derived_images import DERIVED_TYPES, LEAST_BYTES, STAND_IN_TYPES, derive
from sitecms.media.library import open_library
from sitecms.settings.images import ImageSettings
from sitecms.settings.site import SiteSettings
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import ImageSource, ImageView

Told = Callable[[int, int], None]
BROUGHT_AT_ONCE = 64  # of media files in a remote library
_VERSION = 1  # of the way variants are made: a change of it makes all of them anew
_PIXELS_WORTH_PROCESSES = 2_000_000
_TONE_STEP = 17
_BODY_SIZES = "(min-width: 71rem) 50rem, (min-width: 60rem) calc(100vw - 20.5rem), 90vw"
_MEDIA_IN_BYTES = re.compile(MEDIA_NAME.pattern.encode())
# These read sanitised HTML, where every attribute stands in double quotes and holds neither `"` nor `>`.
_IMAGE = re.compile(r"<picture[ >].*?</picture>|<img( [^>]*)>", re.DOTALL)
_IMG = re.compile(r"<img( [^>]*)>")
_LAZY = (("loading", "lazy"), ("decoding", "async"))
_ATTRIBUTE = re.compile(r' ([^\s="]+)="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Pictures:
    """The derived files of media, by the media file's name. Without entries, images stay as they are.

    `stand_ins` are those derived files that take the place of a media file which is not published itself.
    """

    media: Mapping[str, MediaFile]
    entries: Mapping[str, Entry] = field(default_factory=dict)
    formats: tuple[str, ...] = ()
    largest: int = 0
    base_path: str = ""
    folder: Path = field(default_factory=Path)
    stand_ins: Mapping[str, DerivedFile] = field(default_factory=dict)

    def view(self, address: str, alt: str = "") -> ImageView | None:
        """The image at a stored media address, with all that is known of it; None for what is no image's address."""
        if not address:
            return None
        name = address.removeprefix(MEDIA_PREFIX)
        media = self.media.get(name)
        if media is None:
            return ImageView(address, alt) if allowed_url(address) is not None else None
        entry, shown = self.entries.get(name), self.published(media)
        sources = tuple(self._sources(media, entry, self.base_path)) if entry else ()
        tone = tone_of(entry.color) if entry else ""
        return ImageView(self.base_path + shown.url, alt, shown.width, shown.height, sources, tone)

    def published(self, media: MediaFile) -> MediaFile:
        """Return the file that is published for a media file: itself, or what takes its place where it is too large."""
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
        """What `view` and `in_html` add to a stored media address: part of the fingerprint of what shows it."""
        name = address.removeprefix(MEDIA_PREFIX)
        media = self.media.get(name) if address else None
        if media is None:
            return None
        entry = self.entries.get(name)
        derived = (entry.color, *(file.name for file in entry.files)) if entry else ()
        return (media.width, media.height, *derived)

    def in_html(self, html: str) -> str:
        """Sanitised HTML in which each image of the library is a <picture> of its variants, and all load lazily.

        Addresses start at the root, as they are stored; images in a <picture> of the author's, and those with a
        `srcset`, have no variants.
        """
        if "<img" not in html:
            return html
        lazy = _IMG.sub(_lazy, html)
        return _IMAGE.sub(self._pictured, lazy) if self.entries else lazy

    def resolved(self, address: str) -> ResolvedImage | None:
        """An image of the library with its size, for Markdown; None for another address."""
        media = self.media.get(address.removeprefix(MEDIA_PREFIX)) if address.startswith(MEDIA_PREFIX) else None
        return ResolvedImage(address, media.width, media.height) if media else None

    def files(self, names: Iterable[str]) -> tuple[DerivedFile, ...]:
        """The derived files of these media files."""
        entries = (self.entries[name] for name in names if name in self.entries)
        return tuple(file for entry in entries for file in entry.files)

    def _sources(self, media: MediaFile, entry: Entry, prefix: str) -> Iterator[ImageSource]:
        """In each format the widths that there are; the image itself in place of one that would have been heavier."""
        for form in self.formats:
            files = [file for file in entry.files if file.form == form]
            if not files:
                continue
            candidates = [f"{prefix}{MEDIA_PREFIX}{file.name} {file.width}w" for file in files]
            if media.width and files[-1].width < min(media.width, self.largest):
                shown = self.published(media)
                candidates.append(f"{prefix}{shown.url} {shown.width}w")
            yield ImageSource(f"image/{form}", ", ".join(candidates))

    def _pictured(self, match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        attributes = dict(_ATTRIBUTE.findall(match[1]))
        name = attributes.get("src", "").removeprefix(MEDIA_PREFIX)
        media, entry = self.media.get(name), self.entries.get(name)
        if media is None or entry is None or "srcset" in attributes:
            return match[0]
        shown = self.published(media)
        attributes["src"] = shown.url
        if shown.width and shown.height and not attributes.keys() & {"width", "height"}:
            attributes |= {"width": str(shown.width), "height": str(shown.height)}
        if tone := tone_of(entry.color) if _is_wide(media) else "":
            attributes["class"] = f"{attributes['class']} {tone}" if attributes.get("class") else tone
        written = "".join(f' {key}="{value}"' for key, value in attributes.items())
        sources = "".join(
            f'<source type="{source.type}" srcset="{source.srcset}" sizes="{_BODY_SIZES}">'
            for source in self._sources(media, entry, "")
        )
        return f"<picture>{sources}<img{written}></picture>" if sources else f"<img{written}>"


def _lazy(match: re.Match[str]) -> str:
    """Return the image with `loading` and `decoding`, where the author gave none."""
    given = {name for name, _ in _ATTRIBUTE.findall(match[1])}
    added = [f' {name}="{value}"' for name, value in _LAZY if name not in given]
    return f"<img{match[1]}{''.join(added)}>"


def tone_of(color: str) -> str:
    """The classes of style.css that stand for a colour, each part of it in one of sixteen steps; "" for none."""
    if not color:
        return ""
    parts = (int(color[start : start + 2], 16) for start in (1, 3, 5))
    return "tone " + " ".join(f"{name}{round(part / _TONE_STEP):x}" for name, part in zip("rgb", parts, strict=True))


def _is_wide(media: MediaFile) -> bool:
    """Whether the image fills its box in a text: one that is as high as wide may stand in a wider box, uncoloured."""
    return bool(media.width and media.height and media.width >= media.height * 1.25)


@dataclass(frozen=True, slots=True)
class Part:
    """As much as one of several machines makes of the pictures of a site: those that its part of the snapshot shows.

    `known` is what others have made, by key; its files need not be here.
    """

    snapshot: Snapshot
    known: Mapping[str, Entry]


def make_pictures(
    snapshot: Snapshot,
    settings: SiteSettings,
    cache: DerivedCache,
    jobs: int = 0,
    told: Told | None = None,
    part: Part | None = None,
) -> tuple[Pictures, tuple[str, ...]]:
    """The pictures of all that is published, with what had to be left as it is.

    Derives what the cache does not hold, in `jobs` processes (0: as many as there are processors).
    """
    images = settings.images
    wanted = _published(snapshot) if images.enabled else {}
    keys = _keys(wanted, images)
    known = part.known if part else {}
    entries = {name: entry for name, key in keys.items() if (entry := cache.find(key) or known.get(key))}
    mine = _published(part.snapshot) if part else wanted
    lost = []
    missing = [wanted[name] for name in keys if name not in entries and name in mine]
    for done, (media, entry) in enumerate(_made(missing, keys, settings, cache, jobs), 1):
        if entry is None:
            lost.append(
                f"{media.original_name} is published as it is: to make it smaller takes too much time or memory"
            )
        else:
            cache.keep(entry)
            entries[media.name] = entry
        if told:
            told(done, len(missing))
    stand_ins = {name: file for name, each in entries.items() for file in each.files if file.form in STAND_IN_TYPES}
    pictures = Pictures(
        snapshot.media, entries, images.formats, images.widths[-1], settings.base_path, cache.folder, stand_ins
    )
    return pictures, tuple(sorted(lost))


def _keys(wanted: Mapping[str, MediaFile], images: ImageSettings) -> dict[str, str]:
    """Return the key of each image in the cache; the bounds of originals count for those that are above them alone."""
    plain = replace(images, original_max_pixels=0, original_max_mb=0)
    machinery = digest(orjson.dumps((_VERSION, version("pillow"), plain)))
    return {
        name: digest(f"{name} {machinery}{' with a stand-in' if _is_too_large(media, images) else ''}".encode())
        for name, media in wanted.items()
    }


def _is_too_large(media: MediaFile, images: ImageSettings) -> bool:
    return not images.publishes_original(media.width or 0, media.height or 0, media.size_bytes)


def _made(
    missing: list[MediaFile], keys: Mapping[str, str], settings: SiteSettings, cache: DerivedCache, jobs: int
) -> Iterator[tuple[MediaFile, Entry | None]]:
    """What was derived of each of the images that there are; None: it took too much. Remote ones are brought here."""
    library = open_library(settings)
    at_once = BROUGHT_AT_ONCE if library.is_remote else max(1, len(missing))
    for start in range(0, len(missing), at_once):
        batch = missing[start : start + at_once]
        with library.held([each.name for each in batch]) as paths:
            there = [each for each in batch if each.name in paths]
            tasks = [
                partial(
                    _derived,
                    paths[each.name],
                    keys[each.name],
                    cache.folder,
                    settings.images,
                    with_stand_in=_is_too_large(each, settings.images),
                )
                for each in there
            ]
            processes = processes_for(jobs, is_worth_it=sum(map(_pixels, there)) > _PIXELS_WORTH_PROCESSES)
            for number, entry in in_processes(tasks, processes):
                yield there[number], entry


def _published(snapshot: Snapshot) -> dict[str, MediaFile]:
    """The images that published content names, in the order of their names."""
    named: set[str] = set()
    for post in snapshot.posts:
        named.update(post.body_media)
        named.add(post.featured_image.removeprefix(MEDIA_PREFIX))
    named.update(author.profile_image.removeprefix(MEDIA_PREFIX) for author in snapshot.authors)
    fields = (entry.fields for entries in (snapshot.pages, snapshot.items) for entry in entries)
    named.update(name.decode() for each in fields for name in _MEDIA_IN_BYTES.findall(orjson.dumps(each)))
    found = {name: snapshot.media[name] for name in sorted(named) if name in snapshot.media}
    return {
        name: media
        for name, media in found.items()
        if media.content_type in DERIVED_TYPES and media.size_bytes >= LEAST_BYTES
    }


def processes_for(jobs: int, *, is_worth_it: bool) -> int:
    """How many processes: one where there is so little to do that starting others would take longer."""
    return (jobs or os.cpu_count() or 1) if is_worth_it else 1


def _pixels(media: MediaFile) -> int:
    return (media.width or 0) * (media.height or 0)


def _derived(path: Path, key: str, folder: Path, images: ImageSettings, *, with_stand_in: bool) -> Entry | None:
    """Derive an image into the folder; an image that is broken has nothing derived of it."""
    try:
        derived = derive(path.read_bytes(), images, with_stand_in=with_stand_in)
    except InvalidMedia:
        return Entry(key)
    files = []
    for variant in derived.variants:
        name = f"{key}-{variant.width}.{variant.form}"
        write_whole(folder / name, variant.data)
        files.append(DerivedFile(name, variant.width, variant.height, len(variant.data)))
    return Entry(key, derived.color, tuple(files))
