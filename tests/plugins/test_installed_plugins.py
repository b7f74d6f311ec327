"""Plug-ins that are installed as packages: found by their entry points."""

from pathlib import Path

import pytest

from sitecms.errors import InvalidFiles
from sitecms.settings.site import SiteSettings, load_settings

MODULE = """
from sitecms.plugins.hooks import hookimpl
@hookimpl
def template_filters():
    return {"shout": lambda text: text.upper() + "!"}
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with a plug-in, as pip installs one."""
    folder = tmp_path / "packages"
    (folder / "sitecms_loud").mkdir(parents=True)
    (folder / "sitecms_loud/__init__.py").write_text(MODULE, encoding="utf-8")
    information = folder / "sitecms_loud-1.2.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: sitecms-loud\nVersion: 1.2\n", "utf-8")
    (information / "entry_points.txt").write_text("[sitecms]\nloud-words = sitecms_loud\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    return folder


def open_site(folder: Path, *enabled: str) -> SiteSettings:
    (folder / "plugins").mkdir(parents=True, exist_ok=True)
    names = ", ".join(f'"{name}"' for name in enabled)
    (folder / "site.toml").write_text(f'name = "Tide"\n[plugins]\nenabled = [{names}]\n', encoding="utf-8")
    return load_settings(folder)


def test_installed_plugin_is_found_by_its_entry_point(installed: Path, tmp_path: Path) -> None:
    """A hyphen in the name reads as an underscore; version and source of the package identify it."""
    for name in ("loud-words", "loud_words"):
        plugins = open_site(tmp_path / "site", name).plugins
        assert plugins.named("template_filters", "filter")["shout"]("low") == "LOW!"
        assert plugins.plugins[0].version == "1.2"
        assert plugins.plugins[0].source == (installed / "sitecms_loud/__init__.py",)


@pytest.mark.usefixtures("installed")
def test_name_not_found_lists_what_is_installed(tmp_path: Path) -> None:
    """The nearest name may be that of an installed plug-in."""
    with pytest.raises(InvalidFiles, match='did you mean "loud_words"'):
        open_site(tmp_path / "site", "loud-wrds")
    with pytest.raises(InvalidFiles, match=r"in plugins/: none; installed: .*loud_words"):
        open_site(tmp_path / "site", "zzz")


@pytest.mark.usefixtures("installed")
def test_module_of_the_site_comes_first(tmp_path: Path) -> None:
    """A site may have its own version of a plug-in."""
    (tmp_path / "site/plugins").mkdir(parents=True)
    (tmp_path / "site/plugins/loud_words.py").write_text(MODULE.replace("upper", "lower"), encoding="utf-8")
    plugins = open_site(tmp_path / "site", "loud-words").plugins
    assert plugins.named("template_filters", "filter")["shout"]("Low") == "low!"


def test_package_that_is_gone(installed: Path, tmp_path: Path) -> None:
    """An entry point without its module is an error that names the module."""
    (installed / "sitecms_loud-1.2.dist-info/entry_points.txt").write_text("[sitecms]\nlost = sitecms_lost\n", "utf-8")
    with pytest.raises(InvalidFiles, match="its module sitecms_lost cannot be found"):
        open_site(tmp_path / "site", "lost")
