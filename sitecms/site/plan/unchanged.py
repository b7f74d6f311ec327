"""Whether anything that goes into the site can differ from the last build: if not, nothing has to be planned.

Looked at are the store's mark, which every change of content replaces, the settings, all files of the theme and of the
site folder beside the content, and the versions of what the site is made with. A build whose pages failed, or that had
something to say, is not remembered.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import orjson

from sitecms import __version__
from sitecms.content.fingerprint import digest
from sitecms.resources import resource_dir
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.output.build_record import work_folder
from sitecms.site.output.manifest import MANIFEST_NAME
from sitecms.store.database import Session

_LIBRARIES = ("jinja2_", "babel_", "markdown_it_py_", "pygments_", "nh3_", "pillow_", "brotli_", "pagefind_")
_ELSEWHERE = ("content", "schema", STATE_FOLDER)


def inputs_digest(session: Session, settings: SiteSettings, output: Path, *parts: str) -> str:
    """Of all that a build is made from; `parts` tell builds of one site apart."""
    site = str(settings.folder.resolve())
    files = [*_files(str(resource_dir("templates")), ()), *_files(site, _skipped(settings, output))]
    fonts = [_stamp(str(settings.folder / font)) for font in settings.share_images.fonts]
    made_with = [__version__, *sorted(_libraries())]
    data = repr((session.change_mark(), settings, sorted(files), fonts, made_with, parts))
    return digest(data.encode("utf-8", "surrogateescape"))


def is_as_built(settings: SiteSettings, output: Path, inputs: str) -> bool:
    """Whether the generation that stands in the folder was made from just this."""
    try:
        known = orjson.loads(_memo(settings, output).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return False
    return bool(known == {"inputs": inputs, "manifest": _manifest(output)})


def note_built(settings: SiteSettings, output: Path, inputs: str) -> None:
    """The generation that stands in the folder was made from this; "" if that is not to be relied on."""
    memo = _memo(settings, output)
    if not inputs:
        memo.unlink(missing_ok=True)
        return
    half = memo.with_name(memo.name + ".half")
    half.write_bytes(orjson.dumps({"inputs": inputs, "manifest": _manifest(output)}))
    half.replace(memo)


def _memo(settings: SiteSettings, output: Path) -> Path:
    return settings.folder / STATE_FOLDER / f"built-{digest(os.fsencode(output.resolve()))[:16]}.json"


def _manifest(output: Path) -> list[int]:
    try:
        found = (output / MANIFEST_NAME).stat()
    except OSError:
        return []
    return [found.st_ino, found.st_size, found.st_mtime_ns]


def _skipped(settings: SiteSettings, output: Path) -> tuple[str, ...]:
    """Folders of the site whose content is in the store, or that a build makes."""
    folder, own = settings.folder.resolve(), output.resolve()
    made = (own, work_folder(own), settings.output_dir.resolve(), work_folder(settings.output_dir.resolve()))
    return (*(str(folder / name) for name in _ELSEWHERE), *map(str, made))


def _files(folder: str, skipped: tuple[str, ...], *, is_top: bool = True) -> Iterator[tuple[object, ...]]:
    """Every file below the folder with what tells of a change: its size, its times, its place on the disk."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.path in skipped or entry.name == ".git":
            continue
        if entry.is_dir(follow_symlinks=is_top):  # as the theme is read: its folders may be links, those in them not
            yield from _files(entry.path, skipped, is_top=False)
        else:
            yield _stamp(entry.path)


def _stamp(path: str) -> tuple[object, ...]:
    try:
        found = os.stat(path)  # noqa: PTH116  # called for every file
    except OSError:
        return (path,)
    return (path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _libraries() -> Iterator[str]:
    """Names and versions of what is installed; `importlib.metadata` would take longer than all else here."""
    for folder in sys.path:
        with suppress(OSError):
            names = [name.lower().replace("-", "_") for name in os.listdir(folder or ".")]  # noqa: PTH208
            yield from (name for name in names if name.startswith(_LIBRARIES) and name.endswith(".dist_info"))
