"""Settings of a process that runs while site.toml is changed."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from sitecms.errors import ConfigurationError
from sitecms.settings.current import AT_START_COPY, USED_COPY, CurrentSettings, settings_at_start
from sitecms.settings.site import SiteSettings, load_settings

PLUGIN = """
from sitecms.plugins.hooks import hookimpl

@hookimpl
def settings_schema():
    return {"properties": {"depth": {"type": "integer", "default": 1}}}
"""


def write(folder: Path, text: str) -> None:
    """Write site.toml as an editor does that keeps the file in its place."""
    (folder / "site.toml").write_text(text, encoding="utf-8")


def plain(site: SiteSettings) -> str:
    """site.toml as it is."""
    return (site.folder / "site.toml").read_text("utf-8")


def test_a_changed_file_is_read_once_and_replaces_all(site: SiteSettings) -> None:
    """Also if it changed between the reading of the settings and the start; who acts on changes comes first."""
    write(site.folder, plain(site).replace('"Tide"', '"Ebb"'))
    heard = list[SiteSettings]()
    current = CurrentSettings(site, heard.append)
    outdated = [current.are_outdated]
    new = current.now()
    outdated.append(current.are_outdated)
    assert (new.name, heard, outdated) == ("Ebb", [new], [True, False])
    assert current.now() is new
    assert new.plugins.site.name == "Ebb"


def test_a_file_of_equal_size_and_time_is_another_one(site: SiteSettings) -> None:
    """As one that a program has put in the place of the former, and given its time."""
    current = CurrentSettings(site)
    path, stat = site.folder / "site.toml", (site.folder / "site.toml").stat()
    new = path.with_name("new.toml")
    new.write_text(plain(site).replace('"Tide"', '"Neap"'), encoding="utf-8")
    os.utime(new, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    new.replace(path)
    assert current.now().name == "Neap"


def test_settings_that_say_the_same_are_no_change(site: SiteSettings) -> None:
    """A comment costs nobody anything."""
    heard = list[SiteSettings]()
    current = CurrentSettings(site, heard.append)
    write(site.folder, f"# The sea.\n{plain(site)}")
    assert current.now() == site
    assert heard == []


@pytest.mark.parametrize("text", ["name = [", "nam = 7\n", 'name = "Tide"\ntimezone = "Mars/Olympus"\n', None])
def test_former_settings_hold_while_the_file_has_errors(site: SiteSettings, text: str | None) -> None:
    """Whatever the error, or without a file; once it is right it is used."""
    right, current = plain(site), CurrentSettings(site)
    if text is None:
        (site.folder / "site.toml").unlink()
    else:
        write(site.folder, text)
    assert current.now() is site
    assert current.problem is not None
    assert "site.toml" in str(current.problem)
    write(site.folder, right.replace('"Tide"', '"Ebb"'))
    assert current.now().name == "Ebb"
    assert not current.problem


def test_an_error_of_another_file_is_looked_at_again(site: SiteSettings) -> None:
    """A theme that comes after the settings that name it, without another change of these."""
    current = CurrentSettings(site)
    write(site.folder, f'{plain(site)}[theme]\nname = "reef"\n')
    assert current.now() is site
    theme = site.folder / "themes" / "reef"
    theme.mkdir(parents=True)
    (theme / "theme.toml").write_text('name = "reef"\nextends = "default"\n', encoding="utf-8")
    current._retry_at = 0.0
    assert current.now().theme.name == "reef"


def test_what_refuses_new_settings_keeps_the_former(site: SiteSettings) -> None:
    """As a program that lacks a package which they need."""

    def refuse(_settings: SiteSettings) -> None:
        raise ConfigurationError("The package is missing.")

    current = CurrentSettings(site, refuse)
    write(site.folder, plain(site).replace('"Tide"', '"Ebb"'))
    assert current.now() is site
    assert str(current.problem) == "The package is missing."


def test_some_settings_wait_for_the_next_start(site: SiteSettings) -> None:
    """The store, the queue, logs and what runs programs stay those of the start, and are named; the rest is used."""
    (site.folder / "plugins").mkdir()
    (site.folder / "plugins" / "own.py").write_text(PLUGIN, encoding="utf-8")
    current, start = CurrentSettings(site), plain(site).partition("[search]")[0].replace('"Tide"', '"Ebb"')
    others = '[queue]\nurl = "redis://127.0.0.1:1/0"\n[logs]\nlevel = "error"\n[build]\nbefore = ["true"]\n'
    write(site.folder, f'{start}{others}page_size = 7\n[plugins]\nenabled = ["own"]\n')
    settings = current.now()
    assert current.waiting == ("url under [queue]", "[logs]", "before under [build]", "[plugins]")
    assert (settings.name, settings.build.page_size) == ("Ebb", 7)
    assert (settings.queue_url, settings.logs, settings.build.before) == (site.queue_url, site.logs, ())
    assert settings.plugins.plugins == ()
    write(site.folder, start)
    assert current.now().build.page_size == 10
    assert not current.waiting


def test_settings_of_plugins_wait_and_are_checked(site: SiteSettings) -> None:
    """They were handed to the plug-in at the start."""
    (site.folder / "plugins").mkdir()
    (site.folder / "plugins" / "own.py").write_text(PLUGIN, encoding="utf-8")
    text = f'{plain(site)}[plugins]\nenabled = ["own"]\n[plugins.own]\ndepth = '
    write(site.folder, f"{text}2\n")
    current = CurrentSettings(load_settings(site.folder))
    write(site.folder, f"{text}2 # the same\n")
    assert (current.now().plugins.options, current.waiting) == ({"own": {"depth": 2}}, ())
    write(site.folder, f"{text}3\n")
    assert (current.now().plugins.options, current.waiting) == ({"own": {"depth": 2}}, ("[plugins]",))
    write(site.folder, f'{text}"deep"\n')
    current.now()
    assert "plugins.own.depth" in str(current.problem)


def test_a_process_that_starts_later_begins_as_the_first_one(site: SiteSettings) -> None:
    """With the store and the logs of its start, and for the rest with the last settings that had no errors."""
    (site.state_dir).mkdir()
    first, text = CurrentSettings(site), plain(site)
    first.copy(AT_START_COPY)
    logs = text.replace("[search]", '[logs]\nlevel = "error"\n[search]')
    write(site.folder, logs.replace('"Tide"', '"Ebb"'))
    first.now()
    first.copy(USED_COPY)
    start = settings_at_start(site.folder)
    assert start is not None
    later = CurrentSettings(start)
    assert (later.now(), later.waiting) == (replace(first.now(), stamp=None), ("[logs]",))
    write(site.folder, "nam = 7")
    after_errors = CurrentSettings(start)
    assert after_errors.now() == later.now()
    assert after_errors.problem is not None


def test_a_copy_of_other_settings_is_removed(site: SiteSettings) -> None:
    """As that of an earlier start, where site.toml was changed while this one began."""
    (site.state_dir).mkdir()
    (site.folder / AT_START_COPY).write_text("name = 'Old'", encoding="utf-8")
    write(site.folder, plain(site).replace('"Tide"', '"Ebb"'))
    CurrentSettings(site).copy(AT_START_COPY)
    assert settings_at_start(site.folder) is None
