"""Themes from elsewhere: those of a folder, an installed package or a Git repository, copied into a site and pinned.

Nothing that is copied runs: of a repository the files of one commit are read, without a work tree, and a package is not
imported. Links are left out, and so is everything but `theme.toml`, templates, assets, translations and licences. The
file `source.toml` in the copy names source, commit and digest.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath

import tomlkit
from msgspec import Struct, field

from sitecms.documents import read_toml, suggest
from sitecms.documents.folders import is_fit_name, is_temporary, shown_name
from sitecms.errors import Conflict, FileError, GitFailed, InvalidFiles, NotFound
from sitecms.files import make_private_folder
from sitecms.git_program import Git, split
from sitecms.settings.site import SiteSettings
from sitecms.settings.theme_folder import (
    ASSETS,
    MANIFEST,
    TEMPLATES,
    THEMES_FOLDER,
    TRANSLATIONS,
    ThemeFolder,
    installed_themes,
    read_theme,
)
from sitecms.temporary_folders import temporary_folder

SOURCE_FILE = "source.toml"
FETCH_SECONDS = 120.0
_PARTS = (ASSETS, TEMPLATES, TRANSLATIONS, "formulas")
_TEXTS = re.compile(r"(?:README|LICEN[CS]E|COPYING|NOTICE|CHANGELOG|FONT-LICENSE)(?:[.-]\w+)*", re.IGNORECASE)
_PROTOCOLS = {"GIT_ALLOW_PROTOCOL": "file:https:ssh"}
_GIT_ADDRESS = re.compile(r"(?:https|ssh|file)://.+|[\w.-]+@[\w.-]+:.+|(?!\w+:)[^:]+\.git", re.IGNORECASE)
_COMMIT = re.compile(r"(?P<address>.+)@(?P<commit>[^@/:\s-][^@/:\s]*)")
_CREDENTIALS = re.compile(r"(?<=https://)[^/]*@|(?<=ssh://)(?P<user>[^/:@]*):[^/]*(?=@)", re.IGNORECASE)
"""Name and password in an address, or the password alone: ssh needs the name, and asks for no password in it."""
_FILE_MODES, _LINK_MODE = ("100644", "100755"), "120000"
_TARGET = "refs/sitecms/theme"
_REFERENCES = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")


class Limits(Struct, frozen=True):
    """The largest theme that is copied; Git may write no larger file than `bytes` while it is fetched."""

    files: int = 5_000
    bytes: int = 50_000_000


LIMITS = Limits()


class ThemeSource(Struct, frozen=True):
    """Where a theme was copied from: `source` is a path, an address or a package; `digest` that of its files."""

    source: str
    commit: str = ""
    version: str = ""
    digest: str = ""


class ThemeCopy(Struct, frozen=True):
    """Files of a theme by path, and the paths that are left out, with the reason."""

    source: ThemeSource
    files: Mapping[str, bytes]
    left_out: Mapping[str, str] = field(default_factory=dict)


class AddedTheme(Struct, frozen=True):
    """A theme that was added to a site. `left_out`: paths with the reason."""

    theme: ThemeFolder
    source: ThemeSource
    left_out: Mapping[str, str]


def add_theme(settings: SiteSettings, source: str, *, force: bool = False, limits: Limits = LIMITS) -> AddedTheme:
    """Copy a theme into the folder `themes` of a site. With `force`, one that was changed there is replaced.

    `source` is a folder, the name of an installed theme, or the address of a Git repository, which `@` and a commit,
    tag or branch may follow. Raises NotFound, Conflict, GitFailed, and InvalidFiles for errors in its theme.toml.
    """
    make_private_folder(settings.state_dir)
    with temporary_folder("theme", settings.state_dir) as work:
        copied = _read_source(source, work, limits)
        new = work / "new"
        for path, data in copied.files.items():
            target = new / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        if MANIFEST not in copied.files:
            raise NotFound(f"{copied.source.source} is no theme: it has no {MANIFEST}.")
        theme = read_theme(new, label=f"{copied.source.source}: {MANIFEST}")
        (new / SOURCE_FILE).write_text(_as_toml(copied.source), encoding="utf-8")
        path = f"{THEMES_FOLDER}/{theme.name}"
        target = settings.folder / path
        if os.path.lexists(target) and not force and (find_source(target) is None or is_changed(target)):
            raise Conflict("source", f"{path} exists already, and is not as it was added. Use --force to replace it.")
        target.parent.mkdir(exist_ok=True)
        if os.path.lexists(target):
            target.rename(work / "old")
        new.rename(target)
    return AddedTheme(read_theme(target, path), copied.source, copied.left_out)


def find_source(folder: Path) -> ThemeSource | None:
    """Return where a theme of a site was copied from; None for one that was made there."""
    file = folder / SOURCE_FILE
    data = read_toml(file) if file.is_file() else {}
    values = {name: str(data.get(name, "")) for name in ThemeSource.__struct_fields__}
    return ThemeSource(**values) if values["source"] else None


def is_changed(folder: Path) -> bool:
    """Return whether files of a theme that was copied into a site are others now."""
    source = find_source(folder)
    return source is not None and source.digest != _digest(_read_folder(folder)[0])


def _read_source(source: str, work: Path, limits: Limits) -> ThemeCopy:
    if Path(source).is_dir() and not source.endswith(".git"):
        files, left_out = _read_folder(Path(source), limits)
        return ThemeCopy(ThemeSource(source, digest=_digest(files)), files, left_out)
    match = _COMMIT.fullmatch(source)
    address, commit = (match["address"], match["commit"]) if match else (source, "")
    if _GIT_ADDRESS.fullmatch(address) or (match and Path(address).is_dir()):
        return _read_repository(address, commit, work, limits)
    if "://" in source or "::" in source:
        raise NotFound(f"Themes are fetched by https or ssh, or from a folder, not from {source}.")
    themes = installed_themes()
    if source in themes:
        files, left_out = _read_folder(themes[source], limits)
        return ThemeCopy(ThemeSource(source, version=_version_of(files), digest=_digest(files)), files, left_out)
    remedy = suggest(source, list(themes)) if themes else "no installed package has a theme"
    raise NotFound(f"There is neither a folder {source} nor a theme of that name in a package; {remedy}.")


def _version_of(files: Mapping[str, bytes]) -> str:
    text = files.get(MANIFEST, b"").decode("utf-8", "replace")
    match = re.search(r"^version\s*=\s*[\"']([^\"']+)", text, re.MULTILINE)
    return match[1] if match else ""


def _read_folder(folder: Path, limits: Limits = LIMITS) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the files of a theme in a folder, and what is left out. Links are not followed."""
    files: dict[str, bytes] = {}
    left_out: dict[str, str] = {}
    room = _Room(folder.as_posix(), limits)
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted((*folders, *names)):
            path = Path(parent, name)
            relative = path.relative_to(folder).as_posix()
            if not _is_part(relative):
                continue
            if path.is_symlink():
                left_out[shown_name(relative)] = "is a link"
            elif path.is_file():
                room.take(path.stat().st_size)
                files[relative] = path.read_bytes()
    return files, left_out


