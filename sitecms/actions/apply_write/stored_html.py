"""HTML of a request, as it is kept."""

from sitecms.actions.request_media import FetchedMedia
from sitecms.content.html import sanitize
from sitecms.content.media import MEDIA_NAME
from sitecms.content.media_links import resolve_media
from sitecms.store.database import Session
from sitecms.store.media_files import find_media


def stored_html(session: Session, text: str, media: FetchedMedia) -> str:
    """Sanitised, its images in our library named by their path and with their size.

    The result is kept in `media.cleaned`, so that it is worked out once, before the transaction.
    """
    if text not in media.cleaned:
        clean = sanitize(text)
        names = MEDIA_NAME.findall(clean)
        sizes = find_media(session, names) if names else {}
        media.cleaned[text] = resolve_media(clean, lambda url: media.image(url, sizes))
    return media.cleaned[text]
