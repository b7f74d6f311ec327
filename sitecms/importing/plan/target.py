"""The site that an import writes into: its existing settings, or those that the import creates.

Those of a new site come from the facts of the source: name, locales, time zone, permalinks of the old addresses.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from sitecms.content.permalink import locale_root
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.text.markdown import DEFAULT_EXTENSIONS, Extensions
from sitecms.documents import load_schema, nowhere, schema_errors
from sitecms.importing.formats.times import iana_name
from sitecms.importing.plan.catalogue import Catalogue
from sitecms.importing.plan.old_site import OldSite, infer_pattern, pattern_of
from sitecms.importing.records import Kind, NoteKind
from sitecms.importing.report import ImportReport
from sitecms.settings.site import SETTINGS_FILE, load_settings
from sitecms.web_address import InvalidBaseUrl, base_url

_MAX_DESCRIPTION = 500  # as in content_schema/site.schema.json
_PERMALINKS = load_schema("site")["properties"]["permalinks"]["properties"]


class TargetSite(Struct, frozen=True):
    """The site folder with the settings that planning needs. `permalinks` are patterns by name."""

    is_new: bool
    name: str = ""
    url: str = ""
    description: str = ""
    default_locale: str = "en"
    locales: tuple[str, ...] = ("en",)
    language_tags: Mapping[str, str] = field(default_factory=dict)
    owner: str = ""
    timezone: str = "UTC"
    permalinks: Mapping[str, str] | None = None
    home: str = ""
    extensions: Extensions = DEFAULT_EXTENSIONS
    archive_feeds: tuple[str, ...] = ("rss",)

    def pattern(self, name: str) -> str:
        """Return a permalink pattern: post, page, single_page, category, tag, author, year."""
        return (self.permalinks or {}).get(name) or str(_PERMALINKS[name]["default"])

    def local(self, moment: datetime | None) -> datetime | None:
        """Return the time in the site's time zone."""
        return moment.astimezone(ZoneInfo(self.timezone) if self.timezone != "UTC" else UTC) if moment else None

    def locale_of(self, locale: str) -> str:
        """Return the locale of an entry: its own if the site has it, the same language, or the default locale."""
        if locale in self.locales:
            return locale
        tags = {each: self.language_tags.get(each, each).lower() for each in self.locales}
        language = locale.partition("-")[0].lower()
        same = [each for each, tag in tags.items() if tag == locale.lower()]
        same += [each for each, tag in tags.items() if tag.partition("-")[0] == language]
        return (same or [self.default_locale])[0]


def is_permalink(name: str, pattern: str) -> bool:
    """Return whether the pattern is valid in site.toml."""
    return re.search(str(_PERMALINKS[name]["pattern"]), pattern) is not None


def open_target(folder: Path) -> TargetSite:
    """Return the existing site, or an empty new one. Raises InvalidFiles for invalid settings."""
    if not (folder / SETTINGS_FILE).is_file():
        return TargetSite(is_new=True)
    settings = load_settings(folder, with_plugins=False)
    return TargetSite(
        is_new=False,
        name=settings.name,
        url=settings.url,
        description=settings.description,
        default_locale=settings.default_locale,
        locales=settings.locales,
        language_tags=settings.language_tags,
        owner=settings.owner,
        timezone=settings.timezone,
        permalinks=asdict(settings.permalinks),
        home=settings.build.home,
        extensions=settings.markdown_extensions,
        archive_feeds=settings.feeds.archives,
    )


def planned_site(target: TargetSite, catalogue: Catalogue, old: OldSite, report: ImportReport) -> TargetSite:
    """Return the target with the settings of a new site; an existing site is returned unchanged."""
    if not target.is_new:
        return target
    facts = catalogue.site
    written_in = sorted({known.locale for known in catalogue.entries.values()} - {""})
    named = dict.fromkeys((facts.locale or "en", *facts.locales, *written_in))
    locales = tuple(locale for locale in named if _is_locale(locale, report)) or ("en",)
    locale = locales[0]
    settings = replace(
        target,
        name=facts.name.strip()[:100] or "My site",
        url=_url(facts.url.strip(), report),
        description=" ".join(facts.description.split())[:_MAX_DESCRIPTION],
        default_locale=locale,
        locales=locales,
        timezone=_zone(facts.timezone, report),
    )
    links = {"post": facts.permalink or infer_pattern(_post_patterns(settings, catalogue, old))}
    if links["post"].startswith("/{year}/"):
        links["year"] = "/{year}/"
    for kind in TermKind:
        urls = ((term.old_url, term.slug) for terms in catalogue.terms.values() for term in terms if term.kind is kind)
        links[kind.value] = infer_pattern(_patterns(urls, old))
    authors = ((author.old_url, author.facts.slug) for author in catalogue.authors.values())
    links["author"] = infer_pattern(_patterns(authors, old))
    permalinks = {name: pattern for name, pattern in links.items() if is_permalink(name, pattern)}
    return replace(settings, permalinks=permalinks)


def _is_locale(name: str, report: ImportReport) -> bool:
    """Return whether a name is one of a locale in site.toml; note one that is not: its texts are of the default one."""
    is_one = not schema_errors({"name": "-", "default_locale": name}, "site", SETTINGS_FILE, nowhere)
    if not is_one:
        subject = f"{name[:40]!r} cannot be a locale: at most 10 letters, digits, - and _"
        report.add(NoteKind.SETTING, subject, remedy="set default_locale and locales in site.toml")
    return is_one


def _url(url: str, report: ImportReport) -> str:
    """Return the address of the old site as site.toml takes it, "" with a note for one that no site can have."""
    try:
        return base_url(url)
    except InvalidBaseUrl as error:
        report.add(NoteKind.SETTING, f"the address of the old site {error.problem}", remedy="set url in site.toml")
    return ""


def _zone(name: str, report: ImportReport) -> str:
    """Return the zone if it exists on this machine, else UTC with a note."""
    if not name:
        return "UTC"
    known = iana_name(name)
    if not known:
        remedy = "set it with --timezone, as Europe/Lisbon"
        report.add(NoteKind.SETTING, f"the time zone {name} is unknown; UTC is used", remedy=remedy)
    return known or "UTC"


def _post_patterns(target: TargetSite, catalogue: Catalogue, old: OldSite) -> Iterable[str]:
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
