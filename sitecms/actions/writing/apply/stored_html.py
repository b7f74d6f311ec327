"""HTML of a request, as it is kept."""

from sitecms.actions.writing.request_media import FetchedMedia
from sitecms.content.media import MEDIA_NAME
from sitecms.content.text.html import sanitize
from sitecms.content.text.media_links import resolve_media
from sitecms.content.text.removed_markup import Dropped, ReportDropped
from sitecms.store.database import Session
from sitecms.store.entries.media_files import find_media


def stored_html(session: Session, text: str, media: FetchedMedia, report: ReportDropped) -> str:
    """Sanitised, its images in our library named by their path and with their size; removed markup is reported.

    The result is kept in `media.cleaned`, so that it is worked out once, before the transaction.
    """
    if text not in media.cleaned:
        removed: list[Dropped] = []
        clean = sanitize(text, removed.append)
        names = MEDIA_NAME.findall(" ".join((clean, *media.stored)))
        sizes = find_media(session, names) if names else {}
        media.cleaned[text] = resolve_media(clean, lambda url: media.image(url, sizes)), tuple(removed)
    html, dropped = media.cleaned[text]
    for each in dropped:
        report(each)
    return html
