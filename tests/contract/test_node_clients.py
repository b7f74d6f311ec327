"""npm `buttercms` 3.x and 1.2.x, unmodified, from Node: every method, errors included, against a served site."""

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

pytestmark = pytest.mark.slow
SCRIPTS = Path(__file__).parent / "node"
CALLS_SECONDS = 300
CLIENTS = ("3-import", "3-require", "1")
Outcome = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A call, `resource.method` with arguments, and what must come of it: slugs or ids in order, or an error.

    With `status` above 200, `detail` is the error's text or its beginning. In `test_mode` drafts are asked for.
    """

    call: str
    args: tuple[object, ...] = ()
    expected: object = None
    status: int = 200
    detail: str = ""
    test_mode: bool = False
    clients: tuple[str, ...] = CLIENTS

    @property
    def id(self) -> str:
        """What the test is called."""
        arguments = json.dumps(self.args)[1:-1]
        return f"{self.call}({arguments[:60]}){'-testMode' * self.test_mode}"


LEVELS = "levels query parameter should be an integer between 1 and 5 (inclusive)"
ALL_POSTS = ["test-post", "cold-hops", "pressed-apples", "plain"]
MODERN = ("3-import", "3-require")
CASES = (
    Case("post.list", (), ALL_POSTS),
    Case("post.list", ({"page": 2, "page_size": 3},), ["plain"]),
    Case("post.list", ({"limit": 2, "offset": 1},), ["cold-hops", "pressed-apples"]),
    Case("post.list", ({"author_slug": "eva-lund"},), ["pressed-apples"]),
    Case("post.list", ({"category_slug": "beer", "tag_slug": "oak", "exclude_body": True},), ["test-post"]),
    Case("post.list", ({"locale": "es"},), ["lupulo-frio"]),
    Case("post.list", ({"preview": 1, "tag_slug": "beer", "page_size": 1},), ["unfinished"]),
    Case("post.list", ({"tag_slug": "beer", "page_size": 1},), ["unfinished"], test_mode=True),
    Case("post.list", ({"locale": "xx"},), status=400, detail="Invalid locale parameter: 'xx'"),
    Case("post.list", ({"page": 1, "limit": 1},), status=400, detail="page and page_size cannot be used"),
    Case("post.retrieve", ("test-post",), "test-post"),
    Case("post.retrieve", ("cold-hops", {"locale": "es"}), "lupulo-frio"),
    Case("post.retrieve", ("unfinished", {"preview": 1}), "unfinished"),
    Case("post.retrieve", ("unfinished",), "unfinished", test_mode=True),
    Case("post.retrieve", ("unfinished",), status=404, detail="Not found."),
    Case("post.retrieve", ("not there/at ?all",), status=404, detail="Not found."),
    Case("post.search", ("lamp",), ["test-post"]),
    Case("post.search", ("test", {"page": 1, "page_size": 10}), ["cold-hops", "test-post"]),
    Case("post.search", ("lúpulo", {"locale": "es"}), ["lupulo-frio"]),
    Case("post.search", (), []),
    Case("post.search", ("x" * 101,), status=400, detail="query query parameter should be at most 100 characters"),
    Case("category.list", (), ["beer", "cider"]),
    Case("category.list", ({"include": "recent_posts"},), ["beer", "cider"]),
    Case("category.retrieve", ("beer",), "beer"),
    Case("category.retrieve", ("beer", {"include": "recent_posts", "locale": "es"}), "beer"),
    Case("category.retrieve", ("nothing",), status=404, detail="Not found."),
    Case("tag.list", (), ["beer", "oak"]),
    Case("tag.list", ({"include": "recent_posts"},), ["beer", "oak"]),
    Case("tag.retrieve", ("oak",), "oak"),
    Case("tag.retrieve", ("nothing",), status=404, detail="Not found."),
    Case("author.list", (), ["adam-yala", "eva-lund"]),
    Case("author.list", ({"include": "recent_posts"},), ["adam-yala", "eva-lund"]),
    Case("author.retrieve", ("adam-yala", {"include": "recent_posts"}), "adam-yala"),
    Case("author.retrieve", ("nobody",), status=404, detail="Not found."),
    Case("feed.retrieve", ("rss",), "<?xml"),
    Case("feed.retrieve", ("atom", {"category_slug": "beer"}), "<?xml"),
    Case("feed.retrieve", ("sitemap",), "<?xml"),
    Case("feed.retrieve", ("rss", {"tag_slug": "oak"}), "<?xml"),
    Case("feed.retrieve", ("json",), status=404, detail="Not found."),
    Case("page.list", ("news",), ["second-cask", "hello-world", "bare"]),
    Case("page.list", ("news", {"page": 2, "page_size": 1, "levels": 1}), ["hello-world"]),
    Case("page.list", ("news", {"locale": "es", "alt_media_text": 1, "levels": 3}), ["hello-world"]),
    Case("page.list", ("news", {"fields.author.name": "Per Moss", "order": "-published"}), ["second-cask"]),
    Case("page.list", ("news", {"order": "headline"}), ["second-cask", "bare", "hello-world"]),
    Case("page.list", ("*",), ["about"]),
    Case("page.list", ("nothing",), status=404, detail="Not found."),
    Case("page.list", ("news", {"fields.nothing": "x"}), status=403),
    Case("page.list", ("news", {"levels": "x"}), status=400, detail=LEVELS),
    Case("page.retrieve", ("news", "hello-world"), "hello-world"),
    Case("page.retrieve", ("*", "about"), "about"),
    Case("page.retrieve", ("*", "hello-world", {"locale": "es", "levels": 1}), "hello-world"),
    Case("page.retrieve", ("news", "not-yet"), "not-yet", test_mode=True),
    Case("page.retrieve", ("news", "not-yet"), status=404, detail="Page not found."),
    Case("page.retrieve", ("*", "bare"), status=403, detail="Several pages have this slug"),
    Case("page.search", ("hatch",), ["hello-world"]),
    Case("page.search", ("test", {"page_type": "*"}), ["about"]),
    Case("page.search", ("test", {"page_type": "news", "locale": "en", "levels": 1}), ["hello-world"]),
    Case("page.search", (), []),
    Case("content.retrieve", (["team"],), {"team": [10, 11, 12]}),
    Case("content.retrieve", (["team"], {"page": 2, "page_size": 2}), {"team": [12]}),
    Case("content.retrieve", (["team"], {"order": "-name", "limit": 2, "offset": 1}), {"team": [11, 12]}),
    Case("content.retrieve", (["team"], {"fields.name": "Per Moss", "levels": 3}), {"team": [11]}),
    Case("content.retrieve", (["team"], {"locale": "es", "alt_media_text": 1}), {"team": [10]}),
    Case("content.retrieve", (["team"],), {"team": [10, 11, 12, 13]}, test_mode=True),
    Case(
        "content.retrieve",
        (["homepage_headline", "homepage_title", "empty_shelf"],),
        {"homepage_headline": [1, 2], "homepage_title": [3], "empty_shelf": []},
    ),
    Case("content.retrieve", (["team[_id=11]"],), {"team": [11]}),
    Case("content.retrieve", ([],), {}, clients=("1",)),
    Case("content.retrieve", ([],), status=404, detail="Not found.", clients=MODERN),
    Case("content.retrieve", (["nothing"],), status=404, detail="Content key nothing not found", clients=("1",)),
    Case("content.retrieve", (["nothing"],), status=404, detail="Not found.", clients=MODERN),
    Case("content.retrieve", (["team", "nothing"],), status=404, detail="Content key", clients=("1",)),
    Case("content.retrieve", (["team", "nothing"],), status=404, detail="Not found.", clients=MODERN),
)
CASES_BY_CLIENT = [
    pytest.param(client, case, id=f"{client}-{case.id}")
    for client in CLIENTS
    for case in CASES
    if client in case.clients
]
HOOKED: tuple[dict[str, Any], ...] = (
    {"resource": "post", "method": "list", "args": [{}], "hooks": True},
    {"resource": "page", "method": "retrieve", "args": ["news", "nothing"], "hooks": True},
    {"resource": "tag", "method": "list", "args": [], "cancel": True},
)
TOKENS: tuple[dict[str, Any], ...] = ({"token": "f" * 40}, {"token": "write"})


@dataclass(frozen=True, slots=True)
class Ran:
    """What a client's script printed: what the client offers, what it sent, and what came of each kind of call."""

    methods: list[str]
    headers: list[dict[str, str]]
    cases: dict[str, Outcome]
    tokens: list[Outcome]
    hooked: list[Outcome]


