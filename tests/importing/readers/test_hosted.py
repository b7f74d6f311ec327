"""Import of an account by its read API. The oracle is sitecms itself: a copy gives the same answers."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient

from sitecms.actions.loading import load_site
from sitecms.content.token import Scope, TokenLimits, new_secret, secret_digest
from sitecms.errors import InvalidRequest
from sitecms.importing.plan.texts import BodyChoice
from sitecms.importing.reader import Answer, Fetcher, ReaderOptions
from sitecms.importing.readers.hosted.inference import Evidence, inferred_type, read_uri
from sitecms.importing.readers.hosted.reader import ApiClient
from sitecms.importing.report import ImportReport
from sitecms.importing.run import ImportOptions, import_site
from sitecms.runtime import open_runtime
from sitecms.settings.site import load_settings
from sitecms.store.opening import open_database
from sitecms.store.writes.tokens import insert_token
from sitecms.web.service import create_app
from tests.importing.offline import OFFLINE

ADDRESS = "http://127.0.0.1:8000/v2/"
_MEDIA = re.compile(r"(?:https?://[^/\s\"]+)?/media/[^\s\"<>)]+")
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def _answer(status: int, body: object = None, **headers: str) -> Answer:
    return Answer(status, headers, orjson.dumps(body))


def _client(answers: Callable[[str], Answer], max_calls: int = 100) -> ApiClient:
    return ApiClient("https://api.example", "secret", lambda address, _headers: answers(address), max_calls)


def test_pages_of_a_list_are_read_to_the_end() -> None:
    """Each entry once, with as few calls as possible."""

    def answers(address: str) -> Answer:
        offset = int(address.partition("offset=")[2])
        return _answer(200, {"meta": {"count": 250}, "data": [{"n": n} for n in range(offset, min(250, offset + 100))]})

    client = _client(answers)
    assert [entry["n"] for entry in client.entries("posts/")] == list(range(250))
    assert client.calls == 3


def test_too_large_answers_are_asked_for_in_smaller_parts() -> None:
    """A 400 halves the page, and nothing is skipped."""

    def answers(address: str) -> Answer:
        given = dict(part.split("=") for part in address.partition("?")[2].split("&"))
        limit, offset = int(given["limit"]), int(given["offset"])
        if limit > 30:
            return _answer(400, {"detail": "too large"})
        return _answer(200, {"meta": {"count": 60}, "data": [{"n": n} for n in range(offset, min(60, offset + limit))]})

    assert [entry["n"] for entry in _client(answers).entries("posts/")] == list(range(60))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (_answer(401), "SITECMS_IMPORT_TOKEN"),
        (_answer(500, {"detail": "broken"}), "500"),
        (Answer(200, {}, b"<html>"), "not return JSON"),
        (_answer(429, **{"retry-after": "86400"}), "limit"),
    ],
)
def test_answers_that_end_the_import(answer: Answer, message: str) -> None:
    """Each is one clear error, which does not show the token."""
    with pytest.raises(InvalidRequest, match=message) as caught:
        _client(lambda _address: answer).find("posts/")
    assert "secret" not in str(caught.value)


def test_calls_are_limited() -> None:
    """The error names the option that allows more."""
    client = _client(lambda _address: _answer(200, {"data": []}), max_calls=2)
    client.find("posts/")
    client.find("posts/")
    with pytest.raises(InvalidRequest, match="--max-calls"):
        client.find("posts/")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", "b"], "short_text"),
        (["a", "two\nlines"], "long_text"),
        (["a", "<p>b</p>"], "wysiwyg"),
        (["2024-03-15T14:30:00"], "date"),
        (["#aabbcc"], "color"),
        (["#aabbcc", "red"], "short_text"),
        ([True], "checkbox"),
        ([1, 2.5], "number"),
        ([{"url": "https://a.example/a.png"}, ""], "media"),
        ([{"headline": "x"}], "component"),
        ([[{"a": 1}]], "repeater"),
        ([[{"type": "hero", "fields": {"a": 1}}]], "component_picker"),
        (["/v2/pages/guide/one/"], "reference"),
        ([["/v2/content/?keys=team[_id=7]"]], "references"),
        ([[]], "list"),
        ([None], "unknown"),
    ],
)
def test_types_of_values(values: list[Any], kind: str) -> None:
    """The type is the one that fits all values of the field."""
    seen = Evidence()
    for value in values:
        seen.see(value)
    assert inferred_type(seen) == kind


def test_uris_of_references() -> None:
    """Items by key and id, pages by type and slug; relative, absolute and percent-encoded."""
    for uri in ("/v2/content/?keys=team[_id=7]", "https://api.example/v2/content/?keys=team%5B_id%3D7%5D"):
        target = read_uri(uri)
        assert target is not None
        assert (target.group, target.id) == ("team", "7")
    page = read_uri("/v2/pages/*/about/")
    assert page is not None
    assert (page.group, page.slug) == ("*", "about")
    assert read_uri("see /v2/pages/*/about/") is None


class Account:
    """A site, and a client of its API with a token."""

    def __init__(self, folder: Path) -> None:
        settings = load_settings(folder)
        open_database(settings.store, create=True).close()
        self.runtime = open_runtime(settings)
        self.secret = new_secret()
        with self.runtime.database.writing() as transaction:
            digest = secret_digest(self.secret)
            insert_token(transaction, "test", Scope.READ, digest, NOW, None, TokenLimits())
        self.client: FlaskClient = create_app(self.runtime, "http://127.0.0.1:8000").test_client()

    def get(self, path: str) -> Any:
        """Return the answer to a read as JSON."""
        answer = self.client.get(path, headers={"Authorization": f"Token {self.secret}"})
        return {"status": answer.status_code, **(answer.get_json() or {})}

    def fetch(self, address: str, headers: Mapping[str, str]) -> Answer:
        """Fetch an address as an import does."""
        path = address.removeprefix("http://127.0.0.1:8000")
        found = self.client.get(path, headers=dict(headers))
        return Answer(found.status_code, {name.lower(): value for name, value in found.headers}, found.data)


def _load(folder: Path) -> Account:
    account = Account(folder)
    report = load_site(account.runtime.database, account.runtime.settings, NOW)
    assert report.errors == ()
    return account


def _import(account: Account, folder: Path, fetch: Fetcher | None = None) -> ImportReport:
    reader = ReaderOptions(
        token=account.secret,
        fetch=fetch or account.fetch,
        locales=("en", "es"),
        page_types=("landing-page",),
        collections=("menu", "questions"),
    )
    return import_site(folder, [ADDRESS], ImportOptions(media=OFFLINE, body=BodyChoice.HTML, reader=reader))


@pytest.fixture
def sample(repo: Path, tmp_path: Path) -> Iterator[Account]:
    """The sample site as an account, with fields of posts."""
    folder = tmp_path / "sample"
    shutil.copytree(repo / "sample_site", folder, ignore=shutil.ignore_patterns(".sitecms", "public"))
    (folder / "schema/post.yaml").write_text(
        "fields:\n- {slug: rating, type: number}\n- {slug: photo, type: media}\n"
        "- {slug: by, type: reference, targets: [team]}\n- {slug: notes, type: wysiwyg}\n"
    )
    post = folder / "content/posts/counting-swifts.md"
    values = "{rating: 4, photo: {url: media/comet.jpg, alt: A comet}, by: 1, notes: '<p>Fair.</p>'}"
    post.write_text(post.read_text().replace("status:", f"fields: {values}\nstatus:", 1))
    account = _load(folder)
    yield account
    account.runtime.database.close()


def test_a_copy_of_the_sample_site_answers_the_same(sample: Account, tmp_path: Path) -> None:
    """All lists at all levels, in both locales, live and preview, but for media addresses and times of change."""
    _import(sample, tmp_path / "copy")
    copy = _load(tmp_path / "copy")
    try:
        for path in _paths():
            assert _plain(copy.get(path)) == _plain(sample.get(path)), path
    finally:
        copy.runtime.database.close()


def _paths() -> Iterator[str]:
    for locale in ("en", "es"):
        for preview in (0, 1):
            switches = f"locale={locale}&preview={preview}&page_size=100&alt_media_text=1"
            yield from (f"/v2/posts/?{switches}&levels={level}" for level in (1, 2))
            for level in range(1, 6):
                for name in ("pages/*", "pages/landing-page", "pages/guide", "content/menu", "content/team"):
                    yield f"/v2/{name}/?{switches}&levels={level}"
                yield f"/v2/content/?keys=team,questions,menu&{switches}&levels={level}"
    yield from ("/v2/authors/", "/v2/categories/", "/v2/tags/")


def _plain(value: Any) -> Any:
    """Return an answer without addresses of media, times of change and line ends around texts."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items() if name not in ("updated", "created")}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, str) and "/media/" in value:
        return _MEDIA.sub("media", value).strip()
    return value.strip() if isinstance(value, str) else value
