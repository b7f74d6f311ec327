"""Errors that end a command."""

from pathlib import Path

import pytest

from sitecms.cli.report import reported


@pytest.mark.parametrize("settings", [None, "", 'name = "Tide"\n'])
def test_an_error_is_called_damage_only_where_a_store_is_damaged(tmp_path: Path, settings: str | None) -> None:
    """Without a site folder, as at the first import, without valid settings, and without a store it is what it is."""
    site = tmp_path / "site"
    if settings is not None:
        site.mkdir()
        (site / "site.toml").write_text(settings)
    with pytest.raises(ZeroDivisionError), reported(lambda: site):
        raise ZeroDivisionError
