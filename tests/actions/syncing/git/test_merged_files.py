"""Files that both sides changed: merged by field, entry and block; what both changed in the same place stays open."""

import copy
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecms.actions.syncing.git.merged_data import CannotMerge
from sitecms.actions.syncing.git.merged_files import ThreeFiles, is_document, merge_file
from sitecms.documents import dump_yaml

POST = """---
title: {title}  # of the page
summary: {summary}
tags: [a, b]
updated: {updated}
---
{body}
"""
FIRST = {"title": "Tide", "summary": "Old", "updated": "2026-01-01T08:00:00Z", "body": "One.\n\nTwo.\n\nThree."}
ITEMS = """# the people
- id: 1
  fields: {name: Ann, rank: 1}  # first
- id: 2
  fields:
    name: Bo
    text: |-
      One.

      Two.
"""


def merged(base: str, ours: str, theirs: str, path: str = "content/posts/tide.md") -> str:
    files = ThreeFiles(base.encode(), ours.encode(), theirs.encode())
    return merge_file(path, files, {}).content.decode()


def merged_items(ours: str, theirs: str, base: str = ITEMS) -> str:
    return merged(base, ours, theirs, "content/collections/team.yaml")


def post(**values: str) -> str:
    return POST.format(**{**FIRST, **values})


def test_neighbouring_fields_and_paragraphs_of_a_post() -> None:
    """Each side's; of two times of the update the later one; comments stay."""
    ours = post(title="High tide", updated="2026-01-02T08:00:00Z", body="Mine.\n\nTwo.\n\nThree.")
    theirs = post(summary="New", updated="2026-01-02T10:00:00+03:00", body="One.\n\nTwo.\n\nTheirs.")
    for sides in ((ours, theirs), (theirs, ours)):
        result = merged(post(), *sides)
        assert result == post(
            title="High tide", summary="New", updated="2026-01-02T08:00:00Z", body="Mine.\n\nTwo.\n\nTheirs."
        )


def test_entries_that_both_append() -> None:
    """All of them, those at the remote first, each as it was written; other lines stay as they are."""
    ours = f"{ITEMS}- id: 3\n  fields: {{name: 'Cleo'}}\n"
    theirs = f"{ITEMS}- fields: {{name: Dan}}\n"
    result = merged_items(ours, theirs)
    assert result.startswith(ours)
    assert [each["fields"]["name"] for each in yaml.safe_load(result)] == ["Ann", "Bo", "Cleo", "Dan"]


def test_different_entries_and_different_fields_of_one() -> None:
    """A field, a block of a text in another entry, and an entry that is gone."""
    ours = ITEMS.replace("Ann", "Anna").replace("One.", "Mine.")
    theirs = ITEMS.replace("rank: 1", "rank: 2").replace("Two.", "Theirs.")
    both = ours.replace("rank: 1", "rank: 2").replace("Two.", "Theirs.")
    assert merged_items(ours, theirs) == both
    gone = ITEMS.partition("- id: 2")[0]
    assert merged_items(gone, ITEMS.replace("Ann", "Anna")) == gone.replace("Ann", "Anna")


def test_items_that_got_the_same_id_on_both_sides() -> None:
    """The one that was committed here gets the next free id, as every later change of it."""
    ours, theirs = (f"{ITEMS}- id: 3\n  fields: {{name: {name}}}\n" for name in ("Cleo", "Dan"))
    path = "content/collections/team.yaml"
    first = merge_file(path, ThreeFiles(ITEMS.encode(), ours.encode(), theirs.encode()), {})
    found = {each["id"]: each["fields"]["name"] for each in yaml.safe_load(first.content)}
    assert (found, first.ids) == ({1: "Ann", 2: "Bo", 3: "Cleo", 4: "Dan"}, {3: 4})
    later = theirs.replace("Dan", "Daniel")
    second = merge_file(path, ThreeFiles(theirs.encode(), first.content, later.encode()), first.ids)
    assert {each["id"]: each["fields"]["name"] for each in yaml.safe_load(second.content)} == {
        1: "Ann", 2: "Bo", 3: "Cleo", 4: "Daniel",
    }  # fmt: skip
    assert second.ids == {3: 4}


