"""Locales that are no language tags, in the API: their names are what clients ask for, their tags what feeds say."""

from collections.abc import Callable
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from sitecms.settings.site import SiteSettings, load_settings
from tests.support.engines import Stores
from tests.support.sites import SITE_TOML

Get = Callable[..., TestResponse]
LOCALES = 'locales = ["en", "latam", "abcdefghij"]'


@pytest.fixture
def site(tmp_path: Path, engine: Stores) -> SiteSettings:
    """A site in English, Latin American Spanish, and a language that nobody names."""
    text = SITE_TOML.replace('locales = ["en", "es"]', LOCALES) + '[languages.latam]\ntag = "es-419"\n'
    (tmp_path / "site.toml").write_text(text + engine.toml(tmp_path), encoding="utf-8")
    return load_settings(tmp_path)


def test_entries_are_read_by_the_name_of_their_locale(get: Get, make_post: Callable[..., int]) -> None:
    """The tag is no name of it."""
    make_post("agua", locale="latam")
    assert [post["slug"] for post in get("/v2/posts/?locale=latam").get_json()["data"]] == ["agua"]
    assert get("/v2/posts/").get_json()["data"] == []
    refused = get("/v2/posts/?locale=es-419")
    assert (refused.status_code, refused.get_json()["detail"]) == (
        400, "Invalid locale parameter: 'es-419'. Configured locales: en, latam, abcdefghij."
    )  # fmt: skip


def test_feeds_state_the_tag(get: Get, make_post: Callable[..., int]) -> None:
    """One of a locale without a tag states no language."""
    make_post("agua", locale="latam")
    make_post("word", locale="abcdefghij")
    assert "<language>es-419</language>" in get("/v2/feeds/rss/?locale=latam").get_json()["data"]
    assert 'xml:lang="es-419"' in get("/v2/feeds/atom/?locale=latam").get_json()["data"]
    assert "<language>" not in get("/v2/feeds/rss/?locale=abcdefghij").get_json()["data"]
    assert "xml:lang" not in get("/v2/feeds/atom/?locale=abcdefghij").get_json()["data"]
