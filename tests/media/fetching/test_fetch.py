"""Fetching from servers that lie, stall, flood and send us elsewhere."""

import gzip
import os
import socket
import subprocess
import sys
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from sitecms.errors import FetchFailed, FetchRefused, FetchRejected, HostBusy, RemoteMissing
from sitecms.guarded_http.addresses import is_fetchable
from sitecms.media.fetching.fetch import MAX_REDIRECTS, FetchRules, fetch, probe
from tests.media.conftest import Remote

Start = Callable[..., Remote]
NEUTRAL = r"^[A-Z](?!.*(127\.|::1|/etc|user:pass|turn))[^\n]*\.$"
"""A sentence that repeats nothing of what a resolver or a remote host answered."""
CERTIFICATE = Path(__file__).parents[1] / "certificates" / "pictures.example.pem"
SEA = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nsea"


def here(**changes: object) -> FetchRules:
    """The rules of these tests: every name is on loopback, and those of pictures.example may be; times are long."""
    names = ("pictures.example", "more.example", "127.0.0.1")
    rules: dict[str, object] = {"connect_seconds": 20.0, "total_seconds": 20.0, "probe_seconds": 20.0, **changes}
    return FetchRules(allow_hosts=names, resolve=lambda *_: ["127.0.0.1"], **rules)  # type: ignore[arg-type]


def answer(body: bytes = b"sea", status: str = "200 OK", **headers: object) -> bytes:
    """A whole answer; header names with _ for -."""
    fields: dict[str, object] = {"Content_Length": len(body), **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items() if value is not None)
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode("latin-1") + body


def to(location: str, status: int = 302) -> bytes:
    """A redirect."""
    return answer(b"", f"{status} Elsewhere", Location=location)


def refused(url: str, rules: FetchRules) -> str:
    """The reason why a fetch fails, which its text gives without addresses."""
    with pytest.raises(FetchFailed, match=NEUTRAL) as failed:
        fetch(url, rules)
    return failed.value.reason


def test_a_file_is_fetched(remote: Start) -> None:
    """The body comes whole, under the name that its address ends in; the request tells nothing about us."""
    server = remote({"/a/My%20Sea.png": answer(b"sea" * 1000)})
    fetched = fetch(f"http://pictures.example:{server.port}/a/My%20Sea.png?size=2#x", here())
    assert (fetched.data, fetched.name) == (b"sea" * 1000, "My Sea.png")
    request = server.requests[0].lower()
    assert request.startswith("get /a/my%20sea.png?size=2 http/1.1\r\n")
    assert f"host: pictures.example:{server.port}\r\n" in request
    assert "accept-encoding: identity\r\n" in request
    assert not any(word in request for word in ("cookie", "authorization", "referer", "python"))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", "pictures.example"),
        ("/a/", "pictures.example"),
        ("/%0A%00a%2Fx.png", "x.png"),
        ("/" + "y" * 900, "y" * 200),
    ],
)
def test_file_names_are_cleaned(path: str, name: str, remote: Start) -> None:
    """A name has no control characters and at most 200 characters; without one, the host's is taken."""
    server = remote({path: SEA})
    assert fetch(f"http://pictures.example:{server.port}{path}", here()).name == name


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(status: int, remote: Start) -> None:
    """Three redirects are followed, absolute, relative and without a scheme."""
    server = remote({})
    server.scripts |= {
        "/1": to("/2", status),
        "/2": to(f"//more.example:{server.port}/a/3", status),
        "/a/3": to("4.png", status),
        "/a/4.png": SEA,
    }
    fetched = fetch(f"http://pictures.example:{server.port}/1", here())
    assert (fetched.data, fetched.name, server.connections) == (b"sea", "4.png", MAX_REDIRECTS + 1)


