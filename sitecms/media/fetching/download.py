"""Download of large remote files to disk: guarded as all fetches, and continued after an interruption."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import requests

from sitecms.errors import FetchFailed, RemoteMissing
from sitecms.media.fetching.fetch import FetchRules, file_name_of, followed
from sitecms.media.fetching.guarded_http import BROKEN_EXCHANGE

_CHUNK_BYTES = 256 * 1024
_VALIDATOR_SUFFIX = ".validator"
_BUSY = frozenset({429, 500, 502, 503, 504})


class TryLater(FetchFailed):
    """The remote host is busy; `seconds` is the time that it asks to wait, 0 if it names none."""

    def __init__(self, status: int, seconds: float) -> None:
        """Keep the time to wait."""
        super().__init__(f"the remote answered {status}", f"The remote host is busy (HTTP {status}).")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Download:
    """A file on disk, the name that the remote host gives it, and its validator (ETag or date)."""

    path: Path
    name: str
    validator: str


def download(url: str, part: Path, rules: FetchRules) -> Download:
    """Write the file at the address to `part`, and continue what an interrupted download left there.

    It is continued only if the remote host confirms that the file is the same. Raises RemoteMissing for 404 and 410,
    TryLater for a busy host, FetchRefused, FetchFailed.
    """
    note = part.with_name(part.name + _VALIDATOR_SUFFIX)
    validator = note.read_text(encoding="utf-8") if note.is_file() else ""
    have = part.stat().st_size if validator and part.is_file() else 0
    headers = {"Range": f"bytes={have}-", "If-Range": validator} if have else {}
    with followed("GET", url, headers, rules, rules.total_seconds) as response:
        if response.status_code in (404, 410):
            raise RemoteMissing(response.status_code)
        if response.status_code in _BUSY:
            raise TryLater(response.status_code, _wait_seconds(response.headers.get("Retry-After", "")))
        is_rest = response.status_code == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        if response.status_code == 416 and have:
            part.unlink()
            note.unlink()
            raise TryLater(416, 0)
        if response.status_code != 200 and not is_rest:
            raise FetchFailed(f"the remote answered {response.status_code}")
        found = _validator_of(response)
        part.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(found, encoding="utf-8")
        _receive(response, part, rules.max_bytes, have if is_rest else 0)
        note.unlink()
        return Download(part, file_name_of(response.url), found)


def _receive(response: requests.Response, part: Path, max_bytes: int, have: int) -> None:
    coding = response.headers.get("Content-Encoding", "").strip().lower()
    if coding not in ("", "identity"):
        raise FetchFailed(f"the answer is compressed ({coding})")
    expected = response.raw.length_remaining
    if have + (expected or 0) > max_bytes:
        raise FetchFailed("the file is too large", f"The remote file is larger than {max_bytes // 1024**2} MB.")
    size = have
    try:
        with part.open("ab" if have else "wb") as file:
            for chunk in response.raw.stream(_CHUNK_BYTES, decode_content=False):
                size += len(chunk)
                if size > max_bytes:
                    raise FetchFailed(
                        "the file is too large", f"The remote file is larger than {max_bytes // 1024**2} MB."
                    )
                file.write(chunk)
    except BROKEN_EXCHANGE as error:
        raise FetchFailed(f"the answer broke off: {error}", "The transfer broke off.") from error
    if expected is not None and size != have + expected:
        raise FetchFailed("the answer broke off", "The transfer broke off.")
    if not size:
        raise FetchFailed("the file is empty", "The remote file is empty.")


def _validator_of(response: requests.Response) -> str:
    """Return a strong ETag, else the date of the last change; "" if the host gives none."""
    etag: str = response.headers.get("ETag", "").strip()
    if etag and not etag.startswith("W/"):
        return etag
    modified: str = response.headers.get("Last-Modified", "").strip()
    return modified


def _wait_seconds(value: str) -> float:
    """Return the seconds of a Retry-After header: a number or a date; 0 for any other."""
    if value.strip().isdigit():
        return float(value)
    with suppress(ValueError, TypeError):
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    return 0.0
