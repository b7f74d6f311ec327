"""`sitecms token`: make, list and revoke access tokens."""

from datetime import datetime

import click

from sitecms.cli.site_argument import site_argument
from sitecms.clock import format_timestamp, now, parse_timestamp
from sitecms.content.token import Scope, Token, new_secret, secret_digest
from sitecms.runtime import open_runtime
from sitecms.settings import SiteSettings
from sitecms.store import tokens

MAX_NAME_LENGTH = 100
_HEADINGS = ("NAME", "SCOPE", "CREATED", "EXPIRES", "STATE")


@click.group(epilog="\b\nExample:\n  sitecms token create demo --scope read --name website")
def token() -> None:
    """Make, list and revoke the tokens that open the API."""


def _parse_expiry(_context: click.Context, _parameter: click.Parameter, value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        expires_at = parse_timestamp(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if expires_at <= now():
        raise click.BadParameter(f"{value} is in the past; the token would open nothing.")
    return expires_at


def _parse_name(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    name = value.strip()
    if not name or len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise click.BadParameter(f"expected 1 to {MAX_NAME_LENGTH} printable characters.")
    return name


@token.command(epilog="\b\nExample:\n  sitecms token create demo --scope write --name newsroom --expires 2027-01-01")
@site_argument
@click.option("--scope", type=click.Choice([scope.value for scope in Scope]), required=True, help="What it may do.")
@click.option("--name", required=True, callback=_parse_name, help="What you will know it by; unique.")
@click.option("--expires", metavar="DATE", callback=_parse_expiry, help="When it ends (ISO 8601); default: never.")
def create(settings: SiteSettings, scope: str, name: str, expires: datetime | None) -> None:
    """Make a token and print it, alone, on stdout. It is shown this once; the store keeps a digest."""
    runtime = open_runtime(settings)
    secret = new_secret()
    with runtime.database.writing() as transaction:
        tokens.insert_token(transaction, name, Scope(scope), secret_digest(secret), runtime.clock(), expires)
    click.echo(secret)


@token.command("list", epilog="\b\nExample:\n  sitecms token list demo")
@site_argument
def list_tokens(settings: SiteSettings) -> None:
    """Show every token: name, scope, times and state. Secrets are not kept, so not shown."""
    runtime = open_runtime(settings)
    with runtime.database.reading() as session:
        found = tokens.find_tokens(session)
    at = runtime.clock()
    rows = [_HEADINGS, *(_row(token, at) for token in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


@token.command(epilog="\b\nExample:\n  sitecms token revoke demo website")
@site_argument
@click.argument("name", metavar="NAME")
def revoke(settings: SiteSettings, name: str) -> None:
    """Make a token useless, from now on and for good."""
    runtime = open_runtime(settings)
    with runtime.database.writing() as transaction:
        tokens.revoke_token(transaction, name, runtime.clock())
    click.echo(f"The token {name!r} opens nothing any more.", err=True)


def _row(token: Token, at: datetime) -> tuple[str, ...]:
    expires = format_timestamp(token.expires_at) if token.expires_at else "never"
    return token.name, token.scope.value, format_timestamp(token.created_at), expires, _state(token, at)


def _state(token: Token, at: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "active" if token.usable(at) else "expired"
