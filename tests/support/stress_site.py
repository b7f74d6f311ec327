"""A site that strains every page: a long word wherever a text may stand, scripts of the world, wide things in texts."""

import io
import json
import shutil
from pathlib import Path

from PIL import Image

WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaften"
ADDRESS = "https://tide.example/" + "a-folder-that-never-ends-" * 8
CJK = "春が過ぎて夏が来るまでの海辺の町で聞いた長い話とその続きについての覚え書き" * 3
ARABIC = "ملاحظات طويلة عن البحر والمد والجزر ومن يعيشون على الساحل في كل فصول السنة"
SETTINGS = """
url = "https://tide.example/mag"
owner = "long-name"
locales = ["en", "ar"]
[build]
page_size = 5
home = "landing-page/home"
[share_images]
enabled = false
[content]
trust_html = true
[markdown]
math = true
definition_lists = true
callouts = true
[delivery.csp]
frame-src = ["https://frames.example"]
[newsletter]
service = "own"
endpoint = "https://tide.example/subscribe"
privacy_page = "plain"
"""
SOCIAL = ["rss", "mailto:ann@tide.example", "https://github.com/tide", "https://codeberg.org/tide", ADDRESS]
PAGES = {
    "home": "/", "home-ar": "/ar/", "blog": "/blog/", "last": "/blog/page/2/", "post": "/blog/wide/",
    "post-word": "/blog/word/", "post-cjk": "/blog/cjk/", "post-ar": "/ar/blog/bahr/", "page": "/plain/",
    "page-texts": "/note/texts/", "pages": "/note/", "item": "/crew/one/", "author": "/authors/long-name/",
    "category": "/categories/long/", "tag": "/tags/long/", "tags": "/tags/", "year": "/blog/2026/",
    "search": "/search/", "not-found": "/404.html",
}  # fmt: skip
WIDE = f"""
{WORD} {ADDRESS} `{WORD}`

<iframe width="560" height="315" src="https://www.youtube-nocookie.com/embed/aaaaaaaaaaa" title="A video"></iframe>

<p><iframe width="900" height="300" src="https://frames.example/" title="A map"></iframe></p>

<video src="/none.mp4" width="1200" height="600" controls></video>

<embed src="/media-of-others.pdf" width="900" height="200" type="text/plain">

<object data="/media-of-others.pdf" width="900" height="200" type="text/plain">{WORD}</object>

<canvas width="1500" height="40"></canvas>

<svg width="1400" height="40" viewBox="0 0 1400 40"><rect width="1400" height="40" fill="gray"/></svg>

<img src="media/wide.png" alt="A wide picture" width="2400" height="300">

<p>Text <img src="media/wide.png" alt="A wide picture" width="2400" height="300"> goes on.</p>

<figure><img src="media/wide.png" alt="A wide picture"><figcaption>{WORD}</figcaption></figure>

<figure class="align-right"><img src="media/wide.png" alt="A wide picture"><figcaption>{WORD}</figcaption></figure>

Text that flows around it.

<form action="/send"><input size="200" aria-label="Long">
<select aria-label="Choice"><option>{WORD}{WORD}</option></select>
<textarea cols="200" rows="2" aria-label="Text"></textarea><button>{WORD}</button></form>

## {WORD}

### {WORD} {WORD}

| {" | ".join(f"Column {n}" for n in range(14))} |
|{"---|" * 14}
| {" | ".join(f"a value {n}" for n in range(14))} |

| Name | Text |
|---|---|
| {WORD} | {WORD} {WORD} |

```text
{"a line of code that goes on " * 12}
```

$${" + ".join(f"x_{{{n}}}^2" for n in range(60))}$$

Inline ${" + ".join(f"y_{{{n}}}" for n in range(60))}$ too.

> {WORD}
>
> > {WORD}

- {WORD}
  - {WORD}
    - {WORD}
      1. {WORD}

{WORD}
: {WORD}

> [!NOTE]
> {WORD}

A note.[^1] <kbd>{WORD}</kbd> <details><summary>{WORD}</summary>{WORD}</details>

## {CJK}

{CJK}

## {ARABIC}

{ARABIC}

[^1]: {WORD} {ADDRESS}
"""


