"""The command `sitecms webhook`: subscriptions, deliveries and replays."""

import re
from datetime import timedelta

import click

from sitecms.actions.deliver_webhooks import make_sender, send_trial
from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.output import show_table
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import site_argument
from sitecms.clock import format_timestamp
from sitecms.content.webhooks.event import check_subscription
from sitecms.content.webhooks.webhook import (
    Attempt,
    Delivery,
    DeliveryStatus,
    SigningSecret,
    new_message_id,
    new_signing_secret,
)
from sitecms.errors import InvalidRequest
from sitecms.guarded_http.addresses import is_fetchable
from sitecms.runtime import open_runtime
from sitecms.settings.site import SiteSettings
from sitecms.store.writes import deliveries as messages
from sitecms.store.writes import webhooks

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_HEADER_VALUE = re.compile(r"[\x20-\x7e]{0,2000}")
_RESERVED_HEADERS = frozenset(
    {"host", "content-type", "content-length", "transfer-encoding", "connection", "accept-encoding"}
)
_WEBHOOKS = ("ID", "TARGET", "EVENTS", "CREATED", "STATE")
_MESSAGES = ("MESSAGE", "EVENT", "STATUS", "ATTEMPTS", "CREATED", "NEXT ATTEMPT")
_ATTEMPTS = ("ATTEMPT", "STARTED", "STATUS", "MS", "ANSWER")
_SHOWN_ANSWER = 200