@pytest.mark.parametrize(
    ("ours", "theirs", "place"),
    [
        (post(title="A"), post(title="B"), "title"),
        (post(body="One.\n\nA.\n\nThree."), post(body="One.\n\nB.\n\nThree."), "the text"),
        (post().replace("[a, b]", "[a]"), post().replace("[a, b]", "[a, b, c]"), ""),
        (post(title="A").replace("of the page", "a"), post(summary="B").replace("# of the page", "# b"), "a comment"),
    ],
)
def test_what_both_changed_is_not_decided(ours: str, theirs: str, place: str) -> None:
    """The place is named; two edits of a list of names are one of its entries and another one."""
    if not place:
        assert "tags: [a, c]" in merged(post(), ours, theirs)
        return
    with pytest.raises(CannotMerge, match=place):
        merged(post(), ours, theirs)


def test_a_comment_of_either_side_stays() -> None:
    """Whichever of them the merged file is written as."""
    plain, noted = post(title="A"), post(summary="B").replace("tags:", "# noted\ntags:")
    for sides in ((plain, noted), (noted, plain)):
        assert merged(post(), *sides) == post(title="A", summary="B").replace("tags:", "# noted\ntags:")
    with pytest.raises(CannotMerge, match="a comment"):
        merged(post(), noted, plain.replace("tags:", "# mine\ntags:"))


def test_only_content_is_merged_so() -> None:
    """Settings, templates and other files are left to people."""
    assert [is_document(path) for path in ("content/posts/a.md", "content/tags.yaml", "site.toml", "media/a.md")] == [
        True, True, False, False,
    ]  # fmt: skip


entries = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from("abc"), "rank": st.integers(0, 2)}), min_size=1, max_size=4
)


@settings(deadline=None)
@given(entries, st.data())
def test_edits_of_different_entries_and_fields_are_never_lost(start: list[dict[str, Any]], data: st.DataObject) -> None:
    """Two people change, add and remove entries of a list, with ids or without; each in what the other leaves alone."""
    has_ids = data.draw(st.booleans())
    base = [({"id": number} if has_ids else {"slug": f"s{number}"}) | each for number, each in enumerate(start, 1)]
    owner = [data.draw(st.sampled_from(["ours", "theirs", "fields"])) for _ in base]
    sides: dict[str, list[dict[str, Any]]] = {}
    expected: list[dict[str, Any]] = []
    for side in ("ours", "theirs"):
        result = []
        for each, its in zip(copy.deepcopy(base), owner, strict=True):
            if its == "fields":
                each["name" if side == "ours" else "rank"] = f"{side}"
            elif its == side:
                if data.draw(st.booleans()):
                    continue
                each["rank"] = side
            result.append(each)
        new = [{"name": f"{side} {number}"} for number in range(data.draw(st.integers(0, 2)))]
        sides[side], expected = [*result, *new], [*expected, *new]
    texts = [dump_yaml(each).encode() for each in (base, sides["ours"], sides["theirs"])]
    found = yaml.safe_load(merge_file("content/collections/team.yaml", ThreeFiles(*texts), {}).content) or []
    for each, its in zip(base, owner, strict=True):
        key = "id" if has_ids else "slug"
        at = next((entry for entry in found if entry.get(key) == each[key]), None)
        mine = [next((entry for entry in sides[side] if entry.get(key) == each[key]), None) for side in sides]
        if its == "fields":
            assert at == {**each, "name": "ours", "rank": "theirs"}
        else:
            assert at == mine[0 if its == "ours" else 1]
    added = [each for each in found if "id" not in each and "slug" not in each]
    assert sorted(added, key=str) == sorted(expected, key=str)
