"""Media in object storage: a real server, and a proxy before it that fails in every way."""

import hashlib
import logging
import os
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.request import urlopen

import pytest
from msgspec.structs import replace

from sitecms.errors import ConfigurationError, MediaUnusable, NotFound
from sitecms.media.library import MediaLibrary, may_remove_media, protected_media
from sitecms.media.storage.bucket import LEASE, ObjectStorage
from sitecms.media.storage.local_copies import Copies
from sitecms.media.storage.time_limits import TimeLimits
from sitecms.settings.media import read_bucket
from sitecms.settings.service_url import ServiceUrl
from tests.support.object_storage import BUCKET, READER, READER_SECRET, SECRET, FaultyProxy, ObjectServer

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CALM = TimeLimits(
    connect_seconds=20, read_seconds=20, total_seconds=60, longest_seconds=60, attempts=2, pause_seconds=0
)
HASTY = TimeLimits(
    connect_seconds=0.5, read_seconds=0.5, total_seconds=1.6, longest_seconds=1.6, attempts=2, pause_seconds=0
)
MEGABYTE = 1 << 20
Open = Callable[..., MediaLibrary]


def pdf(text: str, size: int = 0) -> bytes:
    """A file of the library with that content, and of that size if it is longer."""
    return f"%PDF-1.4 {text}\n".encode().ljust(size, b"x")


@pytest.fixture
def open_bucket(bucket: str, tmp_path: Path) -> Open:
    """The library in the bucket, as a machine of its own has it: with a folder of copies by that name."""

    def make(
        machine: str = "one",
        url: str = bucket,
        limits: TimeLimits = CALM,
        megabytes: float = 64,
        lease: timedelta = LEASE,
    ) -> MediaLibrary:
        copies = Copies(tmp_path / machine, int(megabytes * MEGABYTE))
        return MediaLibrary(ObjectStorage(read_bucket(ServiceUrl(url)), copies, limits, lease))

    return make


@pytest.fixture
def through(open_bucket: Open, proxy: FaultyProxy, bucket: str, object_server: ObjectServer) -> Open:
    """The library, reached by the proxy, in little time; a client that got no answer asks again at once."""
    url = bucket.replace(str(object_server.port), str(proxy.port))
    return lambda machine="one", limits=HASTY, **options: open_bucket(machine, url, limits, **options)


def prefix_of(url: str) -> str:
    return f"{read_bucket(ServiceUrl(url)).prefix}media/"


def test_stored_object_has_the_named_digest(open_bucket: Open, bucket: str, object_server: ObjectServer) -> None:
    """Its type, that it never changes, and its digest are kept with it; another machine reads the same bytes."""
    data = pdf("tides")
    added = open_bucket().add(data, "tides.pdf", NOON)
    place = {"Bucket": BUCKET, "Key": prefix_of(bucket) + added.name}
    head = object_server.client().head_object(**place, ChecksumMode="ENABLED")
    assert (head["ContentType"], head["CacheControl"]) == ("application/pdf", "public, max-age=31536000, immutable")
    other = open_bucket("two")
    assert list(other.storage.digests((added.name,))) == [(added.name, hashlib.sha256(data).hexdigest(), len(data))]
    assert other.exists(added.name)
    assert other.names() == (added.name,)
    assert not other.folder.exists()
    assert other.path(added.name).read_bytes() == data
    with pytest.raises(NotFound):
        other.path("0" * 32 + ".pdf")


def test_equal_bytes_are_uploaded_once(through: Open, proxy: FaultyProxy) -> None:
    """Whoever adds what is there asks for its size only, and reads it from a copy from then on."""
    for machine in ("one", "two"):
        added = through(machine).add(pdf("tides"), "a.pdf", NOON)
        assert proxy.asked("PUT") == 1
    assert through("two").path(added.name).read_bytes() == pdf("tides")
    assert proxy.asked("GET") == 0


def test_a_file_is_uploaded_from_the_disk_once(through: Open, proxy: FaultyProxy, tmp_path: Path) -> None:
    """As bytes are; each machine keeps a copy, so that a thumbnail needs no download."""
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf("tides"))
    name = hashlib.sha256(pdf("tides")).hexdigest()[:32] + ".pdf"
    for machine in ("one", "two"):
        through(machine).storage.put_file(name, path)
        assert proxy.asked("PUT") == 1
        assert through(machine).path(name).read_bytes() == pdf("tides")
    assert proxy.asked("GET") == 0


