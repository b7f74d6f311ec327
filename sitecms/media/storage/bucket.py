"""Object storage: media files as objects `<prefix>media/<name>` of a bucket, with local copies.

Leases are objects, renewed each minute, that prevent removal while files are copied. All times are the server's, so
clocks of machines do not matter.
"""

import base64
import hashlib
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from threading import Event, Thread
from typing import IO, Any

import structlog

from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX, content_disposition_of, content_type_of
from sitecms.errors import MediaUnusable, NotFound
from sitecms.media.storage.interface import FileProgress, StoredFile, digest_of, is_digest_of
from sitecms.media.storage.local_copies import Copies
from sitecms.media.storage.s3_client import Absent, Client, client_for
from sitecms.media.storage.time_limits import DownloadDeadline, TimeLimits
from sitecms.settings.media import Bucket

LEASE = timedelta(minutes=5)
_RENEWALS = 5  # within a lease
_LEASE_FOLDER = "held/"
AT_ONCE = 8
FOR_EVER = "public, max-age=31536000, immutable"
REMOVED_AT_ONCE = 500
_FOLDER = MEDIA_PREFIX.removeprefix("/")
_CHUNK = 1 << 18
_BATCH = 256


class Leases:
    """Leases of one bucket, below its prefix."""

    def __init__(self, client: Client, lease: timedelta) -> None:
        self._client = client
        self._lease = lease
        self._folder = f"{client.bucket.prefix}{_LEASE_FOLDER}"

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold a lease until the block ends. The lease of a killed process expires after its time."""
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

    def any_valid(self) -> bool:
        """Return True if any lease is valid; expired leases are removed."""
        listing = self._client.ask(
            lambda s3: dict(s3.list_objects_v2(Bucket=self._client.bucket.name, Prefix=self._folder))
        )
        told_at = parsedate_to_datetime(listing["ResponseMetadata"]["HTTPHeaders"]["date"])
        ended = [each["Key"] for each in listing.get("Contents", ()) if each["LastModified"] < told_at - self._lease]
        self._remove(ended)
        return len(ended) < len(listing.get("Contents", ()))

    def _renew(self, place: dict[str, str], over: Event) -> None:
        while not over.wait(self._lease.total_seconds() / _RENEWALS):
            with suppress(MediaUnusable):
                self._put(place)

    def _put(self, place: dict[str, str]) -> None:
        self._client.ask(lambda s3: s3.put_object(**place, Body=b""))

    def _remove(self, keys: list[str]) -> None:
        if keys:
            request: dict[str, Any] = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
            with suppress(MediaUnusable):
                self._client.ask(lambda s3: s3.delete_objects(Bucket=self._client.bucket.name, Delete=request))


_log = structlog.get_logger("sitecms.media")


class ObjectStorage:
    """Objects of one bucket. Every upload carries its SHA-256, which the server verifies."""

    is_remote = True

    def __init__(self, bucket: Bucket, copies: Copies, limits: TimeLimits, lease: timedelta = LEASE) -> None:
        self.bucket = bucket
        self._copies = copies
        self._limits = limits
        self._lease = lease

    @property
    def folder(self) -> Path:
        """Folder of the copies."""
        return self._copies.folder

    @property
    def client(self) -> Client:
        """Client of this process."""
        return client_for(self.bucket, self._limits)

    def refuse_early(self) -> None:
        """Raise MediaUnusable while the circuit of the client is open."""
        self.client.refuse_early()

    def put(self, name: str, data: bytes) -> None:
        """Upload the file unless it exists with this size; the bytes are also kept as a copy."""
        if self._size(name) != len(data):
            self.replace(name, data)
        else:
            self._copy(name, data)

    def put_file(self, name: str, path: Path) -> None:
        """Upload the file in pieces unless it exists with this size; it is also kept as a copy."""
        if self._size(name) != path.stat().st_size:
            self._put_file(name, path)
        if self._copies.size(name) != path.stat().st_size:
            with self._copies.place() as place:
                shutil.copyfile(path, place / name)
                self._copies.keep(name, place / name)

    def replace(self, name: str, data: bytes) -> None:
        """Upload the file in any case."""
        self._upload(name, BytesIO(data), hashlib.sha256(data).digest(), len(data))
        self._copy(name, data)

    def put_files(self, files: Mapping[str, Path], progress: FileProgress | None = None) -> None:
        """Upload missing files, found by one listing, a few at a time and in pieces."""
        there = {each.name: each.size_bytes for each in self.listing()} if files else {}
        missing = [(name, path) for name, path in files.items() if there.get(name) != path.stat().st_size]
        done = len(files) - len(missing)
        with ThreadPoolExecutor(AT_ONCE, "upload") as pool:
            for batch in _batches(missing):
                for _ in pool.map(lambda each: self._put_file(*each), batch):
                    done += 1
                    if progress:
                        progress(done, len(files))

    def exists(self, name: str) -> bool:
        """Ask the bucket if the file exists."""
        return self._size(name) >= 0

    def listing(self) -> Iterator[StoredFile]:
        """Yield all files, a thousand for each request."""
        place: dict[str, Any] = {"Bucket": self.bucket.name, "Prefix": self._key("")}
        while True:
            page = self.client.ask(lambda s3: s3.list_objects_v2(**place))
            for each in page.get("Contents", ()):
                name = str(each["Key"]).removeprefix(self._key(""))
                if MEDIA_NAME.fullmatch(MEDIA_PREFIX + name):
                    yield StoredFile(name, int(each["Size"]), each["LastModified"].timestamp())
            if not page.get("IsTruncated"):
                return
            place["ContinuationToken"] = page["NextContinuationToken"]

    def remove(self, names: Sequence[str], before: datetime) -> tuple[str, ...]:  # noqa: ARG002
        """Remove at most 500 files in one request, whatever their time; a user of a file calls `have`.

        A file whose removal is uncertain counts as removed; a later listing finds it.
        """
        gone = tuple(names[:REMOVED_AT_ONCE])
        if gone:
            objects = [{"Key": self._key(name)} for name in gone]
            request = {"Objects": objects, "Quiet": True}
            try:
                self.client.ask(lambda s3: s3.delete_objects(Bucket=self.bucket.name, Delete=request))
            except MediaUnusable as error:
                _log.warning("media_not_removed", problem=str(error))
        for name in gone:
            self._copies.drop(name)
        return gone

    def path(self, name: str) -> Path:
        """Return the path of the copy, downloaded if it is missing."""
        if copy := self._copies.find(name):
            return copy
        with self._copies.place() as place:
            downloaded = self._download(place, name, keep=True)
            if downloaded is None:
                raise NotFound(f"There is no media file {name}.")
            if copy := self._copies.find(name):
                return copy
        raise MediaUnusable(f"{self.client} holds other bytes than {name} was stored with (sitecms verify --repair).")

    @contextmanager
    def held(self, names: Sequence[str], *, keep: bool) -> Iterator[Mapping[str, Path]]:
        """Give copies of files, downloaded several at once. A damaged file is given as it is, and not kept."""
        with self._copies.place() as place:
            with ThreadPoolExecutor(AT_ONCE, "download") as pool:
                unique_names = tuple(dict.fromkeys(names))
                downloaded = tuple(pool.map(partial(self._download, place, keep=keep), unique_names))
            yield {name: path for name, path in zip(unique_names, downloaded, strict=True) if path}

    def digests(self, names: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """Yield the server's checksum of each file if it has one, otherwise that of the downloaded bytes."""
        with ThreadPoolExecutor(AT_ONCE, "digest") as pool:
            for batch in _batches(names):
                yield from (file for file in pool.map(self._digest, batch) if file)

    def have(self, name: str) -> None:
        """Upload the file from its copy if it was removed."""
        if not self.exists(name) and (copy := self._copies.find(name)):
            _log.warning("media_put_again", media=name)
            self._put_file(name, copy)

    def lease(self) -> AbstractContextManager[None]:
        """Lease the bucket by an object in it."""
        return Leases(self.client, self._lease).hold()

    def is_leased(self) -> bool:
        """Return True if any lease exists."""
        return Leases(self.client, self._lease).any_valid()

    def sign(self, name: str, seconds: int) -> str:
        """Return an address that gives the file to anyone for this many seconds."""
        return self.client.sign(self._key(name), seconds)

    def _key(self, name: str) -> str:
        return f"{self.bucket.prefix}{_FOLDER}{name}"

    def _size(self, name: str) -> int:
        try:
            return int(self._head(name)["ContentLength"])
        except Absent:
            return -1

    def _head(self, name: str) -> dict[str, Any]:
        place = {"Bucket": self.bucket.name, "Key": self._key(name)}
        return self.client.ask(lambda s3: dict(s3.head_object(**place, ChecksumMode="ENABLED")))

    def _put_file(self, name: str, path: Path) -> None:
        with path.open("rb") as file:
            self._upload(name, file, hashlib.file_digest(file, "sha256").digest(), file.tell())

    def _upload(self, name: str, body: IO[bytes], sha256: bytes, size: int) -> None:
        """Upload a body in pieces; a whole body would have to be sent within the time limit of one piece."""
        if not is_digest_of(sha256.hex(), name):
            raise MediaUnusable(f"{name} was changed while it was taken in; try again.")
        body.seek(0)
        put = partial(
            _put_object,
            Bucket=self.bucket.name,
            Key=self._key(name),
            Body=body,
            ContentType=content_type_of(name),
            ContentDisposition=content_disposition_of(name),
            CacheControl=FOR_EVER,
            ChecksumSHA256=base64.b64encode(sha256).decode(),
        )
        self.client.ask(put, self._limits.seconds_for(size))

    def _copy(self, name: str, data: bytes) -> None:
        if self._copies.size(name) != len(data):
            with self._copies.place() as place:
                (place / name).write_bytes(data)
                self._copies.keep(name, place / name)

    def _download(self, place: Path, name: str, *, keep: bool) -> Path | None:
        """Return the file in the folder `place`; None if there is no such object."""
        target = place / name
        if self._copies.link_to(name, target):
            return target
        try:
            sha256 = self._fetch(name, target)
        except Absent:
            return None
        if keep and is_digest_of(sha256, name):
            self._copies.keep(name, target)
        return target

    def _fetch(self, name: str, target: Path) -> str:
        """Write the object to the path and return its SHA-256. Starts again if the connection breaks."""
        from botocore.exceptions import BotoCoreError
        from urllib3.exceptions import HTTPError

        def fetch(s3: Any) -> str:
            for _ in range(self._limits.attempts - 1):
                with suppress(BotoCoreError, HTTPError):
                    return self._received(s3, name, target)
            return self._received(s3, name, target)

        return self.client.ask(fetch, self._limits.longest_seconds)

    def _received(self, s3: Any, name: str, target: Path) -> str:
        deadline = DownloadDeadline(self._limits.total_seconds)
        answer = s3.get_object(Bucket=self.bucket.name, Key=self._key(name))
        deadline.allow(int(answer["ContentLength"]) / self._limits.least_rate)
        digest = hashlib.sha256()
        with answer["Body"] as body, target.open("wb") as file:
            while data := body.read(_CHUNK):
                deadline.check()
                digest.update(data)
                file.write(data)
        return digest.hexdigest()

    def _digest(self, name: str) -> tuple[str, str, int] | None:
        try:
            head = self._head(name)
        except Absent:
            return None
        if head.get("ChecksumSHA256") and head.get("ChecksumType", "FULL_OBJECT") == "FULL_OBJECT":
            return name, base64.b64decode(head["ChecksumSHA256"]).hex(), int(head["ContentLength"])
        with self._copies.place() as place:
            path = place / name
            try:
                self._fetch(name, path)
            except Absent:
                return None
            return (name, *digest_of(path))


def _put_object(s3: Any, **values: Any) -> None:
    s3.put_object(**values)


def _batches(values: Sequence[Any]) -> Iterator[list[Any]]:
    left = iter(values)
    while batch := list(islice(left, _BATCH)):
        yield batch
