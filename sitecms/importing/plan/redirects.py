"""Rules of redirects.yaml for old addresses that no entry has."""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any
from urllib.parse import quote, unquote

from sitecms.content.addresses import path_problem, site_path
from sitecms.content.permalink import BLOG, locale_root
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.importing.plan.catalogue import Catalogue, term_key
from sitecms.importing.plan.entries import EntryPlan, as_written, needs_rule
from sitecms.importing.plan.old_site import OldSite, fill_pattern, old_path
from sitecms.importing.plan.taken_paths import TakenPaths
from sitecms.importing.plan.target import TargetSite
from sitecms.importing.plan.terms import TermPlan
from sitecms.importing.records import Kind, Media, NoteKind, Place, RedirectRecord
from sitecms.importing.report import ImportReport
from sitecms.web_address import split_address

_FEEDS = {"rss": "rss.xml", "atom": "atom.xml", "json": "feed.json"}
_UNFIT_RULE = "redirect that redirects.yaml cannot hold"
_SPACE = re.compile(r"\s")
_STAR = re.compile(r"\*(?!$)")  # only one at the end stands for all that follows
_UNFIT = re.compile(r"[\s#\\{}%]")
_SOURCE = re.compile(r"/(?!/)[^\s#]{0,1999}")  # as in content_schema/redirects.schema.json
_TARGET = re.compile(r"|(?:/(?!/)|https?://|media/)\S{0,1990}")


class _RuleBook:
    """Rules by their source, checked by the rules of a build: the first of each source stays, none hides a page.

    `live` are the addresses of the new site, aliases of entries included, by which a target is known.
    """

    def __init__(self, live: Set[str], aliases: Mapping[str, str], taken: TakenPaths, report: ImportReport) -> None:
        self.found: dict[str, tuple[str, int]] = {}
        self._live, self._aliases, self._taken, self._report = live, aliases, taken, report
        self._keys: set[tuple[str, str]] = set()

    def add(self, source: str, target: str, status: int = 301) -> None:
        """Add a rule; report one that redirects.yaml cannot hold or that would hide pages."""
        source, target = (_STAR.sub("%2A", _SPACE.sub(_encoded, each)) for each in (source, target))
        written, _, query = source.partition("?")
        is_prefix = written.endswith("*")
        path = unquote(written[:-1]) if is_prefix else site_path(written)
        target = self._aliases.get(target, target)
        key = (path + "*" * is_prefix, old_path("/", query))
        is_live = path in self._live or (target.startswith("/") and site_path(split_address(target).path) == path)
        if source in ("", "/") or key in self._keys or (is_live and not query and not is_prefix):
            return
        if problem := self._problem(source, path, target):
            self._report.add(NoteKind.ADDRESS, problem, Place(f"{source} → {target}"[:200]))
            return
        self._keys.add(key)
        self.found[source] = (target, status)
        if not query and not is_prefix:
            self._taken.take(path)

    def _problem(self, source: str, path: str, target: str) -> str:
        """Return the reason why the site cannot have a rule; "" if it can."""
        written, _, query = source.partition("?")
        is_prefix = written.endswith("*")
        if not _SOURCE.fullmatch(source) or not _TARGET.fullmatch(target) or "*" in target.removesuffix("*"):
            return _UNFIT_RULE
        if "*" in written.removesuffix("*") or (is_prefix and query) or (target.endswith("*") and not is_prefix):
            return _UNFIT_RULE
        if not source.isprintable() or not target.isprintable():
            return _UNFIT_RULE
        if path.strip("/") and path_problem(written.removesuffix("*")):
            return _UNFIT_RULE
        if is_prefix and any(each.startswith(path) for each in self._live):
            return "redirect that would hide pages"
        if not query and not is_prefix and not self._taken.fits(path):
            return "redirect at an address where the site cannot have a page"
        return ""


def plan_redirects(
    catalogue: Catalogue,
    plan: EntryPlan,
    terms: TermPlan,
    old: OldSite,
    target: TargetSite,
    report: ImportReport,
    files: Iterable[tuple[str, str]] = (),
) -> list[Mapping[str, Any]]:
    """Return the rules, each `from` once; no rule hides the address of an entry.

    `files` are old paths of media files and of their pages, with their targets.
    """
    aliases = {alias: planned.path for planned in plan.by_key.values() for alias in planned.aliases}
    rules = _RuleBook(live_paths(catalogue, plan, terms, target), aliases, plan.taken, report)
    for path, to in _entry_pages(plan, old):
        rules.add(path, to)
    for redirect in catalogue.redirects:
        address = _target(redirect, catalogue, plan, terms, target)
        if address is None:
            report.add(NoteKind.ADDRESS, "redirect to something that is not imported", Place(redirect.source))
            continue
        source = redirect.source.rstrip("*") + "*" if redirect.is_prefix else redirect.source
        rules.add(source, address, redirect.status)
    for path in _paths(_without_list(catalogue, terms), old):
        rules.add(path, BLOG)
    for path, to in files:
        rules.add(path, to)
    return [_rule(source, to, status) for source, (to, status) in rules.found.items()]


def _rule(source: str, target: str, status: int) -> Mapping[str, Any]:
    if not target:
        return {"from": source, "gone": True}
    return {"from": source, "to": target, **({"status": status} if status != 301 else {})}


