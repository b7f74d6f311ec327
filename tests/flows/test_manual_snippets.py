"""Every command, file and program that a chapter of the manual shows works in a fresh folder."""

import ast
import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from sitecms.content.fingerprint import digest
from sitecms.documents.yaml12 import load_yaml
from sitecms.resources import resource_dir
from tests.flows import manual_sources
from tests.support.commands import CommandServer
from tests.support.console import Block, Console, Step, blocks, pattern, run_again_until, steps

SITE = "my-site"
FILES = ("toml", "yaml", "markdown", "jinja", "html", "css", "xml", "po", "ini", "csv")
PROGRAMS = ("python", "javascript", "ruby", "php", "go", "nginx")
SHOWN = ("text", "http", "json")
"""Languages of blocks that show something, and are neither run nor loaded."""
FAILS = ("sitecms check", "sitecms import urls")
"""Commands that end with 1 where they find something."""
CHAPTERS = sorted(path.stem for path in (resource_dir("manual") / "content/pages/chapter").glob("*.md"))
FIRST = frozenset({
    "a-blog", "checking", "html-in-content", "links-between-files", "security", "shortcodes", "the-built-site",
    "welcome", "write-a-plug-in", "writing-in-markdown", "your-own-theme",
})  # fmt: skip
"""Chapters with one example of each kind; the others are slow."""


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer) -> Path:
    """A site as `sitecms init` makes it, loaded and built once for all chapters."""
    folder = tmp_path_factory.mktemp("manual")
    for words in (("init", SITE), ("build", SITE)):
        assert command_server.run(*words, folder=folder, variables={}).returncode == 0
    return folder / SITE


@pytest.fixture
def console(tmp_path: Path, started: Path, command_server: CommandServer) -> Iterator[Console]:
    """A shell beside a copy of that site."""
    shutil.copytree(started, tmp_path / SITE, symlinks=True)
    opened = Console(tmp_path, command_server)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "chapter", [pytest.param(name, marks=() if name in FIRST else pytest.mark.slow) for name in CHAPTERS]
)
def test_chapter_works(chapter: str, console: Console) -> None:
    """Commands print what is shown, files load without an error, and the site builds at the end."""
    text = (resource_dir("manual") / f"content/pages/chapter/{chapter}.md").read_text(encoding="utf-8")
    site, has_files = SITE, False
    with manual_sources.prepared(chapter, console):
        for block in blocks(text.partition("\n---\n")[2]):
            if block.language == "console":
                for step in steps(block.text):
                    if step.command.startswith("sitecms init "):
                        site = step.command.split()[2]
                        shutil.rmtree(console.folder / site, ignore_errors=True)
                    check(console, step)
            elif block.language in (*FILES, *PROGRAMS):
                write(console, block, site)
                has_files = has_files or block.language in FILES
            else:
                assert block.language in SHOWN, f"{block.language}: is it a file, a program, or only shown?"
        if has_files:
            check(console, Step(f"sitecms load {site}", ()))
            check(console, Step(f"sitecms build {site} --no-before", ()))  # no machine has to have npm's programs


def check(console: Console, step: Step) -> None:
    """Run the command; it succeeds and prints what is shown. Programs that the machine lacks are not run."""
    if step.command.startswith("node ") and shutil.which("node") is None:
        return
    expected = re.compile(pattern(step.shown))
    if step.command.startswith("sitecms writes list"):
        printed = run_again_until(console, step, expected)
    else:
        printed = console.run(step)
    assert console.code == 0 or (console.code == 1 and step.command.startswith(FAILS)), (step.command, printed)
    assert not step.shown or expected.fullmatch(printed), f"{step.command}\n{printed}"


def write(console: Console, block: Block, site: str) -> None:
    """Write the file of a block: of the site, or a program beside it."""
    if block.language == "markdown" and not block.file:
        for name in re.findall(r"\bmedia/[\w-]+\.\w+", block.text):
            make_media(console.folder / site / name)
        block = as_post(block.text)
    assert block.file, f"A block of {block.language} names no file: {block.text[:60]}"
    if block.language in PROGRAMS:
        if block.language == "python":
            ast.parse(block.text)
        console.write(f"{site}/{block.file}" if block.file.startswith("plugins/") else block.file, block.text)
    elif block.language == "toml" and not block.file.endswith(("site.toml", "theme.toml")):
        tomllib.loads(block.text)
    elif block.language == "yaml" and block.file.startswith(".github"):
        assert isinstance(load_yaml(block.text), dict)
    else:
        console.write(f"{site}/{block.file}", block.text)


def as_post(text: str) -> Block:
    """The file of a post whose body is this part of one."""
    name = f"part-{digest(text.encode())[:8]}"
    return Block("markdown", f"content/posts/{name}.md", f"---\ntitle: {name}\nstatus: published\n---\n{text}")


def make_media(path: Path) -> None:
    """Make a small file of the kind that the name says, unless it is there."""
    if path.exists():
        return
    if path.suffix == ".jpg":
        Image.new("RGB", (40, 30), "teal").save(path)
    elif path.suffix == ".mp4":
        path.write_bytes(b"\x00\x00\x00\x14ftypisom\x00\x00\x00\x00isom")
    else:
        path.write_text("WEBVTT\n", encoding="utf-8")


def test_shown_json_is_json() -> None:
    """JSON that a chapter shows is whole."""
    for chapter in CHAPTERS:
        text = (resource_dir("manual") / f"content/pages/chapter/{chapter}.md").read_text(encoding="utf-8")
        for block in blocks(text):
            if block.language == "json":
                json.loads(block.text)
