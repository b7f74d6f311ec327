"""Writes as the published Ruby and PHP clients send them, and as no client should, to a real `sitecms serve`.

The Ruby client sends everything it is given as one JSON object, with the token in the header, and updates pages at
`/pages/*/<slug>/`; in PHP an empty object is an empty list.
"""

import gzip
import socket
import time
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from tests.support.waiting import PATIENCE_SECONDS

Written = Any
AGENT = "ButterCMS/Ruby 2.0"


class Client:
    """Sends what the clients send; gives what they get."""

    def __init__(self, service: Written) -> None:
        self.base = service.base
        self.headers = {
            "User-Agent": AGENT,
            "Accept": "application/json",
            "Authorization": f"Token {service.write_token}",
        }

    def send(self, method: str, path: str, body: object) -> requests.Response:
        """As it is."""
        return requests.request(method, self.base + path, json=body, headers=self.headers, timeout=PATIENCE_SECONDS)

    def done(self, method: str, path: str, body: object) -> dict[str, Any]:
        """A write that must be accepted and applied; its acknowledgement."""
        answer = self.send(method, path, body)
        assert answer.status_code == 202, answer.text
        acknowledged: dict[str, Any] = answer.json()
        assert acknowledged["status"] == "pending"
        place, deadline = answer.headers["Location"].removeprefix("/v2"), time.monotonic() + PATIENCE_SECONDS
        while (outcome := self.read(place))["status"] == "accepted":
            assert time.monotonic() < deadline, "the worker does not apply it"
            time.sleep(0.05)
        assert outcome["status"] == "applied", outcome
        return acknowledged

    def read(self, path: str) -> Any:
        """What a path answers."""
        answer = requests.get(self.base + path, headers=self.headers, timeout=PATIENCE_SECONDS)
        assert answer.status_code == 200, (path, answer.text)
        return answer.json()

    def data(self, path: str) -> Any:
        """Below `data`, drafts too."""
        return self.read(f"{path}{'&' if '?' in path else '?'}preview=1")["data"]


@pytest.fixture(scope="module")
def client(written: Written) -> Client:
    """A client of a server whose worker runs."""
    return Client(written)


@pytest.mark.parametrize(
    "author",
    [
        {"email": "adam@cellar.example"},
        {"slug": "adam-yala", "first_name": "Somebody", "bio": "else"},
        {"email": "ADAM@cellar.example", "slug": ""},
        "adam-yala",
        "adam@cellar.example",
    ],
)
def test_authors_of_posts(client: Client, author: object) -> None:
    """By email or slug in an object with any further keys, or as a text."""
    title = f"By {author}"
    client.done("POST", "/posts/", {"title": title, "author": author, "slug": f"by-{len(title)}"})
    assert client.data(f"/posts/by-{len(title)}/")["author"]["slug"] == "adam-yala"


def test_terms_of_posts(client: Client) -> None:
    """Texts, or objects as reads give them, mixed; missing ones are made."""
    terms = ["Beer", {"name": "Cold Cellar", "slug": "cold"}, {"slug": "stairs"}]
    client.done("POST", "/posts/", {"title": "Filed", "status": "published", "categories": terms, "tags": terms[:2]})
    post = client.data("/posts/filed/")
    assert [term["name"] for term in post["categories"]] == ["Beer", "Cold Cellar", "stairs"]
    assert [term["slug"] for term in post["tags"]] == ["beer", "cold"]


def test_a_post_that_was_read_is_sent_back(client: Client) -> None:
    """It is taken, changes nothing but its time, and each key that cannot be set is warned of."""
    before = client.data("/posts/test-post/")
    warned = client.done("PATCH", "/posts/test-post/", before)
    assert {"warning: url field", "warning: created field", "warning: published field"} <= warned.keys()
    after = client.data("/posts/test-post/")
    assert {**after, "updated": before["updated"]} == before


def test_scheduling_is_ignored_with_a_warning(client: Client) -> None:
    """On update; on creation it is refused."""
    warned = client.done("PATCH", "/posts/plain/", {"status": "scheduled", "scheduled": "2031-01-01T00:00:00Z"})
    assert {"warning: status field", "warning: scheduled field"} <= warned.keys()
    assert client.send("POST", "/posts/", {"title": "x", "status": "scheduled"}).json().keys() == {"status"}


@pytest.mark.parametrize("spelling", ["page_type", "page-type"])
def test_pages(client: Client, spelling: str) -> None:
    """Both spellings of the type; the Ruby client's address for updates; a page that was read, sent back."""
    slug = f"as-{spelling.replace('_', '')}"
    fields = {"headline": "New", "author": 10, "related": ["hello-world"]}
    page = {"title": "New", "slug": slug, spelling: "news", "status": "published", "fields": fields}
    client.done("POST", "/pages/", page)
    client.done("PATCH", f"/pages/*/{slug}/", {"fields": {"intro": "Patched."}})
    read = client.data(f"/pages/news/{slug}/?levels=2")
    assert (read["fields"]["headline"], read["fields"]["intro"]) == ("New", "Patched.")
    assert read["fields"]["author"]["meta"] == {"id": 10}
    client.done("PATCH", f"/pages/*/{slug}/", read)
    again = client.data(f"/pages/news/{slug}/?levels=2")
    assert again["fields"] == read["fields"]


