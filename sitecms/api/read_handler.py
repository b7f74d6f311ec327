"""Reads of the API: token, parameters, one snapshot of the store, view, response.

A response is cached under the path, the parameters that the endpoint takes (the token is none of them) and the store's
change number. Each request reads that number first, so that the next response shows what any process has committed.
Previews and errors are never cached.
"""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from sitecms.api.auth import Authenticator, secret_of
from sitecms.api.endpoint import Call, Endpoint, EntryPayload, Router
from sitecms.api.errors import error_response
from sitecms.api.headers import complete_response
from sitecms.api.params import Params, read_params, select_parameters
from sitecms.api.responses import ReadResponse, make_read_response
from sitecms.api.wsgi import CACHE, CACHED_RESPONSE, REQUEST_ID, ROUTE, STATUS, Environ, StartResponse, Wsgi, query_of
from sitecms.cache import ENTRY_BYTES, BoundedCache
from sitecms.content.locale import Locales
from sitecms.store.database import Database, Session

MakeCall = Callable[[Session, Params], Call]
CacheKey = str | tuple[object, ...]
_NO_PARAMETERS: Mapping[str, str] = {}


class _Read(Struct, frozen=True):
    """One request to a read endpoint: the names in its path, its parameters, and the key of its response."""

    endpoint: Endpoint
    names: Mapping[str, str]
    parameters: Mapping[str, str]
    key: CacheKey


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

    def response_for(self, environ: Environ) -> ReadResponse | None:
        """Return the response to a read, or None if the path is not a read endpoint.

        Raises what the view raises, and before it Unauthenticated, then InvalidRequest.
        """
        cached: ReadResponse | None = environ.get(CACHED_RESPONSE)
        if cached is not None:
            return cached
        read = self._read_of(environ)
        if read is None:
            return None
        with self._database.reading() as session:
            # A view's first statement may bring the change number along: it is asked for where it decides something.
            cached = self.cache.get(read.key, session.change_number()) if read.key in self.cache else None
            environ[CACHE] = "miss" if cached is None else "hit"
            return cached or self._make(read, session)

    def find_cached(self, environ: Environ) -> bool:
        """Return whether the cache has the response to a request, which `response_for` then returns.

        Errors count as not cached; `response_for` meets them again.
        """
        try:
            read = self._read_of(environ) if environ["REQUEST_METHOD"] != "OPTIONS" else None
            if read is None or read.key not in self.cache:
                return False
            environ[CACHED_RESPONSE] = self.cache.get(read.key, self._database.change_number())
        except Exception:  # noqa: BLE001 - raised again where it is answered
            return False
        environ[CACHE] = "hit"
        return environ[CACHED_RESPONSE] is not None

    def _read_of(self, environ: Environ) -> _Read | None:
        """Return the read that a request asks for, after checking its token; None if its path is no read endpoint."""
        match = self._router.find(environ["PATH_INFO"])
        if match is None:
            return None
        endpoint, names = match
        environ[ROUTE] = endpoint.path
        query = query_of(environ["QUERY_STRING"]) if environ.get("QUERY_STRING") else _NO_PARAMETERS
        self._authenticator.authenticate_read(secret_of(environ.get("HTTP_AUTHORIZATION", ""), query))
        parameters = select_parameters(endpoint.parameters, query) if query else query
        path = environ["PATH_INFO"]
        return _Read(endpoint, names, parameters, (path, *sorted(parameters.items())) if parameters else path)

    def _make(self, read: _Read, session: Session) -> ReadResponse:
        endpoint = read.endpoint
        params = read_params(read.parameters, endpoint.parameters, self._locales, endpoint.lenient)
        payload = endpoint.view(self._make_call(session, params), **read.names)
        number = session.change_number()
        if isinstance(payload, EntryPayload):
            response = make_read_response(payload.payload, preview=params.preview, revision=payload.entry.revision)
        else:
            response = make_read_response(payload, preview=params.preview)
        if not params.preview:
            self.cache.get(read.key, number)  # removes the responses of earlier change numbers
            self.cache.put(read.key, response, response.size_bytes + _size_of(read.key) + ENTRY_BYTES, number)
        return response


class ReadMiddleware:
    """WSGI application that answers reads of the API's endpoints, and leaves all other requests to `app`.

    It stands in front of Flask, so that reads need no request context. The routes are those of Flask's URL map, and
    errors become the responses that Flask's error handlers make.
    """

    def __init__(self, app: Wsgi, handler: ReadHandler) -> None:
        self.app = app
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
            return self.app(environ, start_response)
        status, headers, body = response.for_request(environ)
        environ[STATUS] = status[:3]
        if REQUEST_ID in environ:
            headers = [*headers, ("X-Request-ID", environ[REQUEST_ID])]
        start_response(status, headers)
        return body


def _size_of(key: CacheKey) -> int:
    return len(key) if isinstance(key, str) else len(repr(key))
