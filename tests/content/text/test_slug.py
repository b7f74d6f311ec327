"""Slugs made of titles and file names."""

import pytest

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
