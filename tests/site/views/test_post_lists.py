"""Related posts: by shared terms, deterministic, in time linear in the number of posts."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from sitecms.content.author import Author
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.term import Term, TermKind
from sitecms.site.views.post_lists import RELATED_POSTS, related_posts
from tests.support.entries import an_entry
from tests.support.processor_time import best_seconds

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANN = Author("ann-ray")


def post(number: int, tags: Sequence[str], categories: Sequence[str] = ()) -> Entry:
    """Return a post published `number` hours after noon."""
    at = NOON + timedelta(hours=number)
    return an_entry(
        EntryKind.POST, number + 1, at, slug=f"p-{number}", title=f"P {number}", author=ANN,
        categories=tuple(Term(TermKind.CATEGORY, slug, slug) for slug in categories),
        tags=tuple(Term(TermKind.TAG, slug, slug) for slug in tags),
    )  # fmt: skip


def related(*posts: Entry) -> dict[str, list[str]]:
    """Return slugs of related posts by slug of the post."""
    ordered = sorted(posts, key=lambda each: each.id, reverse=True)
    return {each.slug: [one.slug for one in found] for each, found in zip(ordered, related_posts(ordered), strict=True)}


def test_posts_that_share_more_come_first() -> None:
    """At most three; posts without shared terms and the post itself are never among them."""
    found = related(post(0, "abc"), post(1, "ab"), post(2, "a"), post(3, "abc"), post(4, "a"), post(5, "z"))
    assert found["p-0"] == ["p-3", "p-1", "p-4"]
    assert found["p-5"] == []
    assert all(slug not in others for slug, others in found.items())


def test_a_rare_term_counts_more_than_a_common_one() -> None:
    """Two posts of a hundred share the rare term."""
    crowd = [post(number, ["common"]) for number in range(2, 40)]
    found = related(post(0, ["common", "rare"]), post(1, ["rare"]), *crowd)
    assert found["p-0"][0] == "p-1"


def test_of_equal_posts_the_newer_comes_first() -> None:
    """The time of publication decides, not the order of terms."""
    found = related(post(0, "ab"), post(1, "b"), post(2, "a"), post(3, "b"), post(4, "a"))
    assert found["p-0"] == ["p-4", "p-3", "p-2"]


def test_a_category_and_a_tag_of_one_name_are_two_terms() -> None:
    """They have two archives."""
    assert related(post(0, ["sea"]), post(1, [], ["sea"])) == {"p-1": [], "p-0": []}


@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=3), max_size=12), st.randoms())
def test_the_order_of_terms_does_not_matter(tags: list[list[str]], chance: random.Random) -> None:
    """A repeated term does not matter either; at most three other posts, each once."""
    plain = [post(number, sorted(set(mine))) for number, mine in enumerate(tags)]
    shuffled = [post(number, chance.sample(mine, len(mine))) for number, mine in enumerate(tags)]
    found = related(*plain)
    assert related(*shuffled) == found
    for slug, others in found.items():
        assert len(others) == len(set(others)) <= RELATED_POSTS
        assert slug not in others


def seconds(count: int) -> float:
    """Return the shortest of three times for `count` posts, each of which shares its terms with thousands."""
    chance = random.Random(1)
    terms = [str(number) for number in range(20)]
    posts = [post(number, chance.sample(terms, 3), ["all"]) for number in range(count)][::-1]
    assert all(len(others) == RELATED_POSTS for others in related_posts(posts))
    return best_seconds(lambda: list(related_posts(posts)))


def test_the_time_is_linear() -> None:
    """Eight times the posts take about eight times as long; a comparison of all pairs would take 64 times."""
    assert seconds(8_000) < 24 * seconds(1_000)
