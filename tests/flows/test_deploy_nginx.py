"""nginx with what `sitecms deploy nginx` prints, before a built site and a running API."""

import gzip
import http.client
import json
import re
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from requests.adapters import HTTPAdapter

from sitecms.actions.accounts.users import add_user
from sitecms.cli.commands.deploy import guide
from sitecms.clock import now
from sitecms.content.token import Scope, new_secret, secret_digest
from sitecms.content.user import Role
from sitecms.site.plan.header_files import FOREVER, security_policy
from sitecms.store.writes.tokens import NO_LIMITS, insert_token
from sitecms.web_address import base_url
from tests.support.nginx import MISSING, nginx_program, running_nginx
from tests.support.ports import free_port
from tests.support.sites import ExampleSite
from tests.support.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only("what stands around a site does not see its store")]
SECONDS = 60.0
MEGABYTE = 1024 * 1024


@contextmanager
def running_api(folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """`sitecms serve` with one web process, so that a client that held it up would stop everything."""
    command = [sys.executable, "-m", "sitecms", "serve", str(folder), "--port", str(port), "--workers", "1"]
    with (folder.parent / "serve.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("sitecms serves")
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=SECONDS)


def printed(folder: Path, *options: str) -> str:
    """What the command prints for nginx."""
    command = [sys.executable, "-m", "sitecms", "deploy", "nginx", str(folder), *options]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    return result.stdout


@dataclass(frozen=True)
class Deployed:
    """A site, its API and the nginx before both; `folder` is nginx's own."""

    example: ExampleSite
    folder: Path
    port: int
    api_port: int

    @property
    def url(self) -> str:
        """Where nginx listens."""
        return f"http://127.0.0.1:{self.port}"

    def token(self, name: str, scope: Scope = Scope.READ) -> str:
        """A new one; its secret."""
        secret = new_secret()
        self.example.database.write(insert_token, name, scope, secret_digest(secret), now(), None, NO_LIMITS)
        return secret

    def get(self, path: str, secret: str = "", **headers: str) -> requests.Response:
        """Through nginx."""
        named = {"Authorization": f"Token {secret}"} if secret else {}
        named |= {name.replace("_", "-"): text for name, text in headers.items()}
        return requests.get(self.url + path, headers=named, allow_redirects=False, timeout=SECONDS)

    def behind(self, path: str, secret: str = "") -> requests.Response:
        """From the API itself, in the coding that nginx asks for."""
        headers = {"Authorization": f"Token {secret}", "Accept-Encoding": "gzip"}
        return requests.get(f"http://127.0.0.1:{self.api_port}{path}", headers=headers, timeout=SECONDS)


@pytest.fixture(scope="module")
def deployed(
    lacking: Callable[[str], None],
    tmp_path_factory: pytest.TempPathFactory,
    make_example: Callable[[Path], ExampleSite],
) -> Iterator[Deployed]:
    """The small site with compressed copies, built; one host for site and API."""
    if nginx_program() is None:
        lacking(MISSING)
    folder = tmp_path_factory.mktemp("deployed")
    example = make_example(folder / "tide")
    example.settings_are(
        delivery={"precompress": ["gz"]},
        metrics={"enabled": True},
        serve={"url": "https://tide.example", "trusted_proxies": 1, "hsts_seconds": 60},
    )
    example.post("slack", published="2026-03-01T08:00:00Z", aliases=["/old-slack/"])
    example.make()
    made = Deployed(example, folder, free_port(), free_port())
    options = {
        "--listen": f"127.0.0.1:{made.port}", "--inner": f"127.0.0.1:{free_port()}",
        "--upstream": f"127.0.0.1:{made.api_port}", "--cache": f"{folder}/cache", "--logs": str(folder),
    }  # fmt: skip
    conf = printed(example.folder, *(word for pair in options.items() for word in pair))
    with running_api(example.folder, made.api_port), running_nginx(conf, folder / "nginx"):
        yield made
    example.database.close()


def test_the_site_is_there_with_its_headers(deployed: Deployed) -> None:
    """Pages, compressed copies, assets for good, redirects, its own page for what is missing; no server file."""
    example = deployed.example
    page = deployed.get("/blog/slack/", Accept_Encoding="gzip")
    assert page.headers["Content-Security-Policy"] == security_policy(example.settings, searchable=False)
    assert (page.headers["Content-Encoding"], page.headers["Cache-Control"]) == ("gzip", "no-cache")
    assert page.text == gzip.decompress((example.public / "blog/slack/index.html.gz").read_bytes()).decode()
    again = deployed.get("/blog/slack/", If_None_Match=page.headers["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    asset = next(path for path in sorted(example.tree()) if re.match(r"assets/.*\.css$", path))
    assert deployed.get(f"/{asset}").headers["Cache-Control"] == FOREVER
    assert deployed.get("/old-slack/").headers["Location"] == "/blog/slack/"
    missing = deployed.get("/no/such/")
    assert (missing.status_code, missing.text) == (404, example.text("404.html"))
    for path in ("/_headers", "/_redirects", "/nginx-headers.conf", "/nginx-redirects.map", "/.sitecms-manifest.json"):
        assert deployed.get(path).status_code == 404, path


def test_a_build_shows_at_once_and_as_a_whole(deployed: Deployed) -> None:
    """Every file of the new generation, the next moment; none is remembered from the one before."""
    example = deployed.example
    for turn in range(3):
        example.post("slack", f"Turn {turn} of the tide.", published="2026-03-01T08:00:00Z", aliases=["/old-slack/"])
        example.make()
        for path, data in example.tree().items():
            if path.endswith(("index.html", ".css", ".xml")) and path != "old-slack/index.html":
                address = path.removesuffix("index.html")
                assert deployed.get(f"/{address}", Accept_Encoding="identity").content == data, path
        assert f"Turn {turn} of" in deployed.get("/blog/slack/").text


def test_answers_are_kept_and_asked_for_anew(deployed: Deployed) -> None:
    """The body comes from nginx, the word that it holds from the API: MISS, then REVALIDATED; 304 for who has it."""
    secret = deployed.token("kept")
    first, second = (deployed.get("/v2/posts/?page_size=2", secret) for _ in range(2))
    assert [answer.headers["X-Cache"] for answer in (first, second)] == ["MISS", "REVALIDATED"]
    behind = deployed.behind("/v2/posts/?page_size=2", secret)
    assert first.content == second.content == behind.content
    assert (second.headers["ETag"], second.headers["Cache-Control"]) == (first.headers["ETag"], "private, no-cache")
    own = {"Server", "Date", "Connection", "X-Cache", "Content-Length"}
    assert {name.lower(): value for name, value in second.headers.items() if name not in own} == {
        name.lower(): value for name, value in behind.headers.items() if name.title() not in own
    }
    had = deployed.get("/v2/posts/?page_size=2", secret, If_None_Match=first.headers["ETag"])
    assert (had.status_code, had.content, had.headers["X-Cache"]) == (304, b"", "REVALIDATED")
    plain = {"Accept-Encoding": "identity"}
    head = requests.head(f"{deployed.url}/v2/posts/?page_size=2&auth_token={secret}", headers=plain, timeout=SECONDS)
    assert (head.status_code, head.headers["Content-Length"]) == (200, str(len(first.content)))


def test_answers_are_compressed_and_kept_with_gzip_and_without(deployed: Deployed) -> None:
    """As each client takes it, whatever was kept for others."""
    secret = deployed.token("packed")
    for _ in range(2):
        for accepted, coding in (("gzip, deflate, br", "gzip"), ("br", None), ("deflate, gzip;q=0", None)):
            answer = deployed.get("/v2/posts/?page_size=9", secret, Accept_Encoding=accepted)
            assert answer.headers.get("Content-Encoding") == coding, accepted
            assert answer.headers["Vary"] == "Authorization, Accept-Encoding"
            assert len(answer.json()["data"]) > 1
            known = {"Accept_Encoding": accepted, "If_None_Match": answer.headers["ETag"]}
            assert deployed.get("/v2/posts/?page_size=9", secret, **known).status_code == 304


def test_a_write_shows_in_the_very_next_answer(deployed: Deployed) -> None:
    """As soon as the API has applied it; `If-Match` with the tag of a kept answer holds for one write."""
    secret = deployed.token("writer", Scope.WRITE)
    named = {"Authorization": f"Token {secret}"}
    path = "/v2/posts/gale/"
    for turn in range(4):
        known = deployed.get(path, secret)
        body, held = {"title": f"Gale {turn}"}, {**named, "If-Match": known.headers["ETag"]}
        sent = requests.patch(deployed.url + path, json=body, headers=held, timeout=SECONDS)
        assert sent.status_code == 202, sent.text
        while deployed.behind(path, secret).headers["ETag"] == known.headers["ETag"]:
            time.sleep(0.005)
        assert deployed.get(path, secret).json()["data"]["title"] == f"Gale {turn}"
        assert requests.patch(deployed.url + path, json=body, headers=held, timeout=SECONDS).status_code == 412


def test_no_token_gets_what_was_kept_for_another(deployed: Deployed) -> None:
    """Another token has its own; a wrong or revoked one and none at all get 401, however much was kept."""
    one, other = deployed.token("one"), deployed.token("other")
    answers = [deployed.get("/v2/authors/", secret) for secret in (one, one, other)]
    assert [answer.headers["X-Cache"] for answer in answers] == ["MISS", "REVALIDATED", "MISS"]
    assert {answer.status_code for answer in answers} == {200}
    for secret in ("", "wrong"):
        assert deployed.get("/v2/authors/", secret).status_code == 401
    command = [sys.executable, "-m", "sitecms", "token", "revoke", str(deployed.example.folder), "one"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    time.sleep(1.1)  # a web process looks a token up once a second
    assert deployed.get("/v2/authors/", one).status_code == 401
    assert deployed.get("/v2/authors/", other).status_code == 200


def test_drafts_and_errors_are_not_kept(deployed: Deployed) -> None:
    """However the parameter is written; no file of nginx holds a word of them."""
    secret = deployed.token("editor")
    for query in ("preview=1", "preview=1", "pr%65view=1", "preview=true"):
        answer = deployed.get(f"/v2/posts/secret/?{query}", secret)
        assert (answer.status_code, answer.headers["X-Cache"]) == (200, "MISS"), query
        assert answer.json()["data"]["title"] == "Classified"
    for _ in range(2):
        assert deployed.get("/v2/posts/secret/", secret).headers["X-Cache"] == "MISS"
    kept = [path.read_bytes() for path in (deployed.folder / "cache").rglob("*") if path.is_file()]
    assert kept
    assert not [data for data in kept if b"Classified" in data or b"Not found." in data]


def test_an_answer_has_the_id_of_its_own_request(deployed: Deployed) -> None:
    """Not that of the request which it was kept for."""
    secret = deployed.token("traced")
    ids = [deployed.get("/v2/tags/", secret, X_Request_ID=sent).headers["X-Request-ID"] for sent in ("a-1", "b-2")]
    assert ids == ["a-1", "b-2"]
    assert "X-Request-ID" not in deployed.get("/v2/tags/", secret).headers
    made = deployed.get("/v2/tags/?page=x", secret, X_Request_ID="not sound!")
    assert re.fullmatch(r"[0-9a-f]{16}", made.headers["X-Request-ID"])


def test_studio_is_reached_and_never_kept(deployed: Deployed) -> None:
    """Its pages and forms pass, with their own policy, and the cookie is for https alone."""
    password = "correct horse battery staple"
    add_user(deployed.example.database, None, "mira", Role.ADMIN, "", password, "Tide", now())
    assert (deployed.get("/studio").status_code, deployed.get("/studio").headers["Location"]) == (301, "/studio/")
    page = deployed.get("/studio/sign-in/")
    assert (page.status_code, page.headers["Cache-Control"]) == (200, "no-store")
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    style = re.findall(r'href="(/studio/assets/[^"]+)"', page.text)[0]
    assert "immutable" in deployed.get(style).headers["Cache-Control"]
    signed_in = requests.post(
        f"{deployed.url}/studio/sign-in/",
        data={"name": "mira", "password": password},
        headers={"Sec-Fetch-Site": "same-origin", "Host": "tide.example"},
        allow_redirects=False,
        timeout=SECONDS,
    )
    assert (signed_in.status_code, signed_in.headers["Location"]) == (303, "/studio/signed-in/")
    assert signed_in.headers["Set-Cookie"].startswith("__Host-sitecms=")
    assert "Secure" in signed_in.headers["Set-Cookie"]


def test_slow_senders_wait_in_nginx(deployed: Deployed) -> None:
    """Thirty bodies that stop half-way: the API's only web process answers others, and takes one when it is whole."""
    secret = deployed.token("slow", Scope.WRITE)
    body = json.dumps({"title": "Dripping", "slug": "dripping", "status": "published"}).encode()
    head = (
        f"POST /v2/posts/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token {secret}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    slow = [socket.create_connection(("127.0.0.1", deployed.port), timeout=SECONDS) for _ in range(30)]
    for each in slow:
        each.sendall(head.encode() + body[:20])
    started = time.monotonic()
    assert deployed.get("/v2/posts/", secret).status_code == 200
    assert deployed.get("/health/live").status_code == 200
    assert time.monotonic() - started < 20
    slow[0].sendall(body[20:])
    assert slow[0].recv(100).startswith(b"HTTP/1.1 202")
    for each in slow:
        each.close()


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", 400),
        ("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", 400),
        ("Content-Length: 2\r\nContent-Length: 3\r\n", 400),
        ("X-Name: a\rContent-Length: 3\r\n", 400),
        ("Transfer-Encoding: chunked\r\n", 202),
        ("X-Name: a\nTransfer-Encoding: chunked\n", 202),
    ],
)
def test_no_request_is_read_in_two_ways(deployed: Deployed, head: str, status: int) -> None:
    """One with two lengths is refused; lines that end in a line feed alone reach the API as any others."""
    secret = deployed.token(f"twice{status}{len(head)}{head[:3]}", Scope.WRITE)
    body = b'{"title": "Read once"}'
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    start = f"POST /v2/posts/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token {secret}\r\n{head}\r\n"
    with socket.create_connection(("127.0.0.1", deployed.port), timeout=SECONDS) as connection:
        connection.sendall(start.encode() + chunked)
        assert connection.recv(100).startswith(f"HTTP/1.1 {status} ".encode())


def test_bodies_beyond_the_limit_are_refused_in_json(deployed: Deployed) -> None:
    """By nginx, at the size at which the API would refuse them."""
    named = {"Authorization": f"Token {deployed.token('large', Scope.WRITE)}"}
    for size, status in ((10 * MEGABYTE, 400), (10 * MEGABYTE + 1, 413)):
        answer = requests.post(f"{deployed.url}/v2/posts/", data=b"[" * size, headers=named, timeout=SECONDS)
        assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/json")
        assert answer.json().keys() == {"detail"}


class _From(HTTPAdapter):
    """Connections from another loopback address, as from a stranger's machine."""

    def init_poolmanager(self, *arguments: object, **options: object) -> None:
        super().init_poolmanager(*arguments, **options, source_address=("127.0.0.2", 0))  # type: ignore[arg-type]


def test_strangers_ask_neither_for_health_nor_for_metrics(deployed: Deployed) -> None:
    """nginx's own machine may ask whether the API is ready; metrics are had from the API itself alone."""
    command = [sys.executable, "-m", "sitecms", "build", str(deployed.example.folder), "--no-load"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    metrics = deployed.behind("/metrics").text
    for name in re.findall(r"`(sitecms_[a-z_]+)`", guide()):
        assert f"\n{name}" in metrics, name
    with requests.Session() as stranger:
        stranger.mount("http://", _From())
        assert stranger.get(f"{deployed.url}/blog/slack/", timeout=SECONDS).status_code == 200
        for path in ("/health/live", "/health/ready"):
            assert stranger.get(deployed.url + path, timeout=SECONDS).status_code == 403
            assert deployed.get(path).status_code == 200
        for path in ("/metrics", "/metrics/", "//metrics", "/v2/../metrics", "/%6detrics"):
            assert stranger.get(deployed.url + path, timeout=SECONDS).status_code == 404, path
            assert "sitecms_" not in deployed.get(path).text


def test_media_of_the_site_and_of_the_api(deployed: Deployed) -> None:
    """The site's own come from its folder; others from the API, and are kept."""
    published = next(path for path in sorted(deployed.example.tree()) if path.startswith("media/"))
    assert "X-Cache" not in deployed.get(f"/{published}").headers
    image = deployed.behind("/v2/authors/ann-ray/", deployed.token("seer")).json()["data"]["profile_image"]
    path = image.removeprefix("https://tide.example")
    (deployed.example.public / path.lstrip("/")).unlink(missing_ok=True)
    first, second = (deployed.get(path) for _ in range(2))
    assert (first.status_code, second.headers["X-Cache"], second.content) == (200, "HIT", first.content)
    assert second.headers["Cache-Control"].endswith("immutable")
    assert deployed.get("/docs").headers["Content-Type"].startswith("text/html")
    assert deployed.get("/docs/").headers["Location"] == "/docs"


def test_logs_hold_no_token(deployed: Deployed) -> None:
    """Not even one that was sent in the query."""
    secret = deployed.token("loud")
    assert deployed.get(f"/v2/posts/?auth_token={secret}").status_code == 200
    log = deployed.folder / "sitecms_tide.access.log"
    assert until(lambda: log.read_text("utf-8").rstrip().endswith("cache=MISS id=-"))
    assert '"GET /v2/posts/ HTTP/1.1" 200' in log.read_text("utf-8")
    assert secret not in log.read_text("utf-8")


def test_readers_go_on_while_the_api_is_away(
    deployed: Deployed, lacking: Callable[[str], None], tmp_path: Path
) -> None:
    """They get what they got last; writes and what was never asked for get 503 in JSON; both work again at once."""
    secret, port, api_port = deployed.token("patient", Scope.WRITE), free_port(), free_port()
    options = ("--listen", f"127.0.0.1:{port}", "--inner", f"127.0.0.1:{free_port()}", "--cache", f"{tmp_path}/cache")
    conf = printed(deployed.example.folder, *options, "--upstream", f"127.0.0.1:{api_port}", "--logs", str(tmp_path))
    here = Deployed(deployed.example, tmp_path, port, api_port)
    with running_nginx(conf, tmp_path / "nginx"):
        with running_api(deployed.example.folder, api_port):
            before = here.get("/v2/posts/", secret)
            assert before.status_code == 200
        stale = here.get("/v2/posts/", secret)
        assert (stale.status_code, stale.headers["X-Cache"], stale.content) == (200, "STALE", before.content)
        assert here.get("/v2/posts/").status_code == 503  # without a token nothing was kept
        assert here.get("/blog/slack/").status_code == 200
        for answer in (here.get("/v2/authors/", secret), requests.post(f"{here.url}/v2/posts/", json={}, timeout=60)):
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
            assert answer.json() == {"detail": "The service does not answer at the moment."}
        with running_api(deployed.example.folder, api_port):
            assert until(lambda: here.get("/v2/posts/", secret).headers["X-Cache"] == "REVALIDATED")
            assert here.get("/v2/authors/", secret).status_code == 200


def test_the_lines_for_tls_are_right(deployed: Deployed, repo: Path, tmp_path: Path) -> None:
    """Taken in as their comment says, with a certificate: pages and API by https; both tell browsers to stay there."""
    port, certificate = free_port(), repo / "tests/media/certificates/pictures.example.pem"
    options = ("--inner", f"127.0.0.1:{free_port()}", "--cache", f"{tmp_path}/cache", "--logs", str(tmp_path))
    conf = printed(deployed.example.folder, *options, "--upstream", f"127.0.0.1:{deployed.api_port}")
    conf = re.sub(r"^ *#?listen (80|\[::\]:80|\[::\]:443 ssl http2);$", "", conf, flags=re.MULTILINE)
    conf = re.sub(r"^( *)#(listen 443|ssl_|add_header)", r"\1\2", conf, flags=re.MULTILINE)
    conf = conf.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
    conf = re.sub(r"/etc/letsencrypt/live/tide\.example/\w+\.pem", str(certificate), conf)
    secret = deployed.token("by https")
    with running_nginx(conf, tmp_path / "nginx"):
        unverified = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=SECONDS, context=unverified)
        for path, seconds in (("/blog/slack/", 31536000), ("/v2/posts/", 60), ("/v2/posts/", 60)):
            connection.request("GET", path, headers={"Authorization": f"Token {secret}"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200
            assert answer.headers["Strict-Transport-Security"] == f"max-age={seconds}"
        connection.close()
    assert "Strict-Transport-Security" not in deployed.get("/v2/posts/", secret).headers


@pytest.mark.parametrize(
    ("url", "api"),
    [("https://tide.example/mag", ""), ("https://a.example", "https://api.example"), ("https://müller.example/ü", "")],
)
def test_other_addresses(deployed: Deployed, tmp_path: Path, url: str, api: str) -> None:
    """A site in a folder of its host, and an API on a host of its own."""
    folder, port = tmp_path / "tide", free_port()
    (folder / "public/blog").mkdir(parents=True)
    (folder / "site.toml").write_text(f'name = "Tide"\nurl = "{url}"\n[serve]\nurl = "{api}"\n', encoding="utf-8")
    (folder / "public/blog/index.html").write_text("The posts", encoding="utf-8")
    (folder / "public/404.html").write_text("Nothing here", encoding="utf-8")
    options = ("--listen", f"127.0.0.1:{port}", "--inner", f"127.0.0.1:{free_port()}", "--cache", f"{tmp_path}/cache")
    conf = printed(folder, *options, "--upstream", f"127.0.0.1:{deployed.api_port}", "--logs", str(tmp_path))
    url = base_url(url)
    secret, base = deployed.token(f"at {url}"), urlsplit(url).path
    here = Deployed(deployed.example, tmp_path, port, deployed.api_port)
    with running_nginx(conf, tmp_path / "nginx"):
        site, service = url.split("/")[2], api.removeprefix("https://") or url.split("/")[2]
        assert here.get(f"{base}/blog/", Host=site).text == "The posts"
        assert here.get(f"{base}/no/", Host=site).text == "Nothing here"
        assert here.get(f"{base}/blog", Host=site).headers["Location"] == f"{base}/blog/"
        assert here.get("/v2/posts/", secret, Host=service).status_code == 200
        assert here.get("/docs", Host=service).status_code == 200
        assert here.get("/metrics", Host=service).status_code == 404
        assert here.get("/v2/posts/", secret, Host=site).status_code == (404 if api else 200)
