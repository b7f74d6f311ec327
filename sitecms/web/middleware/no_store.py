"""Middleware that forbids caches to store previews, whichever part of the service answers them."""

from collections.abc import Iterable
from typing import Any

from sitecms.api.params import PARAMETERS
from sitecms.api.responses import NO_STORE
from sitecms.api.wsgi import Environ, Headers, StartResponse, Wsgi, query_of

_PREVIEW = PARAMETERS["preview"]
_NAMES = (_PREVIEW.name, *_PREVIEW.aliases)
_CACHE_CONTROL = "cache-control"


class NoStorePreviews:
    """Middleware that answers every request with `preview=1` or `test=1` with `Cache-Control: no-store`.

    Whether the route takes the parameter makes no difference: redirects, errors, feeds and 304 lead to drafts too.
    """

    def __init__(self, behind: Wsgi) -> None:
        self._behind = behind

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        if not _asks_for_preview(environ.get("QUERY_STRING", "")):
            return self._behind(environ, start_response)

        def start(status: str, headers: Headers, *rest: Any) -> Any:
            others = [header for header in headers if header[0].lower() != _CACHE_CONTROL]
            return start_response(status, [*others, ("Cache-Control", NO_STORE)], *rest)

        return self._behind(environ, start)


def _asks_for_preview(query: str) -> bool:
    """Return whether a parameter asks for a preview; a query that cannot name one is not parsed."""
    if "%" not in query and not any(name in query for name in _NAMES):
        return False
    values = query_of(query)
    return any(_PREVIEW.read(name, values.get(name, "")) for name in _NAMES)
