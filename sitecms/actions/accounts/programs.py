"""Access of programs, given and taken by admins: tokens of the API, and webhooks with their messages."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sitecms.actions.accounts.permissions import require
from sitecms.content.references import SINGLE_PAGES
from sitecms.content.token import Scope, TokenLimits, new_secret, secret_digest
from sitecms.content.user import Action, User
from sitecms.content.webhooks.event import check_subscription
from sitecms.content.webhooks.webhook import new_signing_secret
from sitecms.errors import InvalidFields, InvalidRequest, NotFound
from sitecms.guarded_http.addresses import is_fetchable
from sitecms.messages import N_, Text
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Database, Session
from sitecms.store.entries.authors import find_authors
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes import deliveries, tokens, webhooks

MAX_TOKEN_NAME_LENGTH = 100
BAD_NAME = Text("A name has 1 to %(num)s printable characters.", num=MAX_TOKEN_NAME_LENGTH)
NO_LIMITS = N_("Only tokens that write have limits.")
IS_PAST = N_("Choose a time that has not passed yet.")
BAD_TARGET = N_("Type an address that begins with https:// or http://, without a password in it.")
NO_EVENTS = N_("Choose at least one event.")


def is_token_name(name: str) -> bool:
    """Return whether a token can have the name."""
    return bool(name) and len(name) <= MAX_TOKEN_NAME_LENGTH and name.isprintable()


def limit_problems(session: Session, limits: TokenLimits) -> Mapping[str, str]:
    """Return the problem of each limit that names an unknown author, collection or page type."""
    schema = load_content_schema(session)
    problems = {}
    for subject, values, choices in (
        ("author", (limits.author,) if limits.author else (), [each.slug for each in find_authors(session)]),
        ("collection", limits.collections, [*schema.collections]),
        ("page type", limits.page_types, [SINGLE_PAGES, *schema.page_types]),
    ):
        for name in values:
            if name not in choices:
                problems[subject] = f'There is no {subject} "{name}". Known: {", ".join(choices) or "none"}.'
    return problems


def make_token(
    database: Database, by: User, name: str, scope: Scope, limits: TokenLimits, times: tuple[datetime, datetime | None]
) -> str:
    """Make a token and return its secret, which is stored nowhere; `times` are now and that of its expiry.

    Raises Forbidden, InvalidFields, and Conflict for a name that is taken.
    """
    require(by, Action.MANAGE_ACCESS)
    at, expires_at = times
    errors: dict[str, list[str]] = {}
    if not is_token_name(name):
        errors["name"] = [BAD_NAME]
    if limits.is_limited and scope is not Scope.WRITE:
        errors["scope"] = [NO_LIMITS]
    if expires_at is not None and expires_at <= at:
        errors["expires"] = [IS_PAST]
    errors |= {subject.replace(" ", "_"): [text] for subject, text in database.read(limit_problems, limits).items()}
    if errors:
        raise InvalidFields(errors)
    secret = new_secret()
    with database.writing() as transaction:
        tokens.insert_token(transaction, name, scope, secret_digest(secret), at, expires_at, limits)
        record_action(transaction, by, "make token", f"token {name}", at, scope.value)
    return secret


def withdraw_token(database: Database, by: User, name: str, at: datetime) -> None:
    """Withdraw a token for good. Raises Forbidden and NotFound."""
    require(by, Action.MANAGE_ACCESS)
    with database.writing() as transaction:
        tokens.revoke_token(transaction, name, at)
        record_action(transaction, by, "withdraw token", f"token {name}", at)


def add_webhook(database: Database, by: User, target: str, events: Sequence[str], at: datetime) -> tuple[int, str]:
    """Add a webhook; return its id and its signing secret. Raises Forbidden and InvalidFields."""
    require(by, Action.MANAGE_ACCESS)
    errors: dict[str, list[str]] = {} if is_fetchable(target) else {"target": [BAD_TARGET]}
    try:
        names = tuple(dict.fromkeys(check_subscription(name) for name in events))
    except InvalidRequest as error:
        raise InvalidFields({**errors, "events": [str(error)]}) from None
    if not names:
        errors["events"] = [NO_EVENTS]
    if errors:
        raise InvalidFields(errors)
    secret = new_signing_secret()
    with database.writing(counts_as_change=False) as transaction:
        webhook_id = webhooks.insert_webhook(transaction, target, names, secret, {}, at)
        record_action(transaction, by, "add webhook", f"webhook {webhook_id}", at, ", ".join(names))
    return webhook_id, secret


def remove_webhook(database: Database, by: User, webhook_id: int, at: datetime) -> None:
    """Remove a webhook with its messages. Raises Forbidden and NotFound."""
    require(by, Action.MANAGE_ACCESS)
    with database.writing(counts_as_change=False) as transaction:
        webhooks.get_webhook(transaction, webhook_id)
        webhooks.remove_webhook(transaction, webhook_id)
        record_action(transaction, by, "remove webhook", f"webhook {webhook_id}", at)


def enable_webhook(database: Database, by: User, webhook_id: int, at: datetime) -> None:
    """Turn a webhook on again whose receiver wanted no more. Raises Forbidden and NotFound."""
    require(by, Action.MANAGE_ACCESS)
    with database.writing(counts_as_change=False) as transaction:
        webhooks.get_webhook(transaction, webhook_id)
        webhooks.set_disabled(transaction, webhook_id, None)
        record_action(transaction, by, "turn on webhook", f"webhook {webhook_id}", at)


def send_message_again(database: Database, by: User, webhook_id: int, message_id: str, at: datetime) -> None:
    """Let a worker send a message of a webhook again, with the same id. Raises Forbidden and NotFound."""
    require(by, Action.MANAGE_ACCESS)
    with database.writing(counts_as_change=False) as transaction:
        if deliveries.get_delivery(transaction, message_id).webhook_id != webhook_id:
            raise NotFound("Not found.")
        deliveries.replay_delivery(transaction, message_id, at)
        record_action(transaction, by, "send again", f"webhook {webhook_id}", at, message_id)
