"""Reads of the API: token, parameters, one snapshot of the store, view, response.

A response is cached under the path, the parameters that the endpoint takes (the token is none of them) and the store's
change number. Each request reads that number first, so that the next response shows what any process has committed.
Previews and errors are never cached.

Requests with the same path, query and header are recognised by these three texts alone: the cache entry and the token
that they stand for are remembered.
"""

from collections.abc import Callable, Iterable, Mapping

from sitecms.api.auth import Authenticator, CachedToken, secret_of
from sitecms.api.endpoint import Call, Endpoint, EntryPayload, Router
from sitecms.api.errors import error_response
from sitecms.api.headers import complete_response
from sitecms.api.params import Params, read_params, select_parameters
from sitecms.api.responses import ReadResponse, make_read_response
from sitecms.api.wsgi import CACHE, CHANGE_NUMBER, REQUEST_ID, ROUTE, STATUS, Environ, StartResponse, Wsgi, query_of
from sitecms.cache import ENTRY_BYTES, BoundedCache
from sitecms.content.fingerprint import revision_of
from sitecms.content.locale import Locales
from sitecms.store.database import ChangeQuestion, Database, Session

MakeCall = Callable[[Session, Params], Call]
RequestTexts = tuple[str, str, str]
CacheKey = str | tuple[object, ...]
MAX_REMEMBERED = 5_000
MAX_REMEMBERED_LENGTH = 500  # of one request's texts: all together stay below 5 MB
_NO_PARAMETERS: Mapping[str, str] = {}


class ReadHandler:
    """Handler of the read endpoints of one site. `make_call` makes what views get from a session and parameters."""

    def __init__(
        self,
        database: Database,
        authenticator: Authenticator,
        router: Router,
        locales: Locales,
        make_call: MakeCall,
        cache: BoundedCache[ReadResponse],
    ) -> None:
        self.cache = cache
        self._database = database
        self._authenticator = authenticator
        self._router = router
        self._locales = locales
        self._make_call = make_call
        self._known: BoundedCache[tuple[CacheKey, CachedToken, str]] = BoundedCache(MAX_REMEMBERED)

    def response_for(self, environ: Environ) -> ReadResponse | None:
        """Return the response to a read, or None if the path is not a read endpoint.

        Raises what the view raises, and before it Unauthenticated, then InvalidRequest.
        """
        known = self._current_entry(environ)
        if known is not None:
            number = environ.get(CHANGE_NUMBER)
            response = self.cache.get(known[0], self._database.change_number() if number is None else number)
            if response is not None:
                environ[ROUTE] = known[2]
                environ[CACHE] = "hit"
                return response
        match = self._router.find(environ["PATH_INFO"])
        return self._endpoint_response(*match, environ) if match else None

    def change_question(self) -> ChangeQuestion:
        """Return the question for the change number, whose answer counts for all requests that arrived before it."""
        return self._database.change_question()

    def was_cached(self, environ: Environ) -> bool:
        """Return whether the cache had the response when the store was last asked for its change number."""
        known = self._current_entry(environ)
        return known is not None and known[0] in self.cache

    def is_cached(self, environ: Environ, number: int) -> bool:
        """Return whether the cache has the response for this change number, which `response_for` then takes."""
        known = self._current_entry(environ)
        environ[CHANGE_NUMBER] = number
        return known is not None and self.cache.get(known[0], number) is not None

    def _current_entry(self, environ: Environ) -> tuple[CacheKey, CachedToken, str] | None:
        """Return the key, the token and the route of an equal request, if its token need not be checked again."""
        known = self._known.get(_texts(environ))
        return known if known is not None and self._authenticator.is_current(known[1]) else None

    def _endpoint_response(self, endpoint: Endpoint, names: Mapping[str, str], environ: Environ) -> ReadResponse:
        environ[ROUTE] = endpoint.path
        query = query_of(environ["QUERY_STRING"]) if environ.get("QUERY_STRING") else _NO_PARAMETERS
        token = self._authenticator.authenticate_read(secret_of(environ.get("HTTP_AUTHORIZATION", ""), query))
        given = select_parameters(endpoint.parameters, query) if query else query
        key: CacheKey = (environ["PATH_INFO"], *sorted(given.items())) if given else environ["PATH_INFO"]
        with self._database.reading() as session:
            # A view's first statement may bring the change number along: it is asked for where it decides something.
            cached = self.cache.get(key, session.change_number()) if key in self.cache else None
            environ[CACHE] = "miss" if cached is None else "hit"
            if cached is None:
                return self._make(endpoint, names, given, key, session)
        self._remember(environ, key, token, endpoint.path)
        return cached

    def _remember(self, environ: Environ, key: CacheKey, token: CachedToken, route: str) -> None:
        texts = _texts(environ)
        if sum(map(len, texts)) <= MAX_REMEMBERED_LENGTH:
            self._known.put(texts, (key, token, route))

    def _make(
        self, endpoint: Endpoint, names: Mapping[str, str], given: Mapping[str, str], key: CacheKey, session: Session
    ) -> ReadResponse:
        params = read_params(given, endpoint.parameters, self._locales, endpoint.lenient)
        payload = endpoint.view(self._make_call(session, params), **names)
        number = session.change_number()
        if isinstance(payload, EntryPayload):
            response = make_read_response(payload.payload, preview=params.preview, revision=revision_of(payload.entry))
        else:
            response = make_read_response(payload, preview=params.preview)
        if not params.preview:
            self.cache.get(key, number)  # removes the responses of earlier change numbers
            self.cache.put(key, response, response.size_bytes + _size_of(key) + ENTRY_BYTES, number)
        return response


class ReadMiddleware:
    """WSGI application that answers reads of the API's endpoints, and leaves all other requests to `behind`.

    It stands in front of Flask, so that reads need no request context. The routes are those of Flask's URL map, and
    errors become the responses that Flask's error handlers make.
    """

    def __init__(self, behind: Wsgi, handler: ReadHandler) -> None:
        self.behind = behind
        self.handler = handler

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        try:
            response = self.handler.response_for(environ) if environ["REQUEST_METHOD"] in ("GET", "HEAD") else None
        except Exception as error:  # noqa: BLE001 - an unexpected error is logged and answered with 500
            problem = error_response(error, environ)
            complete_response(problem, environ)
            return problem(environ, start_response)
        if response is None:
            return self.behind(environ, start_response)
        status, headers, body = response.for_request(environ)
        environ[STATUS] = status[:3]
        if REQUEST_ID in environ:
            headers = [*headers, ("X-Request-ID", environ[REQUEST_ID])]
        start_response(status, headers)
        return body


def _texts(environ: Environ) -> RequestTexts:
    return environ["PATH_INFO"], environ.get("QUERY_STRING", ""), environ.get("HTTP_AUTHORIZATION", "")


def _size_of(key: CacheKey) -> int:
    return len(key) if isinstance(key, str) else len(repr(key))
