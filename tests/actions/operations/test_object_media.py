"""Object storage that fails while something is done: nothing is half-done, and nothing has to be done twice by hand."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from sitecms.actions.operations.doctor import examine_media
from sitecms.actions.operations.verify.verify import verify_store
from sitecms.actions.writing.apply.applying import Worker, apply_entry
from sitecms.actions.writing.apply.fetching import import_remote
from sitecms.clock import now
from sitecms.content.kinds import EntryKind
from sitecms.content.writes import Write, WriteStatus
from sitecms.errors import FetchRefused, MediaUnusable
from sitecms.findings import Finding
from sitecms.media.fetching.fetch import Budget, FetchRules, fetch
from sitecms.media.library import MediaLibrary, open_library
from sitecms.media.storage.bucket import ObjectStorage
from sitecms.media.storage.time_limits import TimeLimits
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.store.database import Database
from tests.support.object_storage import (
    BUCKET,
    LISTED_BUCKET,
    READER,
    READER_SECRET,
    FaultyProxy,
    ObjectServer,
    collect_sockets,
)
from tests.support.reading import get_post, select
from tests.support.sites import ExampleSite
from tests.support.writes import Remote, Writes

pytestmark = pytest.mark.sqlite_only("the engine plays no part")
IMAGE_URL = "https://pictures.example/a.pdf"
DATA = b"%PDF-1.4 tides"
LATER = datetime(2040, 1, 1, tzinfo=UTC)
HASTY = TimeLimits(connect_seconds=0.5, read_seconds=0.5, total_seconds=1.5, attempts=1, pause_seconds=0)
KILLED_BETWEEN = """
import os, sys
from dataclasses import replace
from pathlib import Path
from sitecms.actions.writing.apply.applying import Worker, apply_entry
from sitecms.clock import now
from sitecms.media.library import MediaLibrary, open_library
from sitecms.runtime import open_runtime
from sitecms.settings.site import load_settings

runtime = open_runtime(load_settings(Path(sys.argv[1])))
library = open_library(runtime.settings)
die = lambda step: os.kill(os.getpid(), 9) if step == sys.argv[3] else None
fetch = lambda url, budget: library.add(b"%PDF-1.4 tides", "a.pdf", now())
worker = Worker(runtime.database, runtime.settings, library, fetch, now, "dead", lambda name: False, die)
apply_entry(worker, sys.argv[2])
"""


@pytest.fixture(autouse=True)
def in_bucket(bucket: str, proxy: FaultyProxy, object_server: ObjectServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every site of these tests keeps its media there, behind the proxy."""
    url = bucket.replace(str(object_server.port), str(proxy.port))
    monkeypatch.setenv("SITECMS_MEDIA_URL", url)
    return url


@pytest.fixture
def media_library(site: SiteSettings) -> MediaLibrary:
    """Where writes put their media, with no patience."""
    return open_library(site, HASTY)


@pytest.fixture
def accepted(writes: Writes, remote: Remote) -> Callable[[], Write]:
    """Accept a post with a remote image; gives the write as it is, whenever asked."""
    remote.files[IMAGE_URL] = DATA
    body = {"title": "Ebb", "slug": "ebb", "status": "published", "featured_image": IMAGE_URL}
    write_id = writes.create(EntryKind.POST, body)
    return lambda: writes.get(write_id)


def image_of(store: Database) -> str:
    return store.read(get_post, "ebb").featured_image.removeprefix("/media/")


def storage_of(library: MediaLibrary) -> ObjectStorage:
    assert isinstance(library.storage, ObjectStorage)
    return library.storage


def kinds(settings: SiteSettings) -> list[str]:
    return [finding.kind for finding in verify_store(settings, LATER).findings]


def test_a_failed_upload_is_tried_again(
    accepted: Callable[[], Write], worker: Worker, store: Database, proxy: FaultyProxy
) -> None:
    """It is repeated until it succeeds; then the write is applied, and the file exists."""
    for errors in ({"refuse": True}, {"status": "503 Slow Down"}, {"cut_after": 10, "of_request": True}) * 3:
        proxy.fail(**errors)
        assert apply_entry(worker, accepted().entry_key) == 0
        assert (accepted().status, accepted().attempt) == (WriteStatus.ACCEPTED, 0)
        assert select(store, "SELECT count(*) FROM media_file")[0][0] == 0
    proxy.heal()
    assert apply_entry(worker, accepted().entry_key) == 1
    assert accepted().status is WriteStatus.APPLIED
    assert worker.library.path(image_of(store)).read_bytes() == DATA


