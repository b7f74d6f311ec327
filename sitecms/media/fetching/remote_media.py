"""Import of remote media into the library."""

import threading
from dataclasses import replace
from datetime import datetime

from sitecms.content.media import MediaFile
from sitecms.errors import FetchFailed
from sitecms.media.decoding.sandbox import DEFAULT_LIMITS, SandboxLimits, normalized
from sitecms.media.fetching.fetch import Budget, FetchRules, fetch
from sitecms.media.library import MediaLibrary

MAX_DECODERS = 3  # each may take as much memory as its limits allow
_decoders = threading.BoundedSemaphore(MAX_DECODERS)


def import_remote(
    url: str,
    library: MediaLibrary,
    rules: FetchRules,
    at: datetime,
    budget: Budget,
    limits: SandboxLimits = DEFAULT_LIMITS,
) -> MediaFile:
    """Fetch a file, encode it without metadata, and store it. Equal pictures become one file.

    Takes up to `rules.total_seconds` and `limits.seconds`, and what is left of the budget, so call it outside of
    transactions. Raises RemoteMissing, FetchRefused, FetchFailed, InvalidMedia for a file of an unsupported type, and
    MediaUnusable if it cannot be stored.
    """
    library.refuse_early()
    left = budget.seconds_left()
    if left <= 0:
        raise FetchFailed("the time for all files of the write is over")
    fetched = fetch(url, replace(rules, total_seconds=min(rules.total_seconds, left)))
    budget.add_bytes(len(fetched.data))
    with _decoders:
        data = normalized(fetched.data, fetched.name, limits)
    return library.add(data, fetched.name, at)
