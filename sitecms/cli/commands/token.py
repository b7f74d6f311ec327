"""The command `sitecms token`: create, list, rotate and revoke access tokens."""

from datetime import datetime, timedelta, tzinfo

import click

from sitecms.actions.accounts.programs import MAX_TOKEN_NAME_LENGTH, is_token_name, limit_problems
from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.output import show_table
from sitecms.cli.site_argument import site_argument
from sitecms.clock import format_local_time, format_timestamp, now, parse_timestamp
from sitecms.content.token import Scope, Token, TokenLimits, new_secret, secret_digest
from sitecms.runtime import open_runtime
from sitecms.settings.site import SiteSettings
from sitecms.store.writes import tokens

_HEADINGS = ("NAME", "SCOPE", "CREATED", "ROTATED", "EXPIRES", "STATE", "MAY WRITE")


@click.group(cls=SuggestingGroup, epilog="\b\nExample:\n  sitecms token create demo --scope read --name website")
def token() -> None:
    """Create, list, rotate and revoke access tokens of the API."""


def _read_expiry(text: str, zone: tzinfo) -> datetime:
    """Return the time of expiry. Raises BadParameter."""
    try:
        expires_at = parse_timestamp(text, zone)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--expires") from None
    if expires_at <= now():
        raise click.BadParameter(f"{text} is in the past.", param_hint="--expires")
    return expires_at


def _parse_name(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    name = value.strip()
    if not is_token_name(name):
        raise click.BadParameter(f"expected 1 to {MAX_TOKEN_NAME_LENGTH} printable characters.")
    return name


@token.command(epilog="\b\nExample:\n  sitecms token create demo --scope write --name newsroom --expires 2027-01-01")
@site_argument
@click.option(
    "--scope",
    type=click.Choice([scope.value for scope in Scope]),
    required=True,
    help="Permission: read, or read and write.",
)
@click.option("--name", required=True, callback=_parse_name, help="Unique name of the token.")
@click.option(
    "--expires",
    metavar="DATE",
    help="Time of expiry (ISO 8601), without a zone in the timezone of the site. Default: never.",
)
@click.option("--author", default="", metavar="SLUG", help="Allow writes of posts of this author only.")
@click.option(
    "--collection", "collections", multiple=True, metavar="KEY", help="Allow writes of items of this collection only."
)
@click.option(
    "--page-type",
    "page_types",
    multiple=True,
    metavar="SLUG",
    help="Allow writes of pages of this type only; *: Single Pages.",
)
def create(
    settings: SiteSettings,
    scope: str,
    name: str,
    expires: str | None,
    author: str,
    collections: tuple[str, ...],
    page_types: tuple[str, ...],
) -> None:
    """Create a token and print it on stdout. It cannot be shown again; the store keeps a digest.

    A write token may be limited; --collection and --page-type can be given several times. With any limit, the token
    writes only what is named.
    """
    limits = TokenLimits(author, collections, page_types)
    expires_at = _read_expiry(expires, settings.zone) if expires is not None else None
    if limits.is_limited and scope != Scope.WRITE:
        raise click.UsageError("Only write tokens have limits.")
    runtime = open_runtime(settings)
    with runtime.database.reading() as session:
        for problem in limit_problems(session, limits).values():
            raise click.UsageError(problem)
    secret = new_secret()
    with runtime.database.writing() as transaction:
        tokens.insert_token(transaction, name, Scope(scope), secret_digest(secret), runtime.clock(), expires_at, limits)
    click.echo(secret)


@token.command("list", epilog="\b\nExample:\n  sitecms token list demo")
@site_argument
def list_tokens(settings: SiteSettings) -> None:
    """List all tokens: name, scope, times and state. Secrets are not stored."""
    runtime = open_runtime(settings)
    all_tokens = runtime.database.read(tokens.find_tokens)
    at = runtime.clock()
    show_table(_HEADINGS, [_row(token, at, settings.zone) for token in all_tokens])


@token.command(epilog="\b\nExample:\n  sitecms token rotate demo website --overlap 48")
@site_argument
@click.argument("name", metavar="NAME")
@click.option(
    "--overlap",
    "overlap_hours",
    metavar="HOURS",
    type=click.IntRange(0, 8760),
    default=24,
    show_default=True,
    help="Time during which the former secret stays valid.",
)
def rotate(settings: SiteSettings, name: str, overlap_hours: int) -> None:
    """Give a token a new secret and print it on stdout. It cannot be shown again.

    Scope, limits and expiry stay. The former secret stays valid for the overlap, unless the token expires or is rotated
    again before that.
    """
    runtime = open_runtime(settings)
    secret, at = new_secret(), runtime.clock()
    until = at + timedelta(hours=overlap_hours)
    runtime.database.write(tokens.rotate_token, name, secret_digest(secret), at, until)
    click.echo(f"The former secret of {name!r} is valid until {format_timestamp(until)}.", err=True)
    click.echo(secret)


@token.command(epilog="\b\nExample:\n  sitecms token revoke demo website")
@site_argument
@click.argument("name", metavar="NAME")
def revoke(settings: SiteSettings, name: str) -> None:
    """Revoke a token permanently."""
    runtime = open_runtime(settings)
    runtime.database.write(tokens.revoke_token, name, runtime.clock())
    click.echo(f"The token {name!r} is revoked.", err=True)


def _limits(token: Token) -> str:
    """Return the limits of a write token as text."""
    limits = token.limits
    if not limits.is_limited:
        return "everything" if token.scope is Scope.WRITE else ""
    author = [f"posts of {limits.author}"] if limits.author else []
    return ", ".join([*author, *limits.collections, *(f"pages {page_type}" for page_type in limits.page_types)])


def _row(token: Token, at: datetime, zone: tzinfo) -> tuple[str, ...]:
    expires = format_local_time(token.expires_at, zone) if token.expires_at else "never"
    rotated = format_timestamp(token.rotated_at) if token.rotated_at else "-"
    created = format_timestamp(token.created_at)
    return token.name, token.scope.value, created, rotated, expires, _state(token, at), _limits(token)


def _state(token: Token, at: datetime) -> str:
    if token.revoked_at is not None:
        return f"revoked {format_timestamp(token.revoked_at)}"
    if not token.usable(at):
        return "expired"
    if token.former_until is not None and at < token.former_until:
        return f"active, former secret until {format_timestamp(token.former_until)}"
    return "active"
