"""Values of writes that forms of the studio send and requests of the API cannot."""

from datetime import datetime

from msgspec import Struct

from sitecms.actions.writing.accept.acceptance import NewWrite
from sitecms.clock import format_timestamp
from sitecms.content.status import Status


class StudioValues(Struct, frozen=True):
    """Values of a write that forms of the studio send beside the body of a request.

    `markdown` is the text that the body was rendered from, `scheduled_at` the time to publish the post at. With
    `ends_copy` the working copy of the post ends when the write is applied; with `ends_markdown` the post keeps no
    Markdown, even if the body stays the same.
    """

    markdown: str | None = None
    scheduled_at: datetime | None = None
    ends_copy: bool = False
    ends_markdown: bool = False

    def add_to(self, new_write: NewWrite) -> None:
        """Add the values to the payload of a write."""
        fields = new_write.payload["fields"]
        if self.scheduled_at is not None and isinstance(fields, dict):
            fields["status"] = Status.SCHEDULED.value
            new_write.payload["scheduled_at"] = format_timestamp(self.scheduled_at)
        if self.markdown is not None:
            new_write.payload["markdown"] = self.markdown
        if self.ends_copy:
            new_write.payload["ends_copy"] = True
        if self.ends_markdown:
            new_write.payload["ends_markdown"] = True


NO_STUDIO_VALUES = StudioValues()


class EntryValues(Struct, frozen=True):
    """Values of a write to a page or item that forms of the studio send beside the body of a request.

    `title` and `slug` are new names of a page, "" if it keeps them. `scheduled_at` is the time to publish the draft at.
    With `unpublishes` the live version in the locale of the write ends, and what it showed is a draft.
    """

    title: str = ""
    slug: str = ""
    scheduled_at: datetime | None = None
    unpublishes: bool = False

    def add_to(self, new_write: NewWrite) -> None:
        """Add the values to the payload of a write, but the names of a page, which are checked first."""
        if self.scheduled_at is not None:
            new_write.payload["status"] = Status.SCHEDULED.value
            new_write.payload["scheduled_at"] = format_timestamp(self.scheduled_at)
        if self.unpublishes:
            new_write.payload["unpublishes"] = True


NO_ENTRY_VALUES = EntryValues()
