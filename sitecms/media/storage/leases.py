"""Leases of a bucket: objects, renewed each minute, that prevent removal while files are copied.

All times are the server's, so clocks of machines do not matter.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from email.utils import parsedate_to_datetime
from threading import Event, Thread
from typing import Any

from sitecms.errors import MediaUnusable
from sitecms.media.storage.s3_client import Client

RENEWED_SECONDS = 60.0
LEASE = timedelta(minutes=5)
_FOLDER = "held/"


class Leases:
    """Leases of one bucket, below its prefix."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._folder = f"{client.bucket.prefix}{_FOLDER}"

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Hold a lease until the block ends. The lease of a killed process expires after five minutes."""
        place = {"Bucket": self._client.bucket.name, "Key": f"{self._folder}{secrets.token_hex(8)}"}
        self._put(place)
        over = Event()
        renewing = Thread(target=self._renew, args=(place, over), name="media lease", daemon=True)
        renewing.start()
        try:
            yield
        finally:
            over.set()
            renewing.join()
            self._remove([place["Key"]])

    def anyone(self) -> bool:
        """Return True if any lease is valid; expired leases are removed."""
        found = self._client.ask(
            lambda s3: dict(s3.list_objects_v2(Bucket=self._client.bucket.name, Prefix=self._folder))
        )
        told_at = parsedate_to_datetime(found["ResponseMetadata"]["HTTPHeaders"]["date"])
        ended = [each["Key"] for each in found.get("Contents", ()) if each["LastModified"] < told_at - LEASE]
        self._remove(ended)
        return len(ended) < len(found.get("Contents", ()))

    def _renew(self, place: dict[str, str], over: Event) -> None:
        while not over.wait(RENEWED_SECONDS):
            with suppress(MediaUnusable):
                self._put(place)

    def _put(self, place: dict[str, str]) -> None:
        self._client.ask(lambda s3: s3.put_object(**place, Body=b""))

    def _remove(self, keys: list[str]) -> None:
        if keys:
            wanted: dict[str, Any] = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
            with suppress(MediaUnusable):
                self._client.ask(lambda s3: s3.delete_objects(Bucket=self._client.bucket.name, Delete=wanted))
