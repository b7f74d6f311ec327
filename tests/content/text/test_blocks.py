"""The forms of blocks: those of the built-in directives, and those that plug-ins declare or leave out."""

from pathlib import Path

import pytest

from sitecms.content.text.markdown.blocks import ANY, FORMS, blocks
from sitecms.content.text.markdown.directives import markdown_directives
from sitecms.plugins.site_plugins import SitePlugins
from sitecms.plugins.values import Block, BlockField
from sitecms.settings.site import load_settings

PLUGIN = """
from sitecms.plugins.hooks import hookimpl
from sitecms.plugins.values import Block, BlockField

@hookimpl
def markdown_directives():
    level = BlockField("level", "Level", "choice", ("easy", "hard"), is_required=True)
    return {"recipe": Block(print, "Recipe", (level,), title="Name", content="blocks"), "tide-table": print}
"""
TYPES = {"text", "number", "address", "picture", "video", "audio", "file", "choice", "flag"}
CONTENTS = {"", "blocks", "text", "caption", "pictures"}


def test_blocks_of_a_plugin(tmp_path: Path) -> None:
    """A declaration is taken as it is; without one, title, arguments and lines are typed as text."""
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins/more.py").write_text(PLUGIN, encoding="utf-8")
    (tmp_path / "site.toml").write_text('name = "Tide"\n[plugins]\nenabled = ["more"]\n', encoding="utf-8")
    found = blocks(load_settings(tmp_path).plugins)
    assert list(found) == [*FORMS, "recipe", "tide-table"]
    level = BlockField("level", "Level", "choice", ("easy", "hard"), is_required=True)
    assert found["recipe"] == Block(print, "Recipe", (level,), title="Name", content="blocks")
    plain = found["tide-table"]
    assert (plain.label, plain.title, plain.content) == ("Tide table", "Title", "text")
    assert [field.name for field in plain.fields] == [ANY]


@pytest.mark.parametrize("name", FORMS)
def test_built_in_blocks(name: str) -> None:
    """Each is a directive, its types are known, and its parent is a block."""
    block = blocks(SitePlugins())[name]
    assert name in markdown_directives()
    assert {field.type for field in block.fields} <= TYPES
    assert block.content in CONTENTS
    assert block.parent in ("", *FORMS)


def test_every_built_in_directive_has_a_form() -> None:
    """But for other names of callouts, and pictures, which the editors have."""
    assert set(markdown_directives()) - set(FORMS) == {"info", "hint", "danger", "figure"}