@pytest.fixture(scope="session")
def packages(npm_install: Callable[[Path], Path]) -> Path:
    """A folder with the scripts and the clients."""
    return npm_install(SCRIPTS)


def run_calls(folder: Path, client: str, base: str, calls: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Run a client's script with these calls; gives what it printed."""
    version, _, loading = client.partition("-")
    script = {"1": "client1.cjs", "3": "client3.mjs"}[version]
    command = ["node", script, loading or "require", base]
    text = json.dumps(list(calls))
    result = subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, timeout=CALLS_SECONDS)
    assert (result.returncode, result.stderr) == (0, "")
    printed: dict[str, Any] = json.loads(result.stdout)
    return printed


@pytest.fixture(scope="module")
def ran(packages: Path, service: Any) -> Callable[[str], Ran]:
    """Everything that one client is asked to do here; its script runs once."""
    known: dict[str, Ran] = {}

    def run(client: str) -> Ran:
        if client in known:
            return known[client]
        cases = [case for case in CASES if client in case.clients]
        hooked = HOOKED if client in MODERN else ()
        calls = [
            {
                "resource": case.call.split(".")[0],
                "method": case.call.split(".")[1],
                "args": case.args,
                "options": {"testMode": case.test_mode},
                "token": service.token,
            }
            for case in cases
        ]
        calls += [
            {"resource": "author", "method": "list", "args": [],
             "token": service.write_token if each["token"] == "write" else each["token"]}
            for each in TOKENS
        ]  # fmt: skip
        calls += [{**each, "token": service.token} for each in hooked]
        printed = run_calls(packages, client, service.base, calls)
        made = printed["outcomes"]
        end = len(cases) + len(TOKENS)
        answered = {case.id: outcome for case, outcome in zip(cases, made[: len(cases)], strict=True)}
        tokens = made[len(cases) : end]
        known[client] = Ran(printed["methods"], printed["requests"], answered, tokens, made[end:])
        return known[client]

    return run


