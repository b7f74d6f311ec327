"""Files of the media library, /media/<name>: public, and never changing, for the name is the content's digest."""

from pathlib import PurePath

from flask import Response, send_file

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


def media_file(library: MediaLibrary, name: str) -> Response:
    """The file, whole or a range of it, or 304. Raises NotFound."""
    if not library.exists(name):
        raise NotFound("Not found.")
    digest, _, extension = name.partition(".")
    response = send_file(
        library.path(name),
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
