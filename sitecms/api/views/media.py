"""Files of the media library, /media/<name>: public, and never changing, for the name is the content's digest."""

from pathlib import PurePath

from flask import Response, request, send_file

from sitecms.api.one_piece import MAX_BYTES
from sitecms.errors import NotFound
from sitecms.media.library import MediaLibrary

MAX_AGE_SECONDS = 365 * 24 * 3600
CONTENT_TYPES = {
    "avif": "image/avif",
    "gif": "image/gif",
    "jpg": "image/jpeg",
    "m4a": "audio/mp4",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "ogg": "audio/ogg",
    "ogv": "video/ogg",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "webm": "video/webm",
    "webp": "image/webp",
}
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def media_file(library: MediaLibrary, name: str, in_full_at: str = "") -> Response:
    """The file, whole or a range of it, or 304. Raises NotFound.

    A file that is too large to be answered in one piece is at `in_full_at` as a whole, where the web server sends it
    by itself; of ranges the first part is answered, and whoever needs more asks for what follows.
    """
    if not library.exists(name):
        raise NotFound("Not found.")
    digest, _, extension = name.partition(".")
    path = library.path(name)
    size = path.stat().st_size
    if in_full_at and size > MAX_BYTES and extension != "svg" and _takes_all(size, digest):
        response = Response(status=302, headers={"Location": f"{in_full_at}/{name}"})
        response.cache_control.no_cache = True
        return response
    response = send_file(
        path,
        mimetype=CONTENT_TYPES.get(extension, "application/octet-stream"),
        download_name=PurePath(name).name,
        conditional=True,
        etag=digest,
        max_age=MAX_AGE_SECONDS,
    )
    response.cache_control.public = True
    response.cache_control.immutable = True
    if extension == "svg":
        response.headers["Content-Security-Policy"] = SVG_POLICY
    return response


def _takes_all(size: int, digest: str) -> bool:
    """Whether the request is for the whole file; a range that is too long is cut in the environment."""
    asked = request.range
    known = request.if_none_match.contains(digest)
    if request.method != "GET" or known:
        return False
    if asked is None or len(asked.ranges) != 1 or request.if_range.etag not in (None, digest):
        return True
    bounds = asked.range_for_length(size)
    if bounds is not None:
        request.environ["HTTP_RANGE"] = f"bytes={bounds[0]}-{min(bounds[1], bounds[0] + MAX_BYTES) - 1}"
    return False
