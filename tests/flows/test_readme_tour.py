"""The README's tour works word for word: its commands are typed, and print what it shows."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.commands import CommandServer
from tests.support.console import Console, Step, blocks, pattern, run_again_until, steps

REPO = Path(__file__).resolve().parents[2]
TOUR = ("## Three minutes", "## Beside others")
CHANGES = {"sitecms load demo": ("title:", "titel:")}
"""What the text asks the reader to change in the first post before these commands."""
ACTIVATE = ". .venv/bin/activate"
FIRST_POST = "demo/content/posts/first-steps.md"
MAX_PICTURE_BYTES = 150_000


def tour() -> Iterator[Step]:
    """Yield the commands of the tour, in order."""
    text = (REPO / "README.md").read_text(encoding="utf-8")
    for block in blocks(text[text.index(TOUR[0]) : text.index(TOUR[1])]):
        assert block.language == "console"
        yield from (step for step in steps(block.text) if step.command != ACTIVATE)


@pytest.mark.slow
def test_the_tour_of_the_readme_works_word_for_word(tmp_path: Path, command_server: CommandServer) -> None:
    """Every command runs in a fresh folder in the order it stands in, and prints what is shown below it."""
    console = Console(tmp_path, command_server)
    all_steps = list(tour())
    assert len(all_steps) >= 10
    try:
        for step in all_steps:
            expected = re.compile(pattern(step.shown))
            with changed(tmp_path / FIRST_POST, CHANGES.get(step.command)):
                is_list = step.command.startswith("sitecms writes list")
                printed = run_again_until(console, step, expected) if is_list else console.run(step)
            assert not step.shown or expected.fullmatch(printed), (step, printed)
    finally:
        console.close()


def test_links_of_the_readme_lead_to_files() -> None:
    """Every relative link and the picture exist; the picture is small."""
    text = (REPO / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\((?!https?://)([^)#]+)", text)
    assert len(targets) > 15
    assert [target for target in targets if not (REPO / target).is_file()] == []
    assert (REPO / "sitecms/docs/screenshot.webp").stat().st_size < MAX_PICTURE_BYTES


def test_first_commands_are_those_of_a_checkout(repo: Path) -> None:
    """The two commands of the README install and build the sample site, and run the tests; `.ci/run` does the same."""
    text = (repo / "README.md").read_text(encoding="utf-8")
    install, develop = list(blocks(text))[:2]
    first = "$ python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/sitecms build sample_site\n"
    assert install.text == first
    script = (repo / ".ci/run").read_text(encoding="utf-8")
    assert "pip\" install --quiet -e '.[test]'" in script
    assert "pip install -e '.[test]'" in develop.text
    assert "pytest -n auto" in develop.text


@contextmanager
def changed(post: Path, change: tuple[str, str] | None) -> Iterator[None]:
    """Make the change in the post that the text asks for, and take it back afterwards."""
    if change is None:
        yield
        return
    original = post.read_text(encoding="utf-8")
    post.write_text(original.replace(*change, 1), encoding="utf-8")
    yield
    post.write_text(original, encoding="utf-8")
