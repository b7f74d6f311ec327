"""The format in which the text of a new entry is written: rich text or Markdown, as the user last chose."""

from flask import Response

from sitecms.content.kinds import FORMAT, HTML, MARKDOWN
from sitecms.errors import InvalidFields
from sitecms.messages import N_
from sitecms.studio.texts import _
from sitecms.studio.visit import Visit

COOKIE = "sitecms_format"
"""A cookie with the last choice. It holds a preference, no secret."""
BUTTON = "format:"
NOT_EMPTY = N_("Only an empty text can be changed to Markdown. Cut it out, change, and paste it.")
_YEAR = 365 * 24 * 3600


def has_rich_text(visit: Visit) -> bool:
    """Return whether the scripts of rich text are in the package."""
    return "vendor/prosemirror.js" in visit.studio.assets


def format_of_new(visit: Visit) -> str:
    """Return the format of the new entry that a visit shows: of its form or address, or as last chosen."""
    if visit.request.method == "POST":
        return HTML if visit.field(FORMAT) == HTML else MARKDOWN
    text_format = visit.query(FORMAT) or visit.request.cookies.get(COOKIE, "")
    if text_format in (MARKDOWN, HTML):
        return text_format
    return HTML if has_rich_text(visit) else MARKDOWN


def changed_format(visit: Visit, button: str, body: str) -> str:
    """Return the format that a button of the form of a new entry asks for. Raises InvalidFields if it cannot be had."""
    text_format = MARKDOWN if button == f"{BUTTON}{MARKDOWN}" else HTML
    if text_format == MARKDOWN and format_of_new(visit) == HTML and body.strip():
        raise InvalidFields({"body": [_(NOT_EMPTY)]})
    return text_format


def remember_format(response: Response, text_format: str) -> Response:
    """Return the response with the choice for the next new entry."""
    response.set_cookie(COOKIE, text_format, max_age=_YEAR, path="/studio/", httponly=True, samesite="Strict")
    return response
