"""What `sitecms serve` and `sitecms worker` report of a site.toml that is changed while they run."""

from pathlib import Path

from structlog.testing import capture_logs

from sitecms.cli.settings_watch import SettingsWatch, waiting_settings
from sitecms.settings.site import SiteSettings


def plain(site: SiteSettings) -> str:
    """site.toml as it is."""
    return (site.folder / "site.toml").read_text("utf-8")


def write(folder: Path, text: str) -> None:
    """Write site.toml."""
    (folder / "site.toml").write_text(text, encoding="utf-8")


def test_each_change_is_reported_once(site: SiteSettings) -> None:
    """New settings, errors with their lines, and settings that wait for a new start, by name."""
    watch, text = SettingsWatch(site), plain(site)
    with capture_logs() as logs:
        watch.step()
        write(site.folder, text.replace('"Tide"', '"Ebb"'))
        watch.step()
        watch.step()
        write(site.folder, f"nam = 7\n{text}")
        watch.step()
        watch.step()
        write(site.folder, text.replace("[search]", '[logs]\nlevel = "error"\n[search]'))
        watch.step()
        watch.step()
    assert [each["event"] for each in logs] == [
        "settings_changed", "settings_not_used", "settings_changed", "settings_wait",
    ]  # fmt: skip
    assert logs[1]["problem"] == 'site.toml:1 nam: is not a known key (did you mean "name"?)'
    assert logs[3]["settings"] == "[logs]"
    assert "again" in logs[3]["remedy"]


def test_settings_that_wait_are_kept_for_other_commands(site: SiteSettings) -> None:
    """Until they are taken back, or a process starts again: a killed one leaves nothing that stays."""
    site.state_dir.mkdir(exist_ok=True)
    watch, text = SettingsWatch(site), plain(site)
    write(site.folder, text.replace("[search]", '[logs]\nlevel = "error"\n[search]'))
    watch.step()
    assert waiting_settings(site.state_dir) == ("[logs]",)
    SettingsWatch(site)
    assert waiting_settings(site.state_dir) == ()
    watch.step()
    write(site.folder, text)
    watch.step()
    assert waiting_settings(site.state_dir) == ()