def test_a_fourth_redirect_is_not_followed(remote: Start) -> None:
    """Four redirects are one too many, and so is a redirect to itself."""
    server = remote({f"/{number}": to(f"/{number + 1}") for number in range(4)} | {"/loop": to("/loop"), "/4": SEA})
    assert "redirects" in refused(f"http://pictures.example:{server.port}/0", here())
    assert server.connections == 4
    assert "redirects" in refused(f"http://pictures.example:{server.port}/loop", here())
    assert server.connections == 8


@pytest.mark.parametrize("hops", [0, 1, 2])
@pytest.mark.parametrize(
    "target",
    [
        "http://127.1:{port}/",
        "http://localhost:{port}/",
        "http://2130706433:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://0:{port}/",
        "http://turned.example:{port}/",
        "https://localhost:{port}/",
        "//localhost:{port}/",
        "http://user:pass@pictures.example:{port}/",
        "http://pictures.example:25/",
        "ftp://pictures.example:{port}/",
        "file:///etc/passwd",
        "http://[broken:{port}/",
        "http://pictures.example\\@localhost:{port}/",
        "",
    ],
)
def test_redirects_to_forbidden_places(target: str, hops: int, remote: Start) -> None:
    """Each redirect is checked like the first address: none makes a further connection, after any number of hops."""
    server = remote({f"/{number}": to(f"/{number + 1}") for number in range(hops)})
    server.scripts[f"/{hops}"] = to(target.format(port=server.port))  # the port is allowed: the address decides
    refused(f"http://pictures.example:{server.port}/0", here())
    assert server.connections == hops + 1


def test_a_name_that_turns_private_between_redirects(remote: Start) -> None:
    """Each new connection is checked on what the resolver says at that time, and connects to that."""
    server = remote({})
    server.scripts["/"] = to(f"http://turning.example:{server.port}/")
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    rules = FetchRules(allow_hosts=(f"pictures.example:{server.port}",), resolve=resolve)
    assert "turning.example has the address 127.0.0.1" in refused(f"http://pictures.example:{server.port}/", rules)
    assert asked == ["pictures.example", "turning.example"]
    assert server.connections == 1


@pytest.mark.parametrize(
    "url",
    [
        "",
        "pictures.example/x.png",
        "/media/x.png",
        "ftp://pictures.example/",
        "http:///x.png",
        "http://a@pictures.example/",
        "http://:@pictures.example/",
        "http://pictures.example:0/",
        "http://pictures.example:99999/",
        "http://pictures.example/\r\nHost: x",
        "http://pictures.example/\x00",
        "http://pictures.example\\x",
        "http://[::1/",
        "javascript:alert(1)",
        "data:image/png;base64,AA",
        "http://pictures.example/" + "x" * 4096,
    ],
)
def test_addresses_that_are_not_tried(url: str) -> None:
    """What is no address of a file on the web is known before any network is asked."""
    assert not is_fetchable(url)
    with pytest.raises(FetchRefused, match=NEUTRAL):
        fetch(url, here())


@pytest.mark.parametrize(
    "url",
    [
        "https://pictures.example/a.png?x=@y#z",
        "HTTP://pictures.example:8080",
        "http://bücher.example/ä b.png",
        "http://[2606:4700::1111]/",
    ],
)
def test_addresses_that_are_tried(url: str) -> None:
    """Ordinary addresses are fetchable, with letters beyond ASCII too."""
    assert is_fetchable(url)


@pytest.mark.parametrize("status", [404, 410])
def test_missing_files_have_an_error_of_their_own(status: int, remote: Start) -> None:
    """A remote's own 404 or 410 is the one failure that the caller hears of."""
    server = remote({"/": answer(status=f"{status} Gone")})
    url = f"http://pictures.example:{server.port}/"
    with pytest.raises(RemoteMissing, match=rf"^The remote file could not be found \(HTTP {status}\)\.$"):
        fetch(url, here())
    assert probe(url, here()) == f"The remote file could not be found (HTTP {status})."


