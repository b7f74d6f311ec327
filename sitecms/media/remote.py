"""From a stranger's address to a file of the media library."""

from datetime import datetime

from sitecms.content.media import MediaFile
from sitecms.media.fetch import FetchRules, fetch
from sitecms.media.library import MediaLibrary
from sitecms.media.sandbox import DEFAULT_LIMITS, SandboxLimits, normalized


def import_remote(
    url: str, library: MediaLibrary, rules: FetchRules, at: datetime, limits: SandboxLimits = DEFAULT_LIMITS
) -> MediaFile:
    """Fetch, write anew without metadata, keep; the same picture twice is one file, whatever it came with.

    Takes up to `rules.total_seconds` and `limits.seconds`: not for a transaction. Raises RemoteMissing, FetchRefused,
    FetchFailed, InvalidMedia for what is no media file that is kept, and MediaUnusable where it cannot be kept.
    """
    library.refuse_early()
    fetched = fetch(url, rules)
    return library.add(normalized(fetched.data, fetched.name, limits), fetched.name, at)
