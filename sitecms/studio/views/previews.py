"""Previews: the page of an entry as its form is now, unsaved, the files that the page names, and checks of it.

The page runs scripts of the theme, so it gets an origin without a name (`sandbox`): it reaches neither the cookies nor
the pages of the studio, and what it asks for is asked without cookies. Files of the theme and of the media library are
open to all, as on the built site; their names are made of their content.
"""

import re
from functools import partial
from html import escape
from pathlib import PurePosixPath

from flask import Response

from sitecms.actions.editing.entries import entry_of_form
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind, Kind
from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX
from sitecms.content.user import Action
from sitecms.errors import Forbidden, InvalidFields, InvalidInput, NotFound, SitecmsError
from sitecms.findings import Finding, Severity
from sitecms.messages import N_, text_of
from sitecms.site.check.finding import CheckKind
from sitecms.site.images.share_cards import card_of_page, card_of_post, draw_card
from sitecms.site.unsaved.page import UnsavedPage
from sitecms.studio.entry_form import control_of, read_form, shown_values, tidied, values_of_typed
from sitecms.studio.entry_place import NEW_FORMS, STORED_FORMS, EntryPlace, get_place, route_action
from sitecms.studio.rendering import OPEN_TO_FRAMES
from sitecms.studio.sent_form import check_complete
from sitecms.studio.text_format import format_of_new
from sitecms.studio.texts import _
from sitecms.studio.visit import Route, Studio, Visit

BASE_PATH = "/studio/site"
MORPH = "vendor/idiomorph.js"
SANDBOX = "sandbox allow-scripts"
NO_PAGE = N_("Entries of this kind have no page of their own. They are shown on other pages of the site.")
_FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
_NONCE = re.compile(r"[0-9a-f]{32}")
_HEAD_END = re.compile(rb"</head\s*>", re.IGNORECASE)
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".ico": "image/x-icon",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".ttf": "font/ttf",
    ".otf": "font/otf",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
}
_VERBS = frozenset({"has", "goes", "refers", "is"})
_LABELS = {
    "seo_title": N_("Title for search engines"),
    "meta_description": N_("Description for search engines"),
    "featured_image_alt": N_("Description of the picture"),
}
_PLACES: dict[str, str] = {
    CheckKind.TITLE_LONG: "seo_title",
    CheckKind.TITLE_DUPLICATE: "title",
    CheckKind.DESCRIPTION_LONG: "meta_description",
    CheckKind.DESCRIPTION_MISSING: "summary",
    CheckKind.HEADING_SKIPPED: "body",
    CheckKind.PICTURE_MISSING: "featured_image",
}
"""The built-in field in which a finding is mended."""


def _entry(visit: Visit, place: EntryPlace) -> Entry:
    """Return the entry as the form has it. Raises what a save would raise."""
    typed = read_form(visit.request.form, place, shown_values(place, format_of_new(visit)))
    return entry_of_form(visit.editing, place.entry, values_of_typed(place, tidied(place, typed)[0]))


def preview(kind: EntryKind, visit: Visit, **names: str) -> Response:
    """Return the page of the entry as the form has it, or what is wrong with the values."""
    place = get_place(visit, kind, **names)
    check_complete(visit.request.form)
    try:
        page = visit.studio.unsaved.page(_entry(visit, place))
    except (InvalidInput, Forbidden) as error:
        return _refused(visit, place, error)
    if page is None:
        return show_faults(visit, [("", _(NO_PAGE))], 404)
    if page.error:
        return show_faults(visit, [("", _("The theme cannot show the page: %(error)s", error=page.error))], 422)
    return page_response(visit, page)


