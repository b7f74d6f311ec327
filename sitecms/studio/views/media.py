"""The media library: its list, the upload of files, and thumbnails of pictures."""

from collections.abc import Sequence

from flask import Response

from sitecms.actions.editing.media import Uploaded, upload
from sitecms.content.media import MediaFile
from sitecms.content.query import Window
from sitecms.content.user import Action
from sitecms.errors import NotFound
from sitecms.media.thumbnails import WIDTHS
from sitecms.store.entries.media_files import find_media
from sitecms.store.listings.entries import list_media
from sitecms.studio.visit import Route, Visit, paging, redirect

PAGE_SIZE = 24
MEDIA = "/studio/media/"
JSON = "application/json"
KINDS = ("image", "video", "audio", "application")
_FOREVER = "private, max-age=31536000, immutable"


def show_media(visit: Visit, refused: dict[str, str] | None = None) -> Response:
    """Show the media library, the newest files first; as JSON where scripts ask for that."""
    text, kind = visit.query("text"), visit.query("kind")
    kind = kind if kind in KINDS else ""
    with visit.studio.runtime.database.reading() as session:
        page = paging(visit, list_media(session, text, kind, Window(0)).count, PAGE_SIZE)
        found = list_media(session, text, kind, Window(PAGE_SIZE, (page.number - 1) * PAGE_SIZE))
    if _wants_json(visit):
        return visit.json({"files": rows_of(found.entries), "count": page.count, "pages": page.pages})
    return visit.page(
        "media.html", status=400 if refused else 200, files=found.entries, paging=page, text=text, kind=kind,
        refused=refused or {},
    )  # fmt: skip


def upload_files(visit: Visit) -> Response:
    """Take files into the library."""
    uploaded = take_files(visit)
    if _wants_json(visit):
        return visit.json({"files": rows_of(uploaded.files), "refused": uploaded.refused})
    if uploaded.refused:
        return show_media(visit, uploaded.refused)
    if len(uploaded.files) == 1:
        return redirect(f"{MEDIA}{uploaded.files[0].name}/", said="uploaded")
    return redirect(MEDIA, said="uploaded" if uploaded.files else "unchanged")


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
    with visit.studio.runtime.database.reading() as session:
        file = find_media(session, [name]).get(name)
    if file is None:
        raise NotFound("Not found.")
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


ROUTES = (
    Route("GET", MEDIA, show_media, Action.READ_PUBLISHED),
    Route("POST", MEDIA, upload_files, Action.UPLOAD),
    Route("GET", "/studio/media/<name>/thumbnail/", show_thumbnail, Action.READ_PUBLISHED),
)
