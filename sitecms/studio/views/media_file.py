"""The page of a media file: its description and focal point, where it is used, its replacement and deletion."""

from flask import Response

from sitecms.actions.editing.media import describe, may_describe, upload
from sitecms.actions.editing.media_replacement import delete_file, find_replaceable, replace_everywhere
from sitecms.content.media import MediaDetails
from sitecms.content.user import Action
from sitecms.errors import InvalidFields, InvalidInput
from sitecms.store.listings.entries import find_media_uses
from sitecms.store.maintenance.media_usage import find_holders
from sitecms.studio.views.media import MEDIA, get_file
from sitecms.studio.visit import Route, Visit, redirect

FIELDS = ("alt", "focus_x", "focus_y")
NUMBER = "Choose a number from 0 to 100."


def show_file(visit: Visit, name: str, errors: InvalidFields | None = None, problem: str = "") -> Response:
    """Show one file: its description, how to put it into a text, and the entries that show it."""
    file = get_file(visit, name)
    with visit.studio.runtime.database.reading() as session:
        uses = find_media_uses(session, name, None if visit.may_read_all_drafts else visit.user.author)
        may_edit = may_describe(session, visit.user, name)
        authors = find_holders(session, name).authors
    sent = visit.request.form
    details = file.details
    values = {key: str(sent.get(key, getattr(details, key))) for key in FIELDS} if errors else None
    return visit.page(
        "media_file.html",
        status=400 if errors or problem else 200,
        file=file,
        uses=uses,
        authors=authors,
        may_edit=may_edit,
        may_change=visit.may(Action.CHANGE_MEDIA),
        values=values or {key: str(getattr(details, key)) for key in FIELDS},
        is_decorative="decorative" in sent if errors else details.is_decorative,
        errors=errors.messages if errors else {},
        problem=problem,
    )


def save_details(visit: Visit, name: str) -> Response:
    """Save the description and the focal point."""
    try:
        details = MediaDetails(
            visit.field("alt").strip(), "decorative" in visit.request.form, _percent(visit, "focus_x"),
            _percent(visit, "focus_y"),
        )  # fmt: skip
        is_changed = describe(visit.studio.runtime.database, visit.user, name, details, visit.at)
    except InvalidFields as error:
        return show_file(visit, name, error)
    return redirect(f"{MEDIA}{name}/", said="described" if is_changed else "unchanged")


def _percent(visit: Visit, name: str) -> int:
    text = visit.field(name)
    if not (text.isascii() and text.isdecimal() and len(text) <= 3):
        raise InvalidFields({name: [NUMBER]})
    return int(text)


def replace_file(visit: Visit, name: str) -> Response:
    """Take the replacement and show the entries that would change; replace the file in them once that is confirmed."""
    old = get_file(visit, name)
    if visit.field("do") == "replace":
        new = get_file(visit, visit.field("new"))
        replaced = replace_everywhere(visit.studio.writes, visit.user, old, new)
        if not replaced.left:
            return redirect(f"{MEDIA}{new.name}/", said="replaced")
        return visit.page("media_replaced.html", old=old, new=new, replaced=replaced)
    files = [(each.filename or "", each.stream) for each in visit.request.files.getlist("upload") if each.filename]
    uploaded = upload(visit.studio.media, visit.user, files[:1], visit.at)
    if not uploaded.files:
        refused = ": ".join(next(iter(uploaded.refused.items()), ("Choose a file", "nothing was sent")))
        return show_file(visit, name, problem=f"{refused}. Nothing was replaced.")
    new = uploaded.files[0]
    try:
        uses = find_replaceable(visit.studio.runtime.database, visit.user, old, new)
    except InvalidInput as error:
        return show_file(visit, name, problem=str(error))
    return visit.page("media_replace.html", old=old, new=new, uses=uses)


def delete(visit: Visit, name: str) -> Response:
    """Delete a file that nothing uses."""
    file = get_file(visit, name)
    try:
        delete_file(visit.studio.media, visit.user, file, visit.at)
    except InvalidInput as error:
        return show_file(visit, name, problem=str(error))
    return redirect(MEDIA, said="file-deleted")


ROUTES = (
    Route("GET", "/studio/media/<name>/", show_file, Action.READ_PUBLISHED),
    Route("POST", "/studio/media/<name>/", save_details, Action.UPLOAD),
    Route("POST", "/studio/media/<name>/replace/", replace_file, Action.CHANGE_MEDIA),
    Route("POST", "/studio/media/<name>/delete/", delete, Action.CHANGE_MEDIA),
)
