"""What a pasted address may become: answers to scripts of the editors."""

from flask import Response

from sitecms.actions.editing.link_cards import card_of, player_of
from sitecms.actions.editing.markdown_body import render_body, resolver_of
from sitecms.content.user import Action
from sitecms.errors import FetchFailed
from sitecms.media.fetching.fetch import FetchRules
from sitecms.messages import text_of
from sitecms.studio.messages import message_text
from sitecms.studio.visit import Route, Visit

ADDRESS = "/studio/pasted-address/"


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
        return visit.json({"problem": message_text(text_of(error))})
    if not text:
        return visit.json({})
    with visit.studio.runtime.database.reading() as session:
        html = render_body(settings, text, settings.default_locale, resolver_of(session))
    return visit.json({"markdown": text, "html": html})


ROUTES = (Route("POST", ADDRESS, show_address, Action.CREATE),)
