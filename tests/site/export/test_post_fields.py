"""Fields of posts in exports for other systems: as each of them keeps such values."""

import json
import re
import zipfile
from pathlib import Path

import pytest

from sitecms.content.exchange import ENTRY_META
from sitecms.documents import read_front_matter
from sitecms.site.export.run import export_to
from tests.support.sites import ExampleSite


@pytest.fixture
def rated(example: ExampleSite) -> ExampleSite:
    """The site with one post that has fields."""
    example.write("schema/post.yaml", {"fields": [
        {"slug": "rating", "type": "number"},
        {"slug": "photo", "type": "media"},
        {"slug": "guide", "type": "reference", "targets": ["page:guide"]},
    ]})  # fmt: skip
    fields = {"photo": {"url": "media/sea.png", "alt": "The sea"}, "guide": "knots"}
    example.post("rated", rating=4, fields=fields, published="2026-02-20T08:00:00Z")
    example.load()
    return example


def test_hugo_has_parameters(rated: ExampleSite, tmp_path: Path) -> None:
    """With the addresses of media that the export has; a post without values has none."""
    made = export_to("hugo", rated.database, rated.settings, tmp_path / "hugo")
    assert "fields of posts: as parameters" in made.notes
    (file,) = (tmp_path / "hugo/content").rglob("rated.html")
    fields = read_front_matter(file, file.name).data["params"]["fields"]
    assert fields["rating"] == 4
    assert (tmp_path / "hugo/static" / fields["photo"]["url"].lstrip("/")).is_file()


def test_wordpress_has_custom_fields(rated: ExampleSite, tmp_path: Path) -> None:
    """Plain values by their own name, all of them as JSON."""
    made = export_to("wxr", rated.database, rated.settings, tmp_path / "wxr")
    assert any(note.startswith("fields of posts: as custom fields") for note in made.notes)
    text = "".join(file.read_text(encoding="utf-8") for file in (tmp_path / "wxr").glob("*.xml"))
    meta = re.findall(r"<wp:meta_key><!\[CDATA\[(.*?)\]\]></wp:meta_key>\n<wp:meta_value><!\[CDATA\[(.*?)\]\]>", text)
    assert ("rating", "4") in meta
    stored = [json.loads(value)["fields"] for name, value in meta if name == ENTRY_META and '"post"' in value]
    assert 4 in [fields.get("rating") for fields in stored]


def test_ghost_has_them_below_the_text(rated: ExampleSite, tmp_path: Path) -> None:
    """Ghost has no fields; a reference is a link."""
    export_to("ghost", rated.database, rated.settings, tmp_path / "ghost")
    with zipfile.ZipFile(tmp_path / "ghost/ghost-import.zip") as archive:
        posts = json.loads(archive.read("ghost.json"))["db"][0]["data"]["posts"]
    (html,) = [post["html"] for post in posts if post["slug"] == "rated"]
    text, _, below = html.partition('<section class="sitecms-fields">')
    assert "The sea." in text
    assert "<p>4</p>" in below
    assert 'alt="The sea"' in below
    assert ">Knots</a>" in below
