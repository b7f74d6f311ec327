"""All redirects of a site, each address once, and the pages at these addresses for hosts without redirects.

Every redirect leads to the present address of an entry, so there are no chains. No redirect replaces a page.
"""

from collections.abc import Callable, Iterable
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from sitecms.content.addresses import output_problem
from sitecms.content.former_addresses import FormerAddress
from sitecms.settings.site import REDIRECTS_FILE
from sitecms.site.plan.planned_page import Bodies, PlannedPage, UniquePage
from sitecms.site.plan.redirect_files import rule_target
from sitecms.site.plan.redirect_rules import Rule
from sitecms.site.plan.redirect_sources import (
    LinkableEntries,
    Redirect,
    alias_redirects,
    archive_redirects,
    former_redirects,
    home_redirects,
)
from sitecms.site.routes import Routes, output_path
from sitecms.site.views.page_metadata import PageMetadata


class Redirects(Struct, frozen=True):
    """All redirects in the order of their paths; `notes` name aliases that are left out.

    `stored` are those among them that the store alone knows: no file of the site folder names them.
    """

    found: tuple[Redirect, ...]
    notes: tuple[str, ...] = ()
    stored: tuple[Redirect, ...] = ()

    def without(self, is_written: Callable[[str], bool]) -> "Redirects":
        """Return the redirects without the stored ones whose path a rule of redirects.yaml names."""
        paths = {redirect.path for redirect in self.stored if is_written(redirect.path)}
        if not paths:
            return self
        found, stored = (tuple(each for each in some if each.path not in paths) for some in (self.found, self.stored))
        return replace(self, found=found, stored=stored)


def find_redirects(
    entries: LinkableEntries, former_addresses: Iterable[FormerAddress], routes: Routes, live: Callable[[str], str]
) -> Redirects:
    """Return the redirects to these published entries. `live` returns the name of the page at an output path, or "".

    Of several redirects from one address an alias comes before a former slug, and then the last holder.
    """
    redirects: dict[str, Redirect] = {}
    notes = []
    for redirect in (*alias_redirects(entries, routes), *home_redirects(entries, routes)):
        occupant = live(output_path(redirect.path)) or (
            redirects[redirect.path].shows if redirect.path in redirects else ""
        )
        if problem := output_problem(redirect.path):
            notes.append(f"the {redirect.shows} is left out: the address {problem}")
        elif occupant:
            notes.append(f"the {redirect.shows} is left out: {redirect.path} is the {occupant}")
        else:
            redirects[redirect.path] = redirect
    former = former_redirects(entries, former_addresses, routes)
    written = {*redirects}
    for redirect in (*former, *archive_redirects(entries, routes), *entries.moved):
        if not output_problem(redirect.path) and not live(output_path(redirect.path)):
            redirects.setdefault(redirect.path, redirect)
    stored = tuple(redirect for path, redirect in redirects.items() if path not in written)
    in_order = tuple(redirects[path] for path in sorted(redirects))  # whether files or the store alone know them
    return Redirects(in_order, tuple(notes), stored)


def redirect_page(redirect: Redirect, metadata: PageMetadata, routes: Routes) -> PlannedPage:
    """Return the page at the old address, for hosts without redirects."""
    pages = UniquePage(redirect.shows, partial(_context, redirect, metadata, routes))
    return PlannedPage(redirect.path, "redirect.html", (redirect.target, redirect.title), pages, listed=False)


def _context(redirect: Redirect, metadata: PageMetadata, routes: Routes, _bodies: Bodies) -> dict[str, object]:
    head = replace(metadata.head(redirect.title, "", redirect.target, "page"), noindex=True)
    return {"head": head, "target_url": routes.url(redirect.target)}


def rule_page(rule: Rule, metadata: PageMetadata, routes: Routes) -> PlannedPage:
    """Return the page at the address of a rule, for hosts without redirects."""
    url = rule_target(rule, routes)
    pages = UniquePage(
        f"redirect of line {rule.line} in {REDIRECTS_FILE}", partial(_rule_context, rule, metadata, routes)
    )
    return PlannedPage(rule.path, "redirect.html", (url,), pages, listed=False)


def _rule_context(rule: Rule, metadata: PageMetadata, routes: Routes, _bodies: Bodies) -> dict[str, object]:
    url = rule_target(rule, routes)
    host = routes.settings.url.removesuffix(routes.settings.base_path)
    absolute = host + url if url.startswith("/") else url
    head = replace(metadata.head(rule.to, "", rule.path, "page"), noindex=True, absolute_url=absolute)
    return {"head": head, "target_url": url}
