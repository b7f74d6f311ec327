"""The studio of one site as a Flask app, made from the table of routes; here each request is let in or refused."""

import errno
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.routing import Map

from sitecms.actions.accounts.passwords import TooBusy
from sitecms.actions.accounts.permissions import require
from sitecms.actions.accounts.sessions import note_use
from sitecms.actions.editing.media import MediaPlace
from sitecms.actions.writing.accept import WriteContext
from sitecms.content.kinds import KINDS
from sitecms.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    MediaUnusable,
    NotFound,
    SitecmsError,
    Stale,
    StoreNotWritable,
    StoreUnusable,
)
from sitecms.media.intake import MAX_UPLOAD_BYTES
from sitecms.media.library import open_library
from sitecms.media.storage.time_limits import WEB
from sitecms.media.thumbnails import Thumbnails
from sitecms.messages import N_, text_of
from sitecms.runtime import Runtime
from sitecms.site.unsaved.consequences import Forecast
from sitecms.site.unsaved.content import PublishedContent
from sitecms.site.unsaved.looks import Looks
from sitecms.site.unsaved.page import UnsavedPages
from sitecms.store.accounts.users import has_users
from sitecms.studio.access import (
    SAFE_METHODS,
    form_token_of,
    has_form_token,
    is_from_own_page,
    own_path,
    secret_in,
    session_of,
)
from sitecms.studio.rendering import Assets, complete, make_renderer
from sitecms.studio.texts import _, use_language
from sitecms.studio.views import (
    account,
    blocks,
    calendar,
    entries,
    entry_lists,
    finding,
    history,
    link_targets,
    links,
    media,
    media_selection,
    names,
    pasting,
    people,
    previews,
    review_list,
    saved_filters,
    selected_entries,
    signing_in,
    site_access,
    site_builds,
    site_menu,
    site_redirects,
    site_settings,
    site_theme,
    translations,
    unsaved,
    upkeep,
)
from sitecms.studio.visit import (
    CONFIRM,
    PRESENCE,
    SECOND_FACTOR,
    SIGN_IN,
    SIGN_OUT,
    LoginLimits,
    Route,
    Studio,
    Visit,
    redirect,
)

MAX_FORM_BYTES = 10 * 1024 * 1024
MAX_FORM_PARTS = 5_000
MAX_FORM_FIELDS = 50_000
ROUTES: tuple[Route, ...] = (
    *signing_in.ROUTES,
    *account.ROUTES,
    *links.ROUTES,
    *entry_lists.ROUTES,
    *selected_entries.ROUTES,
    *saved_filters.ROUTES,
    *review_list.ROUTES,
    *calendar.ROUTES,
    *finding.ROUTES,
    *link_targets.ROUTES,
    *blocks.ROUTES,
    *names.ROUTES,
    *translations.ROUTES,
    *entries.ROUTES,
    *history.ROUTES,
    *previews.ROUTES,
    *media.ROUTES,
    *media_selection.ROUTES,
    *pasting.ROUTES,
    *unsaved.ROUTES,
    *upkeep.ROUTES,
    *people.ROUTES,
    *site_settings.ROUTES,
    *site_menu.ROUTES,
    *site_theme.ROUTES,
    *site_redirects.ROUTES,
    *site_builds.ROUTES,
    *site_access.ROUTES,
)
MENU = (
    *((kind.plural, kind.list_path.partition("<")[0]) for kind in KINDS.values()),
    (N_("Calendar"), "/studio/calendar/"),
    (N_("Reviews"), "/studio/reviews/"),
    (N_("Media"), "/studio/media/"),
    (N_("Authors"), "/studio/authors/"),
    (N_("Categories and tags"), "/studio/terms/"),
    (N_("Trash"), "/studio/trash/"),
    (N_("Changes"), "/studio/writes/"),
    (N_("People"), "/studio/people/"),
    (N_("Site"), "/studio/site/"),
    (N_("Log"), "/studio/log/"),
)
NO_USERS = N_(
    "The studio has no users yet. Start sitecms serve on a terminal: it prints an address that makes the first one. Or "
    "add one on the server: sitecms user add mira --role admin"
)
TOO_LARGE = N_(
    "The form is larger than 10 MB or has very many fields, or its files are larger than 100 MB together. Nothing was "
    "changed; go back and send less at once."
)
NOT_FROM_HERE = N_("The form was sent from another site, or by a program. Nothing was changed.")
CONTAINS_NUL = N_("A field holds a NUL character, which no text may hold. Nothing was changed; go back and remove it.")
NOT_FOUND = N_("There is no such page in the studio.")
_STATUSES: tuple[tuple[type[Exception], int, str], ...] = (
    (Forbidden, 403, ""),
    (NotFound, 404, NOT_FOUND),
    (Stale, 412, ""),
    (Conflict, 409, ""),
    (InvalidInput, 400, ""),
    (StoreNotWritable, 503, N_("The store cannot be written at the moment. Nothing was changed; try again soon.")),
    (StoreUnusable, 503, N_("The store cannot be used at the moment. Nothing was changed; try again soon.")),
    (MediaUnusable, 503, N_("The media library cannot be used at the moment. Nothing was changed; try again soon.")),
    (TooBusy, 503, N_("Many people are signing in. Try again in a few seconds.")),
)
_TITLES = {
    403: N_("Not allowed"), 404: N_("Not found"), 503: N_("Not available"), 507: N_("No room"),
    500: N_("Something went wrong"),
}  # fmt: skip
_OTHER_TITLE = N_("That did not work")
_FILES: Mapping[str, Callable[..., Response]] = {**previews.FILES, **site_theme.FILES}
"""Views of files without a session."""
_PASSWORDS = ("password", "current", "repeated", "code")
_NOT_SENT_AGAIN = ("form_token", *_PASSWORDS)
_DISK_FULL = N_("The disk of the server is full. Nothing was changed; tell who runs it, and try again then.")
_FULL = (errno.ENOSPC, errno.EDQUOT)
_RETRY_SECONDS = 10
_FAILURE = N_("Something went wrong, and the log of the server says what. What you sent was not saved.")
_PLAIN_FORM = "application/x-www-form-urlencoded"
UPLOAD_TYPE = "multipart/form-data"
_log = structlog.get_logger("sitecms.studio")
_FIRST = frozenset(f"/studio/{route.path.split('/')[2]}/" for route in ROUTES)


