"""Entries of files that would be written to one path of the built site: found before anything of a load is kept."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from sitecms.actions.entry_paths import INDEX, EntryPath, own_pages, path_key, published_paths
from sitecms.actions.loading.storing.entry_names import Pair, described
from sitecms.content.kinds import KINDS
from sitecms.content.schema import ContentSchema
from sitecms.documents import Step, locator, place_of
from sitecms.errors import FileError
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session

Place = tuple[str, int, str]
"""Kind, id and locale of a version."""


class Clash(Struct, frozen=True):
    """Two versions that cannot both have a page; `other` None: `shows` names a page of the site itself."""

    entry: EntryPath
    other: EntryPath | None
    shows: str = ""


class PathsUnknown(Exception):
    """Entries came to one path, and the paths before the load are needed to see which of them had it."""


class PathGuard(Struct):
    """Guard of the paths that entries have: holds the files back whose entries came to the path of another one.

    `owner_of` returns the file of an entry, "" for none. `before`: the paths before the load, None if not needed.
    """

    session: Session
    schema: ContentSchema
    settings: SiteSettings
    owner_of: Callable[[Pair], str]
    before: dict[Place, str] | None = None

    def look(self) -> None:
        """Note the paths before the load."""
        self.before = paths_of(self.session, self.schema, self.settings)

    def check(
        self, claimed: Mapping[str, Sequence[Pair]], gone: Mapping[Pair, str], yielding: dict[Pair, str]
    ) -> list[FileError]:
        """Return an error for each file that is to be held back, given the entries of the files of a load.

        Those of files that are `gone` yield to others: they are added to `yielding`, with the file of the other one.
        Raises PathsUnknown.
        """
        clashes = self._clashes(yielding)
        while leaving := dict(self._leaving(clashes, gone)):
            yielding.update(leaving)
            clashes = self._clashes(yielding)
        if clashes and self.before is None:
            raise PathsUnknown
        files = {pair: path for path, pairs in claimed.items() for pair in pairs} if clashes else {}
        order = {path: number for number, path in enumerate(claimed)} if clashes else {}
        errors = []
        for clash in clashes:
            both = [each for each in (clash.entry, clash.other) if each is not None]
            if new := [each for each in both if pair_of(each) in files and self._is_new(each)]:
                loser = max(new, key=lambda each: order[files[pair_of(each)]])
                errors.append(self._error(clash, loser, files[pair_of(loser)], claimed[files[pair_of(loser)]]))
        return errors

    def _clashes(self, yielding: Collection[Pair]) -> Sequence[Clash]:
        return find_clashes(self.session, self.schema, self.settings, yielding)

    def _is_new(self, found: EntryPath) -> bool:
        return (self.before or {}).get(place_of_path(found)) != path_key(found.path)

    def _error(self, clash: Clash, loser: EntryPath, file: str, held: Sequence[Pair]) -> FileError:
        other = clash.other if clash.entry is loser else clash.entry
        who = clash.shows if other is None else self.owner_of(pair_of(other)) or described(self.session, pair_of(other))
        problem = f"gives the address {loser.path}, which is that of {who}"
        if other is not None and path_key(other.path) != path_key(loser.path):
            problem = f"gives the address {loser.path}; with {other.path} of {who} one file would be a folder"
        above: tuple[Step, ...] = () if KINDS[loser.kind].has_slug else (held.index(pair_of(loser)),)
        locate = locator(self.settings.folder / file)
        top, line = locate(above), locate((*above, "path"))
        here = (*above, "slug" if line == top else "path")
        return FileError(file, place_of(here), problem, "give one another slug or path", locate(here))

    def _leaving(self, clashes: Iterable[Clash], gone: Mapping[Pair, str]) -> Iterator[tuple[Pair, str]]:
        """Yield each entry of a file that is gone, with the file of the entry that comes to its path."""
        for clash in clashes:
            for one, other in ((clash.entry, clash.other), (clash.other, clash.entry)):
                if one is not None and other is not None and pair_of(one) in gone and pair_of(other) not in gone:
                    yield pair_of(one), self.owner_of(pair_of(other))


def place_of_path(found: EntryPath) -> Place:
    """Return the version that has the path."""
    return found.kind.value, found.id, found.locale


def pair_of(found: EntryPath) -> Pair:
    """Return the entry that has the path."""
    return found.kind.value, found.id


def paths_of(session: Session, schema: ContentSchema, settings: SiteSettings) -> dict[Place, str]:
    """Return the path of each published version, in the form in which paths are compared."""
    return {place_of_path(each): path_key(each.path) for each in published_paths(session, schema, settings)}


def find_clashes(
    session: Session, schema: ContentSchema, settings: SiteSettings, yielding: Collection[Pair]
) -> Sequence[Clash]:
    """Return each two versions of one path, or of which one is a file where the other needs a folder.

    Those of `yielding` entries, whose files are gone, clash with nothing.
    """
    taken: dict[str, EntryPath] = {}
    own, clashes = own_pages(settings), []
    for found in published_paths(session, schema, settings):
        if pair_of(found) in yielding:
            continue
        key = path_key(found.path)
        if key in own:
            clashes.append(Clash(found, None, own[key]))
        elif (other := taken.setdefault(key, found)) is not found:
            clashes.append(Clash(found, other))
    files = {key for key, found in taken.items() if not found.path.endswith(("/", f"/{INDEX}"))}
    if files:
        for key, found in taken.items():
            clashes += (Clash(found, taken[folder]) for folder in _folders(key) if folder in files)
    return clashes


def _folders(key: str) -> Iterator[str]:
    parts = key.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts)))
