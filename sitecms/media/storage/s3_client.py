"""Adapter of the S3 client library: imported on demand, bounded in time, with errors of sitecms. Check of a bucket.

Messages contain neither credentials nor signatures; of an error they name only its kind and code.
"""

import os
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, TypeVar

from sitecms.circuit_breaker import CircuitBreaker
from sitecms.content.media import content_disposition_of, content_type_of
from sitecms.errors import ConfigurationError, MediaUnusable
from sitecms.media.storage.time_limits import Bounded, Overdue, TimeLimits
from sitecms.optional_packages import Extra, missing_package
from sitecms.settings.media import Bucket

Result = TypeVar("Result")
CONNECTIONS = 16
_CREDENTIALS = frozenset({"InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken"})
_REFUSED = frozenset({"AccessDenied", "403", "AllAccessDisabled"})
_MISSING = frozenset({"NoSuchKey", "NotFound", "404"})
_NO_CREDENTIALS = frozenset({"NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError"})
_UNREACHABLE = frozenset({"EndpointConnectionError", "ConnectTimeoutError", "ConnectionClosedError"})
TRIAL = TimeLimits(connect_seconds=3.0, read_seconds=5.0, total_seconds=10.0, attempts=1)
_CONTENT = b"written by sitecms doctor, and removed again"


class Absent(Exception):
    """No object has that key."""


class NoAnswer(MediaUnusable):
    """The storage is unreachable, too slow, or reports a failure."""


class Client:
    """Requests to one bucket, behind a circuit breaker."""

    def __init__(self, bucket: Bucket, limits: TimeLimits, *, signed: bool = True) -> None:
        self.bucket = bucket
        self.limits = limits
        self._s3 = make_client(bucket, limits, signed=signed)
        self._bounded = Bounded()
        self._breaker = CircuitBreaker(NoAnswer, limits.pause_seconds)

    def ask(self, call: Callable[[Any], Result], seconds: float = 0.0) -> Result:
        """Return the result of a call of the library's client. Raises Absent, MediaUnusable.

        `seconds` limits an exchange that may take longer than the limits of this client allow.
        """
        limit = seconds or self.limits.total_seconds
        return self._breaker.call(lambda: self._exchange(call, limit))

    def refuse_early(self) -> None:
        """Raise MediaUnusable while the circuit is open."""
        self._breaker.check()

    def _exchange(self, call: Callable[[Any], Result], seconds: float) -> Result:
        from botocore.exceptions import BotoCoreError, ClientError
        from urllib3.exceptions import HTTPError

        try:
            return self._bounded.run(lambda: call(self._s3), seconds)
        except Overdue as error:
            raise self._no_answer(f"did not answer within {seconds:.0f} s") from error
        except (BotoCoreError, ClientError, HTTPError, ConnectionError, TimeoutError) as error:
            raise self._translated(error) from None  # the library's message may contain secrets

    def sign(self, key: str, seconds: int) -> str:
        """Return an address that gives the object to anyone for this many seconds, with the type of its name."""
        place = {
            "Bucket": self.bucket.name,
            "Key": key,
            "ResponseContentType": content_type_of(key.rpartition("/")[2]),
            "ResponseContentDisposition": content_disposition_of(key.rpartition("/")[2]),
        }
        return self.ask(lambda s3: str(s3.generate_presigned_url("get_object", Params=place, ExpiresIn=seconds)))

    def __str__(self) -> str:
        return f"The media storage {self.bucket}"

    def _no_answer(self, problem: str) -> NoAnswer:
        return NoAnswer(f"{self} {problem}.")

    def _translated(self, error: Exception) -> Exception:
        answer = getattr(error, "response", None)
        kind = type(error).__name__
        if isinstance(answer, dict):
            code, status = _code(answer), answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            if code == "NoSuchBucket":
                return MediaUnusable(f"{self} has no such bucket: make it, or correct url under [media].")
            if code in _MISSING:
                return Absent()
            if code in _CREDENTIALS:
                return MediaUnusable(f"{self} does not accept the credentials ({code}).")
            if code in _REFUSED:
                return MediaUnusable(f"{self} refuses us ({code}): see to the credentials, and what they may do.")
            if code == "RequestTimeTooSkewed":
                return MediaUnusable(f"{self} reports that the clock of this machine is wrong.")
            if status >= 500 or code == "SlowDown":
                return self._no_answer(f"is out of order ({code or status})")
            return MediaUnusable(f"{self} refused a request ({code or status}).")
        if kind in _NO_CREDENTIALS:
            return MediaUnusable(
                f"{self} needs credentials, and none were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                "or use a credentials file."
            )
        if kind in _UNREACHABLE:
            return self._no_answer("cannot be reached")
        return self._no_answer(f"does not answer as it should ({kind})")