@pytest.mark.parametrize(
    ("step", "orphans"),
    [
        pytest.param("claimed", 0, marks=pytest.mark.slow),
        ("fetched", 1),
        pytest.param("applied", 1, marks=pytest.mark.slow),
    ],
)
def test_a_worker_killed_between_upload_and_commit(
    accepted: Callable[[], Write], worker: Worker, store: Database, step: str, orphans: int
) -> None:
    """The uploaded file is found later; the next worker applies the write once."""
    folder, key = str(worker.settings.folder), accepted().entry_key
    command = [sys.executable, "-c", KILLED_BETWEEN, folder, key, step]
    assert subprocess.run(command, timeout=60, env=dict(os.environ)).returncode == -signal.SIGKILL
    assert len(worker.library.names()) == orphans
    found = kinds(worker.settings)
    assert found.count("media-extra") == orphans
    assert apply_entry(worker, key) == 1
    assert worker.library.names() == (image_of(store),)
    assert "media-extra" not in kinds(worker.settings)


def test_what_is_removed_elsewhere_meanwhile_is_put_again(
    accepted: Callable[[], Write], worker: Worker, store: Database
) -> None:
    """Housekeeping of another machine may take a file that nothing names yet, after it was found to be there."""

    def remove(step: str) -> None:
        if step == "fetched":
            storage = storage_of(worker.library)
            (name,) = worker.library.names()
            storage.client._s3.delete_object(Bucket=storage.bucket.name, Key=f"{storage.bucket.prefix}media/{name}")

    assert apply_entry(replace(worker, step=remove), accepted().entry_key) == 1
    assert worker.library.names() == (image_of(store),)


def test_an_applied_write_stays_so_when_nothing_can_be_made_sure_of(
    accepted: Callable[[], Write], worker: Worker, proxy: FaultyProxy
) -> None:
    """The storage goes after the commit."""
    stepping = replace(worker, step=lambda step: proxy.fail(refuse=True) if step == "committed" else None)
    assert apply_entry(stepping, accepted().entry_key) == 1
    assert accepted().status is WriteStatus.APPLIED


def test_our_own_media_are_known_without_the_storage(
    accepted: Callable[[], Write], worker: Worker, store: Database, proxy: FaultyProxy, writes: Writes
) -> None:
    """A request that names a stored file is accepted and applied while the storage is away."""
    assert apply_entry(worker, accepted().entry_key) == 1
    proxy.fail(refuse=True)
    body = {"title": "Flow", "slug": "flow", "featured_image": f"https://cdn.example/media/{image_of(store)}"}
    assert writes.apply(writes.create(EntryKind.POST, body)).status is WriteStatus.APPLIED
    assert store.read(get_post, "flow", preview=True).featured_image == f"/media/{image_of(store)}"


@pytest.mark.parametrize("errors", [{"status": "403 Forbidden"}, {"refuse": True}, {"status": "503 Slow Down"}])
def test_a_load_without_storage_stores_nothing(
    example: ExampleSite, proxy: FaultyProxy, errors: dict[str, object]
) -> None:
    """It fails with a plain error; once the storage is back it brings everything."""
    proxy.fail(**errors)
    with pytest.raises(MediaUnusable, match="s3://"):
        example.load()
    assert select(example.database, "SELECT count(*) FROM entry WHERE kind = 'post'")[0][0] == 0
    proxy.heal()
    collect_sockets()  # as in the process of the next load, which does not know of the failure
    example.load()
    assert len(open_library(example.settings).names()) == 2
    assert verify_store(example.settings, LATER).findings == ()


def test_a_load_asks_for_no_file_alone(example: ExampleSite, proxy: FaultyProxy) -> None:
    """One listing and the uploads; a load of nothing new is one listing."""
    for number in range(20):
        example.image(f"media/{number}.png", size=(number + 1, 1))
    example.post("many", "\n".join(f"![x](media/{number}.png)" for number in range(20)), status="draft")
    example.load()
    assert (proxy.asked("PUT"), proxy.asked("HEAD")) == (22, 0)
    proxy.requests.clear()
    example.load()
    assert [line.split("?")[0] for line in proxy.requests] == ["GET /tide-media"]


