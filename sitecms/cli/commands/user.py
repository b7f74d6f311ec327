"""The command `sitecms user`: invite, add, list and remove users of the studio, and set roles and passwords."""

import sys

import click

from sitecms.actions.accounts import links
from sitecms.actions.accounts import users as accounts
from sitecms.actions.accounts.second_factor import turn_off
from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.output import show_table
from sitecms.cli.site_argument import site_argument
from sitecms.clock import format_timestamp
from sitecms.content.account_link import LinkKind, link_path
from sitecms.content.user import Role, User
from sitecms.plurals import counted
from sitecms.runtime import open_runtime
from sitecms.settings.site import SiteSettings
from sitecms.store.accounts.users import find_users, get_user

_HEADINGS = ("NAME", "ROLE", "AUTHOR", "E-MAIL", "STATE", "CREATED", "SIGNED IN")
_ROLES = click.Choice([role.value for role in Role])
_NONE = "none"
_ROLES_OR_NONE = click.Choice([*(role.value for role in Role), _NONE])
_ROLE_HELP = "writer: own drafts; editor: all content; admin: users too."
_AUTHOR_HELP = "Author whose posts are the user's own; writers need one."
_EMAIL_HELP = "E-mail address of the user: for messages of the studio, and in Git commits."
_HERE = "http://127.0.0.1:8000"


@click.group(
    cls=SuggestingGroup,
    epilog="\b\nExample:\n  sitecms user add demo mira --role admin\n  sitecms user invite demo --role editor",
)
def user() -> None:
    """Invite, add, list and remove users of the studio, the browser editor that `sitecms serve` has under /studio/."""


def _read_password() -> str:
    """Ask for a password twice on a terminal; else read the first line of stdin."""
    if sys.stdin.isatty():
        return str(
            click.prompt("Password (12 characters or more)", hide_input=True, confirmation_prompt=True, err=True)
        )
    return sys.stdin.readline().rstrip("\r\n")


@user.command(epilog="\b\nExample:\n  sitecms user add demo mira --role writer --author mira-lund")
@site_argument
@click.argument("name", metavar="NAME")
@click.option("--role", type=_ROLES, required=True, help=_ROLE_HELP)
@click.option("--author", default="", metavar="SLUG", help=_AUTHOR_HELP)
@click.option("--email", default="", metavar="ADDRESS", help=_EMAIL_HELP)
def add(settings: SiteSettings, name: str, role: str, author: str, email: str) -> None:
    """Add a user. The password is asked for; without a terminal it is the first line of stdin."""
    runtime = open_runtime(settings)
    name, email = accounts.check_name(name), accounts.check_email(email)
    added = accounts.add_user(
        runtime.database, None, name, Role(role), author, _read_password(), settings.name, runtime.clock(), email
    )
    click.echo(f"Added {added.name} as {added.role}. The studio is at /studio/ of `sitecms serve`.", err=True)


@user.command(epilog="\b\nExample:\n  sitecms user invite demo --role writer --author mira-lund --for Mira")
@site_argument
@click.option("--role", type=_ROLES, required=True, help=_ROLE_HELP)
@click.option("--author", default="", metavar="SLUG", help=_AUTHOR_HELP)
@click.option("--for", "label", default="", metavar="TEXT", help="Whom it is for, in the list of invitations.")
@click.option(
    "--email", default="", metavar="ADDRESS", help="E-mail address that the user will have, to which the link is sent."
)
def invite(settings: SiteSettings, role: str, author: str, label: str, email: str) -> None:
    """Print a link with which a person becomes a user, who chooses name and password.

    It works once, for 72 hours. Its address is `url` under [serve] in site.toml. With --email and a mail server under
    [mail], the link is sent to that address by the worker, and not printed.
    """
    runtime = open_runtime(settings)
    if email and settings.mail.is_on:
        links.send_invitation(runtime.database, None, label, Role(role), author, runtime.clock(), email)
        click.echo(f"The invitation is sent to {email} as soon as a worker runs.", err=True)
        return
    secret = links.invite(runtime.database, None, label, Role(role), author, runtime.clock(), email)
    _print_link(settings, LinkKind.INVITATION, secret, "for 72 hours")


@user.command(epilog="\b\nExample:\n  sitecms user reset demo mira")
@site_argument
@click.argument("name", metavar="NAME")
def reset(settings: SiteSettings, name: str) -> None:
    """Print a link with which a user chooses a new password.

    It works once, for one hour, and takes the place of earlier ones. The old password is valid until it is used.
    """
    runtime = open_runtime(settings)
    secret = links.invite_to_reset(runtime.database, None, name, runtime.clock())
    _print_link(settings, LinkKind.RESET, secret, "for one hour")


