"""Lookup of read endpoints in Flask's URL map, without the request context that Flask needs."""

from collections.abc import Mapping, Sequence

from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map

from sitecms.api.call import Endpoint
from sitecms.api.wsgi import decode


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
