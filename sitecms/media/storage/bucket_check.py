"""Check of a bucket for `sitecms doctor`: reachable, writable, and not public."""

import secrets
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from sitecms.errors import MediaUnusable
from sitecms.media.storage.s3_client import Absent, Client
from sitecms.media.storage.time_limits import TimeLimits
from sitecms.settings.media import Bucket

LIMITS = TimeLimits(connect_seconds=3.0, read_seconds=5.0, total_seconds=10.0, attempts=1)
_CONTENT = b"written by sitecms doctor, and removed again"


class Trial:
    """Requests to one bucket that leave nothing behind."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._client = Client(bucket, LIMITS)

    def listed_at(self) -> datetime | None:
        """List the bucket and return the server's time, to the second. Raises MediaUnusable."""
        answer = self._client.ask(self._list)
        try:
            return parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"]).astimezone(UTC)
        except (LookupError, ValueError):
            return None

    def write(self) -> None:
        """Put an object, read it and remove it. Raises MediaUnusable."""
        place = {"Bucket": self._bucket.name, "Key": f"{self._bucket.prefix}doctor-{secrets.token_hex(8)}"}

        def carry_out(s3: Any) -> bytes:
            s3.put_object(**place, Body=_CONTENT)
            with s3.get_object(**place)["Body"] as body:
                found: bytes = body.read()
            s3.delete_objects(Bucket=place["Bucket"], Delete={"Objects": [{"Key": place["Key"]}], "Quiet": True})
            return found

        try:
            found = self._client.ask(carry_out)
        except Absent:
            found = b""
        if found != _CONTENT:
            raise MediaUnusable(f"{self._client} does not give back what was just put there.")

    def anyone_may_list(self) -> bool:
        """Return True if a request without credentials lists objects, which would disclose media of drafts."""
        stranger = Client(self._bucket, LIMITS, signed=False)
        try:
            stranger.ask(self._list)
        except (MediaUnusable, Absent):
            return False
        return True

    def _list(self, s3: Any) -> dict[str, Any]:
        return dict(s3.list_objects_v2(Bucket=self._bucket.name, Prefix=self._bucket.prefix, MaxKeys=1))
