"""Builds of the site: publish now, what waits to be built, and what the last builds changed and why."""

from flask import Response

from sitecms.actions.accounts.permissions import require
from sitecms.content.user import Action
from sitecms.store.accounts.audit import record_action
from sitecms.store.engines.locks import LockFiles
from sitecms.store.site_state.build_log import (
    BUILD_LOCK,
    find_build_records,
    open_request,
    request_build,
)
from sitecms.store.site_state.site_builds import built_change, find_last_build, site_changes
from sitecms.studio.site_sections import SITE
from sitecms.studio.views.site_settings import frame
from sitecms.studio.visit import Route, Visit, redirect

BUILDS = f"{SITE}builds/"


def show_builds(visit: Visit) -> Response:
    """Show whether a build is asked for or runs, and the last builds."""
    settings = visit.studio.runtime.settings
    state = settings.state_dir
    with visit.studio.runtime.database.reading() as session:
        request, number = open_request(session, state, visit.at), site_changes(session)
    return visit.page(
        "site_builds.html",
        request=request,
        is_running=LockFiles(settings.workers_dir).is_held(BUILD_LOCK),
        is_behind=number != built_change(state),
        last=find_last_build(state),
        records=find_build_records(state),
        **frame(visit),
    )


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