def test_corrupted_upload_is_refused(open_bucket: Open, tmp_path: Path) -> None:
    """A file that is not what it is called is not sent."""
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf("tides"))
    with pytest.raises(MediaUnusable, match="was changed"):
        open_bucket().storage.put_files({"0" * 32 + ".pdf": path})
    assert open_bucket().names() == ()


def test_many_files_are_uploaded_after_one_listing(through: Open, proxy: FaultyProxy, tmp_path: Path) -> None:
    """None is asked for alone; those that are there are not sent again, and how many are there is told."""
    library, files, told = through(), {}, []
    for number in range(40):
        path = tmp_path / f"{number}.pdf"
        path.write_bytes(pdf(str(number)))
        files[library.describe(path.read_bytes(), path.name, NOON).name] = path
    library.storage.put_files(dict(list(files.items())[:30]))
    proxy.requests.clear()
    library.storage.put_files(files, lambda done, total: told.append((done, total)))
    assert (proxy.asked("PUT"), proxy.asked("HEAD"), proxy.asked("GET")) == (10, 0, 1)
    assert told == [(done, 40) for done in range(31, 41)]
    assert set(library.names()) == files.keys()


def test_listing_reads_all_pages(open_bucket: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that are none of media files are left out, however many pages there are."""
    library = open_bucket()
    names = sorted(library.add(pdf(str(number)), "a.pdf", NOON).name for number in range(7))
    storage = library.storage
    assert isinstance(storage, ObjectStorage)
    real = storage.client._s3.list_objects_v2
    monkeypatch.setattr(storage.client._s3, "list_objects_v2", lambda **asked: real(**asked, MaxKeys=3))
    storage.client._s3.put_object(Bucket=BUCKET, Key=f"{storage.bucket.prefix}media/notes.txt", Body=b"notes")
    assert library.names() == tuple(names)


def test_removal_deletes_the_local_copy(open_bucket: Open) -> None:
    """The object and its copy; what an entry names by now is put again from another copy."""
    library = open_bucket()
    data = pdf("tides")
    name = library.add(data, "a.pdf", NOON).name
    assert library.old_names(datetime.now(UTC) + timedelta(minutes=5)) == (name,)
    assert library.old_names(NOON) == ()
    other = open_bucket("two")
    assert other.path(name).read_bytes() == data
    assert library.storage.remove((name,), NOON) == (name,)
    assert not library.exists(name)
    with pytest.raises(NotFound):
        library.path(name)
    other.storage.have(name)
    assert library.path(name).read_bytes() == data


def test_held_files_outlive_their_copies(open_bucket: Open) -> None:
    """As long as the block lasts; what is missing is left out, and what is not to be kept leaves no copy."""
    names = [open_bucket().add(pdf(str(number)), "a.pdf", NOON).name for number in range(3)]
    library = open_bucket("two")
    with library.storage.held([*names, "0" * 32 + ".pdf", names[0]], keep=True) as paths:
        assert sorted(paths) == sorted(names)
        for name in names:
            (library.folder / name).unlink()
        assert [paths[name].read_bytes() for name in names] == [pdf(str(number)) for number in range(3)]
    assert list(library.folder.iterdir()) == []
    with library.storage.held(names, keep=False) as paths:
        assert len(paths) == 3
    assert list(library.folder.iterdir()) == []
    assert [name for name, path in library.each(names) if path and path.is_file()] == names


def test_local_copies_stay_below_the_limit(open_bucket: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was used the longest ago goes; what was used just now stays."""
    library = open_bucket(megabytes=0.05)
    names = [library.add(pdf(str(number), 10_000), "a.pdf", NOON).name for number in range(4)]
    for age, name in enumerate(reversed(names), 100):
        os.utime(library.folder / name, (time.time() - age,) * 2)
    assert library.path(names[0]).is_file()
    names += [library.add(pdf(str(number), 10_000), "a.pdf", NOON).name for number in range(4, 7)]
    kept = {path.name for path in library.folder.iterdir()}
    assert {names[0], *names[4:]} <= kept
    assert sum((library.folder / name).stat().st_size for name in kept) <= 50_000 + 2 * 10_000
    assert names[1] not in kept
    assert library.path(names[1]).read_bytes() == pdf("1", 10_000)


def test_a_damaged_object_is_never_a_copy(open_bucket: Open, bucket: str, object_server: ObjectServer) -> None:
    """Another body under the name: its digest tells, and nobody reads it as the file."""
    name = open_bucket().add(pdf("tides"), "a.pdf", NOON).name
    place = {"Bucket": BUCKET, "Key": prefix_of(bucket) + name}
    object_server.client().put_object(**place, Body=pdf("waves"))
    other = open_bucket("two")
    ((_, digest, _),) = other.storage.digests((name,))
    assert digest == hashlib.sha256(pdf("waves")).hexdigest()
    with pytest.raises(MediaUnusable, match=f"other bytes than {name}"):
        other.path(name)
    with other.storage.held((name,), keep=True) as paths:
        assert paths[name].read_bytes() == pdf("waves")
    assert list(other.folder.iterdir()) == []
    other.storage.replace(name, pdf("tides"))
    assert open_bucket("three").path(name).read_bytes() == pdf("tides")


def test_a_signed_address_needs_no_credentials(open_bucket: Open) -> None:
    """It gives the file, with its type."""
    library = open_bucket()
    name = library.add(pdf("tides"), "a.pdf", NOON).name
    with urlopen(library.storage.sign(name, 60), timeout=60) as answered:
        assert (answered.read(), answered.headers["Content-Type"]) == (pdf("tides"), "application/pdf")


@pytest.mark.slow
def test_threads_share_a_library(open_bucket: Open) -> None:
    """Many at once add and read, and every byte is right."""
    library = open_bucket(limits=TimeLimits(pause_seconds=0))

    def turn(number: int) -> bool:
        data = pdf(str(number % 5), 50_000)
        return library.path(library.add(data, "a.pdf", NOON).name).read_bytes() == data

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(turn, range(40)))
    assert len(library.names()) == 5


