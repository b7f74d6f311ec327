"""Files of the media library, /media/<name>: public, and never changing, for the name is the content's digest."""

from pathlib import Path, PurePath

from flask import Response, request, send_file

from sitecms.api.wsgi import FILE_PART, FilePart
from sitecms.content.media import content_disposition_of, content_type_of
from sitecms.errors import NotFound
from sitecms.media.library import MediaLibrary

MAX_BUFFERED_BYTES = 8 * 1024 * 1024
MAX_AGE_SECONDS = 365 * 24 * 3600
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def media_file(library: MediaLibrary, name: str) -> Response:
    """Return the file or a range of it, or 304. Raises NotFound.

    A file that is too large for the memory is named in the environment (FILE_PART): the web server sends it by itself.
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
    is_large = (response.content_length or 0) > MAX_BUFFERED_BYTES
    if is_large and request.method == "GET" and response.status_code in (200, 206):
        part = response.content_range
        request.environ[FILE_PART] = FilePart(path, part.start or 0, part.stop or path.stat().st_size)
    return response