def entries_of(data: Any) -> object:
    """An answer's entries in brief: the slug or slugs, the ids of each collection, or the beginning of a feed."""
    if isinstance(data, str):
        return data[:5]
    if isinstance(data, list):
        return [entry["slug"] for entry in data]
    if "slug" in data:
        return data["slug"]
    return {key: [item["meta"]["id"] for item in items] for key, items in data.items()}


@pytest.mark.parametrize(("client", "case"), CASES_BY_CLIENT)
def test_call(ran: Callable[[str], Ran], client: str, case: Case) -> None:
    """A method answers what it should, or fails as the client tells a failure."""
    made = ran(client).cases[case.id]
    assert made.get("status") == case.status, made
    if case.status > 200:
        assert list(made["data"]) == ["detail"]
        assert made["data"]["detail"].startswith(case.detail)
        if client in MODERN:
            assert made["message"] == f"[detail]: {made['data']['detail']} ({case.status})"
        else:
            assert made["message"] == f"Request failed with status code {case.status}"
        return
    found = entries_of(made["data"].get("data", {}))
    if case.call == "post.search" and isinstance(found, list):
        found = sorted(found)
    assert found == case.expected


@pytest.mark.parametrize("client", CLIENTS)
def test_every_method_is_called(ran: Callable[[str], Ran], client: str) -> None:
    """What the client offers is what these tests call."""
    called = {case.call for case in CASES if client in case.clients}
    offered = {name for name in ran(client).methods if not name.endswith(".cancelRequest")}
    assert offered == called


@pytest.mark.parametrize("client", CLIENTS)
def test_tokens(ran: Callable[[str], Ran], client: str) -> None:
    """An unknown token is 401 with its reason; a write token reads."""
    unknown, write = ran(client).tokens
    assert (unknown["status"], unknown["data"]) == (401, {"detail": "Invalid token."})
    assert [author["slug"] for author in write["data"]["data"]] == ["adam-yala", "eva-lund"]


@pytest.mark.parametrize("client", MODERN)
def test_hooks_of_the_third_client(ran: Callable[[str], Ran], client: str) -> None:
    """onRequest may change parameters, onResponse and onError are told; a cancelled request is cancelled."""
    listed, missing, cancelled = ran(client).hooked
    assert [post["slug"] for post in listed["data"]["data"]] == ["test-post"]
    assert listed["heard"] == [["request", "post"], ["response", "post", 200]]
    assert missing["status"] == 404
    assert [name for name, *_ in missing["heard"]] == ["request", "error"]
    assert missing["heard"][1] == ["error", "page", "Page not found."]
    assert "Request cancelled" in cancelled["message"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_browser_may_send_it(ran: Callable[[str], Ran], service: Any, client: str) -> None:
    """The preflight of a browser allows every header that the client sends, and the answer may be read."""
    safe = {"accept", "accept-encoding", "user-agent"}
    sent = {
        name.lower() for headers in ran(client).headers for name, value in headers.items() if isinstance(value, str)
    }
    asked = {
        "Origin": "https://shop.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": ",".join(sorted(sent - safe)),
    }
    preflight = requests.options(f"{service.base}/posts/", headers=asked, timeout=30)
    allowed = {name.strip().lower() for name in preflight.headers["Access-Control-Allow-Headers"].split(",")}
    assert preflight.ok
    assert "x-butter-client" in sent
    assert sent - safe <= allowed
    for path in ("posts/", "posts/nothing/"):
        assert service.get(path).headers["Access-Control-Allow-Origin"] == "*"
    assert requests.get(f"{service.base}/posts/", timeout=30).headers["Access-Control-Allow-Origin"] == "*"
