"""Tokens of the API and webhooks, for admins: made, withdrawn, and the last messages with their answers."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from flask import Response

from sitecms.actions.accounts import programs
from sitecms.clock import parse_timestamp
from sitecms.content.references import SINGLE_PAGES
from sitecms.content.token import Scope, TokenLimits
from sitecms.content.user import Action
from sitecms.content.webhooks.event import EventKind
from sitecms.errors import Conflict, InvalidFields, NotFound
from sitecms.messages import N_, text_of
from sitecms.store.entries.authors import find_authors
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes.deliveries import find_attempts, find_deliveries
from sitecms.store.writes.tokens import find_tokens
from sitecms.store.writes.webhooks import all_webhooks, get_webhook
from sitecms.studio.site_sections import SITE
from sitecms.studio.texts import _
from sitecms.studio.views.site_settings import frame
from sitecms.studio.visit import Route, Visit, redirect

TOKENS, WEBHOOKS = f"{SITE}tokens/", f"{SITE}webhooks/"
MOST_MESSAGES = 30
EVENT_GROUPS = (
    ("*", N_("everything")),
    ("post.*", N_("all of posts")),
    ("page.*", N_("all of pages")),
    ("collectionitem.*", N_("all of items")),
)
_MAX_DIGITS = 9


def show_tokens(visit: Visit, errors: Mapping[str, Sequence[str]] | None = None) -> Response:
    """Show all tokens, and the form for another one with what was typed."""
    with visit.studio.runtime.database.reading() as session:
        tokens, authors, schema = find_tokens(session), find_authors(session), load_content_schema(session)
    form = visit.request.form
    return visit.page(
        "site_tokens.html",
        status=400 if errors else 200,
        tokens=tokens,
        authors=[("", _("of everybody")), *((each.slug, each.name) for each in authors)],
        collections=[(key, each.name or key) for key, each in schema.collections.items()],
        page_types=[(SINGLE_PAGES, _("Single Pages")), *((key, each.name) for key, each in schema.page_types.items())],
        typed={
            **{name: form.get(name, "") for name in ("name", "scope", "expires", "author")},
            **{name: form.getlist(name) for name in ("collection", "page_type")},
        },
        errors=errors or {},
        **frame(visit),
    )


def change_tokens(visit: Visit) -> Response:
    """Make a token, which is shown this once, or withdraw one, as the button says."""
    database = visit.studio.runtime.database
    if visit.field("do") == "withdraw":
        programs.withdraw_token(database, visit.user, visit.field("name"), visit.at)
        return redirect(TOKENS, said="token-withdrawn")
    form, name = visit.request.form, " ".join(visit.field("name").split())
    limits = TokenLimits(visit.field("author"), tuple(form.getlist("collection")), tuple(form.getlist("page_type")))
    try:
        scope, expires_at = _scope(visit), _expiry(visit)
        secret = programs.make_token(database, visit.user, name, scope, limits, (visit.at, expires_at))
    except InvalidFields as error:
        return show_tokens(visit, error.messages)
    except Conflict as error:
        return show_tokens(visit, {error.field: [text_of(error)]})
    return visit.page("site_secret.html", title=_("Token"), name=name, secret=secret, back=TOKENS)


def _scope(visit: Visit) -> Scope:
    try:
        return Scope(visit.field("scope"))
    except ValueError:
        raise InvalidFields({"scope": [_("Choose what the token may do.")]}) from None


def _expiry(visit: Visit) -> datetime | None:
    typed = visit.field("expires")
    if not typed:
        return None
    try:
        return parse_timestamp(typed, visit.studio.runtime.settings.zone)
    except ValueError:
        raise InvalidFields({"expires": [_("Choose a day.")]}) from None


def show_webhooks(visit: Visit, errors: Mapping[str, Sequence[str]] | None = None) -> Response:
    """Show all webhooks with their last message, and the form for another one."""
    with visit.studio.runtime.database.reading() as session:
        hooks = [(hook, find_deliveries(session, hook.id, None, 1)) for hook in all_webhooks(session)]
    return visit.page(
        "site_webhooks.html",
        status=400 if errors else 200,
        hooks=hooks,
        events=[*((name, _(label)) for name, label in EVENT_GROUPS), *((each.value, "") for each in EventKind)],
        typed={"target": visit.field("target"), "events": visit.request.form.getlist("events")},
        errors=errors or {},
        **frame(visit),
    )


def add_webhook(visit: Visit) -> Response:
    """Add a webhook; its signing secret is shown this once."""
    target, events = visit.field("target").strip(), visit.request.form.getlist("events")
    try:
        number, secret = programs.add_webhook(visit.studio.runtime.database, visit.user, target, events, visit.at)
    except InvalidFields as error:
        return show_webhooks(visit, error.messages)
    back = f"{WEBHOOKS}{number}/"
    return visit.page("site_secret.html", title=_("Signing secret"), name=target, secret=secret, back=back)


def show_webhook(visit: Visit, number: str) -> Response:
    """Show a webhook with its last messages, and the answers to each attempt."""
    with visit.studio.runtime.database.reading() as session:
        hook = get_webhook(session, _id(number))
        messages = [
            (each, find_attempts(session, each.id)) for each in find_deliveries(session, hook.id, None, MOST_MESSAGES)
        ]
    return visit.page("site_webhook.html", hook=hook, messages=messages, **frame(visit))


def change_webhook(visit: Visit, number: str) -> Response:
    """Send a message again, turn the webhook on, or remove it, as the button says."""
    database, by, at, webhook_id = visit.studio.runtime.database, visit.user, visit.at, _id(number)
    match visit.field("do"):
        case "again":
            programs.send_message_again(database, by, webhook_id, visit.field("message"), at)
            return redirect(visit.request.path, said="sent-again")
        case "enable":
            programs.enable_webhook(database, by, webhook_id, at)
            return redirect(visit.request.path, said="webhook-on")
        case "remove":
            programs.remove_webhook(database, by, webhook_id, at)
            return redirect(WEBHOOKS, said="webhook-removed")
    raise NotFound(_("Not found."))


def _id(number: str) -> int:
    if not (number.isascii() and number.isdecimal() and len(number) <= _MAX_DIGITS):
        raise NotFound(_("Not found."))
    return int(number)


ROUTES = (
    Route("GET", TOKENS, show_tokens, Action.MANAGE_ACCESS, is_guarded=True),
    Route("POST", TOKENS, change_tokens, Action.MANAGE_ACCESS, is_guarded=True),
    Route("GET", WEBHOOKS, show_webhooks, Action.MANAGE_ACCESS, is_guarded=True),
    Route("POST", WEBHOOKS, add_webhook, Action.MANAGE_ACCESS, is_guarded=True),
    Route("GET", f"{WEBHOOKS}<number>/", show_webhook, Action.MANAGE_ACCESS, is_guarded=True),
    Route("POST", f"{WEBHOOKS}<number>/", change_webhook, Action.MANAGE_ACCESS, is_guarded=True),
)
