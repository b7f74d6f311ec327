"""Reads of the API: the token, the parameters, one snapshot of the store, the view, the answer.

What was answered is kept in memory under the path, the parameters that the endpoint takes (a token is none of them)
and the store's change number. Each request asks for that number first, so what any process has committed shows in the
very next answer. Previews and errors are never kept.

Requests that are alike to the letter, token included, are told apart by those letters alone: what they mean was worked
out for the first of them.
"""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl

from sitecms.api.auth import Admission, Gate, secret_of
from sitecms.api.call import Call, Endpoint, EntryAnswer
from sitecms.api.params import Params, read_params, taken_by
from sitecms.api.response_cache import Answer, Environ, make_answer
from sitecms.content.fingerprint import revision_of
from sitecms.content.locale import Locales
from sitecms.store.cache import Memory
from sitecms.store.database import Database, Session
from sitecms.web.middleware.request_metrics import CACHE

MakeCall = Callable[[Session, Params], Call]
Asked = tuple[str, str, str]
Key = str | tuple[object, ...]
MAX_REMEMBERED = 5_000
MAX_REMEMBERED_LENGTH = 500  # of one request's letters: all together stay below 5 MB
_NOTHING: Mapping[str, str] = {}


class Reader:
    """Answers the read endpoints of one site. `make_call` makes what views get of a session and parameters."""

    def __init__(self, database: Database, gate: Gate, locales: Locales, make_call: MakeCall, kept: Memory) -> None:
        self._database = database
        self._gate = gate
        self._locales = locales
        self._make_call = make_call
        self._kept = kept
        self._understood: dict[Asked, tuple[Key, Admission]] = {}

    def ready(self, environ: Environ) -> Answer | None:
        """The answer, if just this was asked before, the token still counts and the answer is kept.

        None for anything else, errors included: `answer` finds out what.
        """
        asked = _asked(environ)
        understood = self._understood.get(asked)
        if understood is None or not self._gate.holds(understood[1]):
            return None
        answer: Answer | None = self._kept.find(self._database.change_number(), understood[0])
        if answer is not None:
            environ[CACHE] = "hit"
        return answer

    def answer(self, endpoint: Endpoint, path: Mapping[str, str], environ: Environ) -> Answer:
        """Raises what the view raises, and before it Unauthenticated, then InvalidRequest."""
        query = query_of(environ["QUERY_STRING"]) if environ.get("QUERY_STRING") else _NOTHING
        admission = self._gate.admit_reader(secret_of(environ.get("HTTP_AUTHORIZATION", ""), query))
        asked = taken_by(endpoint.parameters, query) if query else query
        key: Key = (environ["PATH_INFO"], *sorted(asked.items())) if asked else environ["PATH_INFO"]
        kept: Answer | None = self._kept.find(self._database.change_number(), key)
        environ[CACHE] = "miss" if kept is None else "hit"
        if kept is None:
            return self._make(endpoint, path, asked, key)
        self._remember(environ, key, admission)
        return kept

    def _remember(self, environ: Environ, key: Key, admission: Admission) -> None:
        letters = _asked(environ)
        if sum(map(len, letters)) <= MAX_REMEMBERED_LENGTH:
            if len(self._understood) >= MAX_REMEMBERED:
                self._understood.clear()
            self._understood[letters] = key, admission

    def _make(self, endpoint: Endpoint, path: Mapping[str, str], asked: Mapping[str, str], key: Key) -> Answer:
        params = read_params(asked, endpoint.parameters, self._locales)
        with self._database.reading() as session:
            made = endpoint.view(self._make_call(session, params), **path)
            number = session.change_number()
        if isinstance(made, EntryAnswer):
            answer = make_answer(made.payload, preview=params.preview, revision=revision_of(made.entry))
        else:
            answer = make_answer(made, preview=params.preview)
        if not params.preview:
            self._kept.keep(number, key, answer, answer.size_bytes + _size_of(key))
        return answer


def query_of(text: str) -> dict[str, str]:
    """Each parameter's last value. `text` is as WSGI gives it: bytes in the guise of Latin-1."""
    if not text.isascii():
        text = text.encode("latin-1").decode("utf-8", "replace")
    return dict(parse_qsl(text, keep_blank_values=True, errors="werkzeug.url_quote"))


def _asked(environ: Environ) -> Asked:
    return environ["PATH_INFO"], environ.get("QUERY_STRING", ""), environ.get("HTTP_AUTHORIZATION", "")


def _size_of(key: Key) -> int:
    return len(key) if isinstance(key, str) else len(repr(key))
