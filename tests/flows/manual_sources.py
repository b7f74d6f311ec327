"""Small exports of other systems, by the names that chapters of the manual give them."""

import json
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.importing.wxr import export, item
from tests.support.console import Console, Step

REPO = Path(__file__).resolve().parents[2]
_BLOGGER = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>tag:blogger.com,1999:blog-1.archive</id><title>Tide</title>
<link rel="alternate" type="text/html" href="https://tide.blogspot.com/"/><generator>Blogger</generator>
<entry><id>tag:blogger.com,1999:blog-1.post-1</id><published>2012-03-01T08:00:00.000Z</published>
<updated>2012-03-01T08:00:00.000Z</updated>
<category scheme="http://schemas.google.com/g/2005#kind" term="http://schemas.google.com/blogger/2008/kind#post"/>
<title type="text">Slack water</title><content type="html">&lt;p&gt;Text.&lt;/p&gt;</content>
<link rel="alternate" type="text/html" href="https://tide.blogspot.com/2012/03/slack-water.html"/>
<author><name>Ann Ray</name></author></entry></feed>
"""
_MEDIUM = """<!DOCTYPE html><html><head><title>Slack water</title></head><body>
<article class="h-entry"><header><h1 class="p-name">Slack water</h1></header>
<section data-field="body" class="e-content"><p class="graf graf--p">Text.</p></section>
<footer><p>By <a href="https://medium.com/@ann" class="p-author h-card">Ann Ray</a> on
<a href="https://medium.com/p/abc123abc123">
<time class="dt-published" datetime="2020-03-01T08:00:00.000Z">March 1</time></a>.</p>
<p><a href="https://medium.com/@ann/slack-water-abc123abc123" class="p-canonical">Canonical link</a></p></footer>
</article></body></html>
"""
_SUBSTACK = """post_id,post_date,is_published,email_sent_at,type,audience,title,subtitle,podcast_url
1.slack-water,2024-03-01T08:00:00.000Z,true,,newsletter,everyone,Slack water,,
"""
_GHOST = {
    "db": [{
        "meta": {"exported_on": 1700000000000, "version": "5.80.0"},
        "data": {
            "posts": [{
                "id": "1", "uuid": "u", "title": "Slack water", "slug": "slack-water", "html": "<p>Text.</p>",
                "status": "published", "type": "post", "visibility": "public",
                "published_at": "2024-03-01T08:00:00.000Z", "created_at": "2024-03-01T08:00:00.000Z",
            }],
            "users": [], "tags": [], "posts_tags": [], "posts_authors": [], "settings": [],
        },
    }],
}  # fmt: skip
_CONTENTFUL = {
    "contentTypes": [{
        "sys": {"id": "note", "type": "ContentType"}, "name": "Note", "displayField": "title",
        "fields": [{"id": "title", "name": "Title", "type": "Symbol", "localized": False, "required": True}],
    }],
    "entries": [{
        "sys": {
            "id": "n1", "type": "Entry", "createdAt": "2024-03-01T08:00:00Z", "updatedAt": "2024-03-01T08:00:00Z",
            "publishedVersion": 1, "version": 2, "publishedAt": "2024-03-01T08:00:00Z",
            "contentType": {"sys": {"id": "note"}},
        },
        "fields": {"title": {"en-US": "Slack water"}},
    }],
    "assets": [],
    "locales": [{"code": "en-US", "default": True}],
}  # fmt: skip


@contextmanager
def prepared(chapter: str, console: Console) -> Iterator[None]:
    """Make the sources of a chapter before its commands run."""
    make = _SOURCES.get(chapter)
    if make:
        if chapter.startswith(("from-", "moving-in")):
            shutil.rmtree(console.folder / "my-site")
        make(console)
    yield


def _wordpress(console: Console) -> None:
    for name in ("my-blog.WordPress.2026-03-01.xml", "export.xml"):
        _write(console, name, export(item(1)))
    _zip(console, "uploads.zip", {"2026/03/sea.txt": "sea"})


def _moving_in(console: Console) -> None:
    _wordpress(console)
    _old_urls(console)


def _ghost(console: Console) -> None:
    _write(console, "my-blog.ghost.2026-03-01.json", json.dumps(_GHOST))
    _zip(console, "content.zip", {"images/sea.txt": "sea"})


def _markdown(console: Console) -> None:
    _write(console, "old-site/_config.yml", "title: Tide\npermalink: /:year/:title/\n")
    _write(console, "old-site/_posts/2024-03-01-slack.md", "---\ntitle: Slack water\n---\nText.\n")


def _contentful(console: Console) -> None:
    _write(console, "contentful-export.json", json.dumps(_CONTENTFUL))
    (console.folder / "assets").mkdir()


def _account(console: Console) -> None:
    """Serve the sample site, which answers as an account does."""
    account = console.folder / "account"
    shutil.copytree(REPO / "sample_site", account, ignore=shutil.ignore_patterns(".sitecms", "public", ".public*"))
    for command in ("sitecms load account", "sitecms token create account --scope read --name old"):
        printed = console.run(Step(command, ()))
    address = console.run(Step("sitecms serve account --no-worker", ("",))).split()[-1]
    _write(console, "my-site/site.toml", 'name = "Tide"\n[media]\nallow_hosts = ["127.0.0.1"]\n')
    console.replaced |= {
        "TOKEN=...": f"TOKEN={printed.strip()}",
        "https://api.account.example/": address.replace(":8000", f":{console.port}"),
    }


def _old_urls(console: Console) -> None:
    _write(console, "old-sitemap.xml", "<urlset><url><loc>https://old.example/gone/</loc></url></urlset>")


def _linked_files(console: Console) -> None:
    """Write the post and the page that the links of the chapter lead to."""
    front = "title: Why\nstatus: published\n"
    _write(console, "my-site/content/posts/2024/why.md", f"---\n{front}---\n## The tide\n\nIt turns.\n")
    _write(console, "my-site/schema/page_types/guide.yaml", "fields:\n  - {slug: text, type: long_text}\n")
    _write(console, "my-site/content/pages/guide/knots.yaml", f"{front}fields: {{text: A bend.}}\n")


_SOURCES: Mapping[str, Callable[[Console], None]] = {
    "from-wordpress": _wordpress,
    "moving-in": _moving_in,
    "from-ghost": _ghost,
    "from-markdown": _markdown,
    "from-blogger": lambda console: _write(console, "blog-03-01-2026.xml", _BLOGGER),
    "from-medium": lambda console: _zip(console, "medium-export.zip", {"posts/2020-03-01_Slack.html": _MEDIUM}),
    "from-substack": lambda console: _zip(
        console, "substack-export.zip", {"posts.csv": _SUBSTACK, "posts/1.slack-water.html": "<p>Text.</p>"}
    ),
    "from-contentful": _contentful,
    "from-notion": lambda console: _zip(
        console, "notion-export.zip", {f"Slack water {'a' * 32}.md": "# Slack water\n"}
    ),
    "from-a-hosted-account": _account,
    "addresses": _old_urls,
    "links-between-files": _linked_files,
}


def _write(console: Console, name: str, text: str) -> None:
    target = console.folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def _zip(console: Console, name: str, files: Mapping[str, str]) -> None:
    with zipfile.ZipFile(console.folder / name, "w") as archive:
        for member, text in files.items():
            archive.writestr(member, text)
