"""Checks of plug-ins beside the built-in ones."""

import pytest
from click.testing import CliRunner, Result

from sitecms.cli.main import cli
from tests.support.sites import ExampleSite

PLUGIN = """
from sitecms.findings import Finding, Severity
from sitecms.plugins.hooks import hookimpl

def shouting(checked):
    assert "blog/calm/index.html" in {page.path for page in checked.pages} & checked.outputs
    for post in checked.entries.posts:
        if post.title.isupper():
            yield Finding(Severity.ERROR, "shouting", "has a title in capitals", "use small letters", place=post.slug)

@hookimpl
def checks():
    return {"shouting": shouting}
"""


def check(example: ExampleSite, text: str, **modules: str) -> Result:
    example.settings_are(plugins={"enabled": ["loud"]})
    example.write("plugins/loud.py", text)
    example.post("calm", title="CALM", published="2026-02-01T08:00:00Z")
    return CliRunner().invoke(cli, ["check", str(example.folder)])


def test_check_of_a_plugin(example: ExampleSite) -> None:
    """Its findings stand among the others, and decide the exit code as they do."""
    result = check(example, PLUGIN)
    assert "calm: error: has a title in capitals (use small letters) [shouting]" in result.output
    assert "[template]" not in result.output
    assert result.exit_code == 1
    left_out = CliRunner().invoke(cli, ["check", str(example.folder), "--no-plugins"])
    assert "[shouting]" not in left_out.output


def test_check_of_texts(example: ExampleSite) -> None:
    """Bodies are read for the check that asks for them, of drafts too."""
    example.post("draft", body="Later.", status="draft")
    reads = """
from sitecms.findings import Finding, Severity
from sitecms.plugins.hooks import hookimpl

def lengths(checked):
    for post in checked.whole_posts():
        file = checked.entries.sources.of(post)
        yield Finding(Severity.WARNING, "lengths", f"{post.title} is {post.body.strip()}", file=file)

@hookimpl
def checks():
    return {"lengths": lengths}
"""
    output = check(example, reads).output
    assert "content/posts/draft.md: warning: Draft is <p>Later.</p> [lengths]" in output
    assert "content/posts/calm.md: warning: CALM is <p>The sea.</p> [lengths]" in output


def test_check_that_fails_costs_itself(example: ExampleSite) -> None:
    """The error is a finding that names the plug-in; all other checks are made."""
    fails = PLUGIN.replace("post.title.isupper()", "post.no_title")
    fails = fails.replace("shouting}", 'shouting, "brevity": lambda checked: [SHORT]}')
    fails += 'SHORT = Finding(Severity.WARNING, "brevity", "is short", place="calm")\n'
    output = check(example, fails).output
    assert "calm: warning: is short [brevity]" in output
    assert "error: the plug-in loud failed (check shouting, plugins/loud.py:8): AttributeError" in output
    assert "[plugin]" in output


@pytest.mark.parametrize("address", ["no_such_module:check", "json:no_such_name"])
def test_address_of_a_check_that_is_wrong(example: ExampleSite, address: str) -> None:
    """An address that leads nowhere names the plug-in."""
    output = check(example, PLUGIN.replace('"shouting": shouting', f'"shouting": "{address}"')).output
    assert "error: the plug-in loud failed (check shouting, plugins/loud.py): " in output


def test_name_of_a_builtin_check_is_taken(example: ExampleSite) -> None:
    """A plug-in cannot replace a check."""
    result = check(example, PLUGIN.replace('"shouting": shouting', '"git": shouting'))
    assert "The plug-in loud has the check git, and there is a built-in one" in result.output
