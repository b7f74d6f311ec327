"""Client of a `/v2` read API: pages of lists, counted calls, pauses that the service asks for."""

import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import orjson

from sitecms.errors import FetchFailed, InvalidRequest
from sitecms.importing.reader import Answer, Fetcher

PAGE_SIZE = 100
MAX_PAUSE_SECONDS = 60.0
MAX_ATTEMPTS = 5
Json = Mapping[str, Any]


class ApiClient:
    """Client of one account. Without preview it returns published versions, with preview the newest ones."""

    def __init__(self, base: str, token: str, fetch: Fetcher, max_calls: int) -> None:
        path = urlsplit(base).path.rstrip("/")
        self._base = base.rstrip("/") if path.endswith("/v2") else base.rstrip("/") + "/v2"
        self._headers = {"Authorization": f"Token {token}", "Accept": "application/json"}
        self._fetch, self._max_calls = fetch, max_calls
        self.calls = 0

    def find(self, path: str, **parameters: object) -> Json | None:
        """Return the answer at a path; None for status 404. Raises InvalidRequest for any other status but 200."""
        given = {name: value for name, value in parameters.items() if value not in ("", None)}
        address = f"{self._base}/{quote(path, safe='/*,')}?{urlencode(given)}"
        for attempt in range(1, MAX_ATTEMPTS + 1):
            self._count_call()
            answer = self._answer(address)
            if answer.status == 200:
                return _object(answer, address)
            if answer.status == 404:
                return None
            if answer.status not in (429, 502, 503, 504) or attempt == MAX_ATTEMPTS:
                break
            time.sleep(_pause(answer, attempt))
        raise InvalidRequest(_problem(answer, address))

    def count(self, path: str, **parameters: object) -> int:
        """Return the number of entries of a list; 0 if there is no such list."""
        found = self.find(path, page_size=1, **parameters)
        meta = found.get("meta") if found else None
        return int(meta.get("count") or 0) if isinstance(meta, dict) else 0

    def pages(self, path: str, **parameters: object) -> Iterator[Json]:
        """Yield the answers with all pages of a list. Pages become smaller where an answer would exceed its limit."""
        offset, size = 0, PAGE_SIZE
        while True:
            try:
                answer = self.find(path, limit=size, offset=offset, **parameters)
            except InvalidRequest:
                if size == 1:
                    raise
                size = max(1, size // 2)
                continue
            if answer is None:
                return
            yield answer
            offset += size
            meta = answer.get("meta") or {}
            if offset >= int(meta.get("count") or 0):
                return

    def entries(self, path: str, **parameters: object) -> Iterator[Json]:
        """Yield the entries of a list, whose data are an array."""
        for answer in self.pages(path, **parameters):
            data = answer.get("data")
            yield from (entry for entry in data if isinstance(entry, dict)) if isinstance(data, list) else ()

    def _answer(self, address: str) -> Answer:
        try:
            return self._fetch(address, self._headers)
        except FetchFailed as failed:
            where = urlsplit(address).netloc
            remedy = "A private address has to be named in [media] allow_hosts, in site.toml of the new site."
            raise InvalidRequest(f"{where} cannot be read: {failed.reason}. {remedy}") from failed

    def _count_call(self) -> None:
        self.calls += 1
        if self.calls > self._max_calls:
            raise InvalidRequest(
                f"The import needs more than {self._max_calls} calls, and accounts have a monthly limit. Allow more "
                "with --max-calls."
            )


def _object(answer: Answer, address: str) -> Json:
    try:
        found = orjson.loads(answer.body)
    except ValueError as error:
        raise InvalidRequest(f"{address} did not return JSON; is it the address of the API?") from error
    if not isinstance(found, dict):
        raise InvalidRequest(f"{address} did not return a JSON object; is it the address of the API?")
    return found


def _pause(answer: Answer, attempt: int) -> float:
    """Return the seconds to wait before the next attempt. Raises InvalidRequest if the service asks for too many."""
    wanted = answer.headers.get("retry-after", "")
    seconds = float(wanted) if wanted.isdigit() else 2.0**attempt
    if seconds > MAX_PAUSE_SECONDS:
        raise InvalidRequest(
            f"The service asks to wait {seconds:.0f} seconds; the account's limit may be reached. Import again later: "
            "what is written stays."
        )
    return seconds


def _problem(answer: Answer, address: str) -> str:
    where = address.partition("?")[0]
    if answer.status in (401, 403):
        return f"{where} refused the token ({answer.status}). Put a read token into SITECMS_IMPORT_TOKEN."
    detail = answer.body[:200].decode("utf-8", errors="replace")
    return f"{where} answered {answer.status}: {detail}"
