"""Paths of media files in an exported folder, and texts with those paths in place of addresses.

Each rewritten text is read as `load` reads it; if the result differs from the original, the text is not rewritten, and
its files are also written under their names in the library. Links of posts to other files become addresses, since an
export writes these files to other places.
"""

import re
from collections.abc import Mapping
from urllib.parse import quote

from sitecms.content.kinds import EntryKind
from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX, MediaFile
from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown_media import replace_media
from sitecms.content.text.media_links import MEDIA_FOLDER, ResolvedImage, resolve_media
from sitecms.store.database import Session
from sitecms.store.site_state.loaded_files import LoadedFile, all_loaded_files

_IN_MEDIA = re.compile(rf"(?:\.\./)*{MEDIA_FOLDER}")
_TAG = re.compile(r"<(?:a|audio|img|source|track|video) [^>]*>")
_UNFIT = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]|^[.\s]|[.\s]$')
_MAX_NAME_BYTES = 200


class MediaPaths:
    """Media of one export, or of one file of the site folder.

    `used` are further paths that entries name so far, with the names in the library.
    `lost` are files with links that `load` does not resolve, such as one with an anchor.
    """

    def __init__(self, known: Mapping[str, MediaFile], paths: Mapping[str, str]) -> None:
        """Prepare texts with these paths, which are given by the names of the known files."""
        self.known = known
        self._taken: set[str] = set()
        self._linked: set[str] = set()
        self._paths = paths
        self._names = {path: name for name, path in self._paths.items()}
        self.used: dict[str, str] = {}

    @property
    def lost(self) -> tuple[str, ...]:
        """Files that only links of unknown form name."""
        return tuple(sorted(self._linked - self._taken))

    def all(self) -> dict[str, str]:
        """Return the path of every known file with its name, and the further paths that entries name."""
        return {**self._names, **self.used}

    def keeps(self, written: Mapping[str, str]) -> bool:
        """Write files to the addresses that a text names; return False if one is gone, or its address is taken."""
        places = self.all()
        if any(name not in self.known or places.get(address, name) != name for address, name in written.items()):
            return False
        self.used |= {address: name for address, name in written.items() if address not in self._names}
        self._taken.update(written.values())
        return True

    def address(self, stored: str) -> str:
        """Return `media/sea.jpg` for `/media/<digest>.jpg`; other addresses unchanged."""
        name = stored.removeprefix(MEDIA_PREFIX)
        self._taken.add(name)
        return self._paths.get(name, stored) if name != stored else stored

    def html(self, text: str) -> str:
        """Return the HTML with paths in place of addresses, and carriage returns as character references."""
        text = text.replace("\r", "&#13;")
        if MEDIA_PREFIX not in text:
            return text
        written = _TAG.sub(lambda tag: MEDIA_NAME.sub(self._quoted, tag[0]), text)
        if resolve_media(sanitize(written), self._resolve) == resolve_media(sanitize(text), self._stored):
            return written
        self._keep_names(text)
        self._linked.update(name for tag in _TAG.findall(text) for name in MEDIA_NAME.findall(tag))
        return text

    def markdown(self, text: str) -> str:
        """Return the Markdown with paths in place of addresses."""
        if MEDIA_PREFIX not in text:
            return text
        written = MEDIA_NAME.sub(self._quoted, text)
        if replace_media(written, self._address_of) == text:
            return written
        self._keep_names(text)
        return text

    def _keep_names(self, text: str) -> None:
        """Keep the library's names for files that entries name so."""
        self.used |= {MEDIA_FOLDER + name: name for name in MEDIA_NAME.findall(text) if name in self.known}

    def _quoted(self, found: re.Match[str]) -> str:
        path = self._paths.get(found[1])
        return quote(path) if path else found[0]

    def _resolve(self, address: str) -> ResolvedImage | None:
        """Return what `load` finds at a path of this export."""
        name = self._names.get(address)
        return self._sized(name) if name else self._stored(address)

    def _stored(self, address: str) -> ResolvedImage | None:
        name = address.removeprefix(MEDIA_PREFIX)
        return self._sized(name) if name in self.known else None

    def _sized(self, name: str) -> ResolvedImage:
        self._taken.add(name)
        media = self.known[name]
        return ResolvedImage(MEDIA_PREFIX + name, media.width, media.height)

    def _address_of(self, written: str) -> str | None:
        found = self._resolve(written)
        return found.src if found else None


def unique_paths(known: Mapping[str, MediaFile], written: Mapping[str, str]) -> dict[str, str]:
    """Return a path for each file: its original name if that is valid and unique, else one with its digest.

    `media/sea.jpg`, `media/9f86d081/sea.jpg` if two have the name, `media/<digest>.jpg` if the name is not valid.
    `written` are the names of files by the addresses that posts have.
    """
    holders: dict[str, int] = {}
    for media in known.values():
        holders[media.original_name.casefold()] = holders.get(media.original_name.casefold(), 0) + 1
    paths: dict[str, str] = {}
    taken: set[str] = set()
    for address, name in sorted(written.items()):
        if name in known and name not in paths and address.casefold() not in taken and ".." not in address.split("/"):
            paths[name] = address
            taken.add(address.casefold())
    for name, media in known.items():
        if name in paths:
            continue
        original = media.original_name
        if not original or _UNFIT.search(original) or len(original.encode(errors="replace")) > _MAX_NAME_BYTES:
            paths[name] = MEDIA_FOLDER + name
        elif holders[original.casefold()] > 1 or (MEDIA_FOLDER + original).casefold() in taken:
            paths[name] = f"{MEDIA_FOLDER}{name[:8]}/{original}"
        else:
            paths[name] = MEDIA_FOLDER + original
    return paths


def post_sources(session: Session) -> Mapping[int, LoadedFile]:
    """Return the file that each post was loaded from, where it names other files, by id of the post."""
    return {
        entry_id: file
        for file in all_loaded_files(session).values()
        for kind, entry_id in (file.present if file.media_json != "{}" else ())
        if kind == EntryKind.POST.value
    }


def shared_media(file: LoadedFile | None) -> dict[str, str]:
    """Return names in the library of the media in `media/` that the file names, by address."""
    stamps = file.media.items() if file else ()
    return {address: stamp.name for address, stamp in stamps if address.startswith(MEDIA_FOLDER)}


def relinked(text: str, file: LoadedFile | None, media: MediaPaths) -> str:
    """Return the Markdown with addresses in place of links to other files, and of media beside the text."""
    if file is None:
        return text

    def address(written: str) -> str | None:
        if _IN_MEDIA.match(written):
            return None
        found = file.address_of(written)
        return media.address(found) if found else None

    return replace_media(text, address)
