"""The command `sitecms mail`: try the mail server, and list and repeat messages."""

import sys

import click

from sitecms.actions.mailing.deliver import NOT_SET_UP
from sitecms.actions.mailing.smtp import NotSent, make_message, send_message
from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.output import show_table
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import site_argument
from sitecms.clock import format_timestamp
from sitecms.content.mail import Mail, MailStatus
from sitecms.content.query import Window
from sitecms.content.user import new_session_secret
from sitecms.email_address import InvalidAddress, email_address
from sitecms.errors import ConfigurationError
from sitecms.plurals import counted
from sitecms.runtime import open_runtime
from sitecms.settings.site import SiteSettings
from sitecms.store.accounts.mails import find_mails, send_again

_HEADINGS = ("ID", "KIND", "TO", "STATUS", "ATTEMPTS", "STORED", "PROBLEM")
_TEST = "This message shows that {} can send e-mail.\n"


def parse_address(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """Return the address. Raises BadParameter for what is none."""
    try:
        return email_address(value)
    except InvalidAddress as error:
        raise click.BadParameter(str(error)) from None


@click.group(cls=SuggestingGroup, epilog="\b\nExample:\n  sitecms mail test demo mira@tide.example")
def mail() -> None:
    """Try the mail server of [mail] in site.toml, and list and repeat the messages of the studio."""


@mail.command(epilog="\b\nExample:\n  sitecms mail test demo mira@tide.example")
@site_argument
@click.argument("address", metavar="ADDRESS", callback=parse_address)
def test(settings: SiteSettings, address: str) -> None:
    """Send a message to ADDRESS now, and say what the mail server answers. Exit code 1: it did not take it."""
    runtime = open_runtime(settings)
    if not settings.mail.is_on:
        raise ConfigurationError(f"{NOT_SET_UP} Set host and sender there.")
    subject, message_id = f"Test of {settings.name}", new_session_secret()
    message = make_message(settings.mail, address, subject, _TEST.format(settings.name), message_id, runtime.clock())
    try:
        send_message(settings.mail, message)
    except NotSent as error:
        click.echo(f"Not sent: {error}", err=True)
        sys.exit(ExitCode.FAILED)
    click.echo(f"{settings.mail.host} took the message to {address}.", err=True)


@mail.command("list", epilog="\b\nExample:\n  sitecms mail list demo --status failed")
@site_argument
@click.option("--status", type=click.Choice([each.value for each in MailStatus]), help="Messages of this status alone.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="Number of messages.")
def list_mails(settings: SiteSettings, status: str | None, limit: int) -> None:
    """List messages of the studio, the newest first, without their texts."""
    with open_runtime(settings).database.reading() as session:
        mails = find_mails(session, MailStatus(status) if status else None, Window(limit)).entries
    show_table(_HEADINGS, [_row(each) for each in mails])


@mail.command(epilog="\b\nExample:\n  sitecms mail retry demo")
@site_argument
@click.option("--id", "mail_ids", metavar="ID", type=int, multiple=True, help="This message alone. Repeatable.")
def retry(settings: SiteSettings, mail_ids: tuple[int, ...]) -> None:
    """Send messages that failed again: all, or those with these ids."""
    runtime = open_runtime(settings)
    with runtime.database.writing(counts_as_change=False) as transaction:
        failed = find_mails(transaction, MailStatus.FAILED, Window(1000)).entries
        ids = mail_ids or tuple(each.id for each in failed)
        count = send_again(transaction, ids, runtime.clock()) if ids else 0
    click.echo(f"{counted(count, 'message')} will be sent again.", err=True)


def _row(each: Mail) -> tuple[str, ...]:
    ended = each.problem or "-"
    times = str(each.attempt), format_timestamp(each.created_at)
    return str(each.id), each.kind.value, each.address, each.status.value, *times, ended
