"""The sample site in SQLite and in PostgreSQL: what the API answers is the same to the letter, but for ranks."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from sitecms.actions.loading import load_site
from sitecms.content.token import Scope, secret_digest
from sitecms.runtime import open_runtime
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import load_settings
from sitecms.store.writes.tokens import insert_token
from sitecms.web.service import create_app
from tests.api.conftest import paths_of_reads
from tests.support.engines import Stores
from tests.support.postgres import Databases

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = "5ec12e7" * 6
MOST_NAMES = 5
FILTERS = (
    "", "locale=es", "page_size=3&page=2", "page_size=100", "levels=2", "levels=5&include=recent_posts&limit=2",
    "preview=1", "preview=1&locale=es&levels=3", "exclude_body=1", "limit=3&offset=1",
    "category_slug=gear&author_slug=mara-lindqvist", "tag_slug=fog", "alt_media_root=1",
)  # fmt: skip
FIELDS = (
    "level", "-level", "summary", "-summary", "seo.title", "edition", "-edition", "edition_date", "show_latest",
    "headline", "mood", "name", "-name", "question", "label", "-label", "published", "-published", "updated",
    "-updated",
)  # fmt: skip
VALUES = (
    "level=easy", "level=", "summary=", "edition=7", "edition=", "show_latest=true", "show_latest=false", "team=",
    "team.name=Mara", "team.role=", "guide.summary=", "guide.slug=reading-fog", "highlights.title=", "tint=%23e9f0e6",
    "body.text=", "hero.headline=", "seo.title=", "steps.minutes=10", "steps.minutes=", "cover=", "mood=calm",
)  # fmt: skip
WORDS = (
    "the", "fog", "rope", "a", "tide tables", "Müll", "sea the", "guide", "water", "boat", "café", "harbour lights",
    "nothing-at-all", "%F0%9F%8C%8A", "1", "mara", "sail", "%00", "'; --", "\\", "o",
)  # fmt: skip


@pytest.fixture(scope="module")
def clients(
    repo: Path, databases: Databases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, FlaskClient]]:
    """A client for each engine, by its name."""
    made: dict[str, FlaskClient] = {}
    opened = []
    on_server = Stores(databases)
    for stores in (Stores(), on_server):
        place = tmp_path_factory.mktemp(stores.engine) / "sample"
        folder = Path(copytree(repo / "sample_site", place, ignore=ignore_patterns(".sitecms", "public")))
        settings = replace(load_settings(folder), store_url=ServiceUrl(stores.url(folder)))
        runtime = open_runtime(settings, create=True, clock=lambda: AT)
        load_site(runtime.database, runtime.settings, AT)
        runtime.database.write(insert_token, "all", Scope.WRITE, secret_digest(SECRET), AT, None)
        made[stores.engine] = create_app(runtime, "http://127.0.0.1:8000").test_client()
        opened.append(runtime.database)
    yield made
    for database in opened:
        database.close()
    on_server.close()


def ask(client: FlaskClient, path: str) -> tuple[int, str, Any]:
    """Status, body and ETag; what a search answers without ranks, which its ETag tells of too."""
    answered = client.get(path, headers={"Authorization": f"Token {SECRET}"})
    if "/search/" not in path or answered.status_code != 200:
        return answered.status_code, answered.get_data(as_text=True), answered.headers.get("ETag")
    body = answered.get_json()
    for found in body["data"]:
        found.pop("rank", None)
    return answered.status_code, json.dumps(body), None


def names(client: FlaskClient) -> dict[str, tuple[str, ...]]:
    """What there is to be asked for, by the name of the part of an address."""

    def slugs(path: str) -> list[str]:
        found = client.get(path, headers={"Authorization": f"Token {SECRET}"}).get_json()["data"]
        return [entry["slug"] for entry in found][:MOST_NAMES]

    whole = (slugs(f"/v2/{kind}/") for kind in ("posts", "authors", "categories", "tags"))
    pages = [*slugs("/v2/pages/guide/"), *slugs("/v2/pages/landing-page/"), *slugs("/v2/pages/*/")]
    return {
        "slug": (*(slug for found in whole for slug in found), "nobody"),
        "name": ("rss", "atom", "sitemap"),
        "page_type": ("guide", "landing-page", "*", "news"),
        "page_slug": (*pages, "nobody"),
        "keys": ("team", "questions,menu", "team,questions,menu"),
        "key": ("team", "questions"),
        "item_id": ("1", "2", "9"),
    }


def differing(clients: dict[str, FlaskClient], asked: list[str]) -> list[str]:
    """Those that are answered in two ways."""
    sqlite, postgres = clients["sqlite"], clients["postgres"]
    return [path for path in asked if ask(sqlite, path) != ask(postgres, path)]


def test_all_routes_are_equal_on_both_engines(clients: dict[str, FlaskClient]) -> None:
    """Bodies and ETags are the same."""
    asked = [f"{path}?{query}" for path in paths_of_reads(names(clients["sqlite"])) for query in FILTERS]
    assert sum(ask(clients["sqlite"], path)[0] == 200 for path in asked) > 500
    assert differing(clients, asked) == []


@pytest.mark.slow
def test_filters_and_orders_are_equal_on_both_engines(clients: dict[str, FlaskClient]) -> None:
    """Unset values and errors are included."""
    lists = ("/v2/pages/guide/", "/v2/pages/landing-page/", "/v2/pages/*/", "/v2/content/team/")
    asked = [f"{path}?order={field}" for path in lists for field in (*FIELDS, *(f"fields.{field}" for field in FIELDS))]
    asked += [f"{path}?fields.{value}" for path in lists for value in VALUES]
    asked += [f"{path}?fields.{value}&locale=es&preview=1" for path in lists for value in VALUES]
    asked += [f"/v2/content/?keys=team[{value}]" for value in ("name=Mara", "name=", "_id=1", "_id=99", "role=", "x=1")]
    assert sum(ask(clients["sqlite"], path)[0] == 200 for path in asked) > 100
    assert differing(clients, asked) == []


def test_searches_are_equal_on_both_engines(clients: dict[str, FlaskClient]) -> None:
    """Results and their order are the same where no rank decides it."""
    asked = [f"/v2/search/?query={word}&page_size=100" for word in WORDS]
    asked += [f"/v2/pages/search/?query={word}&page_size=100{more}" for word in WORDS for more in ("", "&page_type=*")]
    found = [{engine: ask(client, path) for engine, client in clients.items()} for path in asked]
    for path, answers in zip(asked, found, strict=True):
        assert answers["sqlite"][0] == answers["postgres"][0], path
        assert entries(answers["sqlite"][1]) == entries(answers["postgres"][1]), path
    assert sum(len(entries(answers["sqlite"][1])) for answers in found) > 100


def entries(body: str) -> list[str]:
    """Each entry found, as text."""
    return sorted(json.dumps(entry) for entry in json.loads(body).get("data", ()))
