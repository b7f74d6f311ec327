"""Slugs made of titles and file names."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitecms.content.text.slug import MAX_SLUG_LENGTH, numbered, slugify


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("word " * 40, "-".join(["word"] * 20)),
        ("a" * 99 + " bcd", "a" * 99),
        ("a" * 98 + " bcd", "a" * 98),
        ("a" * 120, "a" * 100),
        ("море " * 40, "-".join(["море"] * 20)),
        ("潮汐漲退 " * 40, "-".join(["潮汐漲退"] * 15)),
    ],
)
def test_slugs_are_cut_between_words(text: str, slug: str) -> None:
    """Only a first word that is too long by itself is cut."""
    assert slugify(text) == slug


def test_a_numbered_slug_stays_within_the_limit() -> None:
    """The number takes the place of the end."""
    slug = numbered(slugify("a" * 200), 12)
    assert slug.endswith("-12")
    assert len(slug) == MAX_SLUG_LENGTH


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("किताब", "किताब"),
        ("हिन्दी में", "हिन्दी-में"),
        ("বাংলা", "বাংলা"),
        ("தமிழ்", "தமிழ்"),
        ("မြန်မာ", "မြန်မာ"),
        ("ป่า", "ป่า"),
        ("ป้า", "ป้า"),
        ("น้ำ", "น้ำ"),
        ("և", "և"),
        ("ㅋㅋ", "ㅋㅋ"),
        ("שָׁלוֹם", "שָׁלוֹם"),
        ("cafe\u0301", "café"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"),
        ("か\u3099", "が"),
    ],
)
def test_words_of_every_script_keep_their_spelling(text: str, slug: str) -> None:
    """Vowel signs, tone marks and accents stay, in composed form; letters are not replaced by others."""
    assert slugify(text) == unicodedata.normalize("NFC", slug)


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("“Quoted”—it’s a dash", "quoted-its-a-dash"),
        ("2019–2020", "2019-2020"),
        ("non\u2011breaking", "non-breaking"),
        ("ﬁne ﬂow", "fine-flow"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ１", "full-width1"),
        ("x² ① 5㎏ ⼈", "x2-1-5kg-人"),
        ("½ cup", "½-cup"),
        ("İstanbul", "istanbul"),
        ("1️⃣ First ❤️ 👩\u200d🚀", "1-first"),
        ("می\u200cخواهم", "میخواهم"),
        ("so\u00adft\ufeff", "soft"),
        ("ा की मात्रा, ◌ा", "की-मात्रा"),
    ],
)
def test_typographic_forms_and_invisible_signs(text: str, slug: str) -> None:
    """Dashes separate, other forms of a sign are folded, what has no shape or belongs to no letter is dropped."""
    assert slugify(text) == slug


@given(st.text(st.one_of(st.characters(), st.sampled_from("aé-_ \u0301\u0e49\u093e\u200cİΣ①½ﬁ　")), max_size=150))
@example("ก้" * 100)
@example("a" * 99 + "\u0323\u0301")
def test_a_slug_is_composed_and_stays_as_it_is(text: str) -> None:
    """A slug holds letters, digits, marks, hyphens and underscores, begins with a letter, and is its own slug."""
    slug = slugify(text)
    assert unicodedata.normalize("NFC", slug) == slug
    assert slugify(slug) == slug
    assert all(sign in "-_" or unicodedata.category(sign)[0] in "LMN" for sign in slug)
    assert slug[:1] not in ("-", "_")
    assert not unicodedata.category(slug[:1] or "a").startswith("M")
    assert slugify(unicodedata.normalize("NFD", text)) == slugify(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize("text", ["ก้" * 100, "กี่" * 100, "ห" * 66 + "้"])
def test_a_slug_is_cut_between_letters_with_their_marks(text: str) -> None:
    """A first word that is too long loses no mark of its last letter."""
    slug = slugify(text)
    assert text.startswith(slug)
    assert not unicodedata.category(text[len(slug)]).startswith("M")
