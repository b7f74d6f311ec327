"""The work of one write is bounded, and most of it is done while others can write."""

from collections.abc import Callable

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.content.search_text import MAX_INDEXED, MAX_WORD_LENGTH, indexed_text
from sitecms.content.text.html import MAX_MARKS
from sitecms.errors import InvalidFields
from sitecms.store.database import Database
from sitecms.store.site_state.documents import save_content_schema
from tests.actions.conftest import SiteFolder
from tests.support.reading import get_post
from tests.support.writes import Writes

TEN_MB = 10 * 1024 * 1024
FIELDS = [{"slug": "rich", "type": "wysiwyg"}, {"slug": "code", "type": "html"}]
TOO_MANY = f"Ensure there are no more than {MAX_MARKS} tags and character references; there are "
HOSTILE = ["<p>", "<b>", "<div>", "<", "&", "<a b=c>", "<table><tr><td>", "<!---->", "</p>"]


@pytest.fixture(autouse=True)
def schema(store: Database) -> None:
    """The content schema of these tests."""
    parts = {"collections": [{"key": "team", "fields": FIELDS}], "page_types": [{"slug": "guide", "fields": FIELDS}]}
    store.write(save_content_schema, ContentSchema.from_json(parts))


@pytest.mark.parametrize("mark", HOSTILE)
def test_ten_megabytes_of_markup_are_refused(writes: Writes, mark: str) -> None:
    """400 under the key, before any of it is sanitised."""
    html = mark * (TEN_MB // len(mark))
    said = f"{TOO_MANY}{html.count('<') + html.count('&')}."
    for kind, body, place in (
        (EntryKind.POST, {"title": "x", "body": html, "upload_images_to_media_library": True}, "body"),
        (EntryKind.PAGE, {"title": "x", "slug": "x", "page_type": "guide", "fields": {"rich": html}}, "rich"),
        (EntryKind.ITEM, {"key": "team", "fields": [{"code": html}]}, "code"),
    ):
        with pytest.raises(InvalidFields) as refused:
            writes.create(kind, body)
        assert refused.value.messages == {place: [said]}


def test_fields_share_the_limit_of_markup(writes: Writes) -> None:
    """Texts that are each below the limit may exceed it together."""
    html = "<p>" * (MAX_MARKS // 2 + 1)
    with pytest.raises(InvalidFields) as refused:
        writes.create(EntryKind.ITEM, {"key": "team", "fields": [{"rich": html}, {"rich": f"x{html}"}]})
    assert refused.value.messages == {"fields": [f"{TOO_MANY}{MAX_MARKS + 2}."]}


def test_html_is_sanitised_when_a_write_is_accepted(writes: Writes, store: Database) -> None:
    """The write row holds clean HTML, which is stored."""
    html = "<p onclick=x>Ebb</p>"
    for accepted in (
        writes.create(EntryKind.POST, {"title": "Ebb", "status": "published", "body": html}),
        writes.create(EntryKind.PAGE, {"title": "x", "slug": "x", "page_type": "guide", "fields": {"rich": html}}),
        writes.create(EntryKind.ITEM, {"key": "team", "fields": [{"code": html}]}),
    ):
        write = writes.get(accepted)
        assert "<p>Ebb</p>" in str(write.payload)
        assert "onclick" not in str(write.payload)
        assert writes.apply(accepted).status == "applied"
    assert store.read(get_post, "ebb").body == "<p>Ebb</p>"


def test_a_long_text_is_indexed_up_to_a_bound(store: Database, make_post: Callable[..., int]) -> None:
    """Words beyond the bound are not found."""
    assert len(indexed_text("x " * TEN_MB)) == MAX_INDEXED
    assert len(indexed_text("x" * TEN_MB)) == MAX_WORD_LENGTH
    make_post("long", body="word " * (MAX_INDEXED // 5) + "behind")
    assert store.read(get_post, "long").reading_minutes > 300


def test_files_have_the_same_limit_of_markup(folder: SiteFolder) -> None:
    """The error names the line where the body begins, or the place of the field."""
    folder.post("a", body="<p>" * (MAX_MARKS + 1), format="html")
    folder.post("b", body="<br>" * 1_000, format="html")
    folder.guide("c", fields={"headline": "c", "text": "<p>" * (MAX_MARKS + 1)})
    errors = {error.file: error for error in folder.load().errors}
    assert errors.keys() == {"content/posts/a.md", "content/pages/guide/c.yaml"}
    assert (errors["content/posts/a.md"].line, errors["content/posts/a.md"].place) == (6, "body")
    assert errors["content/pages/guide/c.yaml"].place == "fields.text"
    assert all(error.problem.startswith(TOO_MANY[:-1].strip()) for error in errors.values())