def create_studio(
    runtime: Runtime,
    writes: WriteContext,
    hint: Callable[[str], None],
    login_limits: LoginLimits,
    published: PublishedContent,
) -> Flask:
    """Create the studio of one site. `hint` sends the id of an accepted write to workers."""
    app = Flask("sitecms.studio", static_folder=None, template_folder=None)
    app.url_map = _url_map()
    app.config["MAX_CONTENT_LENGTH"] = app.config["MAX_FORM_MEMORY_SIZE"] = MAX_FORM_BYTES
    app.config["MAX_FORM_PARTS"] = MAX_FORM_PARTS
    assets = _assets()
    library = open_library(runtime.settings, WEB)
    thumbnails = Thumbnails(runtime.settings.state_dir / "thumbnails", library)
    media_place = MediaPlace(runtime.settings, runtime.database, library, thumbnails)
    render = make_renderer(runtime.settings, assets, menu=_menu)
    unsaved = UnsavedPages(published, runtime.settings, previews.BASE_PATH)
    forecast = Forecast(published, runtime.database, runtime.settings)
    studio = Studio(
        runtime, writes, hint, login_limits, media_place, render, assets, published, unsaved, forecast, Looks()
    )

    def asset(digest: str, name: str) -> Response:
        is_packed = bool(request.accept_encodings["gzip"])
        return assets.response(digest, name, is_packed=is_packed) or _error_page(studio, NotFound(_(NOT_FOUND)))

    app.view_functions = {
        **{_name_of(route): partial(_answer, studio, route) for route in ROUTES},
        "asset": asset,
        **{path: partial(view, studio) for path, view in _FILES.items()},
    }
    app.register_error_handler(Exception, partial(_error_page, studio))
    app.before_request(_use_language_of_browser)
    app.after_request(complete)
    return app


@cache
def _assets() -> Assets:
    """Return the styles and scripts, which all apps of a process share, those of later settings too."""
    return Assets()


@cache
def _url_map() -> Map:
    """Return the addresses of the studio, which all apps of a process share: they are the same for every site."""
    app = Flask("sitecms.studio", static_folder=None, template_folder=None)
    for route in ROUTES:
        app.add_url_rule(route.path, _name_of(route), methods=[route.method], provide_automatic_options=False)
    app.add_url_rule("/studio/assets/<digest>/<path:name>", "asset", provide_automatic_options=False)
    for path in _FILES:
        app.add_url_rule(path, path, provide_automatic_options=False)
    return app.url_map


def _name_of(route: Route) -> str:
    """Return the name of the view of a route."""
    return f"{route.method} {route.path}".replace(".", "-")


def _answer(studio: Studio, route: Route, **names: str) -> Response:
    """Answer one request if it may be answered: its origin, its session, the role of the user, the form's token."""
    is_safe = request.method in SAFE_METHODS
    if not is_safe and not is_from_own_page(request):
        raise Forbidden(_(NOT_FROM_HERE))
    if not is_safe and request.mimetype == _PLAIN_FORM and request.get_data().count(b"&") >= MAX_FORM_FIELDS:
        raise RequestEntityTooLarge  # Werkzeug counts those of multipart forms alone
    visit = _visit(studio)
    if visit.session is None and route.path not in links.MAKE_USERS:
        with studio.runtime.database.reading() as session:
            if not has_users(session):
                return visit.page("error.html", status=404, title=_("Not found"), message=_(NO_USERS))
    if visit.session is not None and request.mimetype == UPLOAD_TYPE:
        request.max_content_length = MAX_UPLOAD_BYTES
    _check_no_nul(names)
    if route.action is None:
        return route.view(visit, **names)
    if visit.session is None:
        return _to(SIGN_IN) if is_safe else _send_again(visit, "signed-out", 401)
    require(visit.user, route.action)
    if not is_safe and not has_form_token(request, secret_in(request)):
        return _send_again(visit, "signed-in-anew")
    if _needs_second_factor(visit, route):
        return redirect(SECOND_FACTOR) if is_safe else _send_again(visit, "no-second-factor")
    if route.is_guarded and not visit.session.is_recent(visit.at):
        return _to(CONFIRM) if is_safe else _send_again(visit, "not-recent")
    return route.view(visit, **names)


