"""`sitecms manual`, and the manual itself: a site that loads, builds and checks without a finding."""

import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import yaml

from sitecms.resources import resource_dir

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_manual_checks_without_a_finding(run: Run, tmp_path: Path) -> None:
    """All files load, no link or heading is broken, no page fails."""
    shutil.copytree(resource_dir("manual"), tmp_path / "manual")
    checked = run("check", "manual", "--strict")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "0 errors, 0 warnings" in checked.stdout


def test_every_chapter_is_listed() -> None:
    """The list of chapters names each chapter once."""
    folder = resource_dir("manual")
    parts = yaml.safe_load((folder / "content/collections/parts.yaml").read_text(encoding="utf-8"))
    listed = [chapter for part in parts for chapter in part["fields"]["chapters"]]
    chapters = [path.stem for path in (folder / "content/pages/chapter").glob("*.md")]
    assert sorted(listed) == sorted(chapters)


def test_output_is_a_site_of_static_pages(run: Run, tmp_path: Path) -> None:
    """`--output` writes all chapters, whatever servers the environment names, and refuses an existing folder."""
    written = run("manual", "--output", "pages", SITECMS_STORE_URL="postgresql://tide@127.0.0.1:1/tide")
    assert (written.returncode, written.stderr) == (0, "")
    assert "Moving in" in (tmp_path / "pages/index.html").read_text(encoding="utf-8")
    again = run("manual", "--output", "pages")
    assert again.returncode == 3
    assert "exists" in again.stderr


def test_manual_is_served_until_interrupted(tmp_path: Path) -> None:
    """The command prints the address, answers there, and leaves nothing behind."""
    command = [sys.executable, "-m", "sitecms", "manual"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        assert found
        with urllib.request.urlopen(found[0], timeout=10) as answer:
            assert b"<h1>The manual of sitecms</h1>" in answer.read()
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=20) == 0
        finally:
            process.kill()
    assert list(tmp_path.iterdir()) == []
