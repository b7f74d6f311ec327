"""The studio of a site whose locales are no language tags."""

from pathlib import Path

import pytest

from sitecms.settings.site import SiteSettings, load_settings
from tests.support.engines import Stores
from tests.support.sites import SITE_TOML

from .conftest import Browser
from .forms import press


@pytest.fixture
def site(tmp_path: Path, engine: Stores) -> SiteSettings:
    """A site in English, Latin American Spanish, and a language that nobody names."""
    text = SITE_TOML.replace('locales = ["en", "es"]', 'locales = ["en", "latam", "abcdefghij"]')
    text += '[languages.latam]\ntag = "es-419"\n'
    (tmp_path / "site.toml").write_text(text + engine.toml(tmp_path), encoding="utf-8")
    return load_settings(tmp_path)


def test_texts_state_the_language_of_their_locale(editor: Browser) -> None:
    """Browsers check their spelling by it; people read its name, or that of the locale."""
    editor.get("/studio/posts/new/")
    assert '<option value="latam">Spanish (Latin America)</option>' in editor.page
    assert '<option value="abcdefghij">abcdefghij</option>' in editor.page
    answered = press(editor, "publish", title="Tides", body="Low.")
    original = int(answered.request.path.split("/")[-2])
    answered = editor.send(f"/studio/posts/{original}/translate/", locale="latam")
    variant = int(answered.request.path.split("/")[-2])
    assert ' lang="es-419"' in editor.page.split('id="body"')[1].split(">")[0]
    editor.get(f"/studio/posts/{original}/?beside=latam")
    assert '<div lang="es-419">' in editor.page.split('class="beside"')[1].split("</div></div>")[0]
    assert variant != original
    editor.send(f"/studio/posts/{original}/translate/", locale="abcdefghij")
    assert " lang=" not in editor.page.split('id="body"')[1].split(">")[0]
    editor.get(f"/studio/posts/{original}/?beside=abcdefghij")
    beside = editor.page.split('class="beside" role="group" aria-label="Text in abcdefghij"')[1].split("</div></div>")[
        0
    ]
    assert " lang=" not in beside