def _check_no_nul(names: Mapping[str, str]) -> None:
    """Raise InvalidInput for a form or an address with a NUL character, which PostgreSQL takes in no text."""
    values = (value for _name, value in request.values.items(multi=True))
    if any("\0" in value for value in (*names.values(), *values)):
        raise InvalidInput(_(CONTAINS_NUL))


def _use_language_of_browser() -> None:
    """Use the language that the browser accepts, until the user is known."""
    use_language("", request.accept_languages)


def _visit(studio: Studio) -> Visit:
    at = studio.runtime.clock()
    session = session_of(studio.runtime.database, request, at)
    if session is not None and request.path != PRESENCE:  # a page that is merely open is no use of the session
        note_use(studio.runtime.database, session, at)
    use_language(session.user.language if session else "", request.accept_languages)
    return Visit(studio, request, at, session, form_token_of(secret_in(request)) if session else "")


def _menu(visit: Visit) -> list[tuple[str, str]]:
    """Return name and address of the lists that the user may see."""
    actions = {route.path: route.action for route in ROUTES if route.method == "GET" and route.action is not None}
    return [(_(label), path) for label, path in MENU if path in actions and visit.may(actions[path])]


def _needs_second_factor(visit: Visit, route: Route) -> bool:
    """Return whether the user has to set up a second factor before anything else."""
    if not visit.studio.runtime.settings.studio.require_second_factor or visit.user.has_second_factor:
        return False
    return not route.path.startswith(SECOND_FACTOR) and route.path not in (CONFIRM, SIGN_OUT)


def _to(form: str) -> Response:
    """Lead to the form for signing in or confirming the password, and from there back to the page."""
    path = own_path(request.full_path.rstrip("?"))
    return redirect(form, next=path) if path not in ("", "/studio/") else redirect(form)


def _send_again(visit: Visit, reason: str, status: int = 403) -> Response:
    """Return a form that was refused, with what was typed, to be sent again."""
    return visit.page("send_again.html", status=status, fields=_typed_fields(), reason=reason)


def _typed_fields() -> list[tuple[str, str]]:
    """Return the fields of a form that was refused, to be sent again, without its token and without passwords."""
    fields = request.form.items(multi=True)
    return [(name, value) for name, value in fields if name not in _NOT_SENT_AGAIN]


def _error_page(studio: Studio, error: Exception) -> Response:
    """Return the page that stands for an error; an unexpected one is logged with its traceback.

    A form that was refused comes back with what was typed, unless the request came from elsewhere. A form with a
    password does not: it would have to be typed again.
    """
    try:
        visit = _visit(studio)
    except SitecmsError:
        visit = Visit(studio, request, studio.runtime.clock(), None, "")
    status, message = _status_of(error)
    if status == 500:
        _log.error("studio_failed", path=request.path[:200], exc_info=error)
    title = _(_TITLES.get(status, _OTHER_TITLE))
    template, fields = "error.html", list[tuple[str, str]]()
    if status not in (403, 404) and request.method == "POST":
        with suppress(HTTPException, SitecmsError):  # a body that could not be received
            if not any(name in request.form for name in _PASSWORDS):
                fields = _typed_fields()
    if fields:
        template = "send_again.html"
    response = visit.page(template, status=status, title=title, message=message, fields=fields, reason="refused")
    if status == 503:
        response.headers["Retry-After"] = str(_RETRY_SECONDS)
    return response


def _status_of(error: Exception) -> tuple[int, str]:
    if isinstance(error, HTTPException):
        status = error.code or 500
        message = {404: NOT_FOUND, 413: TOO_LARGE}.get(status, "")
        return status, _(message) if message else str(error.description)
    for kind, status, message in _STATUSES:
        if isinstance(error, kind):
            return status, _(message) if message else text_of(error)
    if isinstance(error, OSError) and error.errno in _FULL:
        return 507, _(_DISK_FULL)
    return 500, _(_FAILURE)


def route_of(path: str) -> str:
    """Return the path of the route that answers, for metrics; "/studio/" for all that do not exist."""
    parts = path.split("/")
    return f"/studio/{parts[2]}/" if len(parts) > 3 and f"/studio/{parts[2]}/" in _FIRST else "/studio/"
