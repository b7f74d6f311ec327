"""Parsers of the options of `sitecms webhook add`."""

import re

import click

from sitecms.content.webhooks.event import check_subscription
from sitecms.errors import InvalidRequest
from sitecms.media.fetching.fetch import is_fetchable

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_HEADER_VALUE = re.compile(r"[\x20-\x7e]{0,2000}")
_RESERVED_HEADERS = frozenset(
    {"host", "content-type", "content-length", "transfer-encoding", "connection", "accept-encoding"}
)


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