@user.command("list", epilog="\b\nExample:\n  sitecms user list demo")
@site_argument
def list_users(settings: SiteSettings) -> None:
    """List all users: name, role, author, state, and the last sign-in."""
    users = open_runtime(settings).database.read(find_users)
    show_table(_HEADINGS, [_row(each) for each in users])


@user.command(epilog="\b\nExample:\n  sitecms user role demo mira editor\n  sitecms user role demo mira none")
@site_argument
@click.argument("name", metavar="NAME")
@click.argument("role", metavar="ROLE", type=_ROLES_OR_NONE)
@click.option("--author", default="", metavar="SLUG", help="Author whose posts are the user's own from now on.")
def role(settings: SiteSettings, name: str, role: str, author: str) -> None:
    """Give a user the role writer, editor or admin, and sign the user out everywhere.

    The role none deactivates the user, who cannot sign in then; posts, history and log stay. Another role activates the
    user again.
    """
    runtime = open_runtime(settings)
    if role == _NONE:
        ended = accounts.deactivate(runtime.database, None, name, runtime.clock())
        click.echo(f"{name} is deactivated. Ended {counted(ended, 'session')}.", err=True)
        return
    ended = accounts.set_role(runtime.database, None, name, Role(role), author, runtime.clock())
    click.echo(f"{name} is {role} now. Ended {counted(ended, 'session')}.", err=True)


@user.command("second-factor", epilog="\b\nExample:\n  sitecms user second-factor demo mira --off")
@site_argument
@click.argument("name", metavar="NAME")
@click.option("--off", "is_off", is_flag=True, help="Turn it off, and sign the user out everywhere.")
def second_factor(settings: SiteSettings, name: str, *, is_off: bool) -> None:
    """Say whether a user has a second factor; with --off turn it off, for a user who has lost device and codes.

    The password alone opens the studio then. Be sure who asks for it.
    """
    runtime = open_runtime(settings)
    if is_off:
        was_on = turn_off(runtime.database, None, name, runtime.clock())
        click.echo(f"The second factor of {name} {'is' if was_on else 'was'} off.", err=True)
        return
    click.echo("on" if runtime.database.read(get_user, name).has_second_factor else "off")


@user.command(epilog="\b\nExample:\n  sitecms user password demo mira")
@site_argument
@click.argument("name", metavar="NAME")
def password(settings: SiteSettings, name: str) -> None:
    """Give a user a new password, and sign the user out everywhere.

    The password is asked for; without a terminal it is the first line of stdin.
    """
    runtime = open_runtime(settings)
    ended = accounts.set_password(runtime.database, None, name, _read_password(), settings.name, runtime.clock())
    click.echo(f"The password of {name} is changed. Ended {counted(ended, 'session')}.", err=True)


@user.command(epilog="\b\nExample:\n  sitecms user email demo mira mira@tide.example")
@site_argument
@click.argument("name", metavar="NAME")
@click.argument("address", metavar="ADDRESS")
def email(settings: SiteSettings, name: str, address: str) -> None:
    """Set the e-mail address of a user; none removes it."""
    runtime = open_runtime(settings)
    before = accounts.set_email(runtime.database, None, name, "" if address == _NONE else address, runtime.clock())
    click.echo(f"The e-mail address of {name} is {address} now; it was {before.email or _NONE}.", err=True)


@user.command(epilog="\b\nExample:\n  sitecms user remove demo mira")
@site_argument
@click.argument("name", metavar="NAME")
def remove(settings: SiteSettings, name: str) -> None:
    """Remove a user and sign the user out everywhere. What the user wrote stays."""
    runtime = open_runtime(settings)
    accounts.remove_user(runtime.database, None, name, runtime.clock())
    click.echo(f"The user {name} is removed.", err=True)


def _print_link(settings: SiteSettings, kind: LinkKind, secret: str, period: str) -> None:
    click.echo((settings.serve_url or _HERE) + link_path(kind, secret))
    click.echo(f"The link works once, {period}. It is not shown again; whoever has it can use it.", err=True)
    if not settings.serve_url:
        click.echo("If the server has another address, set url under [serve] in site.toml.", err=True)


def _row(user: User) -> tuple[str, ...]:
    signed_in = format_timestamp(user.signed_in_at) if user.signed_in_at else "never"
    state = "active, second factor" if user.has_second_factor else "active"
    names = user.name, user.role.value, user.author or "-", user.email or "-"
    return *names, state if user.is_active else "deactivated", format_timestamp(user.created_at), signed_in
