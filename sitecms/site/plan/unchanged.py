"""Check, without a plan, that a site needs no build: all its inputs are those of the last build.

The inputs are the store's change mark, which every change of content replaces, the settings, all files of the theme and
of the site folder beside the content, and the versions of the libraries. A build is not remembered if a page failed, or
if it noted something that another build of the same inputs may do better.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import orjson

from sitecms import __version__
from sitecms.content.fingerprint import digest
from sitecms.documents.folders import NODE_PACKAGES
from sitecms.files import write_atomically
from sitecms.resources import library_versions, resource_dir
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.settings.theme_folder import theme_chain
from sitecms.site.output.build_record import work_folder
from sitecms.site.output.inspection import PreviousBuild
from sitecms.site.output.manifest import MANIFEST_NAME
from sitecms.store.database import Session

_LIBRARIES = (
    "jinja2", "babel", "markdown_it_py", "pygments", "nh3", "pillow", "brotli", "pagefind", "math_core", "emoji",
)  # fmt: skip
_SKIPPED_FOLDERS = ("content", "schema", STATE_FOLDER, NODE_PACKAGES)


def inputs_digest(session: Session, settings: SiteSettings, output: Path) -> str:
    """Return the digest of everything that a build is made from."""
    site = str(settings.folder.resolve())
    files = [*_files(str(resource_dir("templates")), ()), *_files(site, _skipped(settings, output))]
    # a theme of a package lies elsewhere
    for theme in theme_chain(settings.theme.name, settings.folder, settings.theme.of_plugins):
        files += _files(str(theme.folder), ())
    versions = library_versions().items()
    fonts = [_stamp(str(settings.folder / font)) for font in settings.share_images.fonts]
    libraries = [__version__, *((name, version) for name, version in sorted(versions) if name.startswith(_LIBRARIES))]
    data = repr((session.change_mark(), settings, sorted(files), fonts, libraries))
    return digest(data.encode("utf-8", "surrogateescape"))


def find_unchanged(
    settings: SiteSettings, output: Path, inputs: str, previous: PreviousBuild
) -> tuple[str, ...] | None:
    """Return the notes of the build that made the output folder from these inputs.

    None if the folder was built from others, or somebody changed its files since.
    """
    try:
        memory = orjson.loads(_memory_file(settings, output).read_bytes())
        is_same = memory["inputs"] == inputs and memory["manifest"] == _manifest(output)
        notes = tuple(memory["notes"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return notes if is_same and not previous.inspection.outputs() else None


def remember_inputs(settings: SiteSettings, output: Path, inputs: str, notes: tuple[str, ...] = ()) -> None:
    """Remember the inputs of the generation in the output folder, and what its build noted; "" forgets them."""
    file = _memory_file(settings, output)
    if not inputs:
        file.unlink(missing_ok=True)
        return
    write_atomically(file, orjson.dumps({"inputs": inputs, "manifest": _manifest(output), "notes": notes}))


def _memory_file(settings: SiteSettings, output: Path) -> Path:
    return settings.folder / STATE_FOLDER / f"built-{digest(os.fsencode(output.resolve()))[:16]}.json"


def _manifest(output: Path) -> list[int]:
    try:
        status = (output / MANIFEST_NAME).stat()
    except OSError:
        return []
    return [status.st_ino, status.st_size, status.st_mtime_ns]


def _skipped(settings: SiteSettings, output: Path) -> tuple[str, ...]:
    """Return the folders of the site whose content is in the store, that a build writes, or that no build reads."""
    folder, output_folder = settings.folder.resolve(), output.resolve()
    written = (
        output_folder,
        work_folder(output_folder),
        settings.output_dir.resolve(),
        work_folder(settings.output_dir.resolve()),
    )
    return (*(str(folder / name) for name in _SKIPPED_FOLDERS), *map(str, written))


def _files(folder: str, skipped: tuple[str, ...], *, is_top: bool = True) -> Iterator[tuple[object, ...]]:
    """Yield every file below the folder with its size, its times and its inode, one of which changes with the file."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.path in skipped or entry.name == ".git":
            continue
        if entry.is_dir(
            follow_symlinks=is_top
        ):  # the theme is read in the same way: links to folders are followed at the top only
            yield from _files(entry.path, skipped, is_top=False)
        else:
            yield _stamp(entry.path)


def _stamp(path: str) -> tuple[object, ...]:
    try:
        status = os.stat(path)  # noqa: PTH116  # called for every file
    except OSError:
        return (path,)
    return (path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
