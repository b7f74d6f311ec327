"""A real server over object storage that comes and goes: what was accepted is applied, and readers are told."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests

from sitecms.actions.operations.verify.verify import verify_store
from sitecms.clock import now
from sitecms.media.library import open_library
from sitecms.runtime import Runtime
from sitecms.settings.site import load_settings
from tests.support.object_storage import KEY, SECRET, FaultyProxy, ObjectServer, collect_sockets
from tests.support.waiting import until
from tests.support.web_hosts import Reply, web_host

pytestmark = [pytest.mark.sqlite_only("the engine plays no part"), pytest.mark.slow]
Serve = Callable[..., Any]
WRITES = 12


@pytest.fixture
def pictures() -> Iterator[str]:
    """A server of remote files, a document of its own for each path; its host and port."""
    with web_host(lambda request: Reply(b"%PDF-1.4 " + request.path.encode() * 2000)) as address:
        yield address.removeprefix("http://")


@pytest.fixture
def proxy(
    runtime: Runtime, bucket: str, object_server: ObjectServer, pictures: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FaultyProxy]:
    """Before the storage, where the site keeps its media from now on; files are handed on by the API server."""
    started = FaultyProxy(object_server.port)
    with (runtime.settings.folder / "site.toml").open("a") as file:
        file.write(f'[media]\nallow_hosts = ["{pictures}"]\nserve = "stream"\n[logs]\naccess = true\nlevel = "debug"\n')
    monkeypatch.setenv("SITECMS_MEDIA_URL", bucket.replace(str(object_server.port), str(started.port)))
    yield started
    started.close()
    collect_sockets()


def test_writes_outlive_storage_and_workers(serve: Serve, runtime: Runtime, proxy: FaultyProxy, pictures: str) -> None:
    """Each of the writes is applied with its file, though storage fails in turn and the worker is killed again and
    again; nothing of it names a secret.
    """
    server = serve("--workers", "1")
    errors: list[dict[str, Any]] = [
        {"status": "503 Slow Down"}, {"refuse": True}, {"cut_after": 5000, "of_request": True}, {},
    ]  # fmt: skip
    for number in range(WRITES):
        proxy.fail(**errors[number % len(errors)])
        url = f"http://{pictures}/{number}.pdf"
        body = {"title": f"Post {number}", "status": "published", "featured_image": url}
        assert server.send("POST", "/v2/posts/", body).status_code == 202
        if number % 3 == 2:
            time.sleep(0.4)
            worker = next((pid for pid, command in server.children().items() if " worker " in command), None)
            if worker:
                os.kill(worker, signal.SIGKILL)
            server.add_workers(1)
    proxy.heal()
    paths = [f"/v2/posts/post-{number}/" for number in range(WRITES)]
    assert until(lambda: all(server.send("GET", path).status_code == 200 for path in paths), 60)
    for number, path in enumerate(paths):
        image = server.send("GET", path).json()["data"]["featured_image"]
        assert image.startswith(server.url)
        assert requests.get(image, timeout=60).content == b"%PDF-1.4 " + f"/{number}.pdf".encode() * 2000
    settings = load_settings(runtime.settings.folder)
    assert len(open_library(settings).names()) == WRITES
    kinds = {finding.kind for finding in verify_store(settings, now()).findings}
    assert kinds <= {"claim-abandoned"}
    server.log.flush()
    told = (runtime.settings.folder.parent / "serve.log").read_text()
    assert "write_applied" in told
    assert not [secret for secret in (SECRET, KEY, "X-Amz-Signature") if secret in told]


def test_a_black_hole_holds_no_reader(serve: Serve, runtime: Runtime, proxy: FaultyProxy, pictures: str) -> None:
    """While a file cannot be had, the server says so within seconds; posts are read meanwhile, and the file later."""
    server = serve("--workers", "2")
    url = f"http://{pictures}/a.pdf"
    server.send("POST", "/v2/posts/", {"title": "Ebb", "status": "published", "featured_image": url})
    assert until(lambda: server.send("GET", "/v2/posts/ebb/").status_code == 200)
    image = server.send("GET", "/v2/posts/ebb/").json()["data"]["featured_image"]
    for path in open_library(load_settings(runtime.settings.folder)).folder.glob("*.pdf"):
        path.unlink()
    proxy.fail(silent=True)
    begun = time.monotonic()
    assert requests.get(image, timeout=60).status_code == 503
    assert time.monotonic() - begun < 20
    begun = time.monotonic()
    for _ in range(10):
        assert requests.get(image, timeout=60).status_code in (503, 200)
        assert server.send("GET", "/health/live").status_code == 200
    assert time.monotonic() - begun < 30
    proxy.heal()
    assert until(lambda: requests.get(image, timeout=60).status_code == 200, 60, 0.5)
