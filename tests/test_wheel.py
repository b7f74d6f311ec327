"""The wheel as a stranger gets it: what is inside, and that a fresh environment elsewhere builds a site with it."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from tests.support.packaged_site import CHART, PACKAGES, READING_LEVEL, write_packages, write_site

pytestmark = pytest.mark.slow
MAX_STUDIO_BYTES = 1_000_000  # compressed, with the scripts of others and the catalogues of ten languages
INSTALL = ("-m", "pip", "install", "--no-input", "--no-compile")  # of a hundred modules few are imported
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
    installed = run(commands / "python", *INSTALL, wheel, folder=folder)
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


EDITS = (
    ("content/posts/boats.md", "Saturday 14", "Saturday 15"),
    ("plugins/harbour.py", '"*"', '"+"'),
    ("sitecms_chart.py", "█", "="),
    ("seaside_theme/templates/base.html", "wrap motto", "wrap wide motto"),
)
"""A file of the site, or of an installed package, a text in it, and another."""


def test_plugins_and_themes_of_packages_work_together(
    sitecms: Path, tmp_path: Path, lacking: Callable[[str], None]
) -> None:
    """The packages that the manual shows are installed by pip, and used by one site together with some of its own.

    One test of all: tests that run at the same time would each make an environment.
    """
    _install_packages(sitecms, tmp_path, lacking)
    site = tmp_path / "demo"
    assert run(sitecms, "init", site, folder=tmp_path).returncode == 0
    write_site(site)
    built = run(sitecms, "build", site, "--strict", folder=tmp_path)
    assert built.returncode == 0, built.stderr
    page = (site / "public/blog/boats/index.html").read_text(encoding="utf-8")
    parts = (
        "<caption>Boats by day</caption>",
        "Rated **** of 5, comfort ★★★☆☆",
        "With the tide.",
        '<footer class="harbour">',
    )
    assert [text for text in parts if text not in page] == []
    assert re.search(r"This text is (easy|moderate|demanding) to read\.", page)
    assert " 0 written" in run(sitecms, "build", site, folder=tmp_path).stdout
    for path, former, later in EDITS:
        _check_incremental_build(sitecms, site, path, former, later)
    _check_what_is_missing(sitecms, site)


def _install_packages(sitecms: Path, folder: Path, lacking: Callable[[str], None]) -> None:
    write_packages(folder)
    python = sitecms.with_name("python")
    first, *others = (folder / name for name in PACKAGES)
    installed = run(python, *INSTALL, first, "hatchling", folder=folder)  # the others need not fetch it again
    if not installed.returncode:
        installed = run(python, *INSTALL, "--no-build-isolation", *others, folder=folder)
    if installed.returncode != 0 and any(sign in installed.stderr for sign in NO_NETWORK):
        lacking(f"the tools that build a package cannot be installed without a network:\n{installed.stderr}")
    assert installed.returncode == 0, installed.stderr
    check = "import runpy; runpy.run_path('test_reading_level.py')['test_short_sentences_are_easy']()"
    assert run(python, "-c", check, folder=folder / READING_LEVEL / "tests").returncode == 0


def _check_incremental_build(sitecms: Path, site: Path, path: str, former: str, later: str) -> None:
    """After an edit it equals, byte for byte, the build of a copy of the folder that was never built."""
    (packages,) = sitecms.parent.parent.glob("lib/python*/site-packages")
    file = site / path if (site / path).exists() else packages / path
    file.write_text(file.read_text(encoding="utf-8").replace(former, later, 1), encoding="utf-8")
    before = _published_files(site)
    built = run(sitecms, "build", site, "--strict", folder=site)
    assert built.returncode == 0, built.stderr
    assert _published_files(site) != before, path
    copy = site.with_name(f"copy-{file.name}")
    shutil.copytree(site, copy, ignore=shutil.ignore_patterns(".sitecms", "public", ".public.sitecms", "data"))
    clean = run(sitecms, "build", copy, "--strict", folder=copy)
    assert clean.returncode == 0, clean.stderr
    assert _published_files(site) == _published_files(copy), path


def _published_files(site: Path) -> dict[str, bytes]:
    public = site / "public"
    files = (path for path in public.rglob("*") if path.is_file() and path.name != ".sitecms-manifest.json")
    return {path.relative_to(public).as_posix(): path.read_bytes() for path in files}


def _check_what_is_missing(sitecms: Path, site: Path) -> None:
    """--no-plugins names field type, directive and filter, and keeps the page; an uninstalled package is named."""
    before = _published_files(site)["blog/boats/index.html"]
    of_schema = run(sitecms, "build", site, "--no-plugins", folder=site)
    assert 'schema/post.yaml:3 fields[1].type: is "rating"' in of_schema.stderr
    for path, text in (
        ("schema/post.yaml", "- {slug: comfort, type: rating}\n"),
        ("content/posts/boats.md", ", comfort: 3"),
    ):
        (site / path).write_text((site / path).read_text("utf-8").replace(text, ""), encoding="utf-8")
    left_out = run(sitecms, "build", site, "--no-plugins", folder=site)
    assert left_out.returncode == 1
    assert 'content/posts/boats.md:6 body: has an unknown directive "chart"' in left_out.stderr
    assert "templates/hooks/post-end.html:1: No filter named 'reading_level'" in left_out.stderr
    assert _published_files(site)["blog/boats/index.html"] == before
    pip = (sitecms.with_name("python"), "-m", "pip")
    assert run(*pip, "uninstall", "--yes", CHART, folder=site).returncode == 0
    gone = run(sitecms, "build", site, folder=site)
    assert gone.returncode == 3
    assert 'plugins.enabled[1]: is "chart", and there is no such plug-in' in gone.stderr
    assert "Traceback" not in of_schema.stderr + left_out.stderr + gone.stderr
