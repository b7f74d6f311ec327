"""A small site to check, with nothing wrong in it; tests break it one thing at a time."""

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PIL import Image

from sitecms.actions.loading import load_site
from sitecms.findings import Finding
from sitecms.settings.site import load_settings
from sitecms.site.check.check import CheckOptions, CheckReport, check_site
from sitecms.site.check.finding import CheckKind
from sitecms.store.opening import open_database
from sitecms.store.site_state.loaded_files import delete_loaded_file
from tests.support.sites import share_templates

NOW = datetime(2030, 6, 1, 12, tzinfo=UTC)
SETTINGS = 'name = "Tide"\nurl = "https://tide.example"\ndescription = "On the sea"\nowner = "ann-ray"\n'


class Checked:
    """A site folder; every check reads it anew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        share_templates(folder)
        self.write("site.toml", SETTINGS)
        self.write("content/authors.yaml", [{"slug": "ann-ray", "first_name": "Ann", "bio": "Sails."}])
        self.post("slack", "Twenty minutes. [Fog](/blog/fog/#the-edge)")
        self.post("fog", "## The edge\n\nIt is white. ![Fog on water](media/sea.png)")
        self.write("content/pages/_single/about.md", front(title="About", fields={"description": "Who."}) + "We sail.")
        self.picture("sea")

    def write(self, name: str, content: object) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
        return path

    def post(self, name: str, body: str = "Text.", **facts: object) -> Path:
        given = {"title": name.title(), "summary": f"On {name}.", "tags": ["sea"], **facts}
        return self.write(f"content/posts/{name}.md", front(**given) + body)

    def picture(self, name: str) -> None:
        path = self.folder / "media" / f"{name}.png"
        path.parent.mkdir(exist_ok=True)
        Image.new("RGB", (3, 2), (len(name), 80, 120)).save(path)

    def check(self, **options: bool) -> CheckReport:
        return check_site(load_settings(self.folder), NOW, CheckOptions(**options))

    def of(self, kind: CheckKind) -> list[Finding]:
        """What is found of that kind."""
        return [finding for finding in self.check().findings if finding.kind is kind]


def front(**facts: object) -> str:
    given = {"status": "published", "published": "2026-03-01T08:00:00Z", **facts}
    lines = "\n".join(f"{key}: {json.dumps(value)}" for key, value in given.items())
    return f"---\n{lines}\n---\n"


@pytest.fixture
def checked(tmp_path: Path) -> Checked:
    """The small site."""
    (tmp_path / "tide").mkdir()
    return Checked(tmp_path / "tide")


@pytest.fixture
def line_of() -> Callable[[Path, str], int]:
    """The number of the first line of a file that holds a text."""

    def find(path: Path, text: str) -> int:
        lines = path.read_text(encoding="utf-8").split("\n")
        return next(number for number, line in enumerate(lines, 1) if text in line)

    return find


@pytest.fixture
def sample(repo: Path, tmp_path: Path) -> Path:
    """A copy of the sample site."""
    shutil.copytree(repo / "sample_site", tmp_path / "sample", ignore=shutil.ignore_patterns(".sitecms", "public"))
    return tmp_path / "sample"


@pytest.fixture
def load() -> Callable[[Path], None]:
    """Load a site folder into its own store."""

    def run(folder: Path) -> None:
        settings = load_settings(folder)
        database = open_database(settings.store_path, create=True)
        assert load_site(database, settings, NOW).errors == ()
        database.close()

    return run


@pytest.fixture
def remove_file() -> Callable[[Path, str], None]:
    """Take a file away and have the store forget it: its entry is one of the API's then."""

    def run(folder: Path, name: str) -> None:
        (folder / name).unlink()
        database = open_database(load_settings(folder).store_path)
        database.write(delete_loaded_file, name)
        database.close()

    return run
