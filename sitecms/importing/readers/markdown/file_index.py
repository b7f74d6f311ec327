"""Index of the files of a source: entries and media by the names that texts give them."""

import posixpath
import re
from collections.abc import Iterable
from urllib.parse import unquote

from sitecms.importing.media.needed_media import is_media_path
from sitecms.importing.readers.markdown.generators.generator import Placed
from sitecms.importing.records import Media


class FileIndex:
    """Entries and media by name. A name may be a path from the root, from the folder of a text, or a bare name."""

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}
        self._bare: dict[tuple[str, str], str] = {}
        self._media: dict[str, str] = {}
        self._media_names: dict[str, str] = {}

    def add_entry(self, key: str, paths: Iterable[str], placed: Placed) -> None:
        """Add an entry by its paths, with and without extension, and its other names."""
        for path in paths:
            self._entries.setdefault(path.lower(), key)
            self._entries.setdefault(path.rpartition(".")[0].lower(), key)
        for name in placed.names:
            if name:
                self._bare.setdefault((placed.locale, name.lower()), key)
                self._bare.setdefault(("", name.lower()), key)

    def add_media(self, media: Media) -> None:
        """Add a media file by its path, its address and its bare name."""
        self._media.setdefault(media.file, media.key)
        self._media_names.setdefault(media.file.rpartition("/")[2].lower(), media.key)

    def entry(self, name: str, folder: str = "", locale: str = "") -> str:
        """Return `entry:KEY` for a name in a text of a folder; "" if no entry matches."""
        plain = unquote(name.strip()).replace("\\", "/")
        relative = posixpath.normpath(posixpath.join(folder, plain)) if not plain.startswith("/") else ""
        root = plain.strip("/")
        for path in (relative, root):
            for each in (path, f"{path}/index", f"{path}/_index", f"{path}/README") if path else ():
                if key := self._entries.get(each.lower()):
                    return f"entry:{key}"
        bare = re.sub(r"\.(?:md|markdown|mdx|html?)$", "", root.lower())
        for each in (bare, bare.removesuffix("/index"), bare.rpartition("/")[2]):
            if key := self._bare.get((locale, each)) or self._bare.get(("", each)):
                return f"entry:{key}"
        return ""

    def text_file(self, path: str) -> str:
        """Return `entry:KEY` of the text at a path of the source; "" if there is none."""
        for each in (path, f"{path}/index", f"{path}/_index", f"{path}/readme"):
            if key := self._entries.get(each.lower()):
                return f"entry:{key}"
        return ""

    def media(self, path: str) -> str:
        """Return `media:KEY` of the file at a path of the source; "" if there is none."""
        key = self._media.get(path)
        return f"media:{key}" if key else ""

    def media_by_name(self, name: str) -> str:
        """Return `media:KEY` of a file with that bare name, wherever it is; "" if there is none."""
        key = self._media_names.get(name.rpartition("/")[2].lower()) if is_media_path(name) else None
        return f"media:{key}" if key else ""
