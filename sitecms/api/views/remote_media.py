"""/media/<name> where files are in object storage: readers are sent there, or the file is fetched for them.

The store says which files there are, with their size and type, so that nothing is asked of the storage for a file that
the reader has already, for the header alone, or for a name that stands for nothing.
"""

from dataclasses import dataclass

from flask import Response, request

from sitecms.api.views.media import MAX_AGE_SECONDS, SVG_POLICY, sent_file
from sitecms.content.media import MediaFile, content_disposition_of
from sitecms.errors import NotFound
from sitecms.media.library import MediaLibrary
from sitecms.settings.media import MediaSettings, Serving
from sitecms.store.database import Database
from sitecms.store.entries.media_files import find_media

SIGNED_SECONDS = 900
_KEPT_SECONDS = 300  # a reader follows a kept redirect while its signature still holds


@dataclass(frozen=True, slots=True)
class RemoteMedia:
    """Answers for the files of one site."""

    library: MediaLibrary
    database: Database
    settings: MediaSettings

    def answer(self, name: str) -> Response:
        """The file, or where it is. Raises NotFound, and MediaUnusable if the storage does not answer in time."""
        with self.database.reading() as session:
            media = find_media(session, (name,)).get(name)
        if media is None:
            raise NotFound("Not found.")
        if request.method == "HEAD" or request.if_none_match.contains(name.partition(".")[0]):
            return _header(media)
        if self.settings.serve is Serving.STREAM and not self.settings.public_url:
            return sent_file(self.library.path(name), name)
        if self.settings.public_url:
            return _redirect(self.settings.public_url + media.url)
        return _redirect(self.library.signed_address(name, SIGNED_SECONDS))


def _header(media: MediaFile) -> Response:
    """What a file of the library is answered with, without its bytes: all of it, or that the reader has it."""
    response = Response(status=200, mimetype=media.content_type)
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
    """For the moment: what is signed ends, and settings change."""
    return Response(status=302, headers={"Location": address, "Cache-Control": f"private, max-age={_KEPT_SECONDS}"})
