"""The hook specifications: each has a reference with an example that works."""

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sitecms.cli.reference.hooks import example_of
from sitecms.plugins.hooks import all_hooks
from sitecms.plugins.values import BuildResult, EntryChange, FeedItem, FieldInput, LoadResult, RenderedPage
from sitecms.settings.site import load_settings

HEAD = "from sitecms.plugins.hooks import hookimpl\n"
PAGE = RenderedPage("blog/calm/index.html", "post.html", "post calm", "<table></table>")
CHANGE = EntryChange("post.published", "post", 1, "calm", "en")
ARGUMENTS: dict[str, dict[str, object]] = {
    "formula": {"latex": "x", "is_block": False, "macros": {}},
    "page_rendered": {"page": PAGE},
    "head_additions": {"page": PAGE},
    "feed_item": {"item": FeedItem("Calm", "https://tide.example/blog/calm/", "en", "<p>Calm.</p>")},
    "site_loaded": {"result": LoadResult(("content/posts/calm.md",), 0)},
    "entry_saved": {"change": CHANGE},
    "entry_published": {"change": CHANGE},
    "after_build": {"result": BuildResult(Path("public"), 1, 2, 0, 0)},
    "webhook_payload": {"event": "post.published", "data": {"id": "calm"}},
}
RESULTS: dict[str, object] = {
    "settings_schema": {"type": "object", "properties": {"words_per_minute": {"type": "integer", "default": 200}}},
    "template_values": {"edition": "Tide, second edition"},
    "formula": "<math><mtext>x</mtext></math>",
    "page_rendered": '<table class="wide"></table>',
    "head_additions": '<meta name="generator" content="sitecms for Tide">',
    "feed_item": '<p>Calm.</p><p><a href="https://tide.example/blog/calm/#comments">Comment</a></p>',
    "webhook_payload": {"site": "Tide"},
}
PRINTED = {
    "site_loaded": "Tide: 1 files\n",
    "entry_saved": "post.published post calm\n",
    "entry_published": "https://tide.example: calm is out\n",
    "after_build": "1 written to public\n",
}


def call(folder: Path, hook: str) -> Any:
    """What the example of a hook returns on a site that enables it; None if nothing."""
    (folder / "plugins").mkdir()
    (folder / "plugins/example.py").write_text(HEAD + example_of(all_hooks()[hook]), encoding="utf-8")
    toml = 'name = "Tide"\nurl = "https://tide.example"\n[plugins]\nenabled = ["example"]\n'
    (folder / "site.toml").write_text(toml, encoding="utf-8")
    plugins = load_settings(folder).plugins
    assert plugins.has(hook)
    return next((result for _, result in plugins.results(hook, **ARGUMENTS.get(hook, {}))), None)


@pytest.mark.parametrize("hook", all_hooks())
def test_example_of_each_hook_is_called(hook: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The example in the reference of a hook is valid, takes arguments of the hook, and returns what it says."""
    result = call(tmp_path, hook)
    assert hook not in RESULTS or result == RESULTS[hook]
    assert capsys.readouterr().out == PRINTED.get(hook, "")
    assert result is not None or hook in PRINTED or hook == "before_build"


def test_examples_of_functions(tmp_path: Path) -> None:
    """The functions that examples return do what the references say."""
    results = {}
    for hook in ("template_filters", "template_functions", "shortcodes", "markdown_marks", "field_inputs"):
        (tmp_path / hook).mkdir()
        results[hook] = call(tmp_path / hook, hook)
    assert results["template_filters"]["shout"]("low") == "LOW"
    assert results["template_functions"]["stars"](3) == "★★★"
    assert results["shortcodes"]["key"](SimpleNamespace(arguments={0: "Esc"})) == "<kbd>Esc</kbd>"
    mark = results["markdown_marks"][0]
    match = re.match(mark.pattern, "[[Esc]] ends")
    assert match
    assert (mark.sign, mark.render(match)) == ("[[", "<kbd>Esc</kbd>")
    assert 'name="f" id="i" value="3"' in results["field_inputs"]["rating"](FieldInput("f", "i", None, "Rating"))


def test_example_of_before_build_writes_data(tmp_path: Path) -> None:
    """A plug-in may write files of the site before a build."""
    call(tmp_path, "before_build")
    assert (tmp_path / "data/harbour.yaml").read_text(encoding="utf-8") == "name: Calm\n"


def test_hooks_import_nothing_above_them() -> None:
    """The module of hooks imports types of upper layers for type checkers only."""
    code = "import sys, sitecms.plugins.hooks; print(*(name for name in sys.modules if name.startswith('sitecms.')))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    rooms = {name.split(".")[1] for name in run.stdout.split()}
    assert rooms == {"plugins"}
