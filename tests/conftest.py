"""Fixtures that all tests share: a small site of two locales, its store, and builders of entries."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import hypothesis
import pytest

from sitecms.actions.save_post import save_post
from sitecms.content.author import Author
from sitecms.content.status import Status
from sitecms.content.token import Scope, new_secret, secret_digest
from sitecms.content.write import Origin, PostChange, Times
from sitecms.runtime import Runtime, open_runtime
from sitecms.settings import SiteSettings, load_settings
from sitecms.store.authors import save_author
from sitecms.store.database import Database
from sitecms.store.tokens import insert_token

SITE_TOML = """
name = "Tide"
url = "https://tide.example"
default_locale = "en"
locales = ["en", "es"]
owner = "ann-ray"
"""

hypothesis.settings.register_profile("dev", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "dev"))


@pytest.fixture(scope="session")
def repo() -> Path:
    """The folder of the checkout that these tests stand in."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def lacking() -> Callable[[str], None]:
    """Called where something outside Python is missing: skips with the reason given; fails where CI is set."""

    def stop(reason: str) -> None:
        if os.environ.get("CI"):
            pytest.fail(f"{reason} (CI is set, where nothing may be skipped)")
        pytest.skip(reason)

    return stop


@pytest.fixture
def noon() -> datetime:
    """The time at which everything in the tests' stores begins."""
    return datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def site(tmp_path: Path) -> SiteSettings:
    """A site folder with nothing but settings."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "site.toml").write_text(SITE_TOML, encoding="utf-8")
    return load_settings(folder)


@pytest.fixture
def runtime(site: SiteSettings) -> Iterator[Runtime]:
    """The site, opened, with an empty store."""
    opened = open_runtime(site, create=True)
    yield opened
    opened.database.close()


@pytest.fixture
def store(runtime: Runtime) -> Database:
    """The site's store."""
    return runtime.database


@pytest.fixture
def make_author(store: Database) -> Callable[..., str]:
    """Make an author: slug, then fields by name; gives the slug."""

    def make(slug: str = "ann-ray", **fields: str) -> str:
        with store.writing() as transaction:
            save_author(transaction, Author(slug, **fields))
        return slug

    return make


@pytest.fixture
def make_post(store: Database, make_author: Callable[..., str], noon: datetime) -> Callable[..., int]:
    """Make a post: slug, then fields of PostChange by name; `hours` after noon it was published. Gives the id."""
    make_author("ann-ray", first_name="Ann", last_name="Ray")

    def make(slug: str, *, hours: int = 0, scheduled_at: datetime | None = None, **fields: object) -> int:
        status = fields.pop("status", Status.PUBLISHED)
        at = noon + timedelta(hours=hours)
        times = Times(created_at=at, updated_at=at, published_at=at if status is Status.PUBLISHED else None)
        if scheduled_at is not None:
            times = Times(created_at=at, updated_at=at, scheduled_at=scheduled_at)
        values: dict[str, object] = {"locale": "en", "title": slug.title(), "slug": slug, "status": status, **fields}
        change = PostChange(**values, times=times)  # type: ignore[arg-type]
        with store.writing() as transaction:
            return save_post(transaction, change, owner="ann-ray", origin=Origin.API, at=at).id

    return make


@pytest.fixture
def make_token(store: Database, noon: datetime) -> Callable[..., str]:
    """Make a token: its name, scope and expiry; gives the secret."""

    def make(name: str = "reader", scope: Scope = Scope.READ, expires_at: datetime | None = None) -> str:
        secret = new_secret()
        with store.writing() as transaction:
            insert_token(transaction, name, scope, secret_digest(secret), noon, expires_at)
        return secret

    return make
