"""`sitecms build --shard` and `--finish` as a person or a script meets them."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_two_shards_and_a_finish_make_the_site(run: Run, demo: Path, tmp_path: Path) -> None:
    """The commands of the help text; the result is that of one build, and the next one has nothing to do."""
    assert run("build", demo, "--output", tmp_path / "one").returncode == 0
    for number in (1, 2):
        made = run("build", demo, "--shard", f"{number}/2", "--shard-dir", tmp_path / "shards")
        assert (made.returncode, made.stderr) == (0, "")
        assert re.fullmatch(
            rf"Shard {number}/2 in .*/shards/{number}-of-2: \d+ pages? rendered, 0 current, 0 failed in \d+\.\d\d s",
            made.stdout.strip(),
        )
        assert not (demo / "public").exists()
    assert run("build", demo, "--finish", "--shard-dir", tmp_path / "shards").returncode == 0
    assert tree(demo / "public") == tree(tmp_path / "one")
    assert ": 0 written, " in run("build", demo).stdout


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_shards_stand_in_the_site_folder_by_default(run: Run, demo: Path) -> None:
    """Images first, if so wished; what is missing ends with 3 and the command to run."""
    run("load", demo)
    assert "images derived" in run("build", demo, "--shard", "1/2", "--images").stdout
    assert run("build", demo, "--shard", "1/2").returncode == 0
    lacking = run("build", demo, "--finish")
    assert (lacking.returncode, lacking.stdout) == (3, "")
    assert "lacks the shards 2/2. Run: sitecms build --shard I/N" in lacking.stderr
    shutil.rmtree(demo / ".sitecms" / "shards")
    assert "There are no shards in" in run("build", demo, "--finish").stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--shard", "3/2"], "expected the number of the shard and the number of shards"),
        (["--shard", "1/2", "--finish"], "choose one"),
        (["--shard-dir", "x"], "--shard-dir needs --shard I/N or --finish"),
        (["--images"], "--images needs --shard I/N"),
        (["--shard", "1/2", "--prune", "--explain"], "--prune and --explain cannot be used with --shard"),
        (["--finish", "--strict"], "--strict cannot be used with --finish"),
    ],
)
def test_options_that_do_not_go_together_are_refused(run: Run, demo: Path, words: list[str], said: str) -> None:
    """Before anything is done."""
    found = run("build", demo, *words)
    assert found.returncode == 2
    assert said in " ".join(found.stderr.split())
    assert not (demo / ".sitecms" / "shards").exists()
