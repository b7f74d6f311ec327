"""Builds of the site: publish now, what waits to be built, and what the last builds changed and why."""

from flask import Response

from sitecms.actions.accounts.permissions import require
from sitecms.content.user import Action
from sitecms.store.accounts.audit import record_action
from sitecms.store.site_state.build_log import find_build_records, request_build
from sitecms.studio.build_state import build_state
from sitecms.studio.site_sections import SITE
from sitecms.studio.views.site_settings import frame
from sitecms.studio.visit import Route, Visit, redirect

BUILDS = f"{SITE}builds/"


def show_builds(visit: Visit) -> Response:
    """Show whether a build is asked for or runs, and the last builds."""
    settings = visit.studio.runtime.settings
    site = visit.studio.runtime.database.read(build_state, settings, visit.at)
    return visit.page("site_builds.html", site=site, records=find_build_records(settings.state_dir), **frame(visit))


def ask_for_build(visit: Visit) -> Response:
    """Ask every host that builds the site for a build now."""
    require(visit.user, Action.MANAGE_SITE)
    with visit.studio.runtime.database.writing(counts_as_change=False) as transaction:
        request_build(transaction, visit.user.name, visit.at)
        record_action(transaction, visit.user, "ask for a build", "site", visit.at)
    return redirect(BUILDS, said="build-asked")


ROUTES = (
    Route("GET", BUILDS, show_builds, Action.MANAGE_SITE),
    Route("POST", BUILDS, ask_for_build, Action.MANAGE_SITE),
)
