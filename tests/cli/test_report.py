"""Errors that end a command."""

from pathlib import Path

import pytest

from sitecms.cli.report import reported
from tests.support.ports import free_port


@pytest.mark.parametrize("settings", [None, "", 'name = "Tide"\n'])
def test_an_error_is_called_damage_only_where_a_store_is_damaged(tmp_path: Path, settings: str | None) -> None:
    """Without a site folder, as at the first import, without valid settings, and without a store it is what it is."""
    site = tmp_path / "site"
    if settings is not None:
        site.mkdir()
        (site / "site.toml").write_text(settings)
    with pytest.raises(ZeroDivisionError), reported(lambda: site):
        raise ZeroDivisionError


def test_a_store_that_cannot_be_reached_is_not_called_damaged(tmp_path: Path) -> None:
    """An error of a command is what it is while the server of the store is away."""
    settings = f'name = "Tide"\n[store]\nurl = "postgresql://ann@127.0.0.1:{free_port()}/tide"\n'
    (tmp_path / "site.toml").write_text(settings)
    with pytest.raises(ZeroDivisionError), reported(lambda: tmp_path):
        raise ZeroDivisionError
