"""Target folder of an export, and its README.

It is a new folder that appears when it is complete, or an earlier export that is updated in place.
"""

import shutil
import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import orjson

from sitecms.actions.originals import Originals
from sitecms.errors import ConfigurationError, MediaUnusable
from sitecms.files import write_atomically
from sitecms.media.library import MediaLibrary
from sitecms.media.storage.interface import digest_of, is_digest_of

MARK = ".sitecms-export.json"
_FORMAT = 1
_README = "README.md"
_OTHER_README = "README-export.md"


class TargetFolder:
    """Target folder of an export. Raises ConfigurationError for a folder that no export made, unless `force`.

    `without_original` are the media files that were written as published, since their originals are gone.
    """

    def __init__(self, folder: Path, *, force: bool) -> None:
        self._folder = folder
        self.without_original: list[str] = []
        if folder.exists() and not folder.is_dir():
            raise ConfigurationError(f"{folder} is a file; name a folder.")
        self._is_new = not folder.is_dir() or not any(folder.iterdir())
        self._before = () if self._is_new else _read_mark(folder)
        if not self._is_new and self._before is None and not force:
            raise ConfigurationError(
                f"{folder} is not empty, and was not made by an export. Nothing was changed; choose another folder, "
                "or give --force to write into this one: files of other names stay."
            )
        if not folder.absolute().parent.is_dir():
            raise ConfigurationError(f"The folder {folder.absolute().parent} does not exist; make it first.")

    def has_own(self, path: str) -> bool:
        """Return whether the folder contains a file of that path which no export wrote."""
        return (self._folder / path).exists() and path not in (self._before or ())

    def readme(self, name: str, *, with_trash: bool) -> dict[str, bytes]:
        """Return the README, under another name where the folder has one that no export wrote."""
        return {_OTHER_README if self.has_own(_README) else _README: _readme_text(name, with_trash=with_trash)}

    def write(
        self,
        files: Mapping[str, bytes],
        copies: Mapping[str, str],
        plain: Collection[str],
        library: MediaLibrary,
        originals: Originals,
    ) -> tuple[str, ...]:
        """Write the files, and media by path: the original from the site folder, else a copy of the published file.

        `plain` are files that are copied from the site folder. Files that only an earlier export wrote are removed;
        their paths are returned.
        """
        mark = orjson.dumps({"format": _FORMAT, "files": sorted({*files, *copies, *plain})}, option=orjson.OPT_INDENT_2)
        if not self._is_new:
            self._fill(self._folder, files, copies, library, originals)
            self._copy(self._folder, plain, originals.folder)
            gone = tuple(sorted({*(self._before or ())} - {*files, *copies, *plain}))
            _remove(self._folder, gone)
            _put(self._folder / MARK, mark)
            return gone
        aside = Path(tempfile.mkdtemp(prefix=f".{self._folder.name}.", dir=self._folder.absolute().parent))
        try:
            self._fill(aside, files, copies, library, originals)
            self._copy(aside, plain, originals.folder)
            _put(aside / MARK, mark)
            aside.chmod(0o755)
            aside.rename(self._folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        return ()

    def _copy(self, root: Path, plain: Collection[str], site: Path) -> None:
        for path in plain:
            _put(root / path, (site / path).read_bytes())

    def _fill(
        self,
        root: Path,
        files: Mapping[str, bytes],
        copies: Mapping[str, str],
        library: MediaLibrary,
        originals: Originals,
    ) -> None:
        for path, data in files.items():
            _put(root / path, data)
        left = dict(copies)
        for path, name in copies.items():
            if original := originals.read(name):
                _put(root / path, original)
                del left[path]
            elif name in originals.stamps:
                self.without_original.append(name)
        wanted = [(path, name) for path, name in left.items() if not _holds(root / path, name)]
        sources = library.each([name for _, name in wanted])
        for (path, _), (name, source) in zip(wanted, sources, strict=True):
            if source is None:
                raise MediaUnusable(f"{name} has gone from the media library while it was exported; try again.")
            _put(root / path, source.read_bytes())


def _read_mark(folder: Path) -> tuple[str, ...] | None:
    """Return the files that the last export wrote; None: the folder is not an export."""
    try:
        data = orjson.loads((folder / MARK).read_bytes())
        names = tuple(str(name) for name in data["files"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return tuple(name for name in names if ".." not in name.split("/") and not name.startswith("/"))


def _holds(path: Path, name: str) -> bool:
    """Return whether the file is the media file of that name."""
    return path.is_file() and is_digest_of(digest_of(path)[0], name)


def _put(path: Path, data: bytes) -> None:
    """Write the file atomically; leave it unchanged if it has these bytes already."""
    if path.is_file() and not path.is_symlink() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)


def _remove(root: Path, paths: Iterable[str]) -> None:
    """Remove the files, and folders that are empty then."""
    for path in paths:
        (root / path).unlink(missing_ok=True)
        for parent in (root / path).parents:
            if parent == root or not parent.is_dir() or any(parent.iterdir()):
                break
            parent.rmdir()


def _readme_text(name: str, *, with_trash: bool) -> bytes:
    """Return the text of the README of an export of the site of that name."""
    trash = (
        "| `trash/` | entries of the trash, which no command reads: move a file into `content/` to bring it back |\n"
    )
    return f"""# Files of the site {name}

Written by `sitecms export`. `sitecms load` in this folder makes the same site again, `sitecms preview` shows it.

| Path | Content |
|---|---|
| `site.toml` | settings |
| `redirects.yaml` | redirects, if the site has any |
| `schema/` | fields of page types, collections, components and Single Pages |
| `content/posts/` | posts; those of other locales in a folder of their own |
| `content/pages/` | pages by type; Single Pages in `_single/` |
| `content/collections/` | items, in their order |
| `content/authors.yaml`, `content/categories.yaml`, `content/tags.yaml` | authors and terms |
| `media/` | pictures and other files |
| `templates/`, `assets/`, `translations/` | files of the theme that the site has changed |
| `data/` | data that templates show |
{trash if with_trash else ""}
Former addresses of entries stand under `aliases`. Tokens, webhooks and writes that were not applied yet are not
exported.
""".encode()
