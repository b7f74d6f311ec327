"""Directives of Markdown for an address that a writer pastes: a player or a card."""

from contextlib import suppress
from datetime import datetime
from io import BytesIO

from msgspec.structs import replace

from sitecms.actions.editing.media import MediaPlace, upload
from sitecms.content.text.markdown.media_directives import embed_of, host_of
from sitecms.content.user import Action, User
from sitecms.errors import FetchFailed
from sitecms.media.fetching.fetch import FetchRules, fetch
from sitecms.media.fetching.page_card import MAX_SECONDS, read_card


def player_of(address: str, rules: FetchRules) -> str:
    """Return the directive of the player that an address has, with the title that its page gives; "" if it has none."""
    if embed_of(address) is None:
        return ""
    title = ""
    with suppress(FetchFailed):
        title = read_card(address, rules).title
    return directive("embed", url=address, title=title)


def card_of(address: str, rules: FetchRules, place: MediaPlace, user: User, at: datetime) -> str:
    """Return the directive of a card with what the page at an address says about itself.

    Its picture is taken into the media library, if it can be had and the user may upload. Raises FetchFailed.
    """
    card = read_card(address, rules)
    image = ""
    if card.image and user.may(Action.UPLOAD):
        with suppress(FetchFailed):
            fetched = fetch(card.image, replace(rules, total_seconds=MAX_SECONDS))
            files = upload(place, user, [(fetched.name, BytesIO(fetched.data))], at).files
            image = next((file.url for file in files if file.content_type.startswith("image/")), "")
    site = card.site if card.site != host_of(address) else ""
    return directive(
        "bookmark", url=address, title=card.title, description=card.description, image=image, site=site
    )  # fmt: skip


def directive(name: str, **arguments: str) -> str:
    """Return a directive without content; arguments that are empty are left out."""
    written = " ".join(f"{argument}={_quoted(value)}" for argument, value in arguments.items() if value)
    return f"::: {name} {{{written}}}\n:::"


def _quoted(value: str) -> str:
    """Return a value in quotation marks; where it has both kinds of them, one kind is written as printers have it."""
    line = " ".join(value.split())
    if '"' not in line:
        return f'"{line}"'
    return f"'{line}'" if "'" not in line else f'"{line.replace(chr(34), "”")}"'
