"""One made blog, written as a site of sitecms and as a site of Hugo.

N posts of about 500 words of Markdown (`blog_texts`), 20 authors, 1 of 10 categories, 3 of 100 tags, 20 pages, 20
pictures. Equal arguments make equal content. Both sites have the same pages: home, lists of ten for all posts,
categories, tags, authors and years, one RSS feed, a sitemap; about 1.7 N HTML files.
"""

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path

from PIL import Image

from tests.benchmarks.blog_texts import PICTURES, blog_text
from tests.benchmarks.synthetic import paragraph

HERE = Path(__file__).parent
START = datetime(2015, 1, 1, tzinfo=UTC)
APART = timedelta(minutes=50)
PAGES = 20
PICTURE_SIZE = (640, 360)
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
SAME_TOML = """
[feeds]
kinds = ["rss"]
archives = []
[delivery]
headers = false
"""
WITHOUT_SHARE_IMAGES_TOML = """
[share_images]
enabled = false
"""
HUGO_TOML = """
baseURL = "https://synthetic.example/"
title = "Synthetic"
locale = "en"
enableRobotsTXT = true
[permalinks.term]
years = "/blog/:slug/"
[outputFormats.rss]
baseName = "rss"
[pagination]
pagerSize = 10
disableAliases = true
[taxonomies]
author = "authors"
category = "categories"
tag = "tags"
year = "years"
[outputs]
home = ["html", "rss"]
section = ["html"]
term = ["html"]
taxonomy = ["html"]
[markup.goldmark.renderer]
unsafe = true
[markup.highlight]
noClasses = false
[services.rss]
limit = 20
[params]
description = "Words in no language."
"""


class Outputs(Enum):
    """What the site of sitecms makes."""

    SAME = "same outputs"
    """Those that the site of Hugo has, with a theme as simple as its theme."""
    SHARE_IMAGES = "with share images"
    """A share image for each post without a picture as well."""
    DEFAULT_THEME = "default theme"
    """All that sitecms makes without settings, but for the search index: feeds of each archive, share images."""


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
            body=blog_text(number, count),
        )


def pages() -> Iterator[tuple[str, str, str]]:
    """Slug, title and Markdown of the pages."""
    for number in range(PAGES):
        yield f"page-{number}", f"Page {number}", blog_text(-1 - number, 1)


def write_sitecms(folder: Path, count: int, outputs: Outputs) -> None:
    """The blog as a folder of sitecms."""
    settings = SITE_TOML + SEARCH_TOML
    if outputs is not Outputs.DEFAULT_THEME:
        settings += SAME_TOML
        _copy_tree(HERE / "theme_sitecms", folder / "templates")
    if outputs is Outputs.SAME:
        settings += WITHOUT_SHARE_IMAGES_TOML
    _write(folder / "site.toml", settings)
    authors = [{"slug": f"author-{n}", "first_name": "Author", "last_name": str(n)} for n in range(20)]
    _write(folder / "content/authors.yaml", json.dumps(authors))
    for post in posts(count):
        write_post(folder, post)
    for slug, title, body in pages():
        front = {"title": title, "slug": slug, "status": "published", "published": "2015-01-01T00:00:00Z"}
        _write(folder / f"content/pages/_single/{slug}.md", _with_front(front, body))
    _write_pictures(folder / "static")


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
    _write(folder / "content/years/_index.md", _with_front({"build": {"render": "never"}}, ""))
    _copy_tree(HERE / "theme_hugo", folder / "layouts")
    _write_pictures(folder / "static")


def _write_pictures(folder: Path) -> None:
    (folder / "pictures").mkdir(parents=True)
    for number in range(PICTURES):
        Image.new("RGB", PICTURE_SIZE, (number * 12, 90, 160)).save(folder / f"pictures/{number}.png")


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