def _code(answer: dict[str, Any]) -> str:
    """Return the error code if it is a word; a sentence could contain secrets."""
    code = str(answer.get("Error", {}).get("Code", ""))
    return code if code.isalnum() and len(code) < 60 else ""


def client_for(bucket: Bucket, limits: TimeLimits) -> Client:
    """Return the client of this process, made when it is first used."""
    return _client(bucket, limits, os.getpid())


@cache
def _client(bucket: Bucket, limits: TimeLimits, _process: int) -> Client:
    """Make a client; a forked process must not use the connections of its parent."""
    return Client(bucket, limits)


def make_client(bucket: Bucket, limits: TimeLimits, *, signed: bool = True) -> Any:
    """Return the library's client. Raises ConfigurationError if it is not installed or cannot be configured."""
    try:
        import boto3
        from botocore import UNSIGNED
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError
        from botocore.session import get_session
    except ImportError as error:
        raise ConfigurationError(missing_package(Extra.S3, "Object storage for media")) from error
    config = Config(
        connect_timeout=limits.connect_seconds,
        read_timeout=limits.read_seconds,
        retries={"mode": "standard", "total_max_attempts": limits.attempts},
        max_pool_connections=CONNECTIONS,
        signature_version="s3v4" if signed else UNSIGNED,
        s3={"addressing_style": bucket.style},
        proxies={},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    session = get_session()
    session.register_component("data_loader", _data_loader())
    try:
        return boto3.session.Session(botocore_session=session).client(
            "s3", endpoint_url=bucket.endpoint or None, region_name=bucket.region or None, config=config
        )
    except (BotoCoreError, ValueError) as error:
        raise ConfigurationError(
            f"The client of the media storage cannot be set up ({type(error).__name__})."
        ) from None


@cache
def _data_loader() -> Any:
    """Return the loader of the library's descriptions of services, which all clients of a process share."""
    from botocore.session import get_session

    return get_session().get_component("data_loader")


class Trial:
    """Requests to one bucket that leave nothing behind."""

    def __init__(self, bucket: Bucket, limits: TimeLimits = TRIAL) -> None:
        self._bucket = bucket
        self._limits = limits
        self._client = Client(bucket, limits)

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
                content: bytes = body.read()
            s3.delete_objects(Bucket=place["Bucket"], Delete={"Objects": [{"Key": place["Key"]}], "Quiet": True})
            return content

        try:
            content = self._client.ask(carry_out)
        except Absent:
            content = b""
        if content != _CONTENT:
            raise MediaUnusable(f"{self._client} does not give back what was just put there.")

    def anyone_may_list(self) -> bool:
        """Return True if a request without credentials lists objects, which would disclose media of drafts."""
        stranger = Client(self._bucket, self._limits, signed=False)
        try:
            stranger.ask(self._list)
        except (MediaUnusable, Absent):
            return False
        return True

    def _list(self, s3: Any) -> dict[str, Any]:
        return dict(s3.list_objects_v2(Bucket=self._bucket.name, Prefix=self._bucket.prefix, MaxKeys=1))