@pytest.mark.parametrize(
    "status", ["201 Made", "204 None", "206 Part", "300 Many", "304 Same", "401 No", "403 No", "451 No"]
)
def test_answers_that_no_second_try_changes(status: str, remote: Start) -> None:
    """They are rejected for good; a status from 400 on is known before a write is accepted."""
    server = remote({"/": answer(b"" if status[:3] in ("204", "304") else b"sea", status)})
    url = f"http://pictures.example:{server.port}/"
    with pytest.raises(FetchRejected, match=NEUTRAL) as rejected:
        fetch(url, here())
    assert probe(url, here()) == (str(rejected.value) if status >= "400" else "")


@pytest.mark.parametrize("status", ["408 Slow", "425 Early", "429 Later", "500 Broken", "503 Later", "999 What"])
def test_busy_hosts_may_be_asked_again(status: str, remote: Start) -> None:
    """The error has the time that the host asks to wait, as a number or a date, and the probe passes."""
    date = format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True)
    for value, seconds in (("7", 7), (None, 0), ("soon", 0), ("-3", 0), (date, 7200)):
        server = remote({"/": answer(b"", status, Retry_After=value)})
        url = f"http://pictures.example:{server.port}/"
        with pytest.raises(HostBusy, match=NEUTRAL) as busy:
            fetch(url, here())
        assert busy.value.seconds == pytest.approx(seconds, abs=600 if value == date else 0)
        assert probe(url, here()) == ""


@pytest.mark.parametrize(
    ("headers", "problem"),
    [
        ({"Content_Type": "text/html; charset=utf-8"}, "The URL leads to text/html, which is no media file."),
        ({"Content_Type": "application/json"}, "The URL leads to application/json, which is no media file."),
        ({"Content_Type": "image/png"}, ""),
        ({"Content_Type": "text/plain"}, ""),
        ({"Content_Type": "text/xml"}, ""),
        ({"Content_Type": None}, ""),
        ({"Content_Length": "20000001"}, "The remote file is larger than 19 MB."),
        ({"Content_Range": "bytes 0-0/20000001"}, "The remote file is larger than 19 MB."),
        ({"Content_Range": "bytes 0-0/*"}, ""),
    ],
)
def test_a_probe_reads_what_an_answer_promises(headers: dict[str, str], problem: str, remote: Start) -> None:
    """Types that are never media, and sizes above the limit, are known before a write is accepted."""
    server = remote({"/": answer(b"", **headers)})
    assert probe(f"http://pictures.example:{server.port}/", here(max_bytes=20_000_000)) == problem


def test_a_probe_says_which_setting_permits_a_private_host(remote: Start) -> None:
    """Nothing is sent to the host."""
    forbidden = remote({"/": SEA})
    rules = here()
    for host in ("localhost", "[::1]", "127.1"):
        problem = probe(f"http://{host}:{forbidden.port}/", rules)
        assert problem == (
            "The remote host is not on the public internet (allow_hosts in site.toml names private hosts that may be "
            "reached)."
        )
    assert forbidden.connections == 0


@pytest.mark.parametrize("coding", ["gzip", "deflate", "x-gzip"])
def test_compressed_files_are_decompressed(coding: str, remote: Start) -> None:
    """Object storage sends what was stored compressed so, whatever the request accepts; cut short, it may pass."""
    data = zlib.compress(b"sea" * 1000) if coding == "deflate" else gzip.compress(b"sea" * 1000)
    server = remote({"/": answer(data, Content_Encoding=coding), "/cut": answer(data[:-8], Content_Encoding=coding)})
    assert fetch(f"http://pictures.example:{server.port}/", here()).data == b"sea" * 1000
    with pytest.raises(FetchFailed) as broken:
        fetch(f"http://pictures.example:{server.port}/cut", here())
    assert not isinstance(broken.value, FetchRejected)


def silent(connection: socket.socket) -> None:
    """Say nothing until the other side gives up."""
    while connection.recv(1):
        pass


