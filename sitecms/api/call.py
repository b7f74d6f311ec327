"""One authenticated read, as views get it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sitecms.api.addresses import Addresses
from sitecms.api.params import Params
from sitecms.content.field_value import JsonObject
from sitecms.content.item import Item
from sitecms.content.json_schema import JsonSchema
from sitecms.content.locale import Locales
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.site.feed_texts import FeedTexts
from sitecms.store.database import Session


@dataclass(frozen=True, slots=True)
class Call:
    """What a view needs: a stable snapshot of the store, what is asked for, how addresses and feeds are written."""

    session: Session
    params: Params
    locales: Locales
    addresses: Addresses
    feed_texts: FeedTexts

    @property
    def locale(self) -> str:
        """The locale that is asked for, or the default one."""
        return self.locales.choose(self.params.locale)


@dataclass(frozen=True, slots=True)
class EntryAnswer:
    """The answer of a single entry, and the entry: its revision becomes a part of the ETag, for `If-Match`."""

    payload: JsonObject
    entry: Post | Page | Item


View = Callable[..., JsonObject | EntryAnswer]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A path of the read API, the view that answers it, and the parameters it takes (`api.params`).

    The rest is for people, told by /v2/openapi.json: `answer` is the JSON Schema of the 200 body, `errors` are the
    statuses beside those that any read may have, `examples` are values of the path's names.
    """

    path: str
    view: View
    parameters: tuple[str, ...] = ()
    tag: str = ""
    summary: str = ""
    answer: JsonSchema = field(default_factory=dict, hash=False)
    errors: tuple[int, ...] = ()
    examples: Mapping[str, str] = field(default_factory=dict, hash=False)
