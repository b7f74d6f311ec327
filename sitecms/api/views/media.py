"""Files of the media library, /media/<name>: public, and never changing, for the name is the content's digest."""

from pathlib import Path, PurePath

from flask import Response, request, send_file

from sitecms.content.media import content_disposition_of, content_type_of
from sitecms.errors import NotFound
from sitecms.media.library import MediaLibrary
from sitecms.web.middleware.whole_response import MAX_BYTES
from sitecms.web.server.file_part import FILE_PART, FilePart

MAX_AGE_SECONDS = 365 * 24 * 3600
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def media_file(library: MediaLibrary, name: str) -> Response:
    """The file, whole or a range of it, or 304. Raises NotFound.

    Where it is too large to be answered in one piece, the environment names what is to be sent, for a web server that
    does so by itself (api.file_part).
    """
    if not library.exists(name):
        raise NotFound("Not found.")
    return sent_file(library.path(name), name)


def sent_file(path: Path, name: str) -> Response:
    """The media file of that name, which is at the path."""
    digest, _, extension = name.partition(".")
    response = send_file(
        path,
        mimetype=content_type_of(name),
        download_name=PurePath(name).name,
        as_attachment=content_disposition_of(name) == "attachment",
        conditional=True,
        etag=digest,
        max_age=MAX_AGE_SECONDS,
    )
    response.cache_control.public = True
    response.cache_control.immutable = True
    if extension == "svg":
        response.headers["Content-Security-Policy"] = SVG_POLICY
    if response.status_code in (200, 206) and (response.content_length or 0) > MAX_BYTES:
        asked = response.content_range
        request.environ[FILE_PART] = FilePart(path, asked.start or 0, asked.stop or path.stat().st_size)
    return response
