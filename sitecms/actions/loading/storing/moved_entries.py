"""Notes about entries whose address changed: what their files need for every clone to lead on from the old one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain

from sitecms.actions.loading.storing.entry_names import Pair
from sitecms.actions.permalinks import EntryPaths
from sitecms.content.addresses import site_path
from sitecms.content.kinds import KINDS
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries.versions import VERSIONS


class MovedEntries:
    """Addresses of posts and pages before a load changes them."""

    def __init__(self, session: Session, settings: SiteSettings, pairs: Iterable[Pair]) -> None:
        self._session = session
        self._paths = EntryPaths(settings)
        self._before = self._addresses(pairs)[0]

    def notes(self, files: Mapping[str, Iterable[Pair]]) -> Iterator[str]:
        """Yield a note on each file with an entry that has another address now; `files` has the entries of each."""
        after, aliases = self._addresses({pair for pair, _locale in self._before})
        live = {*after.values()}
        for path, pairs in files.items():
            for pair in pairs:
                moved = {
                    locale: (old, after[pair, locale])
                    for (of, locale), old in self._before.items()
                    if of == pair and after.get((pair, locale), old) != old and old not in aliases[pair] | live
                }
                if moved:
                    locales = [locale for of, locale in after if of == pair]
                    yield f"{path}: {_told(moved, is_list=len(locales) == 1)}"

    def _addresses(self, pairs: Iterable[Pair]) -> tuple[dict[tuple[Pair, str], str], Mapping[Pair, set[str]]]:
        """Return the paths of what is published by entry and locale, and the aliases of each entry."""
        ids = defaultdict[str, list[int]](list)
        for kind, entry_id in pairs:
            ids[kind].append(entry_id)
        paths: dict[tuple[Pair, str], str] = {}
        aliases = defaultdict[Pair, set[str]](set)
        for kind in (each for each, properties in KINDS.items() if properties.has_slug):
            for entry in (each for each in VERSIONS[kind].of(self._session, ids[kind]) if each.is_live):
                pair = (str(kind), entry.id)
                with suppress(OverflowError):  # a day that the time zone does not have: the entry has no page
                    paths[pair, entry.locale] = self._paths.own(entry)
                aliases[pair].update(map(site_path, chain(*entry.addresses.aliases.values())))
        return paths, aliases


def _told(moved: Mapping[str, tuple[str, str]], *, is_list: bool) -> str:
    changes = ", ".join(f"from {old} to {new}" for old, new in moved.values())
    if is_list:
        line = f"aliases: [{', '.join(old for old, _new in moved.values())}]"
    else:
        line = f"aliases: {{{', '.join(f'{locale}: [{old}]' for locale, (old, _new) in moved.items())}}}"
    return f"moved {changes} (add {line}, so that every clone leads on from there)"
