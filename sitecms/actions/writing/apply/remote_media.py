"""Remote media that a write names: which files are to be fetched, and whose field it is that names one."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from sitecms.actions.writing.apply.application import Application, application_of, is_schema_changed
from sitecms.actions.writing.request_media import AskedMedia, own_address, remote_images, stored_address
from sitecms.content.entry import FIELDS
from sitecms.content.kinds import KINDS
from sitecms.content.writes import Write
from sitecms.guarded_http.addresses import is_fetchable
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session

_SHOWN_CHARACTERS = 200


def media_to_fetch(session: Session, write: Write, settings: SiteSettings, at: datetime) -> tuple[str, ...]:
    """Return the URL of each remote file that is to be fetched before the write is applied."""
    has_versions = KINDS[write.kind].has_versions
    if not write.save.names_remote_media and not (has_versions and is_schema_changed(session, write)):
        return ()
    asked = AskedMedia(session)
    application = application_of(write, settings, asked, at)
    if has_versions:
        _errors_of_fields(application)  # notes in `asked` what is asked for
        return asked.asked
    asked.stored = stored = application.stored_media
    application.post_fields()  # notes in `asked` what is asked for
    named = (write.save.built_in.featured_image or "", *_body_images(session, write), *asked.asked)
    return tuple(
        url
        for url in named
        if is_fetchable(url) and not (own_address(session, url) or stored_address(session, url, stored))
    )


def errors_of_media(
    session: Session, write: Write, settings: SiteSettings, at: datetime, problems: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the problems of remote files by the fields that name them, as at acceptance; `problems` are by URL."""
    application = application_of(write, settings, AskedMedia(session, problems), at)
    has_versions = KINDS[write.kind].has_versions
    errors = _errors_of_fields(application) if has_versions else _errors_of_post(application, problems)
    return errors or {"detail": [f"{problem} {url[:_SHOWN_CHARACTERS]}" for url, problem in problems.items()]}


def _errors_of_fields(application: Application) -> dict[str, list[str]]:
    """Return the errors of a page or of items, by the place of their fields in the request."""
    return {place: texts for _entry, _merged, errors in application.all_merged() for place, texts in errors.items()}


def _errors_of_post(application: Application, problems: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the errors of remote files by field; those of the body, which can name several, with the address."""
    application.media.stored = application.stored_media
    own = application.post_fields()
    errors = {f"{FIELDS}.{place}": list(texts) for place, texts in own.by_place().items()} if own else {}
    in_body = [url for url in _body_images(application.session, application.write) if url in problems]
    if in_body:
        errors["body"] = [f"{problems[url]} {url[:_SHOWN_CHARACTERS]}" for url in in_body]
    if problem := problems.get(application.save.built_in.featured_image or ""):
        errors["featured_image"] = [problem]
    return errors


def _body_images(session: Session, write: Write) -> Iterable[str]:
    """Return the addresses of the remote pictures of a body, if the write asks for them."""
    return remote_images(write.save.built_in.body or "", session) if write.save.uploads_images else ()