def _read_repository(address: str, commit: str, work: Path, limits: Limits) -> ThemeCopy:
    """Return the files of a theme in a commit of a repository; the newest of its main branch if none is named."""
    public_address = _CREDENTIALS.sub(lambda match: match["user"] or "", address)
    options = {"fetch.unpackLimit": "1"}
    Git(work).run("init", "--quiet", "--bare", "--template=", "git")
    git = Git(work / "git", options, limits.bytes)
    try:
        name = _fetch(git, address, commit)
    except GitFailed as error:
        raise GitFailed(f"The theme cannot be fetched from {public_address}: {error}.", error.exit_code) from error
    blobs: dict[str, str] = {}
    left_out: dict[str, str] = {}
    room = _Room(public_address, limits)
    for entry in split(git.run("ls-tree", "-r", "-z", "-l", name)):
        facts, _, path = entry.partition("\t")
        mode, _kind, blob, size = facts.split()
        if not _is_part(path):
            continue
        if mode in _FILE_MODES:
            room.take(int(size))
            blobs[path] = blob
        else:
            left_out[shown_name(path)] = "is a link" if mode == _LINK_MODE else "is a repository of its own"
    files = dict(zip(blobs, _contents(git, blobs.values()), strict=True))
    return ThemeCopy(ThemeSource(public_address, commit=name, digest=_digest(files)), files, left_out)


def _contents(git: Git, blobs: Iterable[str]) -> Iterator[bytes]:
    """Yield the contents of files that are stored under these names."""
    output = git.run("cat-file", "--batch", data="".join(f"{blob}\n" for blob in blobs).encode())
    position = 0
    while position < len(output):
        end = output.index(b"\n", position)
        size = int(output[position:end].split()[2])
        yield output[end + 1 : end + 1 + size]
        position = end + size + 2


def _fetch(git: Git, address: str, commit: str) -> str:
    """Fetch a commit, and return its name; all branches and tags where a server does not send single commits."""
    place = str(Path(address).resolve()) if Path(address).is_dir() else address
    begin = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head")
    target = _TARGET
    try:
        single = f"+{commit or 'HEAD'}:{target}"
        git.run(*begin, "--depth=1", "--", place, single, environment=_PROTOCOLS, seconds=FETCH_SECONDS)
    except GitFailed:
        if not commit:
            raise
        git.run(*begin, "--", place, *_REFERENCES, environment=_PROTOCOLS, seconds=FETCH_SECONDS)
        target = commit
    if name := git.find("rev-parse", "--quiet", "--verify", f"{target}^{{commit}}"):
        return name
    raise GitFailed(f'it has no commit, tag or branch "{commit}"', 1)


def _is_part(path: str) -> bool:
    """Return whether a file belongs to a theme."""
    parts = PurePosixPath(path).parts
    if "\\" in path or ".." in parts or not is_fit_name(path) or is_temporary(parts[-1]):
        return False
    if any(part.startswith(".") for part in parts):
        return False
    return parts[0] in _PARTS or path == MANIFEST or (len(parts) == 1 and bool(_TEXTS.fullmatch(path)))


class _Room:
    """The room that a theme may take. Raises InvalidFiles for one with more files or bytes."""

    def __init__(self, source: str, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self._files = 0
        self._bytes = 0

    def take(self, size: int) -> None:
        """Count a file."""
        self._files += 1
        self._bytes += size
        if self._files > self._limits.files or self._bytes > self._limits.bytes:
            problem = f"has more than {self._limits.files:,} files or {self._limits.bytes:,} bytes"
            raise InvalidFiles([FileError(self._source, "", problem, "take out what is no part of the theme")])


def _digest(files: Mapping[str, bytes]) -> str:
    lines = (f"{path}\0{sha256(data).hexdigest()}\n" for path, data in sorted(files.items()))
    return f"sha256:{sha256(''.join(lines).encode()).hexdigest()}"


def _as_toml(source: ThemeSource) -> str:
    document = tomlkit.document()
    document.add(tomlkit.comment("Written by `sitecms theme add`: where this theme was copied from."))
    for name in source.__struct_fields__:
        if value := getattr(source, name):
            document.add(name, value)
    return tomlkit.dumps(document)
