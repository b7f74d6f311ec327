"""What scripts of the editors ask for: Markdown as HTML, and what a pasted address may become."""

from flask import Response

from sitecms.actions.editing.link_cards import card_of, player_of
from sitecms.actions.editing.markdown_body import render_body
from sitecms.content.user import Action
from sitecms.errors import FetchFailed, InvalidFields
from sitecms.media.fetching.fetch import FetchRules
from sitecms.studio.visit import Route, Visit

MARKDOWN, ADDRESS = "/studio/pasted/markdown/", "/studio/pasted/address/"


def render_markdown(visit: Visit) -> Response:
    """Return pasted Markdown as HTML, with the errors that keep it from being that."""
    try:
        return visit.json({"html": _html(visit, visit.field("text"))})
    except InvalidFields as error:
        return visit.json({"problem": " ".join(text for texts in error.messages.values() for text in texts)}, 400)


def show_address(visit: Visit) -> Response:
    """Return what an address may become, as Markdown and HTML: its player, or the card that was asked for.

    Without either, an object without them. Other hosts are asked under the limits of remote media, for an address that
    the user has pasted.
    """
    address, settings = visit.field("address"), visit.studio.runtime.settings
    rules = FetchRules(settings.media.allow_hosts)
    try:
        if visit.field("as") == "card":
            text = card_of(address, rules, visit.studio.media, visit.user, visit.at)
        else:
            text = player_of(address, rules)
    except FetchFailed as error:
        return visit.json({"problem": str(error)})
    return visit.json({"markdown": text, "html": _html(visit, text)} if text else {})


def _html(visit: Visit, text: str) -> str:
    runtime = visit.studio.runtime
    locale = visit.field("locale")
    with runtime.database.reading() as session:
        return render_body(
            session, runtime.settings, text, locale if locale in runtime.settings.locales else "", None
        )  # fmt: skip


ROUTES = (
    Route("POST", MARKDOWN, render_markdown, Action.CREATE),
    Route("POST", ADDRESS, show_address, Action.CREATE),
)
