"""Files of the media library, /media/<name>: public, and immutable, as the name is the digest of the content.

In object storage, clients are redirected to the file, or the server fetches it for them. The store knows the size and
type of each file, so that the storage is not asked for files that do not exist, for HEAD, or for a file that the client
has already.
"""

from pathlib import Path, PurePath

from flask import Response, request, send_file
from msgspec import Struct

from sitecms.api.wsgi import FILE_PART, FilePart
from sitecms.content.media import MediaFile, content_disposition_of, content_type_of
from sitecms.errors import NotFound
from sitecms.media.library import MediaLibrary
from sitecms.settings.media import MediaSettings, Serving
from sitecms.store.database import Database
from sitecms.store.entries.media_files import find_media

MAX_BUFFERED_BYTES = 8 * 1024 * 1024
MAX_AGE_SECONDS = 365 * 24 * 3600
SIGNED_SECONDS = 900
_REDIRECT_SECONDS = 300  # a client that follows a cached redirect still has a valid signature
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox"


def local_media_file(library: MediaLibrary, name: str) -> Response:
    """Return the file or a range of it, or 304. Raises NotFound.

    A file that is too large for the memory is named in the environment (FILE_PART): the web server sends it by itself.
    """
    if not library.exists(name):
        raise NotFound("Not found.")
    return _file_response(library.path(name), name)


class RemoteMedia(Struct, frozen=True):
    """View of the files of one site that are in object storage."""

    library: MediaLibrary
    database: Database
    settings: MediaSettings

    def media_file(self, name: str) -> Response:
        """Return the file or a redirect to it.

        Raises NotFound, and MediaUnusable if the storage does not answer in time.
        """
        media = self.database.read(find_media, (name,)).get(name)
        if media is None:
            raise NotFound("Not found.")
        if request.method == "HEAD" or request.if_none_match.contains(name.partition(".")[0]):
            return _headers_response(media)
        if self.settings.serve is Serving.STREAM and not self.settings.public_url:
            return _file_response(self.library.path(name), name)
        if self.settings.public_url:
            return _redirect(self.settings.public_url + media.url)
        return _redirect(self.library.storage.sign(name, SIGNED_SECONDS))


def _file_response(path: Path, name: str) -> Response:
    digest, _, extension = name.partition(".")
    response = send_file(
        path,
        mimetype="application/octet-stream",  # the real one below: Werkzeug adds a character set of its own
        download_name=PurePath(name).name,
        as_attachment=content_disposition_of(name) == "attachment",
        conditional=True,
        etag=digest,
        max_age=MAX_AGE_SECONDS,
    )
    response.content_type = content_type_of(name)
    response.cache_control.public = True
    response.cache_control.immutable = True
    if extension == "svg":
        response.headers["Content-Security-Policy"] = SVG_POLICY
    is_large = (response.content_length or 0) > MAX_BUFFERED_BYTES
    if is_large and request.method == "GET" and response.status_code in (200, 206):
        part = response.content_range
        request.environ[FILE_PART] = FilePart(path, part.start or 0, part.stop or path.stat().st_size)
    return response


def _headers_response(media: MediaFile) -> Response:
    """Return the headers of a file without its content, or 304."""
    response = Response(status=200, content_type=media.content_type)
    response.content_length = media.size_bytes
    response.set_etag(media.name.partition(".")[0])
    response.cache_control.public = True
    response.cache_control.immutable = True
    response.cache_control.max_age = MAX_AGE_SECONDS
    response.accept_ranges = "bytes"
    response.headers.set("Content-Disposition", content_disposition_of(media.name), filename=media.name)
    if media.name.endswith(".svg"):
        response.headers["Content-Security-Policy"] = SVG_POLICY
    response.make_conditional(request)
    return response


def _redirect(address: str) -> Response:
    """Return a temporary redirect: signatures expire, and settings change."""
    headers = {"Location": address, "Cache-Control": f"private, max-age={_REDIRECT_SECONDS}"}
    return Response(status=302, headers=headers)
