"""The media library: its list, the upload of files, thumbnails of pictures, and the page of a file."""

from collections.abc import Sequence
from io import BytesIO

from flask import Response
from msgspec.structs import replace

from sitecms.actions.editing.media import (
    Uploaded,
    delete_file,
    describe,
    find_replaceable,
    may_describe,
    replace_everywhere,
    upload,
)
from sitecms.content.field_path import sort_key
from sitecms.content.media import MediaDetails, MediaFile, clean_tags
from sitecms.content.query import Window
from sitecms.content.user import Action
from sitecms.errors import FetchFailed, InvalidFields, InvalidInput, NotFound
from sitecms.media.fetching.fetch import FetchRules, fetch
from sitecms.media.thumbnails import WIDTHS
from sitecms.messages import N_, text_of
from sitecms.store.entries.media_files import find_media
from sitecms.store.listings.media import (
    MediaFilter,
    MediaState,
    count_tags,
    count_uses,
    find_media_uses,
    list_media,
)
from sitecms.store.maintenance.media_usage import find_holders
from sitecms.studio.entry_place import address_for
from sitecms.studio.texts import _
from sitecms.studio.views.saved_filters import filters_of
from sitecms.studio.visit import Route, Visit, paging, redirect

PAGE_SIZE = 24
MEDIA = "/studio/media/"
DESCRIBE = "/studio/media/describe/"
JSON = "application/json"
COPY_SECONDS = 10.0
KINDS = ("image", "video", "audio", "application")
_FOREVER = "private, max-age=31536000, immutable"

FIELDS = ("alt", "focus_x", "focus_y")
NUMBER = N_("Choose a number from 0 to 100.")


def show_media(visit: Visit, uploaded: Uploaded | None = None) -> Response:
    """Show the media library, the newest files first, with what there is to say of files that were uploaded.

    Scripts that ask for JSON get that.
    """
    wanted = _filter(visit)
    with visit.studio.runtime.database.reading() as session:
        page = paging(visit, list_media(session, wanted, Window(0)).count, PAGE_SIZE)
        results = list_media(session, wanted, page.window)
        saved = filters_of(visit, session)
        tags, uses = count_tags(session), count_uses(session, visit.own_author)
        to_describe = replace(wanted, kind="image", state=MediaState.UNDESCRIBED)
        undescribed = list_media(session, to_describe, Window(0)).count
    if _wants_json(visit):
        return visit.json({"files": rows_of(results.entries), "count": page.count, "pages": page.pages})
    return visit.page(
        "media.html", status=400 if uploaded and uploaded.refused else 200, files=results.entries, paging=page,
        wanted=wanted, uploaded=uploaded, saved=saved, tags=sorted(tags.items(), key=lambda each: sort_key(each[0])),
        uses=uses, undescribed=undescribed, may_delete=visit.may(Action.CHANGE_MEDIA),
        may_tag=visit.may(Action.UPLOAD), filters_in_use=sum(map(bool, (wanted.kind, wanted.state))),
    )  # fmt: skip


def _filter(visit: Visit) -> MediaFilter:
    """Return the filter that the address names."""
    kind, state = visit.query("kind"), visit.query("use")
    return MediaFilter(
        visit.query("text"), kind if kind in KINDS else "", visit.query("tag"),
        MediaState(state) if state in list(MediaState) else None, visit.own_author,
    )  # fmt: skip


def upload_files(visit: Visit) -> Response:
    """Take files into the library."""
    uploaded = take_files(visit)
    if _wants_json(visit):
        return _told(visit, uploaded)
    if len(uploaded.files) == 1 and not uploaded.refused:
        return redirect(f"{MEDIA}{uploaded.files[0].name}/", said="repeated" if uploaded.repeated else "uploaded")
    if uploaded.refused or uploaded.repeated:
        return show_media(visit, uploaded)
    return redirect(MEDIA, said="uploaded" if uploaded.files else "unchanged")


def _told(visit: Visit, uploaded: Uploaded) -> Response:
    """Return what became of files, for scripts."""
    files, refused, repeated = rows_of(uploaded.files), uploaded.refused, uploaded.repeated
    return visit.json({"files": files, "refused": refused, "repeated": repeated})


def copy_remote_file(visit: Visit) -> Response:
    """Take a copy of a file of another host into the library, under the limits of remote media."""
    address, settings = visit.field("address"), visit.studio.runtime.settings
    try:
        fetched = fetch(address, FetchRules(settings.media.allow_hosts, total_seconds=COPY_SECONDS))
    except FetchFailed as error:
        return _told(visit, Uploaded((), {address: text_of(error)}, {}))
    files = [(fetched.name, BytesIO(fetched.data))]
    return _told(visit, upload(visit.studio.media, visit.user, files, visit.at))


def take_files(visit: Visit) -> Uploaded:
    """Store the files of the form in the library."""
    files = [(file.filename or "", file.stream) for file in visit.request.files.getlist("upload") if file.filename]
    return upload(visit.studio.media, visit.user, files, visit.at)


def _wants_json(visit: Visit) -> bool:
    return visit.request.accept_mimetypes.best == JSON