def write_stress_site(folder: Path, repo: Path, theme: str) -> None:
    """Write the site into a new folder, with a theme; its landing page has the schema of the sample site."""
    shutil.copytree(repo / "sample_site/schema", folder / "schema")
    write = _Writer(folder)
    names = f'name = "{WORD[:40]}"\ndescription = "{WORD} {WORD}"\n'
    write(
        "site.toml", f'{names}{SETTINGS}[theme]\nname = "{theme}"\nlogo = "logo.svg"\nsocial = {json.dumps(SOCIAL)}\n'
    )
    write("assets/logo.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"></svg>')
    write.picture("media/wide.png", (1600, 200))
    write.picture("media/face.png", (200, 300))
    write("content/authors.yaml", [{
        "slug": "long-name", "first_name": WORD, "last_name": WORD, "title": WORD, "bio": f"{WORD} {ADDRESS}",
        "profile_image": "media/face.png", "linkedin_url": ADDRESS, "twitter_handle": "a" * 60,
    }])  # fmt: skip
    write("content/categories.yaml", [{"slug": "long", "name": WORD}, {"slug": "cjk", "name": CJK[:40]}])
    tags = [{"slug": f"tag-{n}", "name": f"Tag {n}"} for n in range(60)]
    write("content/tags.yaml", [{"slug": "long", "name": WORD}, *tags])
    write("content/collections/menu.yaml", [
        {"id": 1, "fields": {"label": WORD[:40], "url": "/blog/"}},
        {"id": 2, "fields": {
            "label": "Children", "url": "/plain/", "children": [{"label": WORD[:40], "url": "/tags/"}],
        }},
        *({"id": n, "fields": {"label": f"Entry {n}", "url": "/note/"}} for n in range(4, 12)),
    ])  # fmt: skip
    _write_posts(write)
    _write_pages(write)


def _write_posts(write: "_Writer") -> None:
    kinds = {"featured": "checkbox", "series": "short_text", "series_part": "number"}
    write("schema/post.yaml", {"fields": [{"slug": slug, "type": kind} for slug, kind in kinds.items()]})
    every_tag = [WORD, *(f"Tag {n}" for n in range(60))]
    long = {"categories": [WORD, CJK[:40]], "tags": every_tag}
    write.post("word", f"{WORD}.", title=WORD, summary=f"{WORD} {ADDRESS}", **long, featured=True, series=WORD)
    write.post("wide", WIDE, title=f"{WORD} {WORD}", summary=WORD, featured_image="media/wide.png", **long, series=WORD)
    write.post("cjk", CJK, title=CJK, summary=CJK, **long)
    write.post("short", "Text.", title="A", featured_image="media/face.png", featured_image_alt="A face")
    for number in range(4):
        write.post(f"more-{number}", "Text.", title=f"{WORD} {number}", **long, series=WORD)
    code, table = "```sh\nsitecms build\n```", f"| ا | ب |\n|---|---|\n| {WORD} | {ARABIC} |"
    body = f"{ARABIC}\n\n`init()`\n\n{code}\n\n{WORD}\n\n## {ARABIC}\n\n{table}\n"
    write.post("bahr", body, title=ARABIC, summary=ARABIC, locale="ar")


def _write_pages(write: "_Writer") -> None:
    write("content/pages/_single/plain.md", f"---\ntitle: {WORD}\nstatus: published\n---\n{WORD}\n\n## {WORD}\n")
    kinds = ("short_text", "long_text", "media", "number", "wysiwyg")
    fields = [{"slug": f"{kind}_{n}", "name": f"{kind} {WORD}", "type": kind} for n in range(2) for kind in kinds]
    write("schema/page_types/note.yaml", {"slug": "note", "name": WORD, "fields": fields})
    html = f"<p>{WORD}</p><img src='media/wide.png' alt='' width='2400'>"
    picture = {"url": "media/wide.png", "alt": "A wide picture"}
    values = {"short_text": WORD, "long_text": WORD, "media": picture, "number": 12345678901, "wysiwyg": html}
    every = {f"{kind}_{n}": value for n in range(2) for kind, value in values.items()}
    write("content/pages/note/texts.yaml", {"title": WORD, "slug": "texts", "status": "published", "fields": every})
    crew = [{"slug": "slug", "type": "short_text"}, {"slug": "name", "name": WORD, "type": "short_text"}]
    write("schema/collections/crew.yaml", {"key": "crew", "label": "name", "route": "/crew/{slug}/", "fields": crew})
    write("content/collections/crew.yaml", [{"id": 21, "fields": {"slug": "one", "name": WORD}}])
    person = {"name": WORD[:80], "role": WORD, "bio": WORD, "photo": {"url": "media/face.png", "alt": "A face"}}
    write("content/collections/team.yaml", [{"id": 31, "fields": person}])
    highlights = [{"title": WORD[:79], "text": WORD, "link": "/blog/"} for _ in range(3)]
    links = [{"label": WORD[:60], "link": "/"}]
    body = [
        {"type": "quote", "fields": {"text": WORD, "by": WORD}},
        {"type": "text-block", "fields": {"title": WORD, "text": f"{WORD} {ADDRESS}"}},
        {"type": "call-to-action", "fields": {"title": WORD, "text": WORD, "links": links}},
        {"type": "image-figure", "fields": {"image": {"url": "media/wide.png", "alt": "Wide"}, "caption": WORD}},
        {"type": "hero", "fields": {"title": WORD, "text": WORD, "link": "/", "link_label": WORD[:60]}},
    ]
    home = {"headline": WORD, "intro": WORD, "highlights": highlights, "body": body, "team": [31],
            "hero": {"title": WORD, "text": WORD, "image": {"url": "media/wide.png", "alt": "Wide"}}}  # fmt: skip
    write("content/pages/landing-page/home.yaml", {"title": "Home", "status": "published", "fields": home})


class _Writer:
    """Writes files of one site: text, or data as YAML."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._day = 28

    def __call__(self, name: str, content: object) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")

    def post(self, slug: str, body: str, **front: object) -> None:
        """A post, each a day older than the one before."""
        facts = {"slug": slug, "published": f"2026-02-{self._day:02}T08:00:00Z", **front}
        self._day -= 1
        lines = "\n".join(f"{key}: {json.dumps(value)}" for key, value in facts.items())
        self(f"content/posts/{slug}.md", f"---\n{lines}\n---\n{body}\n")

    def picture(self, name: str, size: tuple[int, int]) -> None:
        """A picture of one colour."""
        buffer = io.BytesIO()
        Image.new("RGB", size, (40, 90, 130)).save(buffer, "PNG")
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(buffer.getvalue())
