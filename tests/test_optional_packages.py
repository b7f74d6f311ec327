"""Optional packages: the command that installs them fits the program that installed sitecms."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from sitecms.optional_packages import Extra, install_command, is_installed, missing_package, packages_of


def test_every_extra_of_the_package_is_known(repo: Path) -> None:
    """With the packages that pyproject.toml names; extras for tests are none of them."""
    import tomllib

    declared = tomllib.loads((repo / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    names = {extra.value: packages_of(extra) for extra in Extra}
    assert names == {
        name: tuple(line.partition(">")[0] for line in lines) for name, lines in declared.items() if name != "test"
    }


@pytest.mark.parametrize(
    ("marker", "command"),
    [
        ("pipx_metadata.json", "pipx inject sitecms 'psycopg[binary,pool]'"),
        ("uv-receipt.toml", "uv pip install --python {python} 'psycopg[binary,pool]'"),
    ],
)
def test_environments_of_pipx_and_uv_get_their_own_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marker: str, command: str
) -> None:
    """pip is not in them, or its packages would be lost."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    (tmp_path / marker).write_text("")
    assert install_command(Extra.POSTGRES) == command.format(python=sys.executable)


def test_pip_is_that_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that is not activated is named by its interpreter."""
    if find_spec("pip") is None:
        pytest.skip("pip is not installed in this environment")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    assert install_command(Extra.MATH) == "pip install math-core"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert install_command(Extra.MATH) == f"{sys.executable} -m pip install math-core"


def test_an_environment_without_pip_is_one_of_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    """`uv venv` makes it so."""
    monkeypatch.setitem(sys.modules, "pip", None)
    assert install_command(Extra.MATH) == f"uv pip install --python {sys.executable} math-core"


def test_messages_name_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what needs it."""
    assert is_installed(Extra.MATH)
    monkeypatch.setitem(sys.modules, "math_core", None)
    assert not is_installed(Extra.MATH)
    assert missing_package(Extra.MATH, "It").startswith("It needs math-core, which is not installed: ")
