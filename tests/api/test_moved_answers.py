"""The sample site before and after its store moved, there and back: what the API answers is the same to the letter."""

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from sitecms.actions.loading import load_site
from sitecms.actions.operations.moves import move_store
from sitecms.content.token import Scope, secret_digest
from sitecms.runtime import open_runtime
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.store.writes.tokens import insert_token
from sitecms.web.service import create_app
from tests.api.test_engines_agree import AT, FILTERS, SECRET, WORDS, ask, entries, paths
from tests.support.postgres import Databases


@pytest.fixture
def sample(repo: Path, tmp_path: Path) -> SiteSettings:
    """The sample site, its store in a file, and a token."""
    folder = Path(copytree(repo / "sample_site", tmp_path / "sample", ignore=ignore_patterns(".sitecms", "public")))
    settings = replace(load_settings(folder), store_url=ServiceUrl())
    runtime = open_runtime(settings, create=True, clock=lambda: AT)
    load_site(runtime.database, settings, AT)
    runtime.database.write(insert_token, "all", Scope.WRITE, secret_digest(SECRET), AT, None)
    runtime.database.close()
    return settings


@pytest.fixture
def url(databases: Databases) -> Iterator[ServiceUrl]:
    """An empty database."""
    name = databases.take()
    yield ServiceUrl(databases.server.url(name))
    databases.give_back(name)


def answers(settings: SiteSettings) -> dict[str, object]:
    """By address; what searches find without its order, which ranks decide."""
    runtime = open_runtime(settings, clock=lambda: AT)
    client: FlaskClient = create_app(runtime, "http://127.0.0.1:8000").test_client()
    asked = [f"{path}?{query}" for path in paths(client) for query in FILTERS[:6] if "/search/" not in path]
    found: dict[str, object] = {path: ask(client, path) for path in asked}
    for word in WORDS:
        path = f"/v2/search/?query={word}&page_size=100"
        status, body, _tag = ask(client, path)
        found[path] = status, entries(body)
    runtime.database.close()
    return found


@pytest.mark.slow
def test_responses_are_equal_after_moving_the_store_and_back(sample: SiteSettings, url: ServiceUrl) -> None:
    """Status, body and ETag of every read route are compared."""
    before = answers(sample)
    assert len(before) > 300
    moved = replace(sample, store_url=url)
    move_store(sample, url)
    assert answers(moved) == before
    move_store(moved, sample.store)
    assert answers(sample) == before