BRIEF = [
    pytest.param({"status": "503 Slow Down", "times": 1}, id="slow-down"),
    pytest.param({"status": "500 Internal Server Error", "times": 1}, id="500"),
    pytest.param({"cut_after": 60_000, "times": 1}, id="cut-in-the-middle"),
]


@pytest.mark.parametrize("errors", BRIEF)
def test_failed_request_is_retried(
    open_bucket: Open, through: Open, proxy: FaultyProxy, errors: dict[str, object]
) -> None:
    """The bytes are right in the end, and nobody notices."""
    data = pdf("tides", 300_000)
    name = open_bucket().add(data, "a.pdf", NOON).name
    proxy.fail(**errors)
    assert through("two", limits=TimeLimits(total_seconds=10, pause_seconds=0)).path(name).read_bytes() == data


LASTING = [
    pytest.param({"refuse": True}, "cannot be reached", id="refused"),
    pytest.param({"silent": True}, "did not answer|does not answer", id="black-hole", marks=pytest.mark.slow),
    pytest.param({"status": "503 Slow Down"}, "is out of order", id="slow-down"),
    pytest.param({"status": "500 Internal Server Error"}, "is out of order", id="500", marks=pytest.mark.slow),
    pytest.param(
        {"drip_seconds": 0.3}, "did not answer within 2 s|does not answer", id="drips", marks=pytest.mark.slow
    ),
    pytest.param({"cut_after": 20}, "does not answer|cannot be reached", id="cut", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("errors", "problem"), LASTING)
def test_lasting_failure_is_reported_in_time(
    open_bucket: Open, through: Open, proxy: FaultyProxy, errors: dict[str, object], problem: str
) -> None:
    """Reading, adding, listing: each ends with a plain error, without a secret in it, and works once it is over."""
    data = pdf("tides", 30_000)
    name = open_bucket().add(data, "a.pdf", NOON).name
    limits = {"limits": TimeLimits(pause_seconds=0)} if "status" in errors else {}  # the server answers at once
    library = through("two", **limits)
    proxy.fail(**errors)
    for attempt in (lambda: library.path(name), lambda: library.add(pdf("new"), "b.pdf", NOON), library.names):
        started = time.monotonic()
        with pytest.raises(MediaUnusable, match=problem) as told:
            attempt()
        assert time.monotonic() - started < 20
        assert SECRET not in str(told.value)
    assert [path for path in library.folder.iterdir() if path.is_file()] == []
    proxy.heal()
    assert library.path(name).read_bytes() == data
    assert library.add(pdf("new"), "b.pdf", NOON).name in library.names()


def test_interrupted_upload_leaves_nothing(open_bucket: Open, through: Open, proxy: FaultyProxy) -> None:
    """The object is there as a whole or not at all."""
    library = through("two")
    proxy.fail(cut_after=100_000, of_request=True)
    with pytest.raises(MediaUnusable):
        library.add(pdf("tides", MEGABYTE), "a.pdf", NOON)
    assert open_bucket().names() == ()


@pytest.mark.slow
def test_circuit_opens_after_a_timeout(through: Open, proxy: FaultyProxy) -> None:
    """The next calls fail at once, and the storage is left alone; then it is asked again."""
    library = through(limits=replace(HASTY, pause_seconds=3))
    proxy.fail(status="503 Slow Down")
    with pytest.raises(MediaUnusable, match="out of order"):
        library.names()
    asked = len(proxy.requests)
    with pytest.raises(MediaUnusable, match="out of order"):
        library.storage.refuse_early()
    with pytest.raises(MediaUnusable, match="out of order"):
        library.names()
    assert len(proxy.requests) == asked
    proxy.heal()
    time.sleep(3)
    assert library.names() == ()


@pytest.mark.slow
def test_number_of_waiting_threads_is_bounded(through: Open, proxy: FaultyProxy) -> None:
    """A hundred calls into a black hole end in time, all of them."""
    library = through()
    proxy.fail(silent=True)

    def ask(_number: int) -> bool:
        with pytest.raises(MediaUnusable):
            library.names()
        return True

    started = time.monotonic()
    with ThreadPoolExecutor(100) as pool:
        assert all(pool.map(ask, range(100)))
    assert time.monotonic() - started < 60  # one after another, they would take minutes


@pytest.mark.parametrize(
    ("credentials", "problem"),
    [
        ({"AWS_SECRET_ACCESS_KEY": "wrong-secret"}, r"does not accept the credentials \(SignatureDoesNotMatch\)"),
        ({"AWS_ACCESS_KEY_ID": "nobody-at-all"}, r"does not accept the credentials \(InvalidAccessKeyId\)"),
        ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "needs credentials, and none were found"),
    ],
)
def test_credential_errors_are_distinguished(
    open_bucket: Open, monkeypatch: pytest.MonkeyPatch, credentials: dict[str, str], problem: str,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """What is wrong with them is told, and not what they are, not even in the library's most talkative log."""
    for name, value in credentials.items():
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name)
    caplog.set_level(logging.INFO)
    with pytest.raises(MediaUnusable, match=problem) as told:
        open_bucket().names()
    shown = "".join(traceback.format_exception(told.value)) + caplog.text
    assert "wrong-secret" not in shown
    assert SECRET not in shown