def drip(beginning: bytes, piece: bytes) -> Callable[[socket.socket], None]:
    """A beginning, then a piece every 50 ms until the other side gives up."""

    def script(connection: socket.socket) -> None:
        connection.sendall(beginning)
        while True:
            time.sleep(0.05)
            connection.sendall(piece)

    return script


def flood(beginning: bytes, piece: bytes = b"x" * 65536) -> Callable[[socket.socket], None]:
    """A beginning, then pieces as fast as they go until the other side gives up."""

    def script(connection: socket.socket) -> None:
        connection.sendall(beginning)
        while True:
            connection.sendall(piece)

    return script


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
SLOW = {
    "no answer": silent,
    "status line": drip(b"", b"H"),
    "header": drip(OK, b"X-Drip: 1\r\n"),
    "continue": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "body": drip(OK + b"Content-Length: 1000000\r\n\r\n", b"x"),
    "body without length": drip(OK + b"\r\n", b"x"),
    "chunks": drip(CHUNKED, b"1\r\nx\r\n"),
    "chunk extension": drip(CHUNKED + b"1", b";x"),
    "trailer": drip(CHUNKED + b"3\r\nsea\r\n0\r\n", b"X: 1\r\n"),
    "redirect, then nothing": to("/silent"),
}


@pytest.mark.parametrize("tls", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["http", "https"])
@pytest.mark.parametrize("case", SLOW)
def test_slow_answers_end_at_the_deadline(case: str, tls: bool, remote: Start) -> None:
    """However a server stalls or drips, the fetch ends at its deadline, over TLS as well."""
    server = remote({"/": SLOW[case], "/silent": silent}, tls=tls)
    begun = time.monotonic()
    url = f"http{'s' * tls}://pictures.example:{server.port}/"
    refused(url, here(total_seconds=0.6, ca_file=str(CERTIFICATE)))
    assert 0.4 < time.monotonic() - begun < 20


