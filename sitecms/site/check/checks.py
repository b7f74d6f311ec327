"""The checks of entries and files by name: the built-in ones, each a function of what was read of the site."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.loading.text_warnings import text_warnings
from sitecms.actions.syncing.git.state import examine_git
from sitecms.content.entry import Entry
from sitecms.content.schema import ContentSchema
from sitecms.errors import PluginFailed
from sitecms.findings import Finding, Severity
from sitecms.plugins.site_plugins import CHECKS
from sitecms.settings.site import SiteSettings
from sitecms.settings.theme_folder import theme_chain
from sitecms.site.check.clone import clone_findings
from sitecms.site.check.content import content_findings, media_findings, slug_findings, unlisted_findings
from sitecms.site.check.entries import Entries
from sitecms.site.check.finding import CheckKind, check_finding, of_error
from sitecms.site.check.pages import PageFacts
from sitecms.site.check.placeholders import placeholder_findings
from sitecms.site.plan.redirect_sources import Redirect
from sitecms.site.theme.lacks import find_lacks
from sitecms.site.theme.theme import Theme, load_theme
from sitecms.store.database import Session
from sitecms.store.entries.bodies import bodies_of

_AT_ONCE = 200


class CheckedSite(Struct, frozen=True):
    """The content of a site: its entries, and facts about its pages as a build would publish them.

    `outputs` are the paths of all files of the built site, `stored` the redirects that the store alone knows. The
    entries, pages and `settings` are those of a copy of the site, `real` are the settings of the site itself.
    """

    settings: SiteSettings
    real: SiteSettings
    session: Session
    at: datetime
    entries: Entries
    pages: tuple[PageFacts, ...]
    outputs: frozenset[str]
    stored: tuple[Redirect, ...] = ()

    def whole_posts(self) -> Iterator[Entry]:
        """Yield the posts with their bodies, which `entries.posts` lacks, 200 in memory at a time."""
        posts = self.entries.posts
        for start in range(0, len(posts), _AT_ONCE):
            part = posts[start : start + _AT_ONCE]
            bodies = bodies_of(self.session, [post.id for post in part])
            yield from (replace(post, body=bodies.get(post.id, "")) for post in part)


Check = Callable[[CheckedSite], Iterable[Finding]]


def checks() -> Mapping[str, Check]:
    """Return the built-in checks by name."""
    return {
        "slugs": lambda site: slug_findings(site.entries),
        "content": lambda site: content_findings(site.entries, site.session, site.at),
        "theme": _theme_findings,
        "contents": _contents_findings,
        "clone": lambda site: clone_findings(site.stored, site.outputs, site.entries.sources.loaded, site.session),
        "texts": lambda site: (
            of_error(each, CheckKind.TEXT) for each in text_warnings(site.session, site.settings, site.at)
        ),
        "media": lambda site: media_findings(site.entries, site.session, site.real, site.at),
        "placeholders": lambda site: placeholder_findings(site.entries),
        "git": lambda site: _git_findings(site.real),
    }


def findings_of(site: CheckedSite) -> Iterator[Finding]:
    """Yield what the checks of sitecms and of plug-ins find; an error in a plug-in costs its check alone."""
    for check in site.settings.plugins.named(CHECKS, "check").values():
        try:
            yield from check(site)
        except PluginFailed as error:
            yield check_finding(CheckKind.PLUGIN, str(error), "correct the plug-in, or leave it out with --no-plugins")


def theme_findings(theme: Theme, settings: SiteSettings, schema: ContentSchema) -> Iterator[Finding]:
    """Yield a finding for each thing that a theme lacks for the site."""
    for lack in find_lacks(theme, settings, schema):
        kind = CheckKind.TEMPLATE if lack.is_fatal else CheckKind.THEME
        yield check_finding(kind, lack.problem, lack.remedy, lack.file, lack.line)


def _theme_findings(site: CheckedSite) -> Iterator[Finding]:
    theme = load_theme(site.settings.folder, site.settings.theme)
    return theme_findings(theme, site.settings, site.entries.schema)


def _contents_findings(site: CheckedSite) -> Iterator[Finding]:
    theme = site.settings.theme
    for each in theme_chain(theme.name, site.settings.folder, theme.of_plugins):
        for collection in each.tables_of_contents:
            yield from unlisted_findings(site.entries, collection)


def _git_findings(settings: SiteSettings) -> Iterator[Finding]:
    for each in examine_git(settings):
        if each.severity is not Severity.OK:
            yield check_finding(CheckKind.GIT, each.what, each.remedy)
