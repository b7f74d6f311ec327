"""Who copies the files of a bucket says so in it, for other machines to see: by an object that is renewed each minute.

Times are the server's own throughout, so that no machine's clock plays a part.
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
    """Those of one bucket, below its prefix."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._folder = f"{client.bucket.prefix}{_FOLDER}"

    @contextmanager
    def taken(self) -> Iterator[None]:
        """One of our own, until the block ends. What a killed process leaves ends after five minutes."""
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
        """Whether any stands; those that have ended are removed."""
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
