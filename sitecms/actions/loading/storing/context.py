"""The context that all steps of storing the files of one load share."""

from datetime import datetime

from msgspec import Struct

from sitecms.actions.loading.reading.prepared import Reading
from sitecms.content.schema import ContentSchema
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Transaction


class LoadContext(Struct, frozen=True):
    """The transaction of a load and what it is called with; `present` are the paths of existing files, read or not.

    With `prune`, entries of files that are gone are deleted; with `adopt`, files may replace entries of other writers.
    """

    transaction: Transaction
    reading: Reading
    present: frozenset[str]
    prune: bool = False
    adopt: bool = False

    @property
    def settings(self) -> SiteSettings:
        """The settings of the site."""
        return self.reading.settings

    @property
    def schema(self) -> ContentSchema:
        """The content schema."""
        return self.reading.schema

    @property
    def at(self) -> datetime:
        """The time of the load, of entries without a date, in the precision in which files give it."""
        return self.reading.source.at.replace(microsecond=0)
