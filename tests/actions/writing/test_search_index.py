"""The search index follows what files are loaded."""

from sitecms.content.kinds import EntryKind
from sitecms.content.query import Window
from tests.actions.conftest import SiteFolder
from tests.support.reading import found_entries

FIELDS = {"headline": "short_text", "text": "wysiwyg"}


def searchable(folder: SiteFolder, *names: str) -> None:
    """Make these fields of the page type searchable, and no others."""
    fields = [{"slug": slug, "type": kind, "searchable": slug in names} for slug, kind in FIELDS.items()]
    folder.write("schema/page_types/guide.yaml", {"slug": "guide", "fields": fields})


def pages(folder: SiteFolder, text: str) -> list[str]:
    """The slugs of the pages that a search finds."""
    with folder.database.reading() as session:
        return [ranked.entry.slug for ranked in found_entries(session, text, Window(), EntryKind.PAGE).entries]


def posts(folder: SiteFolder, text: str) -> list[str]:
    """The slugs of the posts that a search finds."""
    with folder.database.reading() as session:
        return [ranked.entry.slug for ranked in found_entries(session, text, Window()).entries]


def test_loaded_entries_are_found(folder: SiteFolder) -> None:
    """By their present words alone, and no more once their file is gone and pruned."""
    searchable(folder, "headline", "text")
    folder.post("moon", "The **tide** waits.")
    folder.post("draft", "The tide", status="draft")
    folder.guide("walks", fields={"headline": "Shore", "text": "<p>tide</p>"})
    folder.load()
    assert (posts(folder, "tide"), pages(folder, "tide shore")) == (["moon"], ["walks"])
    folder.post("moon", "The **ebb** waits.")
    folder.load()
    assert (posts(folder, "ebb"), posts(folder, "tide")) == (["moon"], [])
    folder.remove("content/posts/moon.md")
    folder.remove("content/pages/guide/walks.yaml")
    folder.load(prune=True)
    assert (posts(folder, "ebb"), pages(folder, "tide")) == ([], [])


def test_a_changed_schema_changes_the_searched_fields(folder: SiteFolder) -> None:
    """The load that brings it updates the index also of pages whose files did not change."""
    searchable(folder, "headline")
    folder.guide("walks", fields={"headline": "Shore", "text": "<p>tide</p>"})
    folder.load()
    assert (pages(folder, "shore"), pages(folder, "tide")) == (["walks"], [])
    searchable(folder, "text")
    folder.load()
    assert (pages(folder, "shore"), pages(folder, "tide")) == ([], ["walks"])
