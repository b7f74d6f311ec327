"""HTTP access of readers, with the limits and address checks of `media.fetching`."""

from collections.abc import Mapping

from sitecms.errors import FetchFailed
from sitecms.importing.reader import Answer, Fetcher
from sitecms.media.fetching.fetch import FetchRules, followed
from sitecms.media.fetching.guarded_http import BROKEN_EXCHANGE


def fetcher(rules: FetchRules) -> Fetcher:
    """Return a function that requests an address with headers; it raises FetchFailed and FetchRefused."""

    def fetch(url: str, headers: Mapping[str, str]) -> Answer:
        with followed("GET", url, {"Accept": "*/*", **headers}, rules, rules.total_seconds) as response:
            try:
                body = response.raw.read(rules.max_bytes + 1, decode_content=False)
            except BROKEN_EXCHANGE as error:
                raise FetchFailed(f"the response is incomplete: {error}", "The response is incomplete.") from error
            if len(body) > rules.max_bytes:
                raise FetchFailed("the response is too large", "The response is too large.")
            found = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status_code, found, body)

    return fetch