def test_tls_handshake_times_out(remote: Start) -> None:
    """A server that accepts and does not speak TLS costs the time to connect, no more."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        begun = time.monotonic()
        refused(f"https://pictures.example:{listener.getsockname()[1]}/", here(connect_seconds=0.4))
        assert time.monotonic() - begun < 20


def test_a_probe_has_its_own_budget(remote: Start) -> None:
    """What is slow or refuses connections passes the probe within its time."""
    server = remote({"/": silent})
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = closed.getsockname()[1]
    begun = time.monotonic()
    for url in (f"http://pictures.example:{server.port}/", f"http://pictures.example:{nobody}/"):
        assert probe(url, here(probe_seconds=0.5)) == ""
    assert time.monotonic() - begun < 20


def test_probe_requests_one_byte_at_most(remote: Start) -> None:
    """HEAD first; where that is not answered well, the first byte decides, and only its 404 counts."""

    def only_get(connection: socket.socket) -> None:
        head = server.requests[-1].startswith("HEAD")
        connection.sendall(answer(b"" if head else b"s", "404 No HEAD here" if head else "206 Partial Content"))

    server = remote({"/head": answer(b""), "/get": only_get, "/moved": to("/gone")})
    assert probe(f"http://pictures.example:{server.port}/head", here()) == ""
    assert [request.split(" ")[0] for request in server.requests] == ["HEAD"]
    assert probe(f"http://pictures.example:{server.port}/get", here()) == ""
    assert [request.split(" ")[0] for request in server.requests[1:]] == ["HEAD", "GET"]
    assert "range: bytes=0-0\r\n" in server.requests[-1].lower()
    assert "404" in probe(f"http://pictures.example:{server.port}/moved", here())


TOO_MUCH = {
    "body": flood(OK + b"\r\n"),
    "chunks": flood(CHUNKED, b"8000\r\n" + b"x" * 32768 + b"\r\n"),
    "tiny chunks": flood(CHUNKED, b"1\r\nx\r\n" * 10000),
    "endless chunk": flood(CHUNKED + b"7fffffffffffffff\r\n"),
    "negative chunk": flood(CHUNKED + b"-1\r\n"),
    "chunk extension": flood(CHUNKED + b"1;"),
    "trailer": flood(CHUNKED + b"3\r\nsea\r\n0\r\nX: "),
    "trailers": flood(CHUNKED + b"3\r\nsea\r\n0\r\n", b"X: y\r\n" * 10000),
    "status line": flood(b"HTTP/1.1 200 "),
    "header line": flood(OK + b"X: "),
    "headers": flood(OK, b"X: y\r\n" * 1000),
    "continues": flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
    "large header": OK + b"X: " + b"y" * 40_000 + b"\r\nContent-Length: 3\r\n\r\nsea",
    "claimed": OK + b"Content-Length: 1000001\r\n\r\nsea",
    "one byte": answer(b"x" * 1_000_001),
    "one byte, chunked": CHUNKED + b"f4241\r\n" + b"x" * 1_000_001 + b"\r\n0\r\n\r\n",
    "one byte, no length": OK + b"\r\n" + b"x" * 1_000_001,
}


@pytest.mark.parametrize("case", TOO_MUCH)
def test_oversized_response_fails_early(case: str, remote: Start) -> None:
    """Endless and oversized answers end long before the deadline, once their size is known."""
    server = remote({"/": TOO_MUCH[case]})
    begun = time.monotonic()
    refused(f"http://pictures.example:{server.port}/", here(total_seconds=30.0, max_bytes=1_000_000))
    assert time.monotonic() - begun < 20


def test_the_limit_itself_is_fetched(remote: Start) -> None:
    """A file of exactly the allowed size comes, with a length, in chunks, and until the connection ends."""
    whole = b"x" * 1_000_000
    chunks = b"".join(b"2710\r\n" + b"x" * 10_000 + b"\r\n" for _ in range(100)) + b"0\r\n\r\n"
    server = remote({"/length": answer(whole), "/chunks": CHUNKED + chunks, "/end": OK + b"\r\n" + whole})
    for path in server.scripts:
        url = f"http://pictures.example:{server.port}{path}"
        assert fetch(url, here(max_bytes=1_000_000)).data == whole


@pytest.mark.slow
def test_a_flood_costs_no_memory(remote: Start) -> None:
    """Endless answers of every kind take no more memory than a few of the largest file allowed."""
    server = remote({f"/{number}": script for number, script in enumerate(TOO_MUCH.values())})
    tracemalloc.start()
    try:
        for path in server.scripts:
            refused(f"http://pictures.example:{server.port}{path}", here(max_bytes=1_000_000, total_seconds=30.0))
        assert 1_000_000 < tracemalloc.get_traced_memory()[1] < 6_000_000
    finally:
        tracemalloc.stop()


WRONG = {
    "too short": OK + b"Content-Length: 10\r\n\r\nsea",
    "cut in a chunk": CHUNKED + b"a\r\nsea",
    "no last chunk": CHUNKED + b"3\r\nsea\r\n",
    "no chunks": CHUNKED + b"sea, the wide sea\r\n",
    "two lengths": OK + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nseas",
    "empty": answer(b""),
    "no HTTP": b"SSH-2.0-OpenSSH_9.6\r\n",
    "nothing": b"",
    "gzip": answer(gzip.compress(b"\0" * 50_000_000), Content_Encoding="gzip"),
    "gzip twice": answer(gzip.compress(gzip.compress(b"\0" * 1_000_000)), Content_Encoding="gzip, gzip"),
    "deflate": answer(b"x", Content_Encoding="deflate"),
    "brotli": answer(b"x", Content_Encoding="br"),
    "gzip in transfer": OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nsea\r\n0\r\n\r\n",
    "redirect with a bomb": answer(
        gzip.compress(b"\0" * 9_000_000), "302 Found", Content_Encoding="gzip", Location="/x"
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_answers_are_refused(case: str, remote: Start) -> None:
    """Lengths that lie, compressed bodies and what is no HTTP are no files."""
    server = remote({"/": WRONG[case], "/x": answer(status="500 No")})
    refused(f"http://pictures.example:{server.port}/", here())


@pytest.mark.parametrize("length", ["many", "-1", "", "1" * 5000, "0x3", "3.0"])
def test_invalid_content_length_is_ignored(length: str, remote: Start) -> None:
    """Without a usable length the file ends with the connection, or is refused; it is never cut."""
    server = remote({"/": OK + f"Content-Length: {length}\r\n\r\n".encode() + b"sea"})
    with suppress(FetchFailed):
        assert fetch(f"http://pictures.example:{server.port}/", here()).data == b"sea"


def test_bytes_after_the_content_length_are_ignored(remote: Start) -> None:
    """A file ends where its length says, whatever follows."""
    server = remote({"/": answer(b"sea and land", Content_Length=3)})
    assert fetch(f"http://pictures.example:{server.port}/", here()).data == b"sea"


def test_tls_verifies_the_name_that_was_asked_for(remote: Start) -> None:
    """A certificate of the name and of a believed authority is needed, though the connection is made by address."""
    server = remote({"/": SEA}, tls=True)
    url = f"https://pictures.example:{server.port}/"
    assert "CERTIFICATE_VERIFY_FAILED" in refused(url, here())
    other = refused(f"https://more.example:{server.port}/", here(ca_file=str(CERTIFICATE)))
    assert "more.example" in other
    assert "127.0.0.1" in refused(f"https://127.0.0.1:{server.port}/", here(ca_file=str(CERTIFICATE)))
    assert server.requests == []
    assert fetch(url, here(ca_file=str(CERTIFICATE))).data == b"sea"


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, remote: Start) -> Iterator[Remote]:
    """An environment that names a proxy, which must not be asked, and passwords, which must not be sent."""
    proxy = remote({})
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    monkeypatch.setenv("NO_PROXY", "")
    (tmp_path / ".netrc").write_text("default login ann password secret\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(CERTIFICATE))
    monkeypatch.setenv("CURL_CA_BUNDLE", str(CERTIFICATE))
    yield proxy
    assert proxy.connections == 0


def test_the_environment_is_ignored(environment: Remote, remote: Start) -> None:
    """No proxy, password or authority of the environment is used."""
    server = remote({"/": SEA})
    assert fetch(f"http://pictures.example:{server.port}/", here()).data == b"sea"
    assert "authorization" not in server.requests[0].lower()
    secure = remote({"/": SEA}, tls=True)
    refused(f"https://pictures.example:{secure.port}/", here())


def test_cookies_are_not_sent(remote: Start) -> None:
    """A cookie set on the way is not sent on."""
    server = remote({"/": answer(b"", "302 Found", Location="/x", Set_Cookie="a=b"), "/x": SEA})
    fetch(f"http://pictures.example:{server.port}/", here())
    assert "cookie" not in server.requests[1].lower()


def test_the_next_address_is_tried(remote: Start) -> None:
    """Where a name has several addresses, one that does not answer does not hide the next."""
    server = remote({"/": SEA})
    rules = FetchRules(allow_hosts=("pictures.example",), resolve=lambda *_: ["::1", "127.0.0.1"])
    assert fetch(f"http://pictures.example:{server.port}/", rules).data == b"sea"


def test_in_a_network_with_public_and_private_addresses(lacking: Callable[[str], None]) -> None:
    """In a network of its own, a public server is fetched from, and no redirect, name or address leads to a private."""
    if subprocess.run(["unshare", "-rn", "ip", "link", "set", "lo", "up"], capture_output=True, check=False).returncode:
        lacking("network namespaces are not permitted here (unshare -rn, ip)")
    program = Path(__file__).parents[1] / "public_network.py"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = subprocess.run(
        ["unshare", "-rn", sys.executable, str(program)], capture_output=True, text=True, env=environment, timeout=300
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines() == ["fetched 4", "refused 65", "connections to private addresses 0"]
