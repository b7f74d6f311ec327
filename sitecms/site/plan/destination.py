"""Where a request for an address leads: to a page of the site, on by a redirect or a rule, or nowhere."""

from urllib.parse import unquote

from msgspec import Struct

from sitecms.content.addresses import site_path
from sitecms.site.plan.conflicts import REDIRECT
from sitecms.site.plan.plan import Plan
from sitecms.site.plan.redirect_rules import Rule, RuleIndex
from sitecms.site.plan.redirect_sources import Redirect
from sitecms.site.routes import output_path
from sitecms.web_address import split_address


class Destination(Struct, frozen=True):
    """The answer to a request: what the page `shows`, or the `redirect` or `rule` that leads on to `target`.

    Without any of them nothing has the address. A rule without a target says that the page was removed.
    """

    shows: str = ""
    target: str = ""
    redirect: Redirect | None = None
    rule: Rule | None = None


def destination(plan: Plan, address: str) -> Destination:
    """Return where an address from the root of the site leads, with its query."""
    path = site_path(split_address(address).path)
    files = {file.path: file.shows for file in plan.files}
    files |= {job.path: job.shows for job in plan.pages if job.template != REDIRECT}
    if shows := files.get(output_path(path)):
        return Destination(shows)
    if redirect := next((each for each in plan.redirects if each.path == path), None):
        return Destination(target=redirect.target, redirect=redirect)
    if rule := RuleIndex(plan.rules).find(address):
        return Destination(target=rule.target(unquote(split_address(address).path)), rule=rule)
    return Destination()
