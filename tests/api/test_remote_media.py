"""Media in object storage: redirects, streaming, and a storage that fails."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.request import Request, urlopen

import pytest
from flask.testing import FlaskClient

from sitecms.media.library import MediaLibrary, open_library
from sitecms.media.storage.bucket import ObjectStorage
from sitecms.runtime import Runtime, open_runtime
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.store.entries.media_files import save_media
from sitecms.web.service import create_app
from tests.support.object_storage import KEY, SECRET, FaultyProxy, ObjectServer, collect_sockets

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PDF = b"%PDF-1.4\n" + b"0123456789" * 10
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><path d="M0 0h2v2z"/></svg>'


class Served:
    """The API of the site with some settings of media, and its library."""

    def __init__(self, settings: SiteSettings) -> None:
        self.runtime: Runtime = open_runtime(settings, create=True)
        self.library: MediaLibrary = open_library(settings)
        self.client: FlaskClient = create_app(self.runtime, "http://127.0.0.1:8000").test_client()

    def add(self, data: bytes, name: str) -> str:
        """Keep a file, known to the store; its address."""
        media = self.library.add(data, name, NOON)
        self.runtime.database.write(save_media, media)
        return media.url

    def forget_copies(self) -> None:
        """As a machine that has read nothing yet."""
        for path in self.library.folder.glob("*.*"):
            path.unlink()


@pytest.fixture
def serve(
    site: SiteSettings, bucket: str, proxy: FaultyProxy, object_server: ObjectServer
) -> Iterator[Callable[..., Served]]:
    """Serve the site, its media behind the proxy; further settings of [media] by name."""
    started: list[Served] = []

    def start(**values: str) -> Served:
        url = bucket.replace(str(object_server.port), str(proxy.port))
        lines = [f'{name} = "{value}"' for name, value in {"url": url, **values}.items()]
        with (site.folder / "site.toml").open("a") as file:
            file.write("\n".join(["[media]", *lines, ""]))
        started.append(Served(load_settings(site.folder)))
        return started[-1]

    yield start
    for served in started:
        served.runtime.database.close()


def test_clients_are_redirected_to_a_signed_address(serve: Callable[..., Served], proxy: FaultyProxy) -> None:
    """It is valid for 15 minutes, and made without a request to the storage."""
    served = serve()
    address = served.add(PDF, "a.pdf")
    proxy.requests.clear()
    answered = served.client.get(address)
    assert (answered.status_code, answered.headers["Cache-Control"]) == (302, "private, max-age=300")
    assert proxy.requests == []
    target = answered.headers["Location"]
    assert "X-Amz-Expires=900" in target
    assert SECRET not in target
    with urlopen(target, timeout=60) as found:
        assert (found.read(), found.headers["Content-Type"]) == (PDF, "application/pdf")
    with urlopen(Request(target, headers={"Range": "bytes=9-18"}), timeout=60) as part:
        assert (part.status, part.read()) == (206, b"0123456789")


def test_documents_are_downloaded(serve: Callable[..., Served], bucket: str) -> None:
    """The signed address and the object have Content-Disposition; audio has its own type."""
    served = serve()
    for data, name, content_type, disposition in (
        (PDF + b"<script>1</script>", "a.pdf", "application/pdf", "attachment"),
        (b"ID3\x04\x00\x00<script>1</script>", "a.mp3", "audio/mpeg", "inline"),
    ):
        address = served.add(data, name)
        head = served.client.head(address)
        assert head.headers["Content-Disposition"].split(";")[0] == disposition
        assert (head.content_type, head.headers["X-Content-Type-Options"]) == (content_type, "nosniff")
        with urlopen(served.client.get(address).headers["Location"], timeout=60) as found:
            assert found.headers["Content-Type"] == content_type
            assert found.headers["Content-Disposition"] == disposition
        kept = head_of(served, address)
        assert (kept["ContentType"], kept["ContentDisposition"]) == (content_type, disposition)


def head_of(served: Served, address: str) -> dict[str, Any]:
    """What the storage says of the object."""
    storage = served.library.storage
    assert isinstance(storage, ObjectStorage)
    place = {"Bucket": storage.bucket.name, "Key": f"{storage.bucket.prefix}{address.removeprefix('/')}"}
    return dict(storage.client.ask(lambda s3: s3.head_object(**place)))


def test_head_and_304_need_no_storage(serve: Callable[..., Served], proxy: FaultyProxy) -> None:
    """HEAD has size, type and ETag; unknown names are 404."""
    served = serve()
    address = served.add(PDF, "a.pdf")
    proxy.fail(refuse=True)
    head = served.client.head(address)
    assert (head.status_code, head.data, head.content_type) == (200, b"", "application/pdf")
    assert (head.headers["Content-Length"], head.headers["Accept-Ranges"]) == (str(len(PDF)), "bytes")
    kept = {part.strip() for part in head.headers["Cache-Control"].split(",")}
    assert kept == {"public", "immutable", "max-age=31536000"}
    tag = head.headers["ETag"]
    for method in (served.client.get, served.client.head):
        known = method(address, headers={"If-None-Match": tag})
        assert (known.status_code, known.data, known.headers["ETag"]) == (304, b"", tag)
    for name in ("0" * 32 + ".pdf", "a.pdf", "..%2fsite.toml"):
        assert served.client.get(f"/media/{name}").status_code == 404


def test_object_that_the_store_does_not_know_is_404(serve: Callable[..., Served]) -> None:
    """An object in the bucket alone is not served."""
    served = serve()
    media = served.library.add(PDF, "a.pdf", NOON)
    assert served.client.get(media.url).status_code == 404


def test_public_address_is_used_in_responses(
    serve: Callable[..., Served], make_post: Callable[..., int], make_token: Callable[..., str]
) -> None:
    """Fields and bodies have it, and /media redirects to it."""
    served = serve(public_url="https://cdn.example/tide/")
    address = served.add(PDF, "a.pdf")
    make_post("ebb", featured_image=address, body=f'<p><img src="{address}" alt=""></p>')
    asked = served.client.get("/v2/posts/ebb/", headers={"Authorization": f"Token {make_token()}"})
    post = asked.get_json()["data"]
    assert post["featured_image"] == f"https://cdn.example/tide{address}"
    assert f'src="https://cdn.example/tide{address}"' in post["body"]
    answered = served.client.get(address)
    assert (answered.status_code, answered.headers["Location"]) == (302, f"https://cdn.example/tide{address}")


def test_streamed_files_equal_local_ones(serve: Callable[..., Served], proxy: FaultyProxy) -> None:
    """The file, its ranges and the policy of SVG are the same; the storage is read once."""
    served = serve(serve="stream")
    address, drawing = served.add(PDF, "a.pdf"), served.add(SVG, "a.svg")
    served.forget_copies()
    proxy.requests.clear()
    whole = served.client.get(address, buffered=True)
    assert (whole.status_code, whole.data, whole.content_type) == (200, PDF, "application/pdf")
    assert whole.headers["ETag"] == served.client.head(address).headers["ETag"]
    part = served.client.get(address, headers={"Range": "bytes=9-18"}, buffered=True)
    assert (part.status_code, part.data) == (206, b"0123456789")
    assert "sandbox" in served.client.get(drawing, buffered=True).headers["Content-Security-Policy"]
    assert "sandbox" in served.client.head(drawing).headers["Content-Security-Policy"]
    assert (proxy.asked("GET"), proxy.asked("HEAD")) == (2, 0)


@pytest.mark.parametrize(
    "errors",
    [
        pytest.param({"refuse": True}, id="refused"),
        pytest.param({"status": "503 Slow Down"}, id="slow-down"),
        pytest.param({"cut_after": 100}, id="cut", marks=pytest.mark.slow),
        pytest.param({"silent": True}, id="black-hole", marks=pytest.mark.slow),
        pytest.param({"drip_seconds": 0.5}, id="drips", marks=pytest.mark.slow),
    ],
)
def test_failing_storage_is_503_within_seconds(
    serve: Callable[..., Served], proxy: FaultyProxy, errors: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    """No secret is in response or log, and another process serves files again afterwards."""
    served = serve(serve="stream")
    address = served.add(PDF, "a.pdf")
    served.forget_copies()
    proxy.fail(**errors)
    started = time.monotonic()
    answered = served.client.get(address)
    assert time.monotonic() - started < 20
    assert answered.status_code == 503
    assert answered.get_json() == {"detail": "Media files cannot be read at the moment."}
    assert served.client.get("/health/live").status_code == 200
    shown = "".join(capsys.readouterr()) + answered.text
    assert SECRET not in shown
    assert KEY not in shown
    proxy.heal()
    collect_sockets()  # this one leaves the storage alone for a while
    assert served.client.get(address, buffered=True).data == PDF
