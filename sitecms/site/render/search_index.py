"""Search on the static site: Pagefind's index of posts and pages, made from the rendered files.

Pagefind is the optional extra `search`. Equal pages give equal files: the one that Pagefind writes in an order of its
own, the list of languages, is put in order here.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import orjson

from sitecms.content.fingerprint import digest
from sitecms.errors import ConfigurationError
from sitecms.site.output.generation import KEPT, Generation
from sitecms.site.render.searched_part import RULES, searched_part

BUNDLE = "pagefind"
SCRIPT = f"/{BUNDLE}/pagefind.js"
STEP = "search"
MISSING = "Search is left out: Pagefind is not installed. pip install 'sitecms[search]', or set search.enabled = false"
_PACKAGES = ("pagefind_bin_extended", "pagefind_bin")
ENTRY = "pagefind-entry.json"
_UNUSED = ("pagefind-*ui.js", "pagefind-*ui.css", "pagefind-highlight.js")
"""Interfaces that Pagefind brings; the theme has its own."""


def is_installed() -> bool:
    """Whether Pagefind is there to be run."""
    return any(find_spec(package) for package in _PACKAGES)


def add_index(generation: Generation, pages: Sequence[str], notes: Path) -> bool:
    """Add an index of these outputs to the generation; False where the published one is of just what they hold.

    Pagefind cannot index what changed alone, so the whole index is made anew, but only where what it reads of a page
    is different: `notes` is a file that remembers that by the fingerprints of pages.
    """
    outputs = generation.outputs()
    pages = [path for path in pages if path in outputs]
    before, now = _noted(notes), dict[str, tuple[str, str]]()
    for path in pages:
        fingerprint = outputs[path].fingerprint
        known, text_digest = before.get(path, ("", ""))
        if known != fingerprint or fingerprint == KEPT:
            text_digest = digest(_part(generation, path))
        now[path] = fingerprint, text_digest
    if now != before:
        _note(notes, now)
    key = index_key((path, text_digest) for path, (_fingerprint, text_digest) in now.items())
    if generation.holds_all(STEP, key):
        return False
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="sitecms-search-") as folder:
        site, bundle = Path(folder, "site"), Path(folder, "bundle")
        for path in pages:
            put_page(site / path, _part(generation, path))
        for name in make_index(site, bundle):
            generation.add(f"{BUNDLE}/{name}", (bundle / name).read_bytes(), key, STEP)
    return True


def put_page(file: Path, data: bytes) -> None:
    """Put a page where `make_index` will find it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def _part(generation: Generation, path: str) -> bytes:
    return searched_part(generation.read(path).decode("utf-8", "replace")).encode("utf-8", "replace")


def _noted(notes: Path) -> dict[str, tuple[str, str]]:
    """Fingerprint of each page, and digest of what was read of it; nothing where that cannot be told."""
    try:
        data = orjson.loads(notes.read_bytes())
        return {path: (known, text) for path, (known, text) in data["pages"].items()} if data["rules"] == RULES else {}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def _note(notes: Path, pages: Mapping[str, tuple[str, str]]) -> None:
    half = notes.with_name(f"{notes.name}.half")
    half.write_bytes(orjson.dumps({"rules": RULES, "pages": pages}))
    half.replace(notes)


def index_key(pages: Iterable[tuple[str, str]]) -> str:
    """The fingerprint of an index of these pages, each with a digest of what is read of it, whatever their order."""
    lines = sorted(f"{path}\0{fingerprint}" for path, fingerprint in pages)
    return digest("\n".join((_version(), *lines)).encode())


def make_index(site: Path, bundle: Path) -> tuple[str, ...]:
    """Index the HTML files below `site` that have a `data-pagefind-body`; the paths of what is then in `bundle`.

    Raises ConfigurationError with Pagefind's own words if it fails.
    """
    import subprocess

    command = [str(_executable()), "--site", str(site), "--output-path", str(bundle), "--silent"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip() or f"exit code {done.returncode}"
        raise ConfigurationError(f"Pagefind could not index the site: {said}")
    for pattern in _UNUSED:
        for path in bundle.glob(pattern):
            path.unlink()
    entry = bundle / ENTRY
    entry.write_bytes(orjson.dumps(orjson.loads(entry.read_bytes()), option=orjson.OPT_SORT_KEYS))
    return tuple(sorted(path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file()))


def _executable() -> Path:
    if find_spec(_PACKAGES[0]):
        from pagefind_bin_extended import get_executable
    else:
        from pagefind_bin import get_executable
    return Path(get_executable())


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    for package in _PACKAGES:
        try:
            return f"{package} {version(package)}"
        except PackageNotFoundError:
            continue
    return ""
