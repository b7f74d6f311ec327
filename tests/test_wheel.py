"""The wheel as a stranger gets it: what is inside, and that a fresh environment elsewhere builds a site with it."""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from sitecms.resources import resource_dir
from tests.support.console import blocks

pytestmark = pytest.mark.slow
MAX_STUDIO_BYTES = 600_000  # compressed, with the scripts of others
NO_NETWORK = ("No matching distribution found", "Could not find a version", "ConnectionError", "NewConnectionError")


def run(*command: str | Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    """A command away from this checkout: nothing of its environment leads back."""
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def wheel(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as a release has it: built from the source distribution, which is built from this checkout."""
    if not (repo / "pyproject.toml").is_file():
        pytest.skip("the tests do not stand in a checkout of sitecms")
    folder = tmp_path_factory.mktemp("wheel")
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(repo))
    result = run(*build, folder=folder)
    assert result.returncode == 0, result.stdout + result.stderr
    (built,) = folder.glob("sitecms-*.whl")
    return built


@pytest.fixture(scope="module")
def sitecms(wheel: Path, tmp_path_factory: pytest.TempPathFactory, lacking: Callable[[str], None]) -> Path:
    """The `sitecms` command of a fresh virtual environment with the wheel and its dependencies."""
    folder = tmp_path_factory.mktemp("environment")
    made = run(sys.executable, "-m", "venv", folder / "venv", folder=folder)
    assert made.returncode == 0, made.stderr
    commands = folder / "venv" / "bin"
    installed = run(commands / "python", "-m", "pip", "install", "--no-input", wheel, folder=folder)
    if installed.returncode != 0 and any(sign in installed.stderr for sign in NO_NETWORK):
        lacking(f"the wheel's dependencies cannot be installed without a network:\n{installed.stderr}")
    assert installed.returncode == 0, installed.stderr
    return commands / "sitecms"


def test_wheel_carries_what_is_needed_and_nothing_else(wheel: Path, repo: Path) -> None:
    """Every file of the package, the theme and the schemas is inside; no test, sample or stray file is."""
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
        studio = [each for each in archive.infolist() if each.filename.startswith("sitecms/studio/")]
    assert 0 < sum(each.compress_size for each in studio) <= MAX_STUDIO_BYTES
    expected = {f"sitecms/{name}" for name in files_below(repo / "sitecms")}
    for name in ("templates", "content_schema"):
        found = files_below(repo / name)
        assert found
        expected |= {f"sitecms/_resources/{name}/{path}" for path in found}
    assert "sitecms/py.typed" in expected
    assert inside == expected


def files_below(folder: Path) -> set[PurePosixPath]:
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {PurePosixPath(path) for path in paths if "__pycache__" not in path.parts}


def test_installed_wheel_builds_a_new_site(sitecms: Path, tmp_path: Path) -> None:
    """In a fresh environment, in a folder elsewhere, `sitecms init demo && sitecms build demo` gives a whole site."""
    made = run(sitecms, "init", "demo", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    built = run(sitecms, "build", "demo", folder=tmp_path)
    assert built.returncode == 0, built.stderr
    output = tmp_path / "demo" / "public"
    assert (output / "pagefind/pagefind-entry.json").is_file()
    assert 'rel="search"' in (output / "index.html").read_text(encoding="utf-8")
    assert "<!doctype html>" in (output / "index.html").read_text(encoding="utf-8")
    assert {path.suffix for path in (output / "assets").iterdir()} >= {".css", ".svg"}
    again = run(sitecms, "build", "demo", folder=tmp_path)
    assert " 0 written" in again.stdout, again.stdout


def test_installed_wheel_is_not_this_checkout(sitecms: Path, repo: Path, tmp_path: Path) -> None:
    """What was tried is the wheel's own copy, under the fresh environment."""
    where = run(sitecms.with_name("python"), "-c", "import sitecms; print(sitecms.__file__)", folder=tmp_path)
    assert Path(where.stdout.strip()).is_relative_to(sitecms.parent.parent)
    assert not Path(where.stdout.strip()).is_relative_to(repo)


def test_plugin_package_is_found_in_a_fresh_environment(
    sitecms: Path, tmp_path: Path, lacking: Callable[[str], None]
) -> None:
    """The package that the chapter *Write a plug-in* shows is installed by pip, enabled by name, and tests itself."""
    chapter = resource_dir("manual") / "content/pages/chapter/write-a-plug-in.md"
    files = {block.file: block.text for block in blocks(chapter.read_text(encoding="utf-8")) if block.file}
    package = tmp_path / "sitecms-reading-level"
    for name, text in {
        **{name: text for name, text in files.items() if name.startswith(package.name)},
        f"{package.name}/src/sitecms_reading_level.py": files["plugins/reading_level.py"],
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    python = sitecms.with_name("python")
    installed = run(python, "-m", "pip", "install", "--no-input", package, folder=tmp_path)
    if installed.returncode != 0 and any(sign in installed.stderr for sign in NO_NETWORK):
        lacking(f"the tools that build a package cannot be installed without a network:\n{installed.stderr}")
    assert installed.returncode == 0, installed.stderr
    check = "import runpy; runpy.run_path('test_reading_level.py')['test_short_sentences_are_easy']()"
    assert run(python, "-c", check, folder=package / "tests").returncode == 0
    assert run(sitecms, "init", "demo", folder=tmp_path).returncode == 0
    settings = tmp_path / "demo/site.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + '\n[plugins]\nenabled = ["reading-level"]\n', "utf-8")
    (tmp_path / "demo/templates/hooks").mkdir(parents=True)
    (tmp_path / "demo/templates/hooks/post-end.html").write_text(files["templates/hooks/post-end.html"], "utf-8")
    built = run(sitecms, "build", "demo", folder=tmp_path)
    assert built.returncode == 0, built.stderr
    pages = [page.read_text(encoding="utf-8") for page in (tmp_path / "demo/public/blog").glob("*/index.html")]
    assert any(re.search(r"This text is (easy|moderate|demanding) to read\.", page) for page in pages)
    assert " 0 written" in run(sitecms, "build", "demo", folder=tmp_path).stdout
