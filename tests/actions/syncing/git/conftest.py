"""A site folder in Git, at times that the tests set."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sitecms.actions.syncing.git import AuthoredChange, Person, Verb
from sitecms.settings.site import SiteSettings, load_settings
from tests.support.git import WITHOUT_CONFIGURATION, make_repository

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANN, BO, TOKEN = Person("Ann Ray", "ann@tide.example"), Person("Bo", "bo@tide.example"), Person("shop")
FILES = {".gitignore": ".sitecms\npublic\n*.secret\n", "content/posts/tide.md": "---\ntitle: Tide\n---\nText.\n"}


def after(seconds: float) -> datetime:
    """Return the time so many seconds after the start."""
    return START + timedelta(seconds=seconds)


def update(
    *paths: str, person: Person = ANN, at: float = 0, verb: Verb = Verb.UPDATE, title: str = ""
) -> AuthoredChange:
    """Return a change of a post in these files; its title is the name of the first one."""
    return AuthoredChange(person, verb, "post", title or Path(paths[0]).stem, paths, after(at))


def make_site(folder: Path, git: str = "commit") -> SiteSettings:
    """Make a site folder that is a repository, and return its settings."""
    make_repository(folder, {**FILES, "site.toml": f'name = "Tide"\n[files]\ngit = "{git}"\n'})
    return load_settings(folder)


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """No configuration of the person who runs the tests."""
    for name, value in WITHOUT_CONFIGURATION.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def site(tmp_path: Path) -> SiteSettings:
    """A site whose changes are committed."""
    return make_site(tmp_path / "site")
