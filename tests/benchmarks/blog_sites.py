"""One synthetic blog, written as a site of sitecms and as a site of Hugo.

N posts of about 500 words of Markdown (headings, a list, a code block, links), 20 authors, 1 of 10 categories, 3 of 100
tags, 20 pages. Equal arguments make equal content. Both sites have the same pages: home, lists of ten for all posts,
categories, tags, authors and years, RSS, sitemap; about 1.7 N HTML files.
"""

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from tests.benchmarks.synthetic import paragraph

HERE = Path(__file__).parent
START = datetime(2015, 1, 1, tzinfo=UTC)
APART = timedelta(minutes=50)
TEXTS = 400
"""How many different bodies there are: enough that none is cheap to pack, few enough to make a large site soon."""
SITE_TOML = """
name = "Synthetic"
url = "https://synthetic.example"
description = "Words in no language."
owner = "author-0"
"""
SEARCH_TOML = """
[search]
enabled = false
"""
SIMPLE_TOML = """
[feeds]
kinds = ["rss"]
archives = []
[share_images]
enabled = false
[delivery]
headers = false
"""
HUGO_TOML = """
baseURL = "https://synthetic.example/"
title = "Synthetic"
locale = "en"
disableKinds = ["taxonomy"]
[pagination]
pagerSize = 10
[taxonomies]
author = "authors"
category = "categories"
tag = "tags"
year = "years"
[outputs]
home = ["html", "rss"]
section = ["html"]
term = ["html"]
[services.rss]
limit = 20
[params]
description = "Words in no language."
"""


@dataclass(frozen=True, slots=True)
class BlogPost:
    """One post, before it is written down."""

    number: int
    title: str
    at: datetime
    author: str
    category: str
    tags: tuple[str, ...]
    summary: str
    body: str

    @property
    def slug(self) -> str:
        """Where it stands."""
        return f"post-{self.number}"


def posts(count: int) -> Iterator[BlogPost]:
    """The posts of the blog, oldest first."""
    for number in range(count):
        rng = random.Random(number)
        yield BlogPost(
            number=number,
            title=paragraph(rng, 6).rstrip("."),
            at=START + number * APART,
            author=f"author-{rng.randrange(20)}",
            category=f"category-{rng.randrange(10)}",
            tags=tuple(f"tag-{tag}" for tag in rng.sample(range(100), 3)),
            summary=paragraph(rng, 20),
            body=text(number % TEXTS, max(1, count)),
        )


@cache
def text(number: int, count: int) -> str:
    """About 500 words of Markdown."""
    rng = random.Random(-1 - number)
    parts = [paragraph(rng, 60)]
    for section in range(3):
        items = "\n".join(f"- {paragraph(rng, 8)}" for _ in range(4))
        link = f"[{paragraph(rng, 2)}](/blog/post-{rng.randrange(count)}/)"
        parts += [f"## {paragraph(rng, 4)}", f"{paragraph(rng, 45)} {link} {paragraph(rng, 40)}", items]
        if section == 1:
            parts.append('```python\nfor line in open("rain.txt"):\n    print(float(line) * 2.54, "cm")\n```')
    return "\n\n".join([*parts, paragraph(rng, 60)])


def pages() -> Iterator[tuple[str, str, str]]:
    """Slug, title and Markdown of the 20 pages."""
    for number in range(20):
        yield f"page-{number}", f"Page {number}", text(TEXTS + number, 100)


def write_sitecms(folder: Path, count: int, *, simple: bool) -> None:
    """The blog as a folder of sitecms, with a theme as simple as that of the Hugo site, or with the default one."""
    _write(folder / "site.toml", SITE_TOML + SEARCH_TOML + (SIMPLE_TOML if simple else ""))
    authors = [{"slug": f"author-{n}", "first_name": "Author", "last_name": str(n)} for n in range(20)]
    _write(folder / "content/authors.yaml", json.dumps(authors))
    for post in posts(count):
        write_post(folder, post)
    for slug, title, body in pages():
        front = {"title": title, "slug": slug, "status": "published", "published": "2015-01-01T00:00:00Z"}
        _write(folder / f"content/pages/_single/{slug}.md", _with_front(front, body))
    if simple:
        _copy_tree(HERE / "theme_sitecms", folder / "templates")


def write_post(folder: Path, post: BlogPost) -> None:
    """The post's file in a folder of sitecms."""
    front = {
        "title": post.title,
        "slug": post.slug,
        "status": "published",
        "author": post.author,
        "categories": [post.category],
        "tags": post.tags,
        "summary": post.summary,
        "published": post.at.isoformat(),
    }
    _write(folder / f"content/posts/{post.slug}.md", _with_front(front, post.body))


def write_hugo(folder: Path, count: int) -> None:
    """The blog as a folder of Hugo."""
    _write(folder / "hugo.toml", HUGO_TOML)
    for post in posts(count):
        front = {
            "title": post.title,
            "slug": post.slug,
            "date": post.at.isoformat(),
            "authors": [post.author],
            "categories": [post.category],
            "tags": post.tags,
            "years": [str(post.at.year)],
            "summary": post.summary,
        }
        _write(folder / f"content/blog/{post.slug}.md", _with_front(front, post.body))
    for slug, title, body in pages():
        _write(folder / f"content/{slug}.md", _with_front({"title": title}, body))
    _copy_tree(HERE / "theme_hugo", folder / "layouts")


def _with_front(front: Mapping[str, object], body: str) -> str:
    lines = "\n".join(f"{key}: {json.dumps(value)}" for key, value in front.items())
    return f"---\n{lines}\n---\n{body}\n"


def _copy_tree(source: Path, target: Path) -> None:
    for path in sorted(source.rglob("*")):
        if path.is_file():
            _write(target / path.relative_to(source), path.read_text(encoding="utf-8"))


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