def rows_of(files: Sequence[MediaFile]) -> list[dict[str, object]]:
    """Return files as scripts read them: `thumbnail` is "" for a file that is no picture."""
    return [
        {
            "url": file.url,
            "page": f"{MEDIA}{file.name}/",
            "thumbnail": f"{MEDIA}{file.name}/thumbnail/" if file.content_type.startswith("image/") else "",
            "name": file.original_name or file.name,
            "width": file.width,
            "height": file.height,
            "size_bytes": file.size_bytes,
            "alt": file.details.alt,
            "is_decorative": file.details.is_decorative,
            "focus": file.details.focus_classes,
        }
        for file in files
    ]


def get_file(visit: Visit, name: str) -> MediaFile:
    """Return a file of the library. Raises NotFound."""
    file = visit.studio.runtime.database.read(find_media, [name]).get(name)
    if file is None:
        raise NotFound(_("Not found."))
    return file


def show_thumbnail(visit: Visit, name: str) -> Response:
    """Show a small version of a picture, or the picture where none is needed or can be made."""
    file = get_file(visit, name)
    size = visit.query("size")
    data = visit.studio.media.thumbnails.find(file, size if size in WIDTHS else "small")
    if not data:
        return redirect(file.url)
    response = Response(data, content_type="image/webp")
    response.headers["Cache-Control"] = _FOREVER
    return response


def show_file(visit: Visit, name: str, errors: InvalidFields | None = None, problem: str = "") -> Response:
    """Show one file: its description, how to put it into a text, and the entries that show it."""
    file = get_file(visit, name)
    with visit.studio.runtime.database.reading() as session:
        uses = find_media_uses(session, name, None if visit.may_read_all_drafts else visit.user.author)
        may_edit = may_describe(session, visit.user, name)
        authors = find_holders(session, name).authors
        known_tags = sorted(count_tags(session), key=sort_key)
    form = visit.request.form
    details = file.details
    values = {key: str(form.get(key, getattr(details, key))) for key in FIELDS} if errors else None
    return visit.page(
        "media_file.html",
        status=400 if errors or problem else 200,
        file=file,
        uses=uses,
        addresses=[address_for(visit, use.kind, use.id, use.label) for use in uses],
        authors=authors,
        may_edit=may_edit,
        may_change=visit.may(Action.CHANGE_MEDIA),
        values=values or {key: str(getattr(details, key)) for key in FIELDS},
        is_decorative="decorative" in form if errors else details.is_decorative,
        errors=errors.messages if errors else {},
        tags=visit.field("tags") if errors else ", ".join(details.tags),
        known_tags=known_tags,
        problem=problem,
    )


def save_details(visit: Visit, name: str) -> Response:
    """Save the description and the focal point."""
    try:
        details = MediaDetails(
            visit.field("alt").strip(), "decorative" in visit.request.form, _percent(visit, "focus_x"),
            _percent(visit, "focus_y"), clean_tags(visit.field("tags").split(",")),
        )  # fmt: skip
        is_changed = describe(visit.studio.runtime.database, visit.user, name, details, visit.at)
    except InvalidFields as error:
        return show_file(visit, name, error)
    return redirect(f"{MEDIA}{name}/", said="described" if is_changed else "unchanged")


def _percent(visit: Visit, name: str) -> int:
    text = visit.field(name)
    if not (text.isascii() and text.isdecimal() and len(text) <= 3):
        raise InvalidFields({name: [_(NUMBER)]})
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
        refused = ": ".join(next(iter(uploaded.refused.items()), ())) or _("Choose a file")
        return show_file(visit, name, problem=_("%(problem)s. Nothing was replaced.", problem=refused))
    new = uploaded.files[0]
    try:
        uses = find_replaceable(visit.studio.runtime.database, visit.user, old, new)
    except InvalidInput as error:
        return show_file(visit, name, problem=text_of(error))
    return visit.page("media_replace.html", old=old, new=new, uses=uses)


def delete(visit: Visit, name: str) -> Response:
    """Delete a file that nothing uses."""
    file = get_file(visit, name)
    try:
        delete_file(visit.studio.media, visit.user, file, visit.at)
    except InvalidInput as error:
        return show_file(visit, name, problem=text_of(error))
    return redirect(MEDIA, said="file-deleted")


ROUTES = (
    Route("GET", MEDIA, show_media, Action.READ_PUBLISHED),
    Route("POST", MEDIA, upload_files, Action.UPLOAD),
    Route("POST", f"{MEDIA}copy/", copy_remote_file, Action.UPLOAD),
    Route("GET", "/studio/media/<name>/thumbnail/", show_thumbnail, Action.READ_PUBLISHED),
    Route("GET", "/studio/media/<name>/", show_file, Action.READ_PUBLISHED),
    Route("POST", "/studio/media/<name>/", save_details, Action.UPLOAD),
    Route("POST", "/studio/media/<name>/replace/", replace_file, Action.CHANGE_MEDIA),
    Route("POST", "/studio/media/<name>/delete/", delete, Action.CHANGE_MEDIA),
)