def _entry_pages(plan: EntryPlan, old: OldSite) -> Iterator[tuple[str, str]]:
    """Yield old addresses of published entries that no alias can hold, with the new ones."""
    for planned in plan.by_key.values():
        if planned.known.status is not Status.PUBLISHED:
            continue
        for url in (planned.known.old_url, *planned.known.former_urls):
            path = old.path_of(url) if url else None
            if path and "?" in path:
                yield path, planned.path
            elif path and needs_rule(path):
                yield _UNFIT.sub(_encoded, as_written(path, url)), planned.path
        for _key, _locale, url in planned.known.variant_urls:
            path = old.path_of(url) if url else None
            if path and path != plan.variant_paths[path].rstrip("/"):
                yield as_written(path, url), plan.variant_paths[path]


def attachment_pages(files: Iterable[tuple[Media, str]], plan: EntryPlan, old: OldSite) -> Iterator[tuple[str, str]]:
    """Yield the old address of each page of a media file, and that of the entry it was uploaded for, or of the file.

    `files` are media with their addresses on the new site ("": not there). "" is the target of a page that is gone.
    """
    for media, address in files:
        parent = plan.by_key.get(media.parent)
        for path in _paths(media.old_urls, old):
            yield path, parent.path if parent and parent.known.status is Status.PUBLISHED else address


def live_paths(catalogue: Catalogue, plan: EntryPlan, terms: TermPlan, target: TargetSite) -> set[str]:
    """Return the addresses of the new site, aliases of entries included."""
    live = list_paths(catalogue, terms, target) | plan.reserved
    live |= {planned.path for planned in plan.by_key.values()}
    live |= {alias for planned in plan.by_key.values() for alias in planned.aliases}
    return live


def list_paths(catalogue: Catalogue, terms: TermPlan, target: TargetSite) -> set[str]:
    """Return the addresses of the lists of terms, authors and years, and of their indexes.

    In locales other than the default one they exist if a published post has a term.
    """
    paths = {term.path for known, term in terms.terms.items() if known in catalogue.shown_terms}
    authors = {terms.authors[key].slug for key in catalogue.shown_authors if key in terms.authors} | {terms.main_author}
    paths |= {fill_pattern(target.pattern("author"), slug, None) for slug in authors if slug}
    paths |= set(_years(catalogue, target))
    paths |= {path for name, path in _indexes(target) if _has_index(name, catalogue)}
    shown = {target.default_locale, *catalogue.shown_locales.intersection(target.locales)}
    return {locale_root(locale, target.default_locale) + path for locale in shown for path in paths}


def _encoded(match: re.Match[str]) -> str:
    return quote(match[0])


def _target(
    redirect: RedirectRecord, catalogue: Catalogue, plan: EntryPlan, terms: TermPlan, target: TargetSite
) -> str | None:
    """Return the path or address a rule leads to; "" for a page that is gone, None if its entry is not imported."""
    scheme, _, rest = redirect.target.partition(":")
    match scheme:
        case "entry":
            key, hash_sign, fragment = rest.partition("#")
            planned = plan.by_key.get(key)
            return planned.path + hash_sign + fragment if planned else None
        case "category" | "tag":
            return _list_of(TermKind(scheme), rest, catalogue, terms)
        case "list":
            return BLOG
        case "index":
            return dict(_indexes(target)).get(rest, BLOG) if _has_index(rest, catalogue) else BLOG
        case "feed" if rest in _FEEDS:
            return f"/{_FEEDS[rest]}"
        case "feed":
            kind, _, name = rest.partition(":")
            path = _list_of(TermKind(kind), name, catalogue, terms)
            is_archive = path != BLOG and path.endswith("/")
            return path + _FEEDS[target.archive_feeds[0]] if target.archive_feeds and is_archive else path
        case "year":
            return target.pattern("year").replace("{year}", rest)
    return redirect.target


def _list_of(kind: TermKind, name: str, catalogue: Catalogue, terms: TermPlan) -> str:
    """Return the address of the list of a term; that of all posts for a term without published posts."""
    known = (kind, term_key(name))
    return terms.terms[known].path if known in catalogue.shown_terms and known in terms.terms else BLOG


def _without_list(catalogue: Catalogue, terms: TermPlan) -> Iterator[str]:
    """Yield the old addresses of the terms and authors that have no list on the new site, for lack of posts."""
    for known, found in catalogue.terms.items():
        if known not in catalogue.shown_terms:
            yield from (term.old_url for term in found)
    shown = {terms.authors[key].slug for key in catalogue.shown_authors if key in terms.authors} | {terms.main_author}
    yield from (each.old_url for key, each in catalogue.authors.items() if terms.authors[key].slug not in shown)


def _has_index(name: str, catalogue: Catalogue) -> bool:
    """Return whether published posts have authors or terms of that kind."""
    return bool(catalogue.shown_authors) if name == "author" else any(kind == name for kind, _ in catalogue.shown_terms)


def _indexes(target: TargetSite) -> Iterator[tuple[str, str]]:
    """Yield kind and address of the lists of all categories, tags and authors."""
    for name in ("category", "tag", "author"):
        folder = target.pattern(name).partition("{slug}")[0]
        if folder.endswith("/") and folder != "/":
            yield name, folder


def _years(catalogue: Catalogue, target: TargetSite) -> Iterator[str]:
    """Yield the addresses of the lists of posts of each year."""
    for known in catalogue.entries.values():
        if known.kind is Kind.POST and known.status is not Status.DRAFT and (at := target.local(known.published_at)):
            yield target.pattern("year").replace("{year}", f"{at.year}")


def _paths(urls: Iterable[str], old: OldSite) -> Iterable[str]:
    for url in urls:
        path = old.path_of(url) if url else None
        if path and path != "/":
            yield path if "?" in path or "." in path.rsplit("/", 1)[-1] else path + "/"
