"""Merging of texts by top-level block: nothing is lost, and who changed nothing changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecms.content.text.block_merge import MergedText, cut_text, decided_text, merge_texts

PARAGRAPHS = st.lists(st.sampled_from(["one", "two", "- three\n- four", "```\nx\n\ny\n```", "five", "six"]), max_size=6)
TEXTS = PARAGRAPHS.map("\n\n".join)
HTML = PARAGRAPHS.map(lambda blocks: "\n".join(f"<p>{block}</p>" for block in blocks))


@given(st.text(alphabet="ab`:~<>p/ \n-"), st.booleans())
def test_cut_keeps_every_byte(text: str, is_markdown: bool) -> None:
    """The blocks with the space around them are the text."""
    cut = cut_text(text, is_markdown=is_markdown)
    assert "".join(block.before + block.content for block in cut.blocks) + cut.after == text


@given(TEXTS, TEXTS)
def test_merging_with_itself_or_the_base_changes_nothing(base: str, changed: str) -> None:
    """Whoever changed nothing gets the other's text, in each order."""
    for mine, theirs in ((changed, base), (base, changed), (changed, changed)):
        merged = merge_texts(base, mine, theirs, is_markdown=True)
        assert (merged.text(), merged.conflicts) == (changed, ())


@given(st.one_of(st.tuples(TEXTS, TEXTS, TEXTS, st.just(True)), st.tuples(HTML, HTML, HTML, st.just(False))))
def test_no_block_is_lost(texts: tuple[str, str, str, bool]) -> None:
    """Each block that a side wrote anew stands in the text or in a conflict; what nobody removed stays."""
    *sides, is_markdown = texts
    base, mine, theirs = (cut_text(side, is_markdown=is_markdown).contents for side in sides)
    merged = merge_texts(*sides, is_markdown=is_markdown)
    shown = cut_text(merged.text(), is_markdown=is_markdown).contents
    chosen = cut_text(merged.text([True] * len(merged.conflicts)), is_markdown=is_markdown).contents
    assert set(mine) - set(base) <= set(shown)
    assert set(theirs) - set(base) <= set(chosen)
    assert set(base) & set(mine) & set(theirs) <= {*shown, *chosen}
    assert MergedText.from_json(merged.to_json()) == merged


def test_neighbouring_blocks_are_merged_and_the_same_one_is_chosen() -> None:
    """A block each is merged without a question; further typing and the choice for the other version both count."""
    base, mine, theirs = "one\n\ntwo\n\nthree", "ONE\n\ntwo\n\nthree", "one\n\nTWO\n\nthree\n\nfour"
    assert merge_texts(base, mine, theirs, is_markdown=True).text() == "ONE\n\nTWO\n\nthree\n\nfour"
    merged = merge_texts(base, mine, "uno\n\ntwo\n\nthree\n\nfour", is_markdown=True)
    assert merged.text() == "ONE\n\ntwo\n\nthree\n\nfour"
    assert [(part.mine, part.theirs) for part in merged.conflicts] == [("ONE", "uno")]
    typed = "ONE\n\ntwo\n\nthree, more\n\nfour"
    assert decided_text(merged, typed, {0: True}, is_markdown=True) == "uno\n\ntwo\n\nthree, more\n\nfour"
    assert decided_text(merged, typed, {}, is_markdown=True) == typed


@pytest.mark.parametrize(("mine", "theirs"), [("", "<p>2</p>"), ("<p>2</p>", "")], ids=["mine", "theirs"])
def test_removed_block_that_the_other_changed_is_chosen(mine: str, theirs: str) -> None:
    """A removal is no reason to lose what somebody wrote."""
    merged = merge_texts("<p>1</p>\n<p>a</p>", f"{mine}\n<p>a</p>", f"{theirs}\n<p>a</p>", is_markdown=False)
    assert [(part.mine, part.theirs) for part in merged.conflicts] == [(mine, theirs)]
