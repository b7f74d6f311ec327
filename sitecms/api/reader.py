"""Reads of the API: the token, the parameters, one snapshot of the store, the view, the answer.

What was answered is kept in memory under the path, the parameters that the endpoint takes (a token is none of them)
and the store's change number. Each request asks for that number first, so what any process has committed shows in the
very next answer. Previews and errors are never kept.
"""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl

from sitecms.api.answers import Answer, Environ, make_answer
from sitecms.api.auth import Gate, secret_of
from sitecms.api.call import Call, Endpoint
from sitecms.api.params import Params, read_params, taken_by
from sitecms.content.locale import Locales
from sitecms.store.database import Database, Session
from sitecms.store.memory import Memory

MakeCall = Callable[[Session, Params], Call]
_NOTHING: Mapping[str, str] = {}


class Reader:
    """Answers the read endpoints of one site. `make_call` makes what views get of a session and parameters."""

    def __init__(self, database: Database, gate: Gate, locales: Locales, make_call: MakeCall, kept: Memory) -> None:
        self._database = database
        self._gate = gate
        self._locales = locales
        self._make_call = make_call
        self._kept = kept

    def answer(self, endpoint: Endpoint, path: Mapping[str, str], environ: Environ) -> Answer:
        """Raises what the view raises, and before it Unauthenticated, then InvalidRequest."""
        query = query_of(environ["QUERY_STRING"]) if environ.get("QUERY_STRING") else _NOTHING
        self._gate.admit_reader(secret_of(environ.get("HTTP_AUTHORIZATION", ""), query))
        asked = taken_by(endpoint.parameters, query) if query else query
        key = (environ["PATH_INFO"], *sorted(asked.items())) if asked else environ["PATH_INFO"]
        kept: Answer | None = self._kept.find(self._database.change_number(), key)
        return kept or self._make(endpoint, path, asked, key)

    def _make(
        self, endpoint: Endpoint, path: Mapping[str, str], asked: Mapping[str, str], key: str | tuple[object, ...]
    ) -> Answer:
        params = read_params(asked, endpoint.parameters, self._locales)
        with self._database.reading() as session:
            payload = endpoint.view(self._make_call(session, params), **path)
            number = session.change_number()
        answer = make_answer(payload, preview=params.preview)
        if not params.preview:
            self._kept.keep(number, key, answer, answer.size_bytes + _size_of(key))
        return answer


def query_of(text: str) -> dict[str, str]:
    """Each parameter's last value. `text` is as WSGI gives it: bytes in the guise of Latin-1."""
    if not text.isascii():
        text = text.encode("latin-1").decode("utf-8", "replace")
    return dict(parse_qsl(text, keep_blank_values=True, errors="werkzeug.url_quote"))


def _size_of(key: str | tuple[object, ...]) -> int:
    return len(key) if isinstance(key, str) else len(repr(key))
