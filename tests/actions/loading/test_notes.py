"""Notes of a load about content that its author may not have meant."""

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.sites import SiteWorks


@pytest.mark.parametrize(
    ("front", "note"),
    [
        ({}, "is a draft, so it is not shown"),
        ({"published": "2031-01-01T00:00:00Z"}, "is scheduled for 2031-01-01T00:00:00Z, its published time"),
    ],
)
def test_drafts_by_default_and_future_times_are_noted(works: "SiteWorks", front: dict[str, str], note: str) -> None:
    """Each is noted once, when the file is loaded."""
    works.post("odd", **front)
    assert [note in text and text.startswith("content/posts/odd.md: ") for text in works.load().notes] == [True]
    assert works.load().notes == ()


@pytest.mark.parametrize("front", [{"status": "draft"}, {"published": "2026-01-01T00:00:00Z"}])
def test_what_was_said_is_not_noted(works: "SiteWorks", front: dict[str, str]) -> None:
    """A draft that says so, and a post of the past, are as meant."""
    works.post("plain", **front)
    assert works.load().notes == ()


def test_a_moved_address_is_noted(works: "SiteWorks") -> None:
    """A post that takes its slug from its title moves with it, and says how to stay."""
    settings = (works.folder / "site.toml").read_text("utf-8")
    works.write("site.toml", settings + '\n[posts]\nslug_from = "title"\n')
    text = "---\ntitle: {}\npublished: 2026-01-01T00:00:00Z\n---\nThe sea.\n"
    works.write("content/posts/soon.md", text.format("Soon"))
    works.load()
    works.write("content/posts/soon.md", text.format("Sooner"))
    expected = "content/posts/soon.md: moved from soon to sooner (slug: soon keeps the old address)"
    assert works.load().notes == (expected,)


def test_a_new_title_keeps_the_address(works: "SiteWorks") -> None:
    """Without a slug, the file's name gives it, without a leading date."""
    text = "---\ntitle: {}\npublished: 2026-01-01T00:00:00Z\n---\nThe sea.\n"
    works.write("content/posts/2026-01-01-soon.md", text.format("Soon"))
    works.make()
    works.write("content/posts/2026-01-01-soon.md", text.format("Sooner"))
    assert works.load().notes == ()
    works.make()
    assert "Sooner" in works.text("blog/soon/index.html")


def test_relative_pictures(works: "SiteWorks") -> None:
    """`../../media/x.png` is what editors insert; a picture that leads nowhere on the built site is a error."""
    works.image("media/sea.png")
    front = "---\ntitle: Sea\npublished: 2026-01-01T00:00:00Z\n---\n"
    works.write("content/posts/sea.md", front + "![The sea](../../media/sea.png)\n")
    works.make()
    assert 'src="/media/' in works.text("blog/sea/index.html")
    works.write("content/posts/sea.md", front + "![The sea](sea.png)\n")
    with pytest.raises(AssertionError, match=r"sea\.png leads nowhere on the built site"):
        works.load()


CENTRED = '<p style="text-align: center">The <font color="red">sea</font>.</p>'
FRONT = "---\ntitle: Sea\npublished: 2026-01-01T00:00:00Z\n"
FONT = "The tag <font> was removed: it is not allowed. Its text was kept."


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_removed_markup_of_a_post_is_noted(works: "SiteWorks", form: str) -> None:
    """The note has the line, the sentence and the markup; an alignment is a class; a comment is none of it."""
    works.write("content/posts/sea.md", f"{FRONT}format: {form}\n---\n<!-- mine -->\n\n{CENTRED}\n")
    assert works.load().notes == (f'content/posts/sea.md:8 body: {FONT} <font color="red">',)
    works.make()
    assert '<p class="align-center">The sea.</p>' in works.text("blog/sea/index.html")
    assert works.load().notes == ()


def test_few_notes_about_removed_markup(works: "SiteWorks") -> None:
    """The first five kinds are named with their count; the others are counted together."""
    works.write("content/posts/sea.md", f"{FRONT}---\n" + "".join(f"<a{n}>x</a{n}><a{n}>" for n in range(8)) + "\n")
    notes = works.load().notes
    assert len(notes) == 6
    assert notes[0] == f"content/posts/sea.md:5 body: {FONT.replace('font', 'a0')} (2 times) <a0>"
    assert notes[5] == "content/posts/sea.md: 3 more kinds of markup were removed."


def test_removed_markup_of_fields_is_noted(works: "SiteWorks") -> None:
    """HTML fields of pages and items are named by their path."""
    field = {"slug": "text", "name": "Text", "type": "wysiwyg"}
    works.write("schema/page_types/manual.yaml", json.dumps({"slug": "manual", "name": "Manual", "fields": [
        {"slug": "rows", "name": "Rows", "type": "repeater", "fields": [field]}, {**field, "slug": "body"},
    ]}))  # fmt: skip
    works.write("schema/collections/facts.yaml", json.dumps({"key": "facts", "name": "Facts", "fields": [field]}))
    works.write("content/pages/manual/one.yaml", f"title: One\nfields:\n  rows:\n    - text: '{CENTRED}'\n")
    works.write("content/pages/manual/two.md", f"---\ntitle: Two\n---\n{CENTRED}\n")
    works.write("content/collections/facts.yaml", f"- fields:\n    text: '{CENTRED}'\n")
    notes = [note for note in works.load().notes if FONT in note]
    assert sorted(note.split(": The")[0] for note in notes) == [
        "content/collections/facts.yaml:2 [0].fields.text",
        "content/pages/manual/one.yaml:4 fields.rows[0].text",
        "content/pages/manual/two.md:4 body",
    ]


def test_a_post_with_another_extension_is_noted(works: "SiteWorks") -> None:
    """Only .md files are posts; other text files are named with the remedy, pictures are not."""
    works.write("content/posts/flow.markdown", "---\ntitle: Flow\n---\n")
    works.write("content/posts/sea.jpg", "")
    notes = [note for note in works.load().notes if "flow" in note or "sea" in note]
    assert notes == ["content/posts/flow.markdown: is not loaded, since posts are .md files (rename it to end in .md)"]
