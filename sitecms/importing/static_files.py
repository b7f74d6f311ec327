"""Files that the old site published as they are: they go to `static/`, where texts did not bring them to `media/`."""

from collections.abc import Iterable, Iterator, Mapping, Set

from msgspec import Struct, field

from sitecms.content.permalink import MAX_FILE_BYTES
from sitecms.documents.folders import STATIC_FOLDER, is_fit_name, is_published_name
from sitecms.importing.media.needed_media import SOURCE_SCHEME
from sitecms.importing.records import NoteKind, Place
from sitecms.importing.report import ImportReport
from sitecms.importing.source import SourceFile
from sitecms.importing.state import MediaState
from sitecms.importing.write import FileOutcome, Writer

_GENERATED = frozenset({"index.html", "sitemap.xml", "rss.xml", "atom.xml", "feed.json"})
"""Files that every build makes."""
_FOR_HOSTS = {
    "_redirects": "the rules hold on Netlify and Cloudflare Pages; write them into redirects.yaml for other hosts",
    "_headers": "its lines follow those of the build",
}


class StaticPlan(Struct):
    """The files to copy, by path below the root; `left_out` are paths by the reason."""

    files: dict[str, SourceFile] = field(default_factory=dict)
    left_out: dict[str, list[str]] = field(default_factory=dict)


def plan_static(files: Mapping[str, SourceFile], media: Mapping[str, MediaState], taken: Set[str]) -> StaticPlan:
    """Choose the files to copy. `taken` are the addresses of the new site and of its redirects.

    A file that is in `media/` already is left out: its old address leads there.
    """
    plan = StaticPlan()
    outputs = set(_outputs(taken))
    folders = {parent for path in outputs for parent in _folders(path)}
    chosen: set[str] = set()
    chosen_folders: set[str] = set()
    moved = {path for each in media.values() if each.file for path in each.old}
    for path, file in sorted(files.items()):
        source = f"{SOURCE_SCHEME}{file.name}"
        known = media.get(source)
        is_media = bool(known and known.file) or f"/{path}" in moved
        if is_media or not is_published_name(path):
            continue
        name = path.lower()
        if name in outputs or name in folders or outputs.intersection(_folders(name)):
            plan.left_out.setdefault("files where the new site has a page, a feed or a redirect", []).append(path)
        elif not is_fit_name(path) or any(len(part.encode()) > MAX_FILE_BYTES for part in path.split("/")):
            plan.left_out.setdefault("files with names that cannot be published", []).append(path)
        elif name in chosen_folders or chosen.intersection(_folders(name)):
            plan.left_out.setdefault("files beside a folder of the same name, or below a file", []).append(path)
        else:
            plan.files[path] = file
            chosen.add(name)
            chosen_folders.update(_folders(name))
    return plan


def copy_static(plan: StaticPlan, writer: Writer, report: ImportReport) -> None:
    """Copy the files to `static/`, and report each of them."""
    for path, file in plan.files.items():
        target = f"{STATIC_FOLDER}/{path}"
        outcome = writer.copy(target, file)
        report.count("static files", outcome)
        if outcome is FileOutcome.WRITTEN:
            report.add(NoteKind.FILE, f"published as it is, from {STATIC_FOLDER}/", Place(path))
        if path in _FOR_HOSTS:
            report.add(NoteKind.FILE, "a file for web hosts", Place(target), _FOR_HOSTS[path])
    for reason, paths in plan.left_out.items():
        for path in paths:
            report.add(NoteKind.LEFT_OUT, reason, Place(path), "copy it to static/ under another name if you need it")


def _outputs(addresses: Iterable[str]) -> Iterator[str]:
    """Yield the paths of the files at these addresses, in lower case."""
    yield from _GENERATED
    for address in addresses:
        path = address.partition("?")[0].strip("/").lower()
        if path and not path.endswith("*"):
            yield path if "." in path.rpartition("/")[2] else f"{path}/index.html"


def _folders(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
