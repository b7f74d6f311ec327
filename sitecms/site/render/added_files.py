"""Files made from rendered pages: Pagefind's search index, and compressed copies.

Pagefind comes with sitecms where there is a program of it for the machine. Equal pages give equal files on one file
system: Pagefind numbers pages in the order in which the system lists them, so they are written in the order of their
paths. The list of languages, which Pagefind writes in any order, is sorted here. Pagefind is given only the part of a
page that it indexes, the element marked with `data-pagefind-body`, so that an index stays the same while headers,
footers and lists change. Where that part cannot be found by simple means it is given the whole page.

Compressed copies, `.gz` and `.br`, stand beside the plain file, for servers that send them as they are. Equal bytes
give equal copies: gzip's time stamp and file name are left empty.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

import orjson

from sitecms.content.fingerprint import digest
from sitecms.errors import ConfigurationError, ProgramFailed
from sitecms.files import write_atomically
from sitecms.optional_packages import NO_PAGEFIND, PAGEFIND, Extra, is_installed, missing_package
from sitecms.site.output.generation import KEPT, Generation
from sitecms.site.plan.plan import PageJob
from sitecms.site.render.long_words import cut_long_words
from sitecms.site.routes import SEARCH_FOLDER
from sitecms.temporary_folders import temporary_folder

STEP = "search"
ENTRY = "pagefind-entry.json"
RULES = 2
"""The version of the rules by which `searched_part` and `put_page` take a part of a page."""
_SECONDS, _SECONDS_PER_MEGABYTE = 60.0, 20.0
"""Limit of time for Pagefind, which needs 0.5 to 2 s for a megabyte."""
_FAILED_BEFORE = "Pagefind has failed with these pages before, and was not tried again."
_OLD_INDEX = (
    " The site was published without a new search index; an older one stays. The next change of a page, or "
    "sitecms build --clean, makes it again."
)
_UNUSED = ("pagefind-*ui.js", "pagefind-*ui.css", "pagefind-highlight.js")
"""Pagefind's user interfaces; the theme has its own."""
_BODY = "data-pagefind-body"
_IGNORED = re.compile(r"data-pagefind-ignore(?=[\s>])")
_MARK = "data-pagefind"
_TITLE, _PICTURE = "<h1", "<img"
_HTML = re.compile(r"<html\b[^<>]*>")
_NAME = re.compile(r"<([a-z][a-z0-9]*)\s")
_UNPARSED = ("<!--", "<script", "<style", "<template", "<textarea")
"""Elements whose text may look like a tag."""
COMPRESS_STEP = "precompress"
_BATCH = 256
_COMPRESSIBLE = frozenset({".html", ".css", ".js", ".mjs", ".svg", ".xml", ".json", ".txt", ".ico", ".webmanifest"})
_GZIP_LEVEL = 9
_BROTLI_QUALITY = 10
"""Of 11: the last step takes much longer and makes files hardly smaller."""


def missing_note() -> str:
    """Return the note of a build without search."""
    return f"Search is left out: {NO_PAGEFIND}. Build the site on another one, or set enabled = false under [search]."


def is_indexed(job: PageJob) -> bool:
    """Return whether search finds the page: posts and pages are found, lists are not."""
    return job.template == "post.html" or job.template.startswith("page/")


def add_index(generation: Generation, pages: Sequence[str], notes: Path) -> str:
    """Add an index of these outputs to the generation, unless the published one is current; return a line on failure.

    Pagefind cannot update an index, so all of it is made again, but only if the searched part of a page is different.
    The file `notes` remembers the digests of these parts by the fingerprints of their pages. If Pagefind fails, the
    published index stays, and Pagefind is not tried again with the same pages.
    """
    outputs = generation.outputs()
    pages = [path for path in pages if path in outputs]
    before, failed_key = _noted(notes)
    now: dict[str, tuple[str, str]] = {}
    for path in pages:
        fingerprint = outputs[path].fingerprint
        old_fingerprint, text_digest = before.get(path, ("", ""))
        if old_fingerprint != fingerprint or fingerprint == KEPT:
            text_digest = digest(_part(generation, path))
        now[path] = fingerprint, text_digest
    key = index_key((path, text_digest) for path, (_fingerprint, text_digest) in now.items())
    if generation.holds_all(STEP, key):
        problem = failed_key = ""
    elif key == failed_key:
        problem = _FAILED_BEFORE
    else:
        problem = _add_new_index(generation, pages, key)
        failed_key = key if problem else ""
    if problem:
        generation.keep_step(STEP)
    _note(notes, now, failed_key)
    return f"{problem}{_OLD_INDEX}" if problem else ""


