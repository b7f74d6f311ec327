"""Values of writes that forms of the studio send and requests of the API cannot."""

from datetime import datetime

from msgspec import Struct

from sitecms.content.status import Status


class StudioValues(Struct, frozen=True):
    """Values of a write that forms of the studio send beside the body of a request.

    `scheduled_at` is the time to publish the entry, or its draft, at. `title` and `slug` are new names of a page, "" if
    it keeps them. With `unpublishes` the live version of a page or item ends in the locale of the write, and what it
    showed is a draft. `markdown` is the text that the body of a post was rendered from; with `ends_markdown` the post
    keeps none, even if the body stays the same; with `ends_copy` its working copy ends when the write is applied.
    """

    scheduled_at: datetime | None = None
    title: str = ""
    slug: str = ""
    unpublishes: bool = False
    markdown: str | None = None
    ends_markdown: bool = False
    ends_copy: bool = False

    def status(self, sent: Status | None) -> Status | None:
        """Return the status of the write: a request cannot send that it is scheduled."""
        return sent if self.scheduled_at is None else Status.SCHEDULED


NO_STUDIO_VALUES = StudioValues()
