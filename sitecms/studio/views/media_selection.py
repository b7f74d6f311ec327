"""Selected files of the media library: deleted and tagged; and pictures that are described one after the other."""

from collections.abc import Iterator

from flask import Response
from msgspec.structs import replace

from sitecms.actions.editing.media import describe, may_describe
from sitecms.actions.editing.media_selection import delete_files, tag_files
from sitecms.content.media import MAX_TAG_LENGTH, MediaFile
from sitecms.content.query import Window
from sitecms.content.user import Action
from sitecms.errors import Forbidden, InvalidFields, InvalidRequest
from sitecms.messages import N_, text_of
from sitecms.store.database import Session
from sitecms.store.listings.media import (
    MediaFilter,
    MediaState,
    count_uses,
    find_media_uses,
    list_media,
    names_in_drafts,
)
from sitecms.studio.texts import _
from sitecms.studio.views.media import DESCRIBE, MEDIA, get_file
from sitecms.studio.views.selected_entries import MAX_SELECTED, results_page
from sitecms.studio.visit import Route, Visit, redirect

MAX_LISTED = 10_000
_NONE = N_("No file is selected. Go back and select what the action is for.")
_TOO_MANY = N_("More than %(most)s files are selected. Select fewer at once.")
_NO_TAG = N_("Type a tag without a comma, of %(most)s characters at most. Nothing was changed.")
_DELETED, _CHANGED = N_("%(changed)s of %(all)s deleted"), N_("%(changed)s of %(all)s changed")


def change_selected(visit: Visit) -> Response:
    """Delete the selected files that nothing uses, or add or remove a tag."""
    names = list(dict.fromkeys(visit.request.form.getlist("id")))
    if not names:
        raise InvalidRequest(_(_NONE))
    if len(names) > MAX_SELECTED:
        raise InvalidRequest(_(_TOO_MANY, most=MAX_SELECTED))
    query = visit.request.query_string.decode("ascii", "replace")
    back, do, media = f"{MEDIA}?{query}" if query else MEDIA, visit.field("do"), visit.studio.media
    if do == "delete":
        return results_page(visit, back, _DELETED, delete_files(media, visit.user, names, visit.at))
    if do not in ("tag", "untag"):
        raise InvalidRequest(_("Press one of the buttons above the list."))
    tag = " ".join(visit.field("tag").split())
    if not 0 < len(tag) <= MAX_TAG_LENGTH or "," in tag:
        raise InvalidRequest(_(_NO_TAG, most=MAX_TAG_LENGTH))
    results = tag_files(media.database, visit.user, names, tag, visit.at, removes=do == "untag")
    return results_page(visit, back, _CHANGED, results)


def _undescribed(visit: Visit, session: Session) -> Iterator[MediaFile]:
    """Yield the pictures without a description that the user may describe, with the words and tag that were chosen."""
    wanted = MediaFilter(visit.asked("text"), "image", visit.asked("tag"), MediaState.UNDESCRIBED)
    files = list_media(session, wanted, Window(MAX_LISTED)).entries
    if visit.may(Action.CHANGE_MEDIA):
        yield from files
        return
    uses, own = count_uses(session, None), names_in_drafts(session, visit.user.author)
    for file in files:
        if file.name not in uses or (file.name in own and may_describe(session, visit.user, file.name)):
            yield file


def show_next(visit: Visit, typed: str = "", errors: InvalidFields | None = None) -> Response:
    """Show the next picture without a description: the first, or the one after the picture that was just there."""
    after = visit.query("after")
    with visit.studio.runtime.database.reading() as session:
        files = list(_undescribed(visit, session))
        if errors is not None:
            file: MediaFile | None = get_file(visit, visit.field("name"))
        else:
            file = _following(files, get_file(visit, after) if after else None)
        uses = find_media_uses(session, file.name, visit.own_author) if file else ()
    return visit.page(
        "media_describe.html", status=400 if errors else 200, picture=file, uses=uses, left=len(files), typed=typed,
        errors=errors.messages if errors else {}, text=visit.asked("text"), tag=visit.asked("tag"),
        is_decorative="decorative" in visit.request.form,
    )  # fmt: skip


def _following(files: list[MediaFile], former: MediaFile | None) -> MediaFile | None:
    """Return the first file that stands behind a former one in the order of the library."""
    if former is None:
        return files[0] if files else None

    def place(file: MediaFile) -> tuple[float, str]:
        return -file.created_at.timestamp(), file.name

    return next((file for file in files if place(file) > place(former)), None)


def save_and_show_next(visit: Visit) -> Response:
    """Save the description of a picture, and lead to the next one."""
    name, alt = visit.field("name"), visit.field("alt").strip()
    file = get_file(visit, name)
    is_decorative = "decorative" in visit.request.form
    query = {key: visit.field(key) for key in ("text", "tag") if visit.field(key)}
    try:
        if not alt and not is_decorative:
            raise InvalidFields({"alt": [_("Describe the picture, mark it as decorative, or skip it.")]})
        details = replace(file.details, alt=alt, is_decorative=is_decorative)
        describe(visit.studio.runtime.database, visit.user, name, details, visit.at)
    except InvalidFields as error:
        return show_next(visit, alt, error)
    except Forbidden as error:
        return show_next(visit, alt, InvalidFields({"alt": [text_of(error)]}))
    return redirect(DESCRIBE, **query, after=name)


ROUTES = (
    Route("POST", f"{MEDIA}bulk/", change_selected, Action.UPLOAD),
    Route("GET", DESCRIBE, show_next, Action.UPLOAD),
    Route("POST", DESCRIBE, save_and_show_next, Action.UPLOAD),
)