def parse_target(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """Return the URL. Raises BadParameter unless it is http(s) with a host and without credentials."""
    if not is_fetchable(value):
        raise click.BadParameter(f"{value[:100]!r} is not an http(s) address with a host and without credentials.")
    return value


def parse_events(_context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Return the distinct names of events and patterns. Raises BadParameter with the valid names."""
    try:
        return tuple(dict.fromkeys(check_subscription(name) for name in value))
    except InvalidRequest as error:
        raise click.BadParameter(str(error)) from None


def parse_headers(_context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """Parse headers of the form `Name: value`. Raises BadParameter for invalid ones and for those that sitecms sets."""
    headers = {}
    for text in value:
        name, colon, content = text.partition(":")
        content = content.strip()
        if not colon or not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(content):
            raise click.BadParameter("expected 'Name: value' of printable ASCII characters.")
        if name.lower() in _RESERVED_HEADERS or name.lower().startswith("webhook-"):
            raise click.BadParameter(f"{name} is set by sitecms itself.")
        headers[name] = content
    return headers


webhook_argument = click.argument("webhook_id", metavar="WEBHOOK", type=int)


@click.group(
    cls=SuggestingGroup,
    epilog="\b\nExample:\n  sitecms webhook add demo https://hooks.example/content --event 'post.*'",
)
def webhook() -> None:
    """Send changes to other programs, as signed messages that follow Standard Webhooks."""


@webhook.command(epilog="\b\nExample:\n  sitecms webhook add demo https://hooks.example/in --event page.published")
@site_argument
@click.argument("target", metavar="URL", callback=parse_target)
@click.option(
    "--event",
    "events",
    multiple=True,
    required=True,
    callback=parse_events,
    help="Event or pattern, such as post.published, page.* or *. Repeatable.",
)
@click.option(
    "--header",
    "headers",
    multiple=True,
    callback=parse_headers,
    help="Header 'Name: value' of each message. Repeatable.",
)
def add(settings: SiteSettings, target: str, events: tuple[str, ...], headers: dict[str, str]) -> None:
    """Subscribe URL to events and print the signing secret on stdout. It cannot be shown again."""
    runtime = open_runtime(settings)
    secret = new_signing_secret()
    with runtime.database.writing(counts_as_change=False) as transaction:
        webhook_id = webhooks.insert_webhook(transaction, target, events, secret, headers, runtime.clock())
    click.echo(f"Webhook {webhook_id} sends {', '.join(events)} to {target}. Its secret:", err=True)
    click.echo(secret)


@webhook.command("list", epilog="\b\nExample:\n  sitecms webhook list demo")
@site_argument
def list_webhooks(settings: SiteSettings) -> None:
    """List all webhooks, without secrets."""
    hooks = open_runtime(settings).database.read(webhooks.all_webhooks)
    show_table(_WEBHOOKS, [
        (str(hook.id), hook.target, " ".join(hook.events), format_timestamp(hook.created_at),
         f"off since {format_timestamp(hook.disabled_at)}" if hook.disabled_at else "on")
        for hook in hooks
    ])  # fmt: skip


@webhook.command(epilog="\b\nExample:\n  sitecms webhook remove demo 1")
@site_argument
@webhook_argument
def remove(settings: SiteSettings, webhook_id: int) -> None:
    """Remove a webhook with its messages and their log."""
    with open_runtime(settings).database.writing(counts_as_change=False) as transaction:
        webhooks.get_webhook(transaction, webhook_id)
        webhooks.remove_webhook(transaction, webhook_id)
    click.echo(f"Webhook {webhook_id} is removed.", err=True)


@webhook.command(epilog="\b\nExample:\n  sitecms webhook enable demo 1")
@site_argument
@webhook_argument
def enable(settings: SiteSettings, webhook_id: int) -> None:
    """Turn on a webhook that answered 410.

    Events that occurred in the meantime are not sent; `replay` sends earlier messages.
    """
    with open_runtime(settings).database.writing(counts_as_change=False) as transaction:
        webhooks.get_webhook(transaction, webhook_id)
        webhooks.set_disabled(transaction, webhook_id, None)
    click.echo(f"Webhook {webhook_id} is on.", err=True)


@webhook.command(epilog="\b\nExample:\n  sitecms webhook test demo 1")
@site_argument
@webhook_argument
@click.pass_context
def test(context: click.Context, settings: SiteSettings, webhook_id: int) -> None:
    """Send the event `webhook.test` now and print the answer. The exit code is 1 if the receiver did not accept it."""
    runtime = open_runtime(settings)
    hook = runtime.database.read(webhooks.get_webhook, webhook_id)
    outcome = send_trial(hook, new_message_id(), make_sender(settings), runtime.clock())
    result = f"HTTP {outcome.http_status}" if outcome.http_status else "No answer"
    click.echo(f"{result} after {outcome.duration_ms} ms. {_one_line(outcome.answer)}".rstrip())
    context.exit(ExitCode.DONE if outcome.is_accepted else ExitCode.FAILED)


@webhook.command(
    epilog="\b\nExample:\n  sitecms webhook deliveries demo 1 --status failed\n"
    "  sitecms webhook deliveries demo 1 --message msg_2b8f"
)
@site_argument
@webhook_argument
@click.option(
    "--status",
    type=click.Choice([status.value for status in DeliveryStatus]),
    help="Show messages with this status only.",
)
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Maximum number of messages."
)
@click.option("--message", metavar="ID", help="Show all attempts of this message.")
def deliveries(settings: SiteSettings, webhook_id: int, status: str | None, limit: int, message: str | None) -> None:
    """List the newest messages of a webhook; with --message, the attempts of one message."""
    with open_runtime(settings).database.reading() as session:
        webhooks.get_webhook(session, webhook_id)
        if message:
            messages.get_delivery(session, message)
            attempts = messages.find_attempts(session, message)
            show_table(_ATTEMPTS, [_attempt_row(attempt) for attempt in attempts])
            return
        delivery_status = DeliveryStatus(status) if status else None
        found_deliveries = messages.find_deliveries(session, webhook_id, delivery_status, limit)
    show_table(_MESSAGES, [_message_row(delivery) for delivery in found_deliveries])


@webhook.command(epilog="\b\nExample:\n  sitecms webhook replay demo msg_2b8f\n  sitecms webhook replay demo 1")
@site_argument
@click.argument("which", metavar="MESSAGE|WEBHOOK")
def replay(settings: SiteSettings, which: str) -> None:
    """Send a message again with the same id, or all failed messages of a webhook."""
    runtime = open_runtime(settings)
    with runtime.database.writing(counts_as_change=False) as transaction:
        if which.isdecimal():
            webhooks.get_webhook(transaction, int(which))
            count = messages.replay_failed(transaction, int(which), runtime.clock())
        else:
            messages.replay_delivery(transaction, which, runtime.clock())
            count = 1
    click.echo(f"The worker will send {count} message{'' if count == 1 else 's'} again.", err=True)


@webhook.command(epilog="\b\nExample:\n  sitecms webhook rotate demo 1 --keep-hours 48")
@site_argument
@webhook_argument
@click.option(
    "--keep-hours",
    type=click.IntRange(0, 8760),
    default=24,
    show_default=True,
    help="Time during which the former secret signs messages too.",
)
def rotate(settings: SiteSettings, webhook_id: int, keep_hours: int) -> None:
    """Create a new signing secret and print it on stdout. For a while, messages carry the former signature too."""
    runtime = open_runtime(settings)
    secret, at = new_signing_secret(), runtime.clock()
    with runtime.database.writing(counts_as_change=False) as transaction:
        hook = webhooks.get_webhook(transaction, webhook_id)
        old_secrets = [SigningSecret(value, at + timedelta(hours=keep_hours)) for value in hook.secrets_at(at)[:1]]
        webhooks.set_secrets(transaction, webhook_id, [SigningSecret(secret), *old_secrets])
    click.echo(secret)


def _message_row(delivery: Delivery) -> tuple[str, ...]:
    due = format_timestamp(delivery.due_at) if delivery.status is DeliveryStatus.WAITING else "-"
    at = format_timestamp(delivery.created_at)
    return delivery.id, delivery.event.value, delivery.status.value, str(delivery.attempt), at, due


def _attempt_row(attempt: Attempt) -> tuple[str, ...]:
    number, started, outcome = str(attempt.number), format_timestamp(attempt.started_at), attempt.outcome
    if outcome is None:
        return number, started, "-", "-", "running, or interrupted"
    return number, started, str(outcome.http_status or "-"), str(outcome.duration_ms), _one_line(outcome.answer)


def _one_line(answer: str) -> str:
    """Return an answer as one line without control characters."""
    line = " ".join(answer.split())[:_SHOWN_ANSWER]
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line)
