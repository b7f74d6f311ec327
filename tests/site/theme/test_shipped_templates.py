"""Shipped templates are analysed and compiled once for an installation, and never used once something changed."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sitecms.site.theme import shipped_templates
from sitecms.site.theme.environment import make_environment
from sitecms.site.theme.shipped_templates import use_shipped
from sitecms.site.theme.theme import Theme

if TYPE_CHECKING:
    from tests.support.sites import ExampleSite


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of compiled modules, empty."""
    place = tmp_path / "installation"
    monkeypatch.setattr(sys, "pycache_prefix", str(place))
    return place


def shown(example: "ExampleSite", files: Path) -> str:
    """What the template `a.html` of a theme of these files shows, as the compiled one alone."""
    templates = {path.name: path for path in sorted(files.glob("*.html"))}
    theme = Theme(templates, {}, {}, shipped=templates)
    use_shipped(theme, example.settings)
    assert len(theme.code) == len(templates)
    return make_environment(theme, example.settings, lambda _address: None).get_template("a.html").render()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A theme of two templates."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    (folder / "a.html").write_text("1 {% include 'b.html' %}{% include 'hook.html' ignore missing %}")
    (folder / "b.html").write_text("2")
    return folder


def kept(folder: Path) -> list[Path]:
    return list(folder.rglob("*.templates"))


def test_another_site_compiles_nothing(
    example: "ExampleSite", installation: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it look at what a template uses."""
    assert shown(example, files) == "1 2"
    assert len(kept(installation)) == 1
    assert kept(example.folder) == []
    for name in ("sitecms.site.theme.environment.compiled", "sitecms.site.theme.template_source.templates_named"):
        monkeypatch.setattr(name, None)
    assert shown(example, files) == "1 2"


def test_a_changed_template_is_compiled_again(example: "ExampleSite", installation: Path, files: Path) -> None:
    """Into the same file."""
    shown(example, files)
    (files / "b.html").write_text("3")
    assert shown(example, files) == "1 3"
    assert len(kept(installation)) == 1


def test_changed_code_of_the_compiler_compiles_again(
    example: "ExampleSite", installation: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As another version of sitecms, of Jinja or of Python does."""
    shown(example, files)
    before = kept(installation)[0].read_bytes()
    monkeypatch.setattr(shipped_templates, "_COMPILER", [b"other"])
    shown(example, files)
    assert kept(installation)[0].read_bytes() != before


@pytest.mark.parametrize("place", [0, 40, -1])
def test_a_damaged_file_is_made_again(example: "ExampleSite", installation: Path, files: Path, place: int) -> None:
    """Whichever byte is another one, and if it is cut off."""
    shown(example, files)
    file = kept(installation)[0]
    whole = file.read_bytes()
    damaged = bytearray(whole)
    damaged[place] ^= 1
    for data in (bytes(damaged), whole[:-1], b""):
        file.write_bytes(data)
        assert shown(example, files) == "1 2"
        assert file.read_bytes() != data


@pytest.mark.parametrize("is_readable", [True, False])
def test_an_installation_that_cannot_be_written_leaves_them_to_the_site(
    example: "ExampleSite", tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch, is_readable: bool
) -> None:
    """Also where Python is told to write no compiled modules."""
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / ("empty" if is_readable else "file")))
    monkeypatch.setattr(sys, "dont_write_bytecode", is_readable)
    assert shown(example, files) == "1 2"
    assert kept(tmp_path) == kept(example.folder / ".sitecms" / "templates")
    assert len(kept(tmp_path)) == 1
    monkeypatch.setattr("sitecms.site.theme.shipped_templates.compiled", None)
    assert shown(example, files) == "1 2"


def test_a_site_has_templates_of_its_own_beside_them(example: "ExampleSite", installation: Path) -> None:
    """In place of a shipped one, and as a hook that a shipped one includes."""
    example.make()
    example.write("templates/parts/footer.html", "<footer>Mine</footer>")
    example.write("templates/hooks/head-end.html", '<meta name="hook" content="mine">')
    example.make()
    assert "<footer>Mine</footer>" in example.text("index.html")
    assert '<meta name="hook" content="mine">' in example.text("index.html")
    assert example.tree() == example.clean_tree()
    assert len(kept(installation)) == 1


def test_constants_in_templates_follow_the_settings(example: "ExampleSite", installation: Path) -> None:
    """Jinja works out filters of constants when it compiles, so those that depend on the site must not be."""
    example.write("templates/404.html", '{{ "/a/"|address }} {{ "/b/"|absolute }}')
    example.make()
    first = example.text("404.html")
    example.settings_are(url="https://other.example/mag")
    example.make()
    assert first != example.text("404.html") == "/mag/a/ https://other.example/b/"
