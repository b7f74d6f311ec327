"""Read endpoints: their declaration with the JSON Schemas of envelopes, what views get, and the lookup by path."""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from functools import lru_cache

from msgspec import Struct, field
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map

from sitecms.api.addresses import Addresses
from sitecms.api.params import Params
from sitecms.api.wsgi import decode
from sitecms.cache import BoundedCache
from sitecms.content.entry import Entry
from sitecms.content.field_value import JsonObject
from sitecms.content.json_schema import JsonSchema, any_of, array, record, ref
from sitecms.content.locale import Locales
from sitecms.content.text.slug import composed
from sitecms.site.feed_texts import FeedTexts
from sitecms.store.database import Session

MAX_CACHED = 2_000
MAX_CACHED_LENGTH = 200  # characters of a path: all together stay below 1 MB


def single_response(name: str) -> JsonSchema:
    """Return the schema of {"data": <name>}."""
    return record({"data": ref(name)})


def list_response(name: str) -> JsonSchema:
    """Return the schema of {"data": [<name>]}, a list that is not paged."""
    return record({"data": array(ref(name))})


def paged(data: JsonSchema) -> JsonSchema:
    """Return the schema of {"meta": pagination, "data": ...}."""
    return record({"meta": any_of(ref("PageMeta"), ref("OffsetMeta")), "data": data})


def page_of_list(name: str) -> JsonSchema:
    """Return the schema of {"meta": pagination, "data": [<name>]}."""
    return paged(array(ref(name)))


class Call(Struct, frozen=True):
    """One authenticated read, as views get it: a snapshot of the store, the parameters, and writers of addresses.

    `zone` is the time zone of the site. `post_json` is the JSON of posts, by id and what it shows; its version is the
    store's change number.
    """

    session: Session
    params: Params
    locales: Locales
    zone: tzinfo
    addresses: Addresses
    feed_texts: FeedTexts
    post_json: BoundedCache[bytes]

    @property
    def locale(self) -> str:
        """The requested locale, or the default one. Raises InvalidRequest for one that is not configured."""
        return self.locales.choose(self.params.locale)


class EntryPayload(Struct, frozen=True):
    """The payload of a single entry, and the entry, whose revision becomes a part of the ETag for `If-Match`."""

    payload: JsonObject
    entry: Entry


View = Callable[..., JsonObject | EntryPayload]


class Endpoint(Struct, frozen=True):
    """A path of the read API with its view and the parameters that it takes (`api.params`).

    An unusable value of a parameter in `lenient` counts as missing. The other fields describe the path in
    /v2/openapi.json: `response` is the JSON Schema of the body with status 200, `errors` are statuses beside those that
    any read may have, `examples` are values for the names in the path.
    """

    path: str
    view: View
    parameters: tuple[str, ...] = ()
    tag: str = ""
    summary: str = ""
    response: JsonSchema = field(default_factory=dict)
    errors: tuple[int, ...] = ()
    examples: Mapping[str, str] = field(default_factory=dict)
    lenient: tuple[str, ...] = ()


class Router:
    """Finds read endpoints by path, in Flask's URL map. Results for short paths are cached."""

    def __init__(self, url_map: Map, endpoints: Sequence[Endpoint]) -> None:
        self._endpoints = {endpoint.path: endpoint for endpoint in endpoints}
        self._adapter = url_map.bind("")
        self._find_cached = lru_cache(MAX_CACHED)(self._find)

    def find(self, path: str) -> tuple[Endpoint, Mapping[str, str]] | None:
        """Return the endpoint and the values of the names in its path; `path` is encoded as in WSGI.

        Return None for paths that Flask answers: other routes, redirects and paths that do not exist.
        """
        return self._find_cached(path) if len(path) <= MAX_CACHED_LENGTH else self._find(path)

    def _find(self, path: str) -> tuple[Endpoint, Mapping[str, str]] | None:
        try:
            name, values = self._adapter.match(decode(path), "GET")
        except HTTPException:
            return None
        endpoint = self._endpoints.get(name)
        return (endpoint, {key: composed(text) for key, text in values.items()}) if endpoint else None
