"""New files are as a person would write them."""

from datetime import timedelta

from sitecms.content.kinds import EntryKind
from tests.support.newsroom import Newsroom

POST = """\
---
title: Spring tide
slug: spring-tide
author: ann-ray
tags: [a b, C++]
summary: "It's: so"
published: 2026-03-01T14:07:00+01:00
format: html
---
<p>High.</p>"""
PAGE = """\
title: Splices
slug: splices
status: draft
created: 2026-03-01T14:14:00+01:00
updated: 2026-03-01T14:14:00+01:00
fields:
  summary: Two ropes.
"""


def test_new_files_have_what_was_set_in_the_documented_order(newsroom: Newsroom) -> None:
    """Nothing that is empty or a default; times to the second in the site's zone; short lists in brackets."""
    text = (newsroom.folder / "site.toml").read_text("utf-8")
    newsroom.site.write("site.toml", f'timezone = "Europe/Berlin"\n{text}')
    newsroom.site.now += timedelta(microseconds=123456)
    sent = {"title": "Spring tide", "status": "published", "body": "<p>High.</p>", "tags": ["a b", "C++"]}
    newsroom.create(EntryKind.POST, {**sent, "summary": "It's: so"})
    page = {"title": "Splices", "page_type": "guide", "slug": "splices", "fields": {"summary": "Two ropes."}}
    newsroom.create(EntryKind.PAGE, page)
    fields = {"label": "New", "url": "/new/"}
    newsroom.create(EntryKind.ITEM, {"key": "menu", "status": "published", "fields": [fields]})
    newsroom.sync()
    files = newsroom.files()
    assert files["content/posts/spring-tide.md"] == POST
    assert files["content/pages/guide/splices.yaml"] == PAGE
    assert newsroom.diff()["content/collections/menu.yaml"] == [
        "- }",
        "+ },",
        "+ {id: 3, published: 2026-03-01T14:20:00+01:00, fields: {label: New, url: /new/}}",
    ]


def test_new_key_comes_where_the_documentation_has_it(newsroom: Newsroom) -> None:
    """In a file that is there, a time has the form of the others."""
    front = "title: Neap\npublished: 2026-02-01 08:00\nformat: html\n"
    newsroom.site.write("content/posts/neap.md", f"---\n{front}---\n<p>Low.</p>\n")
    newsroom.site.load()
    newsroom.diff()
    newsroom.update(EntryKind.POST, "neap", {"summary": "Low water."})
    newsroom.sync()
    neap = newsroom.files()["content/posts/neap.md"].split("\n")
    assert neap[1:6] == [
        "title: Neap",
        "summary: Low water.",
        "published: 2026-02-01 08:00",
        "updated: 2026-03-01 14:06",
        "format: html",
    ]
