"""Unmanaged files: files of other programs in the published folder, kept in every generation and never changed.

Before an exchange the new generation gets a hard link of each unmanaged file, in new folders. After it the unmanaged
folders themselves, in which other programs may be working, move back. The hard links stay in the former generation, for
programs that still read it, until it becomes the next one.
"""

import os
import shutil
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sitecms.errors import OutputRefused
from sitecms.site.output.atomic_exchange import exchange
from sitecms.site.output.build_record import inode
from sitecms.site.output.manifest import MANIFEST_NAME


def find_unmanaged(
    root: Path, touched: Iterable[str], is_output: Callable[[str], bool], folders: Container[str]
) -> list[str]:
    """Return unmanaged files and folders in the folders `touched`, by path, without the content of folders.

    Raises OutputRefused if one of them is in the way of an output or of a folder of the site.
    """
    unmanaged = []
    for folder in touched:
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(root / folder) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                is_folder = entry.is_dir(follow_symlinks=False)
                if path in folders:
                    if not is_folder:
                        raise OutputRefused(_in_the_way(root / path, is_link=entry.is_symlink()))
                elif is_output(path):
                    if is_folder:
                        raise OutputRefused(f"{root / path} is a folder where a file of the site belongs. Move it.")
                elif path != MANIFEST_NAME:
                    unmanaged.append(path)
    return sorted(unmanaged)


def _in_the_way(path: Path, *, is_link: bool) -> str:
    if is_link:
        return f"{path} leads out of the output folder through a link. Remove the link."
    return f"{path} is a file where a folder of the site belongs. Move it."


def hard_link(root: Path, into: Path, paths: Sequence[str]) -> None:
    """Create hard links of everything at these paths in another folder, in which folders are created."""
    for path in paths:
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        _hard_link(root / path, into / path)


def _hard_link(source: Path, target: Path) -> None:
    if is_folder(source):
        target.mkdir(exist_ok=True)
        for inner in tuple(source.iterdir()):
            _hard_link(inner, target / inner.name)
        shutil.copystat(source, target)
        return
    if inode(target) and inode(target) != inode(source):
        target.unlink()
    with suppress(FileExistsError, FileNotFoundError):  # it may go away meanwhile
        os.link(source, target, follow_symlinks=False)


def move_back(former: Path, published: Path, paths: Sequence[str], folders: Container[str]) -> dict[str, int]:
    """Move unmanaged folders back to the published folder after an exchange, and their copies to the former one.

    Returns the inodes of the hard links by path.
    """
    hard_links = {}
    for path in paths:
        before, now = former / path, published / path
        if not inode(before):
            continue
        if is_folder(before):
            if path not in folders and is_folder(now):
                exchange(before, now)
        elif inode(before) != inode(now):
            now.parent.mkdir(parents=True, exist_ok=True)
            before.replace(now)  # somebody wrote it while its hard link was made
        hard_links[path] = inode(before)
    return hard_links


def remove_hard_links(staging: Path, published: Path, hard_links: Mapping[str, int], lost: Path) -> None:
    """Remove the hard links that the last build left in the staging directory.

    A file that another program wrote in place of one is moved, not removed (`clear`).
    """
    for path, number in hard_links.items():
        link = staging / path
        if inode(link) and inode(link) != number:
            clear(link, published / path, lost)
        elif is_folder(link):
            shutil.rmtree(link)
        else:
            link.unlink(missing_ok=True)
        remove_empty(staging, path)


def clear(path: Path, published: Path, lost: Path) -> None:
    """Remove a file or folder from the staging directory without losing anything.

    What is published too is removed. Anything else moves to the published folder, or to `lost` if its place is taken.
    """
    if is_folder(path):
        for inner in tuple(path.iterdir()):
            clear(inner, published / inner.name, lost)
        path.rmdir()
    elif not inode(published):
        published.parent.mkdir(parents=True, exist_ok=True)
        path.rename(published)
    elif inode(path) == inode(published):
        path.unlink()
    else:
        lost.mkdir(exist_ok=True)
        path.rename(lost / f"{inode(path)}-{path.name}"[-200:])


def remove_empty(root: Path, path: str) -> None:
    """Remove the folders that a removed path leaves empty."""
    for parent in Path(path).parents[:-1]:
        try:
            (root / parent).rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return


def is_folder(path: Path) -> bool:
    """Return True for a folder that is not a link."""
    return path.is_dir() and not path.is_symlink()
