"""Choice of a picture from the media library, or by upload, while a form is being filled in.

The page of the choice carries all fields of the form, so that nothing that was typed is lost, and sends them back with
the address of the picture. `picture_for` names the field that gets it.
"""

from flask import Response
from msgspec import Struct

from sitecms.content.media import MEDIA_PREFIX
from sitecms.content.query import Window
from sitecms.store.entries.media_files import find_media
from sitecms.store.listings.media import MediaFilter, list_media
from sitecms.studio.texts import _
from sitecms.studio.views.media import take_files
from sitecms.studio.visit import Visit, paging

PAGE_SIZE = 24
CHOOSE, USE, UPLOAD, CANCEL = "choose-picture", "use-picture", "upload-picture", "keep-picture"
BRING_BACK = "bring-back"
_OWN = ("form_token", "do", "picture", "picture_alt", "picture_text", "picture_page", "picture_for")
_MAX_DIGITS = 6


class Chosen(Struct, frozen=True):
    """The picture that was chosen for a field, and its description; the address is "" if none was."""

    name: str
    address: str
    alt: str = ""


def choose_picture(visit: Visit, form_address: str) -> Response | Chosen | None:
    """Return the page of the choice, the chosen picture, or None if the pressed button is another one.

    The button that begins the choice has the value `choose-picture`, with the name of the field behind a colon. The
    value `bring-back` shows the form with the fields that were sent, as a choice that was cancelled does.
    """
    button, _separator, name = visit.field("do").partition(":")
    name = name or visit.field("picture_for")
    if button == USE:
        return _chosen(visit, name, visit.field("picture"))
    if button in (CANCEL, BRING_BACK):
        return Chosen(name, "")
    if button == UPLOAD:
        uploaded = take_files(visit)
        if uploaded.files and uploaded.files[0].content_type.startswith("image/"):
            return _chosen(visit, name, uploaded.files[0].url)
        return _page(visit, form_address, name, uploaded.refused or {_("Upload"): _("Choose a picture to upload.")})
    if button == CHOOSE or visit.field("picture_page"):
        return _page(visit, form_address, name, {})
    return None


def _chosen(visit: Visit, name: str, address: str) -> Chosen:
    """Return the choice with the description that was typed, else with that of the media library."""
    typed = visit.field("picture_alt").strip()
    if typed or not address:
        return Chosen(name, address, typed)
    stored = address.removeprefix(MEDIA_PREFIX)
    with visit.studio.runtime.database.reading() as session:
        file = find_media(session, [stored]).get(stored)
    return Chosen(name, address, file.details.alt if file else "")


def _page(visit: Visit, form_address: str, name: str, refused: dict[str, str]) -> Response:
    text, page_number = visit.field("picture_text"), visit.field("picture_page")
    number = (
        int(page_number) if page_number.isascii() and page_number.isdecimal() and len(page_number) <= _MAX_DIGITS else 1
    )
    with visit.studio.runtime.database.reading() as session:
        pages = paging(visit, list_media(session, MediaFilter(text, "image"), Window(0)).count, PAGE_SIZE).pages
        number = min(max(number, 1), pages)
        files = list_media(session, MediaFilter(text, "image"), Window(PAGE_SIZE, (number - 1) * PAGE_SIZE)).entries
    return visit.page(
        "choose_picture.html",
        status=400 if refused else 200,
        address=form_address,
        kept=kept_fields(visit),
        files=files,
        text=text,
        number=number,
        pages=pages,
        name=name,
        alt=visit.field("picture_alt"),
        refused=refused,
    )


def kept_fields(visit: Visit) -> list[tuple[str, str]]:
    """Return the fields of the form of an entry, which another page carries meanwhile."""
    return [(key, value) for key, value in visit.request.form.items(multi=True) if key not in _OWN]