def test_strangers_addresses_and_our_own_do_not_mix(
    site: SiteSettings, proxy: FaultyProxy, object_server: ObjectServer
) -> None:
    """The storage is private and used all the same; an address of it that a client sends is refused, unasked."""
    library = open_library(site)
    name = library.add(DATA, "a.pdf", now()).name
    asked, budget = proxy.connections, Budget(seconds=9, max_bytes=9)
    for port in (proxy.port, object_server.port):
        for path in ("", f"/tide-media/media/{name}"):
            with pytest.raises(FetchRefused):
                fetch(f"http://127.0.0.1:{port}{path}", FetchRules(site.media.allow_hosts))
    with pytest.raises(FetchRefused):
        import_remote(library.storage.sign(name, 60), library, FetchRules(site.media.allow_hosts), now(), budget)
    assert proxy.connections == asked


def test_a_host_that_clients_may_name_is_none_of_the_storage(
    example: ExampleSite, proxy: FaultyProxy, in_bucket: str
) -> None:
    """Opening one to strangers' addresses changes nothing for the storage, which never asks that list."""
    example.settings_are(media={"allow_hosts": [f"127.0.0.1:{proxy.port}"]})
    example.load()
    assert len(open_library(example.settings).names()) == 2


def severities(findings: Iterator[Finding]) -> dict[str, tuple[str, str]]:
    return {each.kind: (each.severity, each.what) for each in findings}


def test_doctor_accepts_a_working_bucket(site: SiteSettings) -> None:
    """It answers, its clock is ours, objects can be put and removed, and nothing is left behind."""
    found = severities(examine_media(site, now()))
    assert {kind: severity for kind, (severity, _) in found.items()} == {
        "media": "ok", "media-clock": "ok", "media-permissions": "ok",
    }  # fmt: skip
    storage = storage_of(open_library(site))
    left = storage.client._s3.list_objects_v2(Bucket="tide-media", Prefix=storage.bucket.prefix)
    assert left["KeyCount"] == 0


@pytest.mark.slow
def test_doctor_reports_problems_of_the_bucket(
    site: SiteSettings, proxy: FaultyProxy, monkeypatch: pytest.MonkeyPatch, in_bucket: str
) -> None:
    """A clock far off, credentials that may only read, no bucket, no answer."""
    found = severities(examine_media(site, now() - timedelta(minutes=10)))
    assert found["media-clock"][0] == "warning"
    difference = re.search(r"is \+(\d+) s from", found["media-clock"][1])
    assert difference
    assert 590 < int(difference[1]) < 660  # the request itself may take long
    proxy.fail(refuse=True)
    assert severities(examine_media(site, now(), HASTY))["media"] == (
        "error", f"The media storage {site.media.bucket} cannot be reached.",
    )  # fmt: skip
    proxy.heal()
    monkeypatch.setenv("SITECMS_MEDIA_URL", in_bucket.replace("tide-media", "nobodys-bucket"))
    assert "no such bucket" in severities(examine_media(load_settings(site.folder), now()))["media"][1]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", READER)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", READER_SECRET)
    found = severities(examine_media(site, now()))
    assert (found["media"][0], found["media-permissions"][0]) == ("ok", "error")
    assert "AccessDenied" in found["media-permissions"][1]


def test_doctor_warns_of_a_public_listing(site: SiteSettings, monkeypatch: pytest.MonkeyPatch, in_bucket: str) -> None:
    """The listing contains the names of files that only drafts show."""
    monkeypatch.setenv("SITECMS_MEDIA_URL", in_bucket.replace(BUCKET, LISTED_BUCKET))
    assert severities(examine_media(load_settings(site.folder), now()))["media-listing"][0] == "warning"


def test_uploads_end_before_the_store_is_locked(
    example: ExampleSite, proxy: FaultyProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that only fields name are included: writers need not wait for the network."""
    example.image("media/only in a field.png", "lime")
    example.image("media/of-an-item.png", "red")
    example.write("content/pages/guide/reefs.yaml", {
        "title": "Reefs", "status": "published", "fields": {"cover": {"url": "media/only in a field.png"}},
    })  # fmt: skip
    example.write("content/collections/menu.yaml", [
        {"id": 1, "fields": {"label": "![x](media/of-an-item.png)", "url": "media/of-an-item.png"}},
    ])  # fmt: skip
    uploads: list[int] = []
    real = type(example.database).writing

    def writing(database: Database, **how: bool) -> object:
        uploads.append(proxy.asked("PUT"))
        return real(database, **how)

    monkeypatch.setattr(type(example.database), "writing", writing)
    example.load()
    assert uploads[-1] == proxy.asked("PUT")
    assert uploads[-1] >= 3
    assert verify_store(example.settings, LATER).findings == ()
