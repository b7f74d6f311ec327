"""Pictures of the media library as files of the site folder, where settings such as the logo name them."""

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.edited import EditContext
from sitecms.actions.site_settings.site_file import note_for_git, why_not_changeable
from sitecms.actions.syncing.edits import put
from sitecms.actions.syncing.git.changes import PICTURE, Verb
from sitecms.actions.syncing.media_places import place_media
from sitecms.content.media import MEDIA_NAME
from sitecms.content.user import Action
from sitecms.errors import InvalidRequest, NotFound
from sitecms.media.library import open_library


def place_picture(context: EditContext, address: str) -> str:
    """Return the path of a picture in the site folder; one of the library is copied there. Raises InvalidRequest.

    `address` is that of the library; anything else is a path already.
    """
    if not MEDIA_NAME.fullmatch(address):
        return address
    require(context.user, Action.MANAGE_SITE)
    settings = context.writes.settings
    if problem := why_not_changeable(settings):
        raise InvalidRequest(f"{problem} Nothing was changed.")
    places = context.writes.database.read(place_media, settings.folder, [address], None)
    place = places.address(address)
    if place == address:
        raise NotFound("The media library has no such picture.")
    for path, name in places.copies().items():
        note_for_git(context, Verb.ADD, PICTURE, path, path.rpartition("/")[2])
        with open_library(settings).storage.held((name,), keep=False) as files:
            put(settings.folder / path, files[name].read_bytes())
    return place