def _add_new_index(generation: Generation, pages: Sequence[str], key: str) -> str:
    """Make an index and add its files; return why that failed."""
    with temporary_folder("search") as folder:
        site, bundle = folder / "site", folder / "bundle"
        for path in sorted(pages):
            put_page(site / path, _part(generation, path))
        try:
            names = make_index(site, bundle)
        except ProgramFailed as error:
            return str(error)
        for name in names:
            generation.add(f"{SEARCH_FOLDER}/{name}", (bundle / name).read_bytes(), key, STEP)
    return ""


def put_page(file: Path, data: bytes) -> None:
    """Write a page to where `make_index` reads it, with shortened words."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(cut_long_words(data.decode("utf-8", "replace")).encode("utf-8", "replace"))


def _part(generation: Generation, path: str) -> bytes:
    return searched_part(generation.read(path).decode("utf-8", "replace")).encode("utf-8", "replace")


def _noted(notes: Path) -> tuple[dict[str, tuple[str, str]], str]:
    """Return the fingerprint of each page with the digest of its searched part, and the key of an index that failed.

    Returns nothing if the file is unusable.
    """
    try:
        data = orjson.loads(notes.read_bytes())
        if data["rules"] == RULES:
            return {path: (fingerprint, text) for path, (fingerprint, text) in data["pages"].items()}, str(
                data["failed"]
            )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        pass
    return {}, ""


def _note(notes: Path, pages: Mapping[str, tuple[str, str]], failed_key: str) -> None:
    data = orjson.dumps({"rules": RULES, "pages": pages, "failed": failed_key})
    with suppress(OSError):
        if notes.read_bytes() == data:
            return
    write_atomically(notes, data)


def index_key(pages: Iterable[tuple[str, str]]) -> str:
    """Return the fingerprint of an index of these paths, each with a digest of its page, whatever their order."""
    lines = sorted(f"{path}\0{fingerprint}" for path, fingerprint in pages)
    return digest("\n".join((_version(), *lines)).encode())


def make_index(site: Path, bundle: Path) -> tuple[str, ...]:
    """Index the HTML files below `site` that have a `data-pagefind-body`; the paths of what is then in `bundle`.

    Raises ProgramFailed with Pagefind's own words if it fails, or if it takes longer than `_SECONDS`.
    """
    from sitecms.programs import run_program

    size = sum(path.stat().st_size for path in site.rglob("*.html"))
    seconds = _SECONDS + _SECONDS_PER_MEGABYTE * size / 1_000_000
    command = [str(_executable()), "--site", str(site), "--output-path", str(bundle), "--silent"]
    ended = run_program(command, seconds)
    if ended.exit_code is None:
        raise ProgramFailed(f"Pagefind did not finish the search index within {seconds:.0f} seconds.")
    if ended.exit_code:
        reason = ended.output.strip() or f"exit code {ended.exit_code}"
        raise ProgramFailed(f"Pagefind could not index the site: {reason}")
    for pattern in _UNUSED:
        for path in bundle.glob(pattern):
            path.unlink()
    entry = bundle / ENTRY
    entry.write_bytes(orjson.dumps(orjson.loads(entry.read_bytes()), option=orjson.OPT_SORT_KEYS))
    return tuple(sorted(path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file()))


def _executable() -> Path:
    if find_spec(PAGEFIND[0]):
        from pagefind_bin_extended import get_executable
    else:
        from pagefind_bin import get_executable
    return Path(get_executable())


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    for package in PAGEFIND:
        try:
            return f"{package} {version(package)}"
        except PackageNotFoundError:
            continue
    return ""


def searched_part(page: str) -> str:
    """Return a shorter page of which Pagefind makes the same index."""
    body = _element(page, page.find(_BODY)) if page.count(_BODY) == 1 else None
    html = _HTML.search(page)
    if body is None or html is None:
        return page
    start, end = body
    part, around = page[start:end], page[:start] + page[end:]
    if _TITLE not in part or _TITLE in around or _MARK in around:
        return page
    return f"<!doctype html>{html[0]}<body>{_without_ignored(part)}</body></html>"


def _without_ignored(part: str) -> str:
    """Return the part without ignored elements, but for those with a title, picture or mark, which Pagefind may use."""
    at = 0
    while match := _IGNORED.search(part, at):
        span = _element(part, match.start())
        inner = part[slice(*span)] if span else ""
        at = match.end()
        if span and inner.count(_MARK) == 1 and _TITLE not in inner and _PICTURE not in inner:
            part = part[: span[0]] + part[span[1] :]
            at = span[0]
    return part


def _element(page: str, at: int) -> tuple[int, int] | None:
    """Return start and end of the element whose start tag is at this place; None if it cannot be found safely."""
    start = page.rfind("<", 0, at)
    name = _NAME.match(page, start) if start >= 0 else None
    if name is None or ">" in page[start:at]:
        return None
    depth = 0
    for tag in re.finditer(rf"<(/?){name[1]}\b[^<>]*>", page[start:]):
        depth += -1 if tag[1] else 1
        if depth == 0:
            end = start + tag.end()
            return (start, end) if not any(each in page[start:end] for each in _UNPARSED) else None
    return None


def add_copies(generation: Generation, encodings: tuple[str, ...]) -> None:
    """Add a copy of each text output in each encoding; copies of unchanged outputs stay.

    Copies are made in threads, since the compression libraries release the interpreter lock. Raises ConfigurationError
    for an encoding whose library is not installed.
    """
    if "br" in encodings and not is_installed(Extra.BROTLI):
        raise ConfigurationError(missing_package(Extra.BROTLI, 'site.toml: "br" in precompress under [delivery]'))
    stale = list(_stale(generation, encodings))
    if not stale:
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for start in range(0, len(stale), _BATCH):
            due = stale[start : start + _BATCH]
            copies = pool.map(lambda each: compressed(generation.read(each[0]), each[1]), due)
            for (path, encoding, fingerprint), copy in zip(due, copies, strict=True):
                if copy is not None:
                    generation.add(f"{path}.{encoding}", copy, fingerprint, COMPRESS_STEP)


def _stale(generation: Generation, encodings: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    planned = {path for path, entry in generation.outputs().items() if not entry.step}
    for path, entry in generation.outputs().items():
        if entry.step != COMPRESS_STEP and is_compressible(path):
            for encoding in encodings:
                if f"{path}.{encoding}" in planned:
                    continue  # the owner's own copy, in `static`
                if not generation.holds(f"{path}.{encoding}", entry.fingerprint, COMPRESS_STEP):
                    yield path, encoding, entry.fingerprint


def is_compressible(path: str) -> bool:
    """Return whether the path is that of a text; images, fonts and Pagefind's files are compressed already."""
    return PurePosixPath(path).suffix in _COMPRESSIBLE


def compressed(data: bytes, encoding: str) -> bytes | None:
    """Return the bytes in an encoding, `gz` or `br`; None if they would not be smaller."""
    smaller = _COMPRESSORS[encoding](data)
    return smaller if len(smaller) < len(data) else None


def _gzip(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data, _GZIP_LEVEL, mtime=0)


def _brotli(data: bytes) -> bytes:
    import brotli

    smaller: bytes = brotli.compress(data, mode=brotli.MODE_TEXT, quality=_BROTLI_QUALITY)
    return smaller


_COMPRESSORS: Mapping[str, Callable[[bytes], bytes]] = {"gz": _gzip, "br": _brotli}
