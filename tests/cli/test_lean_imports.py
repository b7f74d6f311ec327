"""What commands import: a load of one changed post is a matter of tenths of a second, most of which are imports."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

POST = "content/posts/first-steps.md"
NEVER = {
    "PIL", "asyncio", "babel", "email", "flask", "granian", "http", "huey", "jinja2", "jsonschema", "multiprocessing",
    "prometheus_client", "psycopg", "redis", "requests", "ssl", "structlog", "urllib3", "watchfiles",
}  # fmt: skip
TELL = """
import sys
from sitecms.cli.main import cli
try:
    cli(sys.argv[1:], prog_name="sitecms")
finally:
    sys.stderr.write("\\n".join(sys.modules))
"""


def imported(*arguments: object) -> tuple[str, set[str]]:
    """What the command prints, and every module that is there in the end."""
    command = [sys.executable, "-c", TELL, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout, {line for line in done.stderr.splitlines() if line.replace(".", "_").isidentifier()}


@pytest.mark.parametrize("is_edited", [False, True])
def test_a_load_of_one_post_imports_no_more_than_it_needs(run: Run, demo: Path, is_edited: bool) -> None:
    """Neither servers nor drivers nor the libraries of images and of schemas; of an unchanged site no renderer."""
    assert run("load", demo).returncode == 0
    if is_edited:
        path = demo / POST
        path.write_text(path.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
    said, modules = imported("load", demo)
    assert ("1 loaded" if is_edited else "0 loaded") in said
    assert {name.partition(".")[0] for name in modules} & NEVER == set()
    assert "sitecms.actions.loading.storing.store_named" not in modules
    assert ("markdown_it" in modules) == is_edited
    assert ("sitecms.media.stripping" in modules) == is_edited  # the post names a picture


def test_a_first_load_imports_no_more_than_it_needs(demo: Path) -> None:
    """Pages and items are stored without anything that accepts writes of the API, such as an HTTP client."""
    said, modules = imported("load", demo)
    assert ", 0 unchanged" in said
    assert {name.partition(".")[0] for name in modules} & NEVER == set()
