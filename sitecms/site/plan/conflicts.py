"""Entries that cannot be built: outputs of one path, and entries from which no page can be planned.

One entry's mistake never stops the others. Where outputs conflict, a file or a page of the site itself stays, then the
entry that was made first, then a list of posts; the others are left out and named.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.entry_paths import item_paths
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.permalink import folded_path
from sitecms.documents.folders import STATIC_FOLDER
from sitecms.errors import ConfigurationError
from sitecms.site.output.manifest import folders_of, is_inside
from sitecms.site.routes import Routes, output_path
from sitecms.site.snapshot import Snapshot
from sitecms.site.views.page_metadata import described
from sitecms.site.views.post_lists import Years
from sitecms.site.views.view_builder import ViewBuilder

REDIRECT = "redirect.html"
_STATIC = f"file {STATIC_FOLDER}/"
REMEDY = "give one another slug or path"
_LISTS = frozenset({"term.html", "author.html", "year.html"})


class Output(Struct, frozen=True):
    """One planned output: its place in the plan, its path, its name in messages, the entry whose page it is.

    `template`: that of the page, "" for a file.
    """

    number: int
    path: str
    shows: str
    entry: Entry | None = None
    template: str = ""

    @property
    def name(self) -> str:
        """The path as file systems compare it that ignore case.

        That of a redirect is the path itself: where it is one file with a page, readers need no redirect.
        """
        return self.path if self.template == REDIRECT else folded_path(self.path)

    @property
    def rank(self) -> tuple[object, ...]:
        """The sort key by which the first of several outputs of one path stays."""
        if self.entry is not None:
            entry, kind = self.entry, KINDS[self.entry.kind]
            return 1, entry.created_at, not kind.has_slug, kind.is_dated, entry.kind, entry.id
        return (2,) if self.template in _LISTS else (0,)

    @property
    def can_yield(self) -> bool:
        """True if the site can be built without it."""
        return self.entry is not None or self.template in _LISTS


class LeftOut(Struct, frozen=True):
    """An entry or a list that is not built: its place in the plan (-1: none), path and name, and the problem.

    `other`: the entry that it gives way to.
    """

    number: int
    path: str
    shows: str
    problem: str
    entry: Entry | None = None
    other: Entry | None = None


def has_conflicts(names: Sequence[str]) -> bool:
    """Return whether any of these names of outputs is there twice, is the folder of another, or leaves the site."""
    paths = set(names)
    if len(paths) < len(names) or not all(map(is_inside, names)):
        return True
    return not paths.isdisjoint(folders_of(names) - {""})


def find_conflicts(outputs: Sequence[Output]) -> tuple[LeftOut, ...]:
    """Return the outputs that give way to others of the same path, or in the folder where the other is a file.

    Raises ConfigurationError for outputs of which none can be left out.
    """
    by_name: dict[str, list[Output]] = {}
    for output in outputs:
        by_name.setdefault(output.name, []).append(output)
    left_out: dict[int, LeftOut] = {}
    problems: list[str] = []
    for output in outputs:
        if not is_inside(output.path):
            problem = f"would be written to {output.path!r}, which is not a path inside the site"
            _give_way(left_out, problems, output, None, problem)
    for alike in by_name.values():
        if len(alike) > 1:
            first, *others = sorted(alike, key=lambda each: each.rank)
            for other in others:
                _give_way(left_out, problems, other, first, _same_place(other.path, first))
    for outer, inner in _nested(by_name):
        loser, winner = (outer, inner) if outer.rank > inner.rank else (inner, outer)
        if not loser.can_yield:
            loser, winner = winner, loser
        _give_way(left_out, problems, loser, winner, _nested_place(outer, inner, loser))
    if problems:
        raise ConfigurationError("\n".join(problems))
    return tuple(left_out.values())


def _give_way(
    left_out: dict[int, LeftOut], problems: list[str], loser: Output, winner: Output | None, problem: str
) -> None:
    if not loser.can_yield:
        files = [
            each.shows.removeprefix("file ") for each in (loser, winner) if each and each.shows.startswith(_STATIC)
        ]
        problems.append(f"The {loser.shows} {problem} ({f'rename or remove {files[0]}' if files else REMEDY}).")
    elif loser.number not in left_out and (winner is None or winner.number not in left_out):
        other = winner.entry if winner else None
        left_out[loser.number] = LeftOut(loser.number, loser.path, loser.shows, problem, loser.entry, other)


def _same_place(path: str, first: Output) -> str:
    if path == first.path:
        return f"would be written to {path}, which is the {first.shows}"
    return f"would be written to {path}, which is one file with {first.path}, the {first.shows}, on many systems"


def _nested_place(outer: Output, inner: Output, loser: Output) -> str:
    if loser is inner:
        return f"would be written to {inner.path}, where {outer.path} is no folder, but the {outer.shows}"
    return f"would be written to {outer.path}, which is the folder of the {inner.shows}"


def _nested(by_name: dict[str, list[Output]]) -> Iterator[tuple[Output, Output]]:
    """Yield each output whose path is the folder of another one, with the other one."""
    for name, alike in by_name.items():
        for folder in folders_above(name):
            for outer in by_name.get(folder, ()):
                yield from ((outer, inner) for inner in alike)


def folders_above(path: str) -> Iterator[str]:
    """Yield the folders in which a path stands."""
    end = path.rfind("/")
    while end > 0:
        yield path[:end]
        end = path.rfind("/", 0, end)


def without(snapshot: Snapshot, left_out: Iterable[LeftOut]) -> Snapshot:
    """Return the snapshot without these entries."""
    keys = {key_of(each.entry) for each in left_out if each.entry is not None}

    def stays(entry: Entry) -> bool:
        return key_of(entry) not in keys

    left = {kind: tuple(filter(stays, entries)) for kind, entries in snapshot.by_kind.items()}
    return replace(snapshot, by_kind=left)


def key_of(entry: Entry) -> tuple[EntryKind, int, str]:
    """Return kind, id and locale."""
    return entry.kind, entry.id, entry.locale


def name_of(entry: Entry) -> str:
    """Return the name of an entry in messages."""
    kind = KINDS[entry.kind]
    type_name = f"{entry.type or '*'}/" if kind.type_key else ""
    locale = f" ({entry.locale})" if kind.has_locales else ""
    return f"{entry.kind} {type_name}{entry.slug if kind.has_slug else entry.id}{locale}"


def find_unfit(snapshot: Snapshot, routes: Routes, views_in: Callable[[str], ViewBuilder]) -> tuple[LeftOut, ...]:
    """Return the entries from which no page can be planned, each with the error."""
    unfit = []
    for entry in snapshot.all_entries:
        if entry.locale not in routes.settings.locales:
            continue
        path = ""
        try:
            path = routes.find(entry, item_paths([entry], snapshot.schema, routes.settings))
            _try(entry, routes, views_in(entry.locale))
        except Exception as error:  # noqa: BLE001  # whatever it is, it costs this entry alone
            problem = f"cannot be planned: {type(error).__name__}: {error}"
            unfit.append(LeftOut(-1, path and output_path(path), name_of(entry), problem, entry))
    return tuple(unfit)


def _try(entry: Entry, routes: Routes, views: ViewBuilder) -> None:
    """Compute all that other pages use of an entry."""
    if KINDS[entry.kind].is_dated:
        Years((entry,), (), entry.locale, routes)
        views.card_digest(entry)
        views.post_inputs(entry)
    else:
        described(views.page(entry))
        views.inputs_of(views.page(entry))
