"""Settings of a new site, from the facts of the source: name, locales, time zone, permalinks of the old addresses."""

from collections.abc import Iterable
from dataclasses import replace

from sitecms.content.permalink import locale_root
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.importing.formats.times import iana_name
from sitecms.importing.plan.catalogue import Catalogue
from sitecms.importing.plan.old_site import OldSite
from sitecms.importing.plan.permalinks import infer_pattern, pattern_of
from sitecms.importing.plan.target import Target, is_permalink
from sitecms.importing.records import Kind, NoteKind
from sitecms.importing.report import Report


def planned_site(target: Target, catalogue: Catalogue, old: OldSite, report: Report) -> Target:
    """Return the target with the settings of a new site; an existing site is returned unchanged."""
    if not target.is_new:
        return target
    facts = catalogue.site
    locale = facts.locale or "en"
    written_in = sorted({known.locale for known in catalogue.entries.values()} - {""})
    locales = tuple(dict.fromkeys((locale, *facts.locales, *written_in)))
    made = replace(
        target,
        name=facts.name.strip()[:100] or "My site",
        url=facts.url.rstrip("/"),
        description=facts.description,
        default_locale=locale,
        locales=locales,
        timezone=_zone(facts.timezone, report),
    )
    links = {"post": facts.permalink or infer_pattern(_post_patterns(made, catalogue, old))}
    if links["post"].startswith("/{year}/"):
        links["year"] = "/{year}/"
    for kind in TermKind:
        urls = ((term.old_url, term.slug) for terms in catalogue.terms.values() for term in terms if term.kind is kind)
        links[kind.value] = infer_pattern(_patterns(urls, old))
    authors = ((author.old_url, author.facts.slug) for author in catalogue.authors.values())
    links["author"] = infer_pattern(_patterns(authors, old))
    return replace(made, permalinks={name: pattern for name, pattern in links.items() if is_permalink(name, pattern)})


def _zone(name: str, report: Report) -> str:
    """Return the zone if it exists on this machine, else UTC with a note."""
    if not name:
        return "UTC"
    known = iana_name(name)
    if not known:
        remedy = "set it with --timezone, as Europe/Lisbon"
        report.add(NoteKind.SETTING, f"the time zone {name} is unknown; UTC is used", remedy=remedy)
    return known or "UTC"


def _post_patterns(target: Target, catalogue: Catalogue, old: OldSite) -> Iterable[str]:
    for known in catalogue.entries.values():
        if known.kind is Kind.POST and known.status is Status.PUBLISHED and known.old_url:
            path = old.path_of(known.old_url)
            if path and "?" not in path:
                root = locale_root(target.locale_of(known.locale or target.default_locale), target.default_locale)
                path = path[len(root) :] if path.startswith(f"{root}/") else path
                yield pattern_of(path, known.slug, target.local(known.published_at))


def _patterns(urls: Iterable[tuple[str, str]], old: OldSite) -> Iterable[str]:
    for url, slug in urls:
        path = old.path_of(url) if url else None
        if path and "?" not in path:
            yield pattern_of(path, slug, None)
