"""A synthetic site for benchmarks: posts, pages with components and references, collection items.

    python -m tests.benchmarks.synthetic SITE --posts 10000

makes the folder SITE with its store: N posts of about 3 KB of HTML (20 authors, 1 of 10 categories, 3 of 100 tags),
1,000 pages with components and references, 10,000 items. Equal arguments make equal content.
"""

import argparse
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.content.author import Author
from sitecms.content.change import EntryChange, Origin, Times, VersionChange
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import EntryKind
from sitecms.content.references import ItemTarget
from sitecms.content.schema import Collection, Component, ContentSchema, FieldSpec, PageType
from sitecms.content.status import Status, Version
from sitecms.settings.site import load_settings
from sitecms.store.database import Transaction
from sitecms.store.entries import authors
from sitecms.store.opening import open_database
from sitecms.store.site_state import documents
from tests.support.changes import post_change

START = datetime(2015, 1, 1, tzinfo=UTC)
SYLLABLES = ("ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo", "ka", "le", "mi", "no")
WORDS = tuple(first + second + third for first in SYLLABLES for second in SYLLABLES for third in SYLLABLES)
COMMONNESS = tuple(accumulate(1 / (rank + 3) for rank in range(len(WORDS))))
"""Cumulative weights: as in real text, few words are common and most are rare."""
PAGES = 1_000
ITEMS = 10_000
SCHEMA = ContentSchema(
    page_types={
        "project": PageType(
            "project",
            "Project",
            (
                FieldSpec("headline", "short_text", "Headline", searchable=True),
                FieldSpec("hero", "component", "Hero", component="hero"),
                FieldSpec("parts", "reference", "Parts", targets=("part",), many=True),
                FieldSpec("lead", "reference", "Lead", targets=("part",)),
            ),
        )
    },
    collections={
        "part": Collection(
            "part",
            "Part",
            "name",
            (
                FieldSpec("name", "short_text", "Name", searchable=True),
                FieldSpec("weight", "number", "Weight"),
                FieldSpec("next", "reference", "Next", targets=("part",)),
            ),
        )
    },
    components={
        "hero": Component(
            "hero",
            "Hero",
            (FieldSpec("title", "short_text", "Title"), FieldSpec("text", "long_text", "Text")),
        )
    },
)


def make_site(folder: Path, posts: int) -> None:
    """Make the site folder and its store."""
    folder.mkdir(parents=True)
    (folder / "site.toml").write_text(
        'name = "Synthetic"\nurl = "https://synthetic.example"\nowner = "author-0"\n', encoding="utf-8"
    )
    settings = load_settings(folder)
    rng = random.Random(20261121)
    with open_database(settings.store, create=True).writing() as transaction:
        documents.save_content_schema(transaction, SCHEMA)
        for number in range(20):
            name = Author(f"author-{number}", "Author", str(number), f"author-{number}@synthetic.example", "Writes.")
            authors.save_author(transaction, name)
        for change in _posts(rng, posts):
            save_entry(SaveContext(transaction, Origin.API, START, owner="author-0"), change)
        _make_items(transaction, rng)
        _make_pages(transaction, rng)


def paragraph(rng: random.Random, words: int) -> str:
    """A sentence-like run of words."""
    return " ".join(rng.choices(WORDS, cum_weights=COMMONNESS, k=words)).capitalize() + "."


def _posts(rng: random.Random, count: int) -> Iterator[EntryChange]:
    for number in range(count):
        parts = [f"<h2>{paragraph(rng, 4)}</h2>" + 2 * f"<p>{paragraph(rng, 60)}</p>" for _ in range(4)]
        at = START + timedelta(hours=number)
        yield post_change(
            locale="en",
            slug=f"post-{number}",
            title=paragraph(rng, 6).rstrip("."),
            status=Status.PUBLISHED,
            author=f"author-{rng.randrange(20)}",
            categories=(f"Category {rng.randrange(10)}",),
            tags=tuple(f"Tag {tag}" for tag in rng.sample(range(100), 3)),
            body="\n".join(parts),
            summary=paragraph(rng, 20),
            times=Times(at, at, at),
        )


def _make_items(transaction: Transaction, rng: random.Random) -> None:
    for number in range(1, ITEMS + 1):
        following = ItemTarget("part", rng.randrange(1, ITEMS + 1)).uri
        fields: dict[str, FieldValue] = {"name": paragraph(rng, 3), "weight": rng.randrange(1000), "next": following}
        version = VersionChange("en", Version.LIVE, Status.PUBLISHED, fields)
        item = EntryChange(EntryKind.ITEM, number, "part", (version,))
        save_entry(SaveContext(transaction, Origin.API, START), item)


def _make_pages(transaction: Transaction, rng: random.Random) -> None:
    for number in range(PAGES):
        slug, title = f"project-{number}", paragraph(rng, 4)
        uris = [ItemTarget("part", rng.randrange(1, ITEMS + 1)).uri for _ in range(5)]
        hero: FieldValue = {"title": paragraph(rng, 5), "text": paragraph(rng, 40)}
        fields: dict[str, FieldValue] = {"headline": paragraph(rng, 8), "hero": hero, "lead": uris[0]}
        fields["parts"] = list(uris[1:])
        times = Times(published_at=START + timedelta(hours=number))
        version = VersionChange("en", Version.LIVE, Status.PUBLISHED, fields, times)
        change = EntryChange(EntryKind.PAGE, 0, "project", (version,), slug, title)
        save_entry(SaveContext(transaction, Origin.API, START), change)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Make a synthetic site with its store.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--posts", type=int, default=10_000)
    arguments = parser.parse_args()
    make_site(arguments.folder, arguments.posts)


if __name__ == "__main__":
    main()
