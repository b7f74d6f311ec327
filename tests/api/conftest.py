"""Fixtures of the API's tests."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

import orjson
import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace
from werkzeug.test import TestResponse

from sitecms.actions.loading import LoadReport, load_site
from sitecms.api.app import ENDPOINTS
from sitecms.content.schema import ContentSchema
from sitecms.content.token import Scope, TokenLimits
from sitecms.runtime import Runtime
from sitecms.settings.operations import StudioSettings
from sitecms.store.database import Database
from sitecms.store.site_state.documents import save_content_schema
from sitecms.web.service import create_app
from tests.support.sites import SiteFiles

PUBLIC_URL = "http://127.0.0.1:8000"
LOADED_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def slugs(response: TestResponse) -> list[str]:
    """The slugs of an answered list, in order."""
    return [entry["slug"] for entry in response.get_json()["data"]]


def detail(response: TestResponse) -> tuple[int, Any]:
    """Status and body."""
    return response.status_code, response.get_json()


def paths_of_reads(names: Mapping[str, Sequence[str]]) -> list[str]:
    """Every read endpoint with every name, by the part of an address that has it."""
    found = []
    for endpoint in ENDPOINTS:
        made = [endpoint.path]
        for part, known in names.items():
            if f"<{part}>" in endpoint.path:
                made = [each.replace(f"<{part}>", name) for each in made for name in known]
        assert not any("<" in each for each in made), made
        found += made
    return found


class SiteFolder(SiteFiles):
    """The folder of the site, and its store: tests write files and load them."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime.settings.folder)
        self.settings, self.database = runtime.settings, runtime.database

    def load(self) -> LoadReport:
        """Load the files, always at one time."""
        return load_site(self.database, self.settings, LOADED_AT)


class Remote(Protocol):
    """The outside world (tests/conftest.py)."""

    def probe(self, url: str) -> str:
        """The probe."""


def api_alone(runtime: Runtime) -> Runtime:
    """Return the site without the studio, whose many routes take Werkzeug longer than most tests here."""
    return replace(runtime, settings=replace(runtime.settings, studio=StudioSettings(enabled=False)))


@pytest.fixture
def client(runtime: Runtime) -> FlaskClient:
    """A client of the app, without a token."""
    return create_app(api_alone(runtime), PUBLIC_URL).test_client()


@pytest.fixture
def get(client: FlaskClient, make_token: Callable[..., str]) -> Callable[..., TestResponse]:
    """Read a path with a token; further headers by keyword."""
    secret = make_token("test")

    def read(path: str, **headers: str) -> TestResponse:
        return client.get(path, headers={"Authorization": f"Token {secret}", **headers})

    return read


class Writing:
    """A client with a write token: sends writes, and applies them when told."""

    def __init__(self, client: FlaskClient, secret: str, apply: Callable[[], int]) -> None:
        self.client = client
        self.secret = secret
        self.apply = apply

    def send(self, method: str, path: str, body: object = None, **headers: str) -> TestResponse:
        """A request as it is; header names with _ for -."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"Authorization": f"Token {self.secret}", **named}
        data = body if isinstance(body, bytes) else None if body is None else orjson.dumps(body)
        return self.client.open(path, method=method, data=data, headers=given, content_type="application/json")

    def post(self, path: str, body: object, **headers: str) -> TestResponse:
        """Create."""
        return self.send("POST", path, body, **headers)

    def patch(self, path: str, body: object, **headers: str) -> TestResponse:
        """Update."""
        return self.send("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> TestResponse:
        """Delete."""
        return self.send("DELETE", path, **headers)

    def get(self, path: str, **headers: str) -> TestResponse:
        """Read; a draft is read with preview=1."""
        return self.send("GET", path, **headers)

    def data(self, path: str) -> Any:
        """What a read answers under `data`, after everything was applied."""
        self.apply()
        answered = self.get(path)
        assert answered.status_code == 200, answered.get_json()
        return answered.get_json()["data"]

    def refused(self, method: str, path: str, body: object, status: int = 400) -> Any:
        """What a refusal says."""
        answered = self.send(method, path, body)
        assert answered.status_code == status, answered.get_json()
        return answered.get_json()

    def outcome(self, accepted: TestResponse) -> Any:
        """What became of an accepted write."""
        assert accepted.status_code == 202, accepted.get_json()
        self.apply()
        return self.get(accepted.headers["Location"]).get_json()


@pytest.fixture
def writing(
    runtime: Runtime, make_token: Callable[..., str], remote: Remote, apply_all: Callable[[], int]
) -> Callable[..., Writing]:
    """Make a client with a write token that has these limits."""

    def make(name: str = "newsroom", **limits: Any) -> Writing:
        app = create_app(api_alone(runtime), PUBLIC_URL, probe=remote.probe, hint=lambda _id: None)
        secret = make_token(name, Scope.WRITE, limits=TokenLimits(**limits))
        return Writing(app.test_client(), secret, apply_all)

    return make


@pytest.fixture
def writer(writing: Callable[..., Writing], make_author: Callable[..., str]) -> Writing:
    """A client that may write everything; the site has two authors."""
    make_author("ann-ray", first_name="Ann", email="ann@tide.example")
    make_author("bo-lind", first_name="Bo", email="Bo@tide.example")
    return writing()


@pytest.fixture
def boats(store: Database, team_schema: ContentSchema) -> None:
    """A further collection: a required field, one that is not translatable, and one with a default."""
    schema: Any = team_schema.as_json()
    fields = [{"slug": "name", "type": "short_text", "required": True},
              {"slug": "metres", "type": "number", "translatable": False},
              {"slug": "note", "type": "short_text", "default": "none"}]  # fmt: skip
    schema["collections"].append({"key": "boats", "name": "Boats", "label": "name", "fields": fields})
    store.write(save_content_schema, ContentSchema.from_json(schema))


@pytest.fixture
def folder(runtime: Runtime) -> SiteFolder:
    """The folder of the site, with nothing but settings."""
    return SiteFolder(runtime)
