"""Entries from which no page can be planned: they are left out and named, the rest is built."""

from datetime import UTC, datetime

import pytest

from sitecms.api.addresses import Addresses
from sitecms.content.kinds import EntryKind
from sitecms.site.check.check import CheckOptions, check_site
from sitecms.store.entries.bodies import set_columns
from sitecms.store.entries.entry_rows import find_named
from tests.support.reading import get_post
from tests.support.sites import ExampleSite


@pytest.mark.parametrize("permalink", ["/blog/{slug}/", "/{year}/{month}/{slug}/"])
def test_a_post_with_a_date_that_the_zone_does_not_have_is_left_out(example: ExampleSite, permalink: str) -> None:
    """It is in the store, as from an older version: the error names its file, and ends with the post."""
    example.make()
    example.settings_are(timezone="America/New_York", permalinks={"post": permalink})
    with example.database.writing() as transaction:
        post_id = find_named(transaction, EntryKind.POST, "", "calm") or 0
        set_columns(transaction, post_id, {"published_at": datetime.min.replace(tzinfo=UTC)})
    example.build()
    report = example.build()
    (error,) = report.left_out
    assert (error.file, error.line) == ("content/posts/calm.md", 3)
    assert error.problem == (
        "the post calm cannot be planned: OverflowError: date value out of range, so it is left out"
    )
    assert ("blog/calm/index.html" in example.tree()) == ("year" not in permalink)  # its last page, where it is known
    assert any("ebb/index.html" in path for path in example.tree())
    assert "Calm</a>" not in example.text("blog/index.html")
    address = Addresses(example.settings, "").post(example.database.read(get_post, "calm"))
    assert address == ("" if "year" in permalink else "https://tide.example/blog/calm/")
    assert check_site(example.settings, example.now, CheckOptions()).pages > 1
    example.remove("content/posts/calm.md")
    example.make()
