"""What search reads in texts and queries."""

import time

import pytest

from sitecms.content.schema import Component, ContentSchema, FieldSpec, Option
from sitecms.content.search_text import indexed_text, query_words, searched_text, text_filter


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", ""),
        ("  \t\n ", ""),
        ("Slack Water", "slack water*"),
        ("don't-stop_me", "don t stop me*"),
        ('"NEAR(" * ^ : - + ()', "near*"),
        ("title:x", "title x*"),
        ("café", "cafe*"),
        ("cafe\u0301", "cafe*"),
        ("Άλφα", "αλφα*"),
        ("Straße", "strasse*"),
        ("йод", "иод*"),
        ("Ｔｉｄｅ", "tide*"),
        ("ﬁn", "fin*"),
        ("満ち引き", "満ち ち引 引き*"),
        ("満 引き tide", "満* 引き tide*"),
        ("潮tide汐", "潮* tide 汐*"),
        ("ｶﾞ", "ガ*"),
        ("\u1112\u1161\u11ab", "한*"),
        ("a\0b", "a b*"),
        ("a\ud800b", "a b*"),
        ("😀👍🏽", "😀 👍*"),
        ("🇩🇪🇫🇷", "🇩🇪 🇫🇷*"),
        ("Łódź Ærø Þór", "lodz aero thor*"),
        ("tide\u200bwater", "tidewater*"),
        ("2026", "2026*"),
        ("\ue000", "\ue000*"),
    ],
)
def test_query_words(query: str, words: str) -> None:
    """Letters, digits and their marks make words, other characters separate them. The last word is a beginning (*)."""
    assert " ".join(word.text + "*" * word.is_beginning for word in query_words(query)) == words


@pytest.mark.parametrize(
    "text",
    [
        "Straße",
        "Ångström",
        "café au lait",
        "潮の満ち引き",
        "潮",
        "ΟΔΟΣ",
        "한국어",
        "«a» – b… c",
        "เวลาน้ำลง",
        "潮tide汐",
    ],
)
def test_texts_and_queries_are_folded_in_the_same_way(text: str) -> None:
    """Every word of a text as a query equals a word in the index of that text, or is the beginning of one."""
    held = indexed_text(text).split()
    for word in query_words(text):
        assert word.text in held or (word.is_beginning and any(each.startswith(word.text) for each in held))


def test_every_character_of_an_unspaced_script_begins_a_word() -> None:
    """A single character is found wherever it stands."""
    assert indexed_text("(潮の満ち)").split() == ["潮の", "の満", "満ち", "ち"]


@pytest.mark.parametrize("marks", ["\u0316\u0301", "\u05b0\u05c1", "\u0301"])
def test_long_runs_of_marks_are_folded_in_linear_time(marks: str) -> None:
    """Unicode normalisation takes quadratic time; half a million marks would take hours."""
    started = time.process_time()
    indexed_text("a" + marks * 250_000)
    assert time.process_time() - started < 10


TEXT = "short_text"


def test_searched_text_is_that_of_searchable_fields() -> None:
    """Searchable fields count at any depth, and all texts of a container that is searchable itself."""
    inner = (FieldSpec("seen", TEXT, searchable=True), FieldSpec("unseen", TEXT))
    schema = ContentSchema(components={"box": Component("box", "Box", inner)})
    specs = (
        FieldSpec("short", TEXT, searchable=True),
        FieldSpec("hidden", TEXT),
        FieldSpec("html", "wysiwyg", searchable=True),
        FieldSpec("mood", "dropdown", searchable=True, options=(Option("Calm sea", "calm"),)),
        FieldSpec("link", "reference", searchable=True, targets=("team",)),
        FieldSpec("count", "number", searchable=True),
        FieldSpec("box", "component", component="box"),
        FieldSpec("open", "component", component="box", searchable=True),
        FieldSpec("picked", "component_picker", components=("box",)),
        FieldSpec("rows", "repeater", fields=inner),
    )
    fields = {
        "short": "one",
        "hidden": "NO",
        "html": '<p class="no">two<br>three</p>',
        "mood": "calm",
        "link": "/v2/content/?keys=team[_id=1]",
        "count": 7,
        "box": {"seen": "four", "unseen": "NO"},
        "open": {"seen": "five", "unseen": "six"},
        "picked": [{"type": "box", "fields": {"seen": "seven"}}, {"type": "gone", "fields": {"seen": "NO"}}, None],
        "rows": [{"seen": "eight", "unseen": "NO"}, {"seen": "nine"}],
        "undeclared": "NO",
    }
    found = searched_text(fields, specs, schema)  # type: ignore[arg-type]
    assert found.split("\n") == ["one", "two three", "Calm sea", "four", "five", "six", "seven", "eight", "nine"]
    assert searched_text({}, specs, schema) == ""


@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ("", True),
        ("lodz", True),
        ("ŁÓDŹ boat", True),
        ("oat", True),
        ("sea-12", True),
        ("sea-2", False),
        ("boat-12", False),
        ("😀", False),
        ("(", False),
        (".", True),
    ],
)
def test_lists_find_parts_of_words(query: str, is_found: bool) -> None:
    """Each part of a query occurs, in the folding of search; signs within a part join its words."""
    assert text_filter(query)("A boat in Łódź, sea-12.png") is is_found
