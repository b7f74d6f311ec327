"""Notes of a load about content that its author may not have meant."""

import json

import pytest

from tests.support.sites import ExampleSite

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")


@pytest.mark.parametrize(
    ("front", "note"),
    [
        ({}, "is a draft, so it is not shown"),
        ({"published": "2031-01-01T00:00:00Z"}, "is scheduled for 2031-01-01T00:00:00Z, its published time"),
    ],
)
def test_drafts_by_default_and_future_times_are_noted(example: ExampleSite, front: dict[str, str], note: str) -> None:
    """Each is noted once, when the file is loaded."""
    example.post("odd", **front)
    assert [note in text and text.startswith("content/posts/odd.md: ") for text in example.load().notes] == [True]
    assert example.load().notes == ()


@pytest.mark.parametrize("front", [{"status": "draft"}, {"published": "2026-01-01T00:00:00Z"}])
def test_what_was_said_is_not_noted(example: ExampleSite, front: dict[str, str]) -> None:
    """A draft that says so, and a post of the past, are as meant."""
    example.post("plain", **front)
    assert example.load().notes == ()


def test_a_moved_address_is_noted(example: ExampleSite) -> None:
    """A post that takes its slug from its title moves with it, and says how to stay."""
    example.add_settings('[posts]\nslug_from = "title"')
    text = "---\ntitle: {}\npublished: 2026-01-01T00:00:00Z\n---\nThe sea.\n"
    example.write("content/posts/soon.md", text.format("Soon"))
    example.load()
    example.write("content/posts/soon.md", text.format("Sooner"))
    expected = (
        "content/posts/soon.md: moved from /blog/soon/ to /blog/sooner/ "
        "(add aliases: [/blog/soon/], so that every clone leads on from there)"
    )
    assert example.load().notes == (expected,)


def test_a_new_title_keeps_the_address(example: ExampleSite) -> None:
    """Without a slug, the file's name gives it, without a leading date."""
    text = "---\ntitle: {}\npublished: 2026-01-01T00:00:00Z\n---\nThe sea.\n"
    example.write("content/posts/2026-01-01-soon.md", text.format("Soon"))
    example.make()
    example.write("content/posts/2026-01-01-soon.md", text.format("Sooner"))
    assert example.load().notes == ()
    example.make()
    assert "Sooner" in example.text("blog/soon/index.html")


def test_relative_pictures(example: ExampleSite) -> None:
    """`../../media/x.png` is what editors insert; a picture that leads nowhere on the built site is a error."""
    example.image("media/sea.png")
    front = "---\ntitle: Sea\npublished: 2026-01-01T00:00:00Z\n---\n"
    example.write("content/posts/sea.md", front + "![The sea](../../media/sea.png)\n")
    example.make()
    assert 'src="/media/' in example.text("blog/sea/index.html")
    example.write("content/posts/sea.md", front + "![The sea](sea.png)\n")
    with pytest.raises(AssertionError, match=r"content/posts/sea\.png does not exist in the site folder"):
        example.load()


CENTRED = '<p style="text-align: center">The <font color="red">sea</font>.</p>'
FRONT = "---\ntitle: Sea\npublished: 2026-01-01T00:00:00Z\n"
FONT = "The tag <font> was removed: it is not allowed. Its text was kept."


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_removed_markup_of_a_post_is_noted(example: ExampleSite, form: str) -> None:
    """The note has the line, the sentence and the markup; an alignment is a class; a comment is none of it."""
    example.write("content/posts/sea.md", f"{FRONT}format: {form}\n---\n<!-- mine -->\n\n{CENTRED}\n")
    assert example.load().notes == (f'content/posts/sea.md:8 body: {FONT} <font color="red">',)
    example.make()
    assert '<p class="align-center">The sea.</p>' in example.text("blog/sea/index.html")
    assert example.load().notes == ()


def test_few_notes_about_removed_markup(example: ExampleSite) -> None:
    """The first five kinds are named with their count; the others are counted together."""
    example.write("content/posts/sea.md", f"{FRONT}---\n" + "".join(f"<a{n}>x</a{n}><a{n}>" for n in range(8)) + "\n")
    notes = example.load().notes
    assert len(notes) == 6
    assert notes[0] == f"content/posts/sea.md:5 body: {FONT.replace('font', 'a0')} (2 times) <a0>"
    assert notes[5] == "content/posts/sea.md: 3 more kinds of markup were removed (sitecms check lists those of texts)."


def test_removed_markup_of_fields_is_noted(example: ExampleSite) -> None:
    """HTML fields of pages and items are named by their path."""
    field = {"slug": "text", "name": "Text", "type": "wysiwyg"}
    example.write("schema/page_types/manual.yaml", json.dumps({"slug": "manual", "name": "Manual", "fields": [
        {"slug": "rows", "name": "Rows", "type": "repeater", "fields": [field]}, {**field, "slug": "body"},
    ]}))  # fmt: skip
    example.write("schema/collections/facts.yaml", json.dumps({"key": "facts", "name": "Facts", "fields": [field]}))
    example.write("content/pages/manual/one.yaml", f"title: One\nfields:\n  rows:\n    - text: '{CENTRED}'\n")
    example.write("content/pages/manual/two.md", f"---\ntitle: Two\n---\n{CENTRED}\n")
    example.write("content/collections/facts.yaml", f"- fields:\n    text: '{CENTRED}'\n")
    notes = [note for note in example.load().notes if FONT in note]
    assert sorted(note.split(": The")[0] for note in notes) == [
        "content/collections/facts.yaml:2 [0].fields.text",
        "content/pages/manual/one.yaml:4 fields.rows[0].text",
        "content/pages/manual/two.md:4 body",
    ]


def test_a_post_with_another_extension_is_noted(example: ExampleSite) -> None:
    """Only .md files are posts; other text files are named with the remedy, pictures are not."""
    example.write("content/posts/flow.markdown", "---\ntitle: Flow\n---\n")
    example.write("content/posts/sea.jpg", "")
    notes = [note for note in example.load().notes if "flow" in note or "sea" in note]
    assert notes == ["content/posts/flow.markdown: is not loaded, since posts are .md files (rename it to end in .md)"]
