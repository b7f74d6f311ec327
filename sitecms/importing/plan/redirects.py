"""Rules of redirects.yaml for old addresses that no entry has."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload
from urllib.parse import quote

from sitecms.content.status import Status
from sitecms.importing.plan.catalogue import Catalogue
from sitecms.importing.plan.entries import EntryPlan, as_written
from sitecms.importing.plan.old_site import OldSite
from sitecms.importing.plan.target import Target
from sitecms.importing.plan.terms import TermPlan
from sitecms.importing.records import Kind, NoteKind, Place, Redirect
from sitecms.importing.report import Report

FILE = "redirects.yaml"
_SPACE = re.compile(r"\s")
_SOURCE = re.compile(r"/(?!/)[^\s#]{0,1999}")  # as in content_schema/redirects.schema.json
_TARGET = re.compile(r"|(?:/(?!/)|https?://)\S{0,1990}")


class Rules(Sequence[Mapping[str, Any]]):
    """Lazy sequence of rules of redirects.yaml: there may be one for every entry."""

    def __init__(self, found: Mapping[str, tuple[str, int]]) -> None:
        self._found, self._sources = found, tuple(found)

    def __len__(self) -> int:
        """Return the number of rules."""
        return len(self._sources)

    @overload
    def __getitem__(self, place: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Mapping[str, Any]]: ...
    def __getitem__(self, place: int | slice) -> Mapping[str, Any] | Sequence[Mapping[str, Any]]:
        """Return a rule."""
        if isinstance(place, slice):
            return [self[number] for number in range(len(self))[place]]
        source = self._sources[place]
        target, status = self._found[source]
        if not target:
            return {"from": source, "gone": True}
        return {"from": source, "to": target, **({"status": status} if status != 301 else {})}


def plan_redirects(
    catalogue: Catalogue, plan: EntryPlan, terms: TermPlan, old: OldSite, target: Target, report: Report
) -> "Rules":
    """Return the rules, each `from` once; no rule hides the address of an entry."""
    rules: dict[str, tuple[str, int]] = {}
    live = {planned.path for planned in plan.by_key.values()} | {term.path for term in terms.terms.values()}
    live |= set(_years(catalogue, target))
    live |= plan.reserved
    live |= {alias for planned in plan.by_key.values() for alias in planned.aliases}

    def add(source: str, target: str, status: int = 301) -> None:
        source, target = _SPACE.sub(_encoded, source), _SPACE.sub(_encoded, target)
        if not _SOURCE.fullmatch(source) or not _TARGET.fullmatch(target):
            report.add(
                NoteKind.ADDRESS, "redirect that redirects.yaml cannot hold", Place(f"{source} → {target}"[:200])
            )
            return
        if source in live or source in rules or source == target or source in ("", "/"):
            return
        rules[source] = (target, status)

    for planned in plan.by_key.values():
        if planned.known.status is not Status.PUBLISHED:
            continue
        for url in (planned.known.old_url, *planned.known.former_urls):
            path = old.path_of(url) if url else None
            if path and "?" in path:
                add(path, planned.path)
        for _key, _locale, url in planned.known.variant_urls:
            path = old.path_of(url) if url else None
            if path and path != plan.variant_paths[path].rstrip("/"):
                add(as_written(path, url), plan.variant_paths[path])
    for redirect in catalogue.redirects:
        to = _target(redirect, plan, target)
        if to is None:
            report.add(NoteKind.ADDRESS, "redirect to something that is not imported", Place(redirect.source))
            continue
        if redirect.is_prefix:
            add(redirect.source.rstrip("*") + "*", to, redirect.status)
        else:
            add(redirect.source, to, redirect.status)
    for media in catalogue.media.values():
        parent = plan.by_key.get(media.parent)
        for path in _paths(media.old_urls, old):
            add(path, parent.path if parent and parent.known.status is Status.PUBLISHED else "")
    return Rules(rules)


def _encoded(found: re.Match[str]) -> str:
    return quote(found[0])


def _target(redirect: Redirect, plan: EntryPlan, target: Target) -> str | None:
    """Return the path or address a rule leads to; "" for a page that is gone, None if its entry is not imported."""
    scheme, _, rest = redirect.target.partition(":")
    match scheme:
        case "entry":
            key, hash_sign, fragment = rest.partition("#")
            planned = plan.by_key.get(key)
            return planned.path + hash_sign + fragment if planned else None
        case "feed":
            return {"rss": "/rss.xml", "atom": "/atom.xml", "json": "/feed.json"}[rest]
        case "year":
            return target.pattern("year").replace("{year}", rest)
    return redirect.target


def _years(catalogue: Catalogue, target: Target) -> Iterator[str]:
    """Yield the addresses of the lists of posts of each year."""
    for known in catalogue.entries.values():
        if known.kind is Kind.POST and known.status is not Status.DRAFT and (at := target.local(known.published_at)):
            yield target.pattern("year").replace("{year}", f"{at.year}")


def _paths(urls: Iterable[str], old: OldSite) -> Iterable[str]:
    for url in urls:
        path = old.path_of(url)
        if path and path != "/":
            yield path if "?" in path or "." in path.rsplit("/", 1)[-1] else path + "/"
