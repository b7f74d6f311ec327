"""Remote media that a write names: which files are to be fetched, and whose field it is that names one."""

from collections.abc import Mapping

from sitecms.actions.writing.apply.application import application_of, is_schema_changed
from sitecms.actions.writing.request_media import AskedMedia, remote_images
from sitecms.content.writes import Write
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session

_SHOWN_CHARACTERS = 200


def media_to_fetch(session: Session, write: Write, settings: SiteSettings) -> tuple[str, ...]:
    """Return the URL of each remote file that is to be fetched before the write is applied."""
    if not write.save.names_remote_media and not is_schema_changed(session, write):
        return ()
    asked = AskedMedia(session)
    _errors(write, settings, asked)  # notes in `asked` what is asked for
    return asked.asked


def errors_of_media(
    session: Session, write: Write, settings: SiteSettings, problems: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the problems of remote files by the fields that name them, as at acceptance; `problems` are by URL."""
    errors = _errors(write, settings, AskedMedia(session, problems))
    return errors or {"detail": [f"{problem} {url[:_SHOWN_CHARACTERS]}" for url, problem in problems.items()]}


def _errors(write: Write, settings: SiteSettings, media: AskedMedia) -> dict[str, list[str]]:
    """Return the errors of a write by field; those of the body, which can name several files, with the address."""
    application = application_of(write, settings, media, write.accepted_at)
    built_in = write.save.built_in
    errors: dict[str, list[str]] = {}
    for _entry, _merged, problems in application.all_merged():
        errors |= problems
    media.stored = application.stored_media
    for url in remote_images(built_in.body or "", media.session) if write.save.uploads_images else ():
        if media.address(url) is None:
            errors.setdefault("body", []).append(f"{media.problem(url)} {url[:_SHOWN_CHARACTERS]}")
    if built_in.featured_image and media.address(built_in.featured_image) is None:
        errors["featured_image"] = [media.problem(built_in.featured_image)]
    return errors
