"""Blocks of texts, for scripts of the studio: their forms, and the HTML of one."""

import msgspec
from flask import Response
from msgspec.structs import replace

from sitecms.actions.editing.markdown_body import render_body, resolver_of
from sitecms.content.text.markdown.blocks import blocks
from sitecms.content.user import Action
from sitecms.errors import InvalidFields
from sitecms.plugins.values import Block
from sitecms.studio.entry_place import find_form
from sitecms.studio.messages import message_text
from sitecms.studio.texts import _
from sitecms.studio.visit import Route, Visit
from sitecms.studio.words import word

BLOCKS = "/studio/blocks/"
_MAX_LENGTH = 200_000


def show_forms(visit: Visit) -> Response:
    """Return the forms of all directives of the site, by name."""
    plugins = visit.studio.runtime.settings.plugins
    return visit.json({"blocks": [{"name": name, **_form(block)} for name, block in blocks(plugins).items()]})


def _form(block: Block) -> dict[str, object]:
    """Return all of a block but its function, in the language of the request."""
    form = {name: getattr(block, name) for name in Block.__struct_fields__ if name != "write"}
    form |= {name: word(form[name]) for name in ("label", "title", "group")}
    fields = (replace(field, label=word(field.label), help=word(field.help)) for field in block.fields)
    return {**form, "fields": [msgspec.to_builtins(field) for field in fields]}


def render_block(visit: Visit) -> Response:
    """Return the HTML of a directive, or what is wrong with it. `form` is the path of the form that it stands in."""
    text, language, form = visit.field("text"), visit.field("language"), find_form(visit.field("form"))
    settings = visit.studio.runtime.settings
    tags = {settings.language_tag(locale): locale for locale in settings.locales}
    if len(text) > _MAX_LENGTH:
        return visit.json({"problems": [_("The block is too long.")]}, 400)
    entry = (form[0], int(form[1]["entry_id"])) if form and "entry_id" in form[1] else None
    try:
        with visit.studio.runtime.database.reading() as session:
            locale = tags.get(language, settings.default_locale)
            html = render_body(settings, text, locale, resolver_of(session, entry))
    except InvalidFields as error:
        problems = [message_text(message) for messages in error.messages.values() for message in messages]
        return visit.json({"problems": problems}, 400)
    return visit.json({"html": html})


ROUTES = (Route("GET", BLOCKS, show_forms, Action.CREATE), Route("POST", BLOCKS, render_block, Action.CREATE))
