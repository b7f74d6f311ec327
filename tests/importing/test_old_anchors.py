"""Anchors of headings after an import: links that were made by a generator's rules still lead to their headings."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitecms.content.text.markdown import DEFAULT_EXTENSIONS, headings
from sitecms.importing.plan.old_anchors import linked_anchors, with_old_anchors
from tests.importing.imported import import_files


def written(text: str, *linked: str) -> str:
    """The text with the anchors that links expect."""
    return with_old_anchors(text, linked, DEFAULT_EXTENSIONS)[0]


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("## Ebb & flow", "ebb--flow"),  # GitHub, Hugo, Docusaurus
        ("## Crab – time ##", "crab--time"),
        ("## `std::fmt` module", "std-fmt-module"),  # Zola
        ("## v1.2.3", "v1-2-3"),
        ("## Contributors to [1.31.0](/x)", "contributors-to-1-31-0"),
        ("## Café au lait", "cafe-au-lait"),
        ("## 3. Café", "caf"),  # kramdown
        ("## Don't _stop_ `a_b`", "dont-stop-a_b"),
        ("Ebb & flow\n----------", "ebb--flow"),
        ("> ## Ebb & flow", "ebb--flow"),
        ("- # Ebb & flow", "ebb--flow"),
    ],
)
def test_a_linked_heading_keeps_its_old_anchor(heading: str, anchor: str) -> None:
    """In braces at the end of its last line; the words stay."""
    before, (after,) = headings(heading), headings(written(heading, "other", anchor))
    assert (after.words, after.id, after.has_own_id) == (before[0].words, anchor, before[0].id != anchor)
    assert written(heading, "other") == heading


@pytest.mark.parametrize(
    "text",
    ["## Ebb & flow {#own}\n", "```\n## Ebb & flow\n```\n", "    ## Ebb & flow\n", "## ebb-flow\n", "Ebb & flow\n"],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    """Own ids, code, headings that have the anchor anyway, and what is no heading."""
    assert written(text, "ebb--flow", "ebb-flow") == text


def test_repeated_headings_are_numbered_as_they_were() -> None:
    """The second of GitHub ends with 1, so all of them get their anchor where one is linked."""
    text = "## Use\n\n## Use\n\n## Use\n\n## Other\n"
    assert written(text, "use-2") == "## Use\n\n## Use {#use-1}\n\n## Use {#use-2}\n\n## Other\n"
    assert written(text, "use_1") == "## Use\n\n## Use {#use_1}\n\n## Use {#use_2}\n\n## Other\n"
    assert written(text, "use") == text


def test_line_ends_stay_and_a_setting_that_is_off_is_respected() -> None:
    """Without attributes the braces would be shown."""
    assert written("## A & B\r\n\r\nText\r\n", "a--b") == "## A & B {#a--b}\r\n\r\nText\r\n"
    assert with_old_anchors("## A & B", {"a--b"}, DEFAULT_EXTENSIONS - {"attributes"}) == ("## A & B", 0)


_HEADINGS = st.lists(
    st.sampled_from(["## A & B", "## A B", "## A", "# A.B", "A & B\n---", "text", "## A {#a-b}", "## ünï"])
)


@given(_HEADINGS, st.sets(st.sampled_from(["a--b", "a-b", "a", "a-1", "a-b-1", "ab", "a--b-1", "uni", "a_1"])))
@example(["## A & B", "## A B"], {"a-b"})
def test_only_anchors_are_added(lines: list[str], linked: set[str]) -> None:
    """Without the braces the text is the same, no id stands twice, and a written anchor is a linked one or a number."""
    text = "\n\n".join(lines)
    changed = written(text, *linked)
    assert re.sub(r" \{#[^}]*\}", "", changed) == re.sub(r" \{#[^}]*\}", "", text)
    ids = [heading.id for heading in headings(changed)]
    assert len(set(ids)) == len(ids)
    added = set(re.findall(r" \{#([^}]*)\}", changed)) - {"a-b"}
    assert all(each in linked or re.search(r"[-_]\d$", each) or each == "a--b" for each in added)


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("[a](#x-y) [b](../c/#d%20e) [f]: /g#h", ["x-y", "d e", "h"]),
        ('<a href="#x">{{< relref "a.md#b--c" >}} {{< ref "#d" >}}', ["x", "b--c", "d"]),
        ("A #hashtag, ## heading, C# and &#39; `x`", []),
    ],
)
def test_anchors_are_found_in_links(text: str, anchors: list[str]) -> None:
    """In Markdown, HTML and shortcodes."""
    assert list(linked_anchors(text)) == anchors


TEXT = "---\ntitle: B\ndate: 2020-01-02\n---\nText\n"
HUGO: dict[str, str | bytes] = {
    "hugo.toml": 'baseURL = "https://old.example/"\ntitle = "Tides"\n',
    "content/posts/a.md": "---\ntitle: A\ndate: 2020-01-01\n---\n## Ebb & flow\n\n## Use\n\n## Use\n",
    "content/posts/b.md": TEXT,
}
LINKS = '[one]({{< ref "a.md#ebb--flow" >}}) [two](/posts/a/#use-1)\n'


def test_links_of_other_texts_count(tmp_path: Path) -> None:
    """Also where the link is new since the last import, while the text that it leads to has not changed."""
    site = import_files(tmp_path, HUGO)
    assert "{#" not in site.post("a").body
    linking = {**HUGO, "content/posts/b.md": TEXT + LINKS}
    again = import_files(tmp_path, linking)
    assert again.post("a").body == "## Ebb & flow {#ebb--flow}\n\n## Use\n\n## Use {#use-1}\n"
    assert "/posts/a/#ebb--flow" in again.post("b").body
    assert again.report.counts["posts", "unchanged"] == 0
    third = import_files(tmp_path, linking)
    assert third.report.counts["posts", "unchanged"] == 2