def page_response(visit: Visit, page: UnsavedPage) -> Response:
    """Return a page of the site for a frame, which has an origin without a name."""
    response = Response(with_script(visit, page.html), content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = f"{SANDBOX}; {page.policy}"
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


def share_card(kind: EntryKind, visit: Visit, **names: str) -> Response:
    """Return the share image that the site draws for the entry as the form has it, if it has no picture of its own."""
    place = get_place(visit, kind, **names)
    check_complete(visit.request.form)
    try:
        entry = _entry(visit, place)
    except (InvalidInput, Forbidden) as error:
        return _refused(visit, place, error)
    text = card_of_post(entry) if place.properties.has_body else card_of_page(entry)
    data = draw_card(text, visit.studio.runtime.settings)
    if data is None:
        raise NotFound(_("Not found."))
    return Response(data, content_type="image/png")


def check(kind: EntryKind, visit: Visit, **names: str) -> Response:
    """Return what `sitecms check` says of the entry as the form has it, and the pages that publishing it changes."""
    place = get_place(visit, kind, **names)
    check_complete(visit.request.form)
    try:
        entry = _entry(visit, place)
    except (InvalidInput, Forbidden) as error:
        return _refused(visit, place, error)
    consequences = visit.studio.forecast.of(entry, visit.own_author)
    findings = [
        (each.severity.value, *_in_words(each, kind), _place(each, place.properties)) for each in consequences.findings
    ]
    findings.sort(key=lambda each: each[0] != Severity.ERROR.value)
    is_part = "application/json" in visit.request.headers.get("Accept", "")
    template = "check_part.html" if is_part else "check.html"
    return visit.page(template, findings=findings, found=consequences)


def _place(finding: Finding, properties: Kind) -> str:
    """Return the built-in field in which a finding is mended; "" if the kind has no such field."""
    name = _PLACES.get(finding.kind, "")
    return name if name in properties.names else ""


def _in_words(finding: Finding, kind: EntryKind) -> tuple[str, str]:
    """Return a finding as a sentence, and what to do as another one, with the labels of the form."""
    what, remedy = finding.what, finding.remedy
    if what.split(" ", 1)[0] in _VERBS:
        what = f"This {kind} {what}"
    for name, label in _LABELS.items():
        remedy = remedy.replace(name, f"“{_(label)}”")
    return _sentence(what), _sentence(remedy)


def _sentence(text: str) -> str:
    text = f"{text[:1].upper()}{text[1:]}"
    return text if not text or text[-1] in ".?!" else f"{text}."


def _refused(visit: Visit, place: EntryPlace, error: SitecmsError) -> Response:
    """Return the errors of the values; names are those of the form's controls."""
    status = 403 if isinstance(error, Forbidden) else 400
    if not isinstance(error, InvalidFields):
        return show_faults(visit, [("", text_of(error))], status)
    pairs = [(name, message) for name, messages in error.messages.items() for message in messages]
    return show_faults(visit, [(control_of(place, name), message) for name, message in pairs], status)


def show_faults(visit: Visit, faults: list[tuple[str, str]], status: int) -> Response:
    """Return faults as JSON where a script asks, else as a page."""
    if "application/json" in visit.request.headers.get("Accept", ""):
        listed = [{"name": name, "message": message} for name, message in faults]
        return visit.json({"faults": listed}, status)
    return visit.page("preview_faults.html", status=status, faults=faults)


def with_script(visit: Visit, html: bytes) -> bytes:
    """Return the page with the script that takes newer versions, if the request names the nonce of their messages."""
    nonce = visit.field("nonce")
    if not _NONCE.fullmatch(nonce):
        return html
    assets = visit.studio.assets
    morph = f' data-morph="{escape(assets.address(MORPH))}"' if MORPH in assets else ""
    address = escape(assets.address("preview-frame.js"))
    tag = f'<script type="module" src="{address}" id="sitecms-preview" data-nonce="{nonce}"{morph}></script>'.encode()
    end = _HEAD_END.search(html)
    return html[: end.start()] + tag + html[end.start() :] if end else tag + html


def theme_file(studio: Studio, name: str) -> Response:
    """Return a file of the theme."""
    data = studio.unsaved.asset(f"assets/{name}")
    if data is None:
        raise NotFound(_("Not found."))
    return asset_response(name, data)


def asset_response(name: str, data: bytes) -> Response:
    """Return a file of a theme, whose address changes with its content."""
    kind = _TYPES.get(PurePosixPath(name).suffix.lower(), "application/octet-stream")
    response = Response(data, content_type=kind)
    response.headers.update({**OPEN_TO_FRAMES, "Content-Security-Policy": _FILE_POLICY})
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response


def media_file(studio: Studio, name: str) -> Response:  # noqa: ARG001 - views get the studio
    """Return a redirect to a file of the library."""
    if not MEDIA_NAME.fullmatch(MEDIA_PREFIX + name):
        raise NotFound(_("Not found."))
    headers = {"Location": MEDIA_PREFIX + name, **OPEN_TO_FRAMES, "Cache-Control": "public, max-age=86400"}
    return Response(status=302, headers=headers)


FILES = {
    f"{BASE_PATH}/assets/<path:name>": theme_file,
    f"{BASE_PATH}{MEDIA_PREFIX}<name>": media_file,
}
"""Views of files without a session."""
ROUTES = tuple(
    Route("POST", f"{path}{name}/", partial(view, kind), route_action(kind, action))
    for paths, action in ((NEW_FORMS, Action.CREATE), (STORED_FORMS, Action.EDIT))
    for kind, path in paths.items()
    for name, view in (("preview", preview), ("check", check), ("share-card", share_card))
)