def test_missing_write_permission_is_reported(open_bucket: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is put by them."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", READER)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", READER_SECRET)
    with pytest.raises(MediaUnusable, match=r"refuses us \(AccessDenied\): see to the credentials"):
        open_bucket().storage.replace(open_bucket().describe(pdf("a"), "a.pdf", NOON).name, pdf("a"))


def test_missing_bucket_is_reported(open_bucket: Open, bucket: str) -> None:
    """Named, with what to do."""
    with pytest.raises(MediaUnusable, match="has no such bucket: make it"):
        open_bucket("one", bucket.replace(BUCKET, "nobodys-bucket")).names()


def test_without_the_client_library(open_bucket: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is named, with the command that installs it."""
    monkeypatch.setitem(__import__("sys").modules, "boto3", None)
    with pytest.raises(ConfigurationError, match=r"needs boto3, which is not installed: .*boto3"):
        open_bucket().names()


def test_lease_is_seen_by_other_machines(open_bucket: Open, bucket: str, object_server: ObjectServer) -> None:
    """Nothing is removed while another machine copies; what a killed one left holds it for a few minutes only."""
    ours, theirs = open_bucket("one"), open_bucket("two")
    with may_remove_media(ours) as is_free:
        assert is_free
    with protected_media(theirs), may_remove_media(ours) as is_free:
        assert not is_free
    with may_remove_media(ours) as is_free:
        assert is_free
    prefix = f"{read_bucket(ServiceUrl(bucket)).prefix}held/"
    s3 = object_server.client()
    assert s3.list_objects_v2(Bucket=BUCKET, Prefix=prefix)["KeyCount"] == 0
    s3.put_object(Bucket=BUCKET, Key=f"{prefix}left", Body=b"")
    assert ours.storage.is_leased()
    assert not open_bucket("one", lease=timedelta(seconds=-2)).storage.is_leased()
    assert s3.list_objects_v2(Bucket=BUCKET, Prefix=prefix)["KeyCount"] == 0


@pytest.mark.slow
def test_lease_is_renewed(open_bucket: Open) -> None:
    """For as long as it lasts."""
    lease = timedelta(seconds=2)
    with protected_media(open_bucket("two", lease=lease)):
        time.sleep(3.5)
        assert open_bucket("one", lease=lease).storage.is_leased()
