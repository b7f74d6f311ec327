"""Lighthouse's scores of the sample site in each theme; npm installs Lighthouse for the run."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import CHROMIUM_NAMES

FLAGS = "--headless=new --no-sandbox --disable-gpu"
CATEGORIES = ("accessibility", "best-practices", "seo")  # the score of speed depends on the machine
PAGES = (
    ("default", "/"),
    ("journal", "/blog/"),
    ("portfolio", "/blog/counting-meteors-honestly/"),
    ("docs", "/guide/starting-a-nature-notebook/"),
    ("magazine", "/"),
)


@pytest.fixture(scope="module")
def lighthouse(tmp_path_factory: pytest.TempPathFactory, lacking: Callable[[str], None]) -> Path:
    """The program, installed into a folder of its own."""
    folder = tmp_path_factory.mktemp("lighthouse")
    if shutil.which("npm") is None:
        lacking("npm is not installed: Lighthouse cannot be run")
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "lighthouse@12"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode:
        lacking(f"npm cannot install Lighthouse, perhaps without network: {done.stderr.strip()[-300:]}")
    return folder / "node_modules/.bin/lighthouse"


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "path"), PAGES)
def test_lighthouse_finds_nothing_to_mend(
    lighthouse: Path, site_url: str, theme_url: Callable[[str], str], theme: str, path: str, tmp_path: Path
) -> None:
    """Accessibility, good practice and search engines have the full score; `test_delivery.py` counts bytes."""
    address = (site_url if theme == "default" else theme_url(theme)) + path
    program = next(filter(None, map(shutil.which, CHROMIUM_NAMES)))
    command = [
        str(lighthouse),
        address,
        "--quiet",
        f"--only-categories={','.join(CATEGORIES)}",
        f"--chrome-flags={FLAGS}",
        "--output=json",
        "--output-path=out.json",
    ]
    done = subprocess.run(
        command,
        cwd=tmp_path, env={**os.environ, "CHROME_PATH": program}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    scores = {name: each["score"] for name, each in report["categories"].items()}
    failed = [name for name, each in report["audits"].items() if each["score"] == 0]
    assert scores == dict.fromkeys(CATEGORIES, 1), failed
