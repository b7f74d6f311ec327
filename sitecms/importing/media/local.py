"""Local copies of media: files of the source itself, and of the folders and archives given with --media-from."""

from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from sitecms.importing.media.needed_media import SOURCE_SCHEME, NeededMedia, media_path
from sitecms.importing.source import Source, SourceFile


class LocalMedia:
    """Index of local files by the path of their upload."""

    def __init__(self, source: Source, given: Iterable[str]) -> None:
        self._source = source
        self._by_path: dict[str, SourceFile] = {}
        places = [Source([each]) for each in given]
        for place in places:
            for file in place.files:
                self._by_path.setdefault(file.name, file)
                self._by_path.setdefault(media_path(f"/{file.name}"), file)
                self._by_path.setdefault(media_path(f"/content/{file.name}"), file)  # of Ghost's folder content/ itself

    def find(self, wanted: NeededMedia) -> SourceFile | None:
        """Return the local copy of a media file, that of the original if it exists."""
        for address in wanted.addresses:
            if address.startswith(SOURCE_SCHEME):
                return self._source.find(address.removeprefix(SOURCE_SCHEME))
            path = unquote(urlsplit(address).path).lstrip("/")
            for key in (path, media_path(address), path.removeprefix("media/")):
                if found := self._by_path.get(key):
                    return found
        return self._by_path.get(wanted.path)