def test_items(client: Client) -> None:
    """Fields as a list, as an object, by locale; several at once; updated with an object; read, and sent back."""
    client.done(
        "POST", "/content/", {"key": "team", "fields": [{"name": "Ann"}, {"name": "Bo"}], "status": "published"}
    )
    client.done("POST", "/content/", {"key": "team", "fields": {"name": "Cy", "casks": "4"}})
    client.done("POST", "/content/", {"key": "team", "fields": [{"en": {"name": "Di"}, "es": {"name": "Día"}}]})
    items = {item["name"]: item for item in client.data("/content/team/?page_size=100")["team"]}
    assert {"Ann", "Bo", "Cy", "Di"} <= items.keys()
    assert items["Cy"]["casks"] == 4
    number = items["Di"]["meta"]["id"]
    assert client.data(f"/content/team/{number}/?locale=es")["name"] == "Día"
    client.done("PATCH", f"/content/team/{number}/", {"fields": {"casks": 7, "mentor": "10"}, "status": "published"})
    read = client.data(f"/content/team/{number}/")
    assert (read["name"], read["casks"], read["mentor"]["name"]) == ("Di", 7, "Rut Hale")
    for method in ("PATCH", "PUT"):
        client.done(method, f"/content/team/{number}/", {"fields": read})
        assert client.data(f"/content/team/{number}/") == read
    client.done("POST", "/content/", {"key": "team", "fields": [read]})


def test_empty_objects_of_php(client: Client) -> None:
    """They arrive as empty lists, and change nothing."""
    before = client.data("/pages/news/bare/"), client.data("/content/team/11/")
    client.done("PATCH", "/pages/news/bare/", {"fields": []})
    client.done("PATCH", "/content/team/11/", {"fields": []})
    assert client.data("/pages/news/bare/")["fields"] == before[0]["fields"]
    assert client.data("/content/team/11/") == before[1]


def test_errors_as_clients_read_them(client: Client) -> None:
    """400 maps fields to lists of texts, 404 and 401 have `detail`: what the Ruby client turns into exceptions."""
    refused = client.send("POST", "/posts/", {"title": "", "author": {"email": "nobody@cellar.example"}})
    assert refused.status_code == 400
    assert all(isinstance(texts, list) for texts in refused.json().values())
    assert client.send("PATCH", "/posts/nothing/", {}).json() == {"detail": "Not found."}
    nobody = requests.post(f"{client.base}/posts/", json={}, headers={"Authorization": "Token x"}, timeout=60)
    assert (nobody.status_code, list(nobody.json())) == (401, ["detail"])


def raw(client: Client, head: str, body: bytes, *, ends: bool = False) -> bytes:
    """A POST in bytes; `ends`: no more will be sent."""
    with socket.create_connection(("127.0.0.1", urlsplit(client.base).port or 0), timeout=PATIENCE_SECONDS) as to:
        start = f"POST /v2/posts/ HTTP/1.1\r\nHost: x\r\nAuthorization: {client.headers['Authorization']}\r\n"
        to.sendall(f"{start}Content-Type: application/json\r\nConnection: close\r\n{head}\r\n\r\n".encode())
        try:
            to.sendall(body)
            if ends:
                to.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused before everything was sent
        said = b""
        while b"}" not in said and (more := to.recv(65536)):
            said += more
        return said


def count(client: Client) -> int:
    """How many posts there are, drafts too."""
    return int(client.read("/posts/?preview=1")["meta"]["count"])


MANY = b" " * 10_485_761
JSON = b'{"title":"raw"}'
ZIPPED = gzip.compress(JSON)
TRANSPORTS = {
    "length": (f"Content-Length: {len(JSON)}", JSON, 202),
    "chunked": ("Transfer-Encoding: chunked", b"5\r\n" + JSON[:5] + b"\r\na\r\n" + JSON[5:] + b"\r\n0\r\n\r\n", 202),
    "too long": (f"Content-Length: {len(MANY)}", MANY, 413),
    "said to be too long": ("Content-Length: 99999999999", JSON, 413),
    "too long in chunks": ("Transfer-Encoding: chunked", b"a00001\r\n" + MANY + b"\r\n0\r\n\r\n", 413),
    "gzip": (f"Content-Encoding: gzip\r\nContent-Length: {len(ZIPPED)}", ZIPPED, 415),
    "half": ("Content-Length: 100", JSON, 400),
    "half of the text": ("Content-Length: 100", JSON[:9], 400),
    "half of a chunk": ("Transfer-Encoding: chunked", b"f\r\n" + JSON[:9], 400),
    "no length": ("X-Nothing: 1", JSON, 400),
    "no chunk": ("Transfer-Encoding: chunked", b"zz\r\n" + JSON, 400),
    "a negative length": ("Content-Length: -1", JSON, 400),
}


@pytest.mark.parametrize("name", TRANSPORTS)
def test_transports(client: Client, name: str) -> None:
    """Whole bodies are taken, chunked or not; others are refused with the right status, and the server goes on."""
    head, body, status = TRANSPORTS[name]
    before = count(client)
    said = raw(client, head, body, ends=name.startswith("half"))
    assert said.startswith(f"HTTP/1.1 {status} ".encode()), said[:200]
    deadline = time.monotonic() + PATIENCE_SECONDS
    while status == 202 and count(client) == before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert count(client) == before + (status == 202)
