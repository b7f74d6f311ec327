"""`sitecms manual`, and the manual itself: a site that loads, builds and checks without a finding."""

import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import yaml
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from sitecms.cli.commands.manual import write_manual
from sitecms.cli.report import CHAPTERS, CHAPTERS_OF_FILES
from tests.cli.conftest import Run


def test_manual_checks_without_a_finding(run: Run, tmp_path: Path) -> None:
    """All files load, no link or heading is broken, no page fails."""
    write_manual(tmp_path / "manual")
    checked = run("check", "manual", "--strict")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "0 errors, 0 warnings" in checked.stdout


def test_every_chapter_is_listed(tmp_path: Path) -> None:
    """The list of chapters names each chapter once, those made from the code included."""
    folder = tmp_path / "manual"
    write_manual(folder)
    parts = yaml.safe_load((folder / "content/collections/contents.yaml").read_text(encoding="utf-8"))
    listed = [chapter for part in parts for chapter in part["fields"]["pages"]]
    chapters = [path.stem for path in (folder / "content/pages/chapter").glob("*.md")]
    assert sorted(listed) == sorted(chapters)


def test_output_refuses_an_existing_folder(run: Run, tmp_path: Path) -> None:
    """Exit code 3, and nothing is written."""
    (tmp_path / "pages").mkdir()
    refused = run("manual", "--output", "pages")
    assert refused.returncode == 3
    assert "exists" in refused.stderr
    assert list((tmp_path / "pages").iterdir()) == []


def test_manual_is_served_until_interrupted(tmp_path: Path) -> None:
    """The command prints the address, answers there, and leaves nothing behind."""
    command = [sys.executable, "-m", "sitecms", "manual"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        assert found
        with urllib.request.urlopen(found[0], timeout=60) as answer:
            assert b"<h1>The manual of sitecms</h1>" in answer.read()
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()
    assert list(tmp_path.iterdir()) == []


def test_unknown_chapter_names_the_nearest(run: Run) -> None:
    """A chapter that does not exist is wrong usage."""
    done = run("manual", "setings")
    assert done.returncode == 2
    assert 'There is no chapter "setings"' in done.stderr
    assert "settings" in done.stderr


def test_errors_name_chapters_that_exist(run: Run, tmp_path: Path) -> None:
    """An error in site.toml names the chapter about settings; each chapter that an error may name is there."""
    write_manual(tmp_path / "manual")
    named = {chapter for _, chapter in CHAPTERS if chapter} | set(CHAPTERS_OF_FILES.values())
    assert named <= {path.stem for path in (tmp_path / "manual/content/pages/chapter").glob("*.md")}
    (tmp_path / "site.toml").write_text('nam = "Tide"\n', encoding="utf-8")
    done = run("build")
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == "More about this: sitecms manual settings"
    assert "sitecms manual --open" in run("--help").stdout


@pytest.mark.slow
def test_pages_work_as_files(run: Run, tmp_path: Path) -> None:
    """`--output` writes them, whatever servers the environment names; no link or file needs a server."""
    written = run("manual", "--output", "pages", SITECMS_STORE_URL="postgresql://tide@127.0.0.1:1/tide")
    assert (written.returncode, written.stderr) == (0, "")
    assert "Moving in" in (tmp_path / "pages/index.html").read_text(encoding="utf-8")
    pages = tmp_path / "pages"
    checked = 0
    for page in pages.rglob("*.html"):
        if page.name == "404.html":
            continue
        for node in HTMLParser(page.read_text(encoding="utf-8")).css("[href], [src]"):
            address = re.split("[#?]", node.attributes.get("href") or node.attributes.get("src") or "")[0]
            if address and not re.match(r"[a-z]+:|//", address):
                assert (page.parent / address).is_file(), (page, address)
                checked += 1
    assert checked > 1000
