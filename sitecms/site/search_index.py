"""Search on the static site: Pagefind's index of posts and pages, made from the rendered files.

Pagefind is the optional extra `search`. Equal pages give equal files: the one that Pagefind writes in an order of its
own, the list of languages, is put in order here.
"""

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import orjson

from sitecms.content.fingerprint import digest
from sitecms.errors import ConfigurationError
from sitecms.site.generation import Generation

BUNDLE = "pagefind"
SCRIPT = f"/{BUNDLE}/pagefind.js"
STEP = "search"
MISSING = "Search is left out: Pagefind is not installed. pip install 'sitecms[search]', or set search.enabled = false"
_PACKAGES = ("pagefind_bin_extended", "pagefind_bin")
_ENTRY = "pagefind-entry.json"
_UNUSED = ("pagefind-*ui.js", "pagefind-*ui.css", "pagefind-highlight.js")
"""Interfaces that Pagefind brings; the theme has its own."""


def is_installed() -> bool:
    """Whether Pagefind is there to be run."""
    return any(find_spec(package) for package in _PACKAGES)


def add_index(generation: Generation, pages: Sequence[str]) -> bool:
    """Add an index of these outputs to the generation; False where the published one is of just these.

    Pagefind cannot index what changed alone: any change of any page makes the whole index anew.
    """
    outputs = generation.outputs()
    pages = [path for path in pages if path in outputs]
    key = index_key((path, outputs[path].fingerprint) for path in pages)
    if generation.holds_all(STEP, key):
        return False
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="sitecms-search-") as folder:
        site, bundle = Path(folder, "site"), Path(folder, "bundle")
        _gather(pages, generation.tree().resolve(), site)
        for name in make_index(site, bundle):
            generation.add(f"{BUNDLE}/{name}", (bundle / name).read_bytes(), key, STEP)
    return True


def _gather(pages: Iterable[str], tree: Path, folder: Path) -> None:
    """Links to just these pages: the tree of a generation holds all others, too, and what is about to be pruned."""
    for page in pages:
        link = folder / page
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(tree / page)


def index_key(pages: Iterable[tuple[str, str]]) -> str:
    """The fingerprint of an index of these pages, each with the fingerprint of its file, whatever their order."""
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
    entry = bundle / _ENTRY
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
