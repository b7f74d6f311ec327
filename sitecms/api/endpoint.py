"""Read endpoints: their declaration, what their views get, and the lookup of the endpoint of a path."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map

from sitecms.api.addresses import Addresses
from sitecms.api.params import Params
from sitecms.api.wsgi import decode
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
    """One authenticated read, as views get it: a snapshot of the store, the parameters, and writers of addresses."""

    session: Session
    params: Params
    locales: Locales
    addresses: Addresses
    feed_texts: FeedTexts

    @property
    def locale(self) -> str:
        """The requested locale, or the default one. Raises InvalidRequest for one that is not configured."""
        return self.locales.choose(self.params.locale)


@dataclass(frozen=True, slots=True)
class EntryPayload:
    """The payload of a single entry, and the entry, whose revision becomes a part of the ETag for `If-Match`."""

    payload: JsonObject
    entry: Post | Page | Item


View = Callable[..., JsonObject | EntryPayload]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A path of the read API with its view and the parameters that it takes (`api.params`).

    The other fields describe it in /v2/openapi.json: `response` is the JSON Schema of the body with status 200,
    `errors` are statuses beside those that any read may have, `examples` are values for the names in the path.
    """

    path: str
    view: View
    parameters: tuple[str, ...] = ()
    tag: str = ""
    summary: str = ""
    response: JsonSchema = field(default_factory=dict, hash=False)
    errors: tuple[int, ...] = ()
    examples: Mapping[str, str] = field(default_factory=dict, hash=False)


class Router:
    """Finds the read endpoint that a path stands for. The URL map holds a rule named after each endpoint's path."""

    def __init__(self, url_map: Map, endpoints: Sequence[Endpoint]) -> None:
        self._adapter = url_map.bind("")
        self._endpoints = {endpoint.path: endpoint for endpoint in endpoints}

    def find(self, path: str) -> tuple[Endpoint, Mapping[str, str]] | None:
        """Return the endpoint and the values of the names in its path; `path` is encoded as in WSGI.

        Return None for paths that Flask answers: other routes, redirects and paths that do not exist.
        """
        try:
            rule, names = self._adapter.match(decode(path), "GET")
        except HTTPException:
            return None
        endpoint = self._endpoints.get(rule)
        return (endpoint, names) if endpoint else None
