"""Choice of pictures from the media library, or by upload, while a form is being filled in.

The page of the choice carries all fields of the form, so that nothing that was typed is lost, and sends them back with
the address of the picture. `picture_for` names the field that gets it: `fields.cover`. `fields.steps.*.image` is the
field of a list that gets a row for each of several pictures.
"""

from flask import Response
from msgspec import Struct

from sitecms.content.media import MEDIA_PREFIX, MediaFile
from sitecms.content.query import Window
from sitecms.store.entries.media_files import find_media
from sitecms.store.listings.media import MediaFilter, list_media
from sitecms.studio.row_buttons import NEW_ROW
from sitecms.studio.texts import _
from sitecms.studio.views.media import take_files
from sitecms.studio.visit import Visit, paging

PAGE_SIZE = 24
CHOOSE, USE, UPLOAD, CANCEL = "choose-picture", "use-picture", "upload-picture", "keep-picture"
BRING_BACK = "bring-back"
_OWN = ("form_token", "do", "picture", "picture_alt", "picture_text", "picture_page", "picture_for")
_MAX_DIGITS = 6


class Picture(Struct, frozen=True):
    """A picture of the library, or of another address, and its description."""

    address: str
    alt: str = ""


class Chosen(Struct, frozen=True):
    """The pictures that were chosen for a field; none if the choice was left, several for new rows of a list."""

    name: str
    pictures: tuple[Picture, ...] = ()

    @property
    def is_for_list(self) -> bool:
        """True if each of the pictures gets a row."""
        return takes_several(self.name)

    @property
    def address(self) -> str:
        """The address of the picture, "" if none was chosen."""
        return self.pictures[0].address if self.pictures else ""

    @property
    def alt(self) -> str:
        """The description of the picture, "" for none."""
        return self.pictures[0].alt if self.pictures else ""


def takes_several(name: str) -> bool:
    """Return whether a choice is for new rows of a list, which takes several pictures at once."""
    return NEW_ROW in name


def choose_picture(visit: Visit, form_address: str) -> Response | Chosen | None:
    """Return the page of the choice, what was chosen, or None if the pressed button is another one.

    The button that begins the choice has the value `choose-picture`, with the name of the field behind a colon. The
    value `bring-back` shows the form with the fields that were sent, as a choice that was cancelled does.
    """
    button, _separator, name = visit.field("do").partition(":")
    name = name or visit.field("picture_for")
    addresses = [each for each in visit.request.form.getlist("picture") if each]
    if button == USE:
        return Chosen(name, _described(visit, name, addresses))
    if button in (CANCEL, BRING_BACK):
        return Chosen(name)
    if button == UPLOAD:
        uploaded = take_files(visit)
        pictures = [each.url for each in uploaded.files if each.content_type.startswith("image/")]
        if pictures and not uploaded.refused:
            return Chosen(name, _described(visit, name, [*addresses, *pictures]))
        refused = uploaded.refused or {_("Upload"): _("Choose a picture to upload.")}
        return _page(visit, form_address, name, [*addresses, *pictures], refused)
    if button == CHOOSE or visit.field("picture_page"):
        return _page(visit, form_address, name, addresses)
    return None


def _described(visit: Visit, name: str, addresses: list[str]) -> tuple[Picture, ...]:
    """Return pictures with the description that was typed for one, else with that of the media library."""
    chosen = list(dict.fromkeys(addresses)) if takes_several(name) else addresses[-1:]
    typed = visit.field("picture_alt").strip()
    stored = _stored(visit, chosen)
    return tuple(Picture(each, typed or (stored[each].details.alt if each in stored else "")) for each in chosen)


def _stored(visit: Visit, addresses: list[str]) -> dict[str, MediaFile]:
    """Return the files of the library at addresses, by address."""
    names = {address.removeprefix(MEDIA_PREFIX): address for address in addresses}
    return {names[name]: file for name, file in visit.studio.runtime.database.read(find_media, [*names]).items()}


def _page(
    visit: Visit, form_address: str, name: str, chosen: list[str], refused: dict[str, str] | None = None
) -> Response:
    """Return the page of the choice; what is chosen comes first, so that it stays while others are looked for."""
    text, page_number = visit.field("picture_text"), visit.field("picture_page")
    number = (
        int(page_number) if page_number.isascii() and page_number.isdecimal() and len(page_number) <= _MAX_DIGITS else 1
    )
    with visit.studio.runtime.database.reading() as session:
        pages = paging(visit, list_media(session, MediaFilter(text, "image"), Window(0)).count, PAGE_SIZE).pages
        number = min(max(number, 1), pages)
        files = list_media(session, MediaFilter(text, "image"), Window(PAGE_SIZE, (number - 1) * PAGE_SIZE)).entries
    first = _stored(visit, chosen if takes_several(name) else [])
    return visit.page(
        "choose_picture.html",
        status=400 if refused else 200,
        address=form_address,
        kept=kept_fields(visit),
        chosen=[first[each] for each in dict.fromkeys(chosen) if each in first],
        files=[each for each in files if each.url not in first],
        takes_several=takes_several(name),
        text=text,
        number=number,
        pages=pages,
        name=name,
        alt=visit.field("picture_alt"),
        refused=refused or {},
    )


def kept_fields(visit: Visit) -> list[tuple[str, str]]:
    """Return the fields of the form of an entry, which another page carries meanwhile."""
    return [(key, value) for key, value in visit.request.form.items(multi=True) if key not in _OWN]
