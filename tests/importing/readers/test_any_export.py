"""Whatever an export of another system holds, it becomes a site that builds, and one bad record costs itself."""

import csv
import io
import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecms.importing.reader import Answer, Fetcher, ReaderOptions
from tests.importing.building import import_and_build, new_folder
from tests.importing.hostile import BODIES, NAMES, PATHS, SLUGS, TIMES, damaged, whole_imports

Files = Mapping[str, str]
FEW, MANY = whole_imports(1), whole_imports(5)
GOOD = "The text of a good record."
LEXICAL = {
    "root": {
        "children": [
            {"type": "paragraph", "children": [{"type": "text", "text": "a", "format": 3}]},
            {"type": "list", "listType": "number", "start": 2, "children": [{"type": "listitem", "children": []}]},
            {"type": "callout", "calloutText": "b", "calloutEmoji": "!"},
            {"type": "bookmark", "url": "https://a.example/", "metadata": {"title": "c"}},
            {"type": "gallery", "images": [{"src": "/a.png", "width": 1}]},
        ]
    }
}
MOBILEDOC = {
    "version": "0.3.1", "atoms": [["soft-return", "", {}]], "cards": [["image", {"src": "/a.png"}]],
    "markups": [["strong"], ["a", ["href", "/x/"]]],
    "sections": [[1, "p", [[0, [0, 1], 2, "a"], [1, [], 0, 0]]], [10, 0], [3, "ul", [[[0, [], 0, "b"]]]]],
}  # fmt: skip
RICH_TEXT = {
    "nodeType": "document",
    "content": [
        {"nodeType": "paragraph", "content": [{"nodeType": "text", "value": "a", "marks": [{"type": "bold"}]}]},
        {"nodeType": "hyperlink", "data": {"uri": "/x/"}, "content": []},
        {"nodeType": "embedded-asset-block", "data": {"target": {"sys": {"id": "a1", "linkType": "Asset"}}}},
        {"nodeType": "entry-hyperlink", "data": {"target": {"sys": {"id": "e1", "linkType": "Entry"}}}, "content": []},
    ],
}  # fmt: skip


@st.composite
def ghost(draw: st.DrawFn) -> Files:
    """Draw an export of Ghost: rows of all tables, some of them damaged."""

    def post(number: int) -> Any:
        return {
            "id": str(number), "uuid": f"u{number}", "title": draw(NAMES), "slug": draw(SLUGS), "html": draw(BODIES),
            "lexical": json.dumps(draw(damaged(LEXICAL))) if draw(st.booleans()) else None,
            "mobiledoc": draw(damaged(MOBILEDOC)), "status": draw(st.sampled_from(["published", "draft", "scheduled"])),
            "visibility": draw(st.sampled_from(["public", "members"])), "custom_excerpt": draw(NAMES),
            "type": draw(st.sampled_from(["post", "page"])), "published_at": draw(TIMES), "created_at": draw(TIMES),
            "feature_image": "__GHOST_URL__/content/images/a.png", "author_id": "1",
        }  # fmt: skip

    posts = [post(number) for number in range(draw(st.integers(1, 3)))]
    if draw(st.booleans()):
        posts[0]["html"] = ""
    tables = {
        "users": [{"id": "1", "slug": draw(SLUGS), "name": draw(NAMES), "profile_image": draw(PATHS)}],
        "tags": [{"id": "t", "name": draw(NAMES), "slug": draw(SLUGS), "description": draw(NAMES)}],
        "posts_tags": [{"post_id": "0", "tag_id": "t", "sort_order": 0}],
        "posts_authors": [{"post_id": "0", "author_id": "1", "sort_order": 0}],
        "posts_meta": [{"post_id": "0", "meta_title": draw(NAMES), "meta_description": draw(NAMES)}],
        "settings": [
            {"key": "title", "value": draw(NAMES)},
            {"key": "locale", "value": draw(st.sampled_from(["en", "pt-BR", "xx_YY", ""]))},
            {"key": "timezone", "value": draw(st.sampled_from(["Europe/Berlin", "no/zone", ""]))},
            {"key": "permalinks", "value": draw(st.sampled_from(["/:year/:month/:slug/", "/:slug/", "/:id", "x"]))},
            {"key": "navigation", "value": json.dumps([{"label": draw(NAMES), "url": draw(PATHS)}])},
        ],
        "posts": posts,
    }  # fmt: skip
    broken = draw(damaged(tables))
    rows = broken.get("posts")
    good = {"id": "good", "uuid": "good", "title": "Good", "slug": "good", "html": GOOD, "status": "published",
            "published_at": "2012-03-04T09:00:00.000Z"}  # fmt: skip
    broken["posts"] = [*(rows if isinstance(rows, list) else ()), good]
    rules = [{"from": draw(PATHS), "to": draw(PATHS), "permanent": draw(st.booleans())}]
    return {
        "ghost.json": json.dumps({"db": [{"meta": {"exported_on": 1}, "data": broken}]}),
        "redirects.json": json.dumps(draw(damaged(rules))),
    }


@st.composite
def contentful(draw: st.DrawFn) -> Files:
    """Draw an export of Contentful: posts, pages and items with links to each other and to an asset."""
    asset, other = ({"sys": {"linkType": kind, "id": key}} for kind, key in (("Asset", "a1"), ("Entry", "e1")))

    def field(name: str, kind: str = "Symbol", **more: Any) -> Any:
        return {"id": name, "name": name, "type": kind, "localized": draw(st.booleans()), **more}

    def entry(number: int, kind: str) -> Any:
        facts = {
            "title": draw(NAMES), "slug": draw(SLUGS), "body": draw(damaged(RICH_TEXT)), "date": draw(TIMES),
            "image": asset, "friends": [other], "words": [draw(NAMES)], "tone": draw(NAMES), "tags": [draw(NAMES)],
        }  # fmt: skip
        return {
            "sys": {
                "id": f"e{number}", "version": 2, "publishedVersion": draw(st.sampled_from([1, None])),
                "contentType": {"sys": {"id": kind}}, "createdAt": draw(TIMES), "firstPublishedAt": draw(TIMES),
            },
            "fields": {name: {draw(st.sampled_from(["en", "es"])): value} for name, value in facts.items()},
        }  # fmt: skip

    links = {"type": "Link", "linkType": "Entry"}
    plain = [field("title"), field("slug"), field("body", "RichText")]
    more = [
        field("image", "Link", linkType="Asset"), field("friends", "Array", items=links),
        field("words", "Array", items={"type": "Symbol"}), field("tone", validations=[{"in": [draw(NAMES)]}]),
    ]  # fmt: skip
    types = [
        {"sys": {"id": "blogPost"}, "name": "Post", "displayField": "title", "fields": [*plain, field("date", "Date")]},
        {"sys": {"id": draw(NAMES)}, "name": draw(NAMES), "displayField": "title", "fields": [*plain, *more]},
        {"sys": {"id": "team"}, "name": draw(NAMES), "displayField": "title", "fields": [field("title"), *more]},
    ]
    kinds = [each["sys"]["id"] for each in types]  # type: ignore[index]
    data = draw(
        damaged(
            {
                "entries": [entry(n, draw(st.sampled_from(kinds))) for n in range(draw(st.integers(1, 4)))],
                "assets": [{"sys": {"id": "a1"}, "fields": {"title": {"en": draw(NAMES)}, "file": {
                    "en": {"url": "//images.ctfassets.net/s/a.jpg", "fileName": draw(NAMES)}}}}],
            }
        )
    )  # fmt: skip
    good = {
        "sys": {"id": "good", "version": 2, "publishedVersion": 1, "contentType": {"sys": {"id": "blogPost"}}},
        "fields": {name: {"en": value} for name, value in (("title", "Good"), ("slug", "good"), ("body", {
            "nodeType": "document", "content": [{"nodeType": "text", "value": GOOD}]}))},
    }  # fmt: skip
    entries = data.get("entries")
    data["entries"] = [*(entries if isinstance(entries, list) else ()), good]
    locales = [{"code": "en", "default": True}, {"code": "es"}]
    return {"export.json": json.dumps({"contentTypes": types, "locales": locales, **data})}


@st.composite
def blogger(draw: st.DrawFn) -> Files:
    """Draw a backup of Blogger: posts, pages, comments, settings."""
    scheme = "http://schemas.google.com/blogger/2008/kind#"

    def entry(number: str, title: str, content: str, kind: str, link: str) -> str:
        return (
            f"<entry><id>tag:blogger.com,1999:blog-9.post-{number}</id><published>{draw(TIMES)}</published>"
            f"<updated>{draw(TIMES)}</updated>"
            f'<category scheme="http://schemas.google.com/g/2005#kind" term="{scheme}{kind}"/>'
            f'<category scheme="http://www.blogger.com/atom/ns#" term="{escape(draw(NAMES))}"/>'
            f'<title type="text">{escape(title)}</title><content type="html">{escape(content)}</content>'
            f'<link rel="alternate" href="{escape(link)}"/><author><name>{escape(draw(NAMES))}</name></author>'
            f"{draw(st.sampled_from(['', '<app:control><app:draft>yes</app:draft></app:control>']))}</entry>"
        )

    kinds = st.sampled_from(["post", "page", "comment", "template", "settings", "novelty", ""])
    entries = [
        entry(draw(SLUGS), draw(NAMES), draw(BODIES), draw(kinds), f"https://old.example{draw(PATHS)}")
        for _ in range(draw(st.integers(1, 3)))
    ]
    entries.append(entry("good", "Good", f"<p>{GOOD}</p>", "post", "https://old.example/2012/03/good.html"))
    head = (
        "<?xml version='1.0' encoding='UTF-8'?><feed xmlns='http://www.w3.org/2005/Atom' "
        "xmlns:app='http://purl.org/atom/app#' xmlns:blogger='http://schemas.google.com/blogger/2018'>"
    )
    return {"blog.xml": head + "".join(entries) + "</feed>"}


@st.composite
def medium(draw: st.DrawFn) -> Files:
    """Draw an archive of Medium: stories with and without their parts."""

    def story(title: str, body: str, time: str, link: str) -> str:
        return (
            f'<html><body><article class="h-entry"><header><h1 class="p-name">{escape(title)}</h1></header>'
            f'<section data-field="subtitle" class="p-summary">{escape(draw(NAMES))}</section>'
            f'<section data-field="body" class="e-content"><div class="section-content">{body}</div></section>'
            f'<footer><p><a href="/tag/sea" class="p-tag">{escape(draw(NAMES))}</a></p><p>By '
            f'<a class="p-author" href="https://medium.com/@{escape(draw(SLUGS))}">{escape(draw(NAMES))}</a> '
            f'<time class="dt-published" datetime="{time}">then</time></p>'
            f'<p><a class="p-canonical" href="{escape(link)}">C</a></p></footer></article></body></html>'
        )

    hosts = st.sampled_from(["https://medium.com/@ann", "https://blog.tide.example", "http://[x"])
    files = {
        f"posts/2018-08-1{number}_a-abcdef12345{number}.html": story(
            draw(NAMES), draw(BODIES), draw(TIMES), draw(hosts) + draw(PATHS)
        )
        for number in range(draw(st.integers(1, 3)))
    }
    files["posts/2018-08-20_Good-abcdef12399.html"] = story(
        "Good", f"<h3>Part</h3><p>{GOOD}</p>", "2018-08-20T11:00:00.000Z", "https://medium.com/@ann/good-abcdef12399"
    )
    return files


def _table(*rows: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


@st.composite
def substack(draw: st.DrawFn) -> Files:
    """Draw an export of Substack: rows with too few or too many cells, and texts of some of them."""
    files, rows = {}, []
    for number in range(draw(st.integers(1, 3))):
        name = f"{number}.{draw(st.sampled_from(['a', 'about', 'blog', 'search', '日本', '']))}"
        row = [
            name, draw(TIMES), draw(st.sampled_from(["TRUE", "FALSE", ""])), "",
            draw(st.sampled_from(["newsletter", "page", "podcast", "thread"])), draw(st.sampled_from(["everyone", ""])),
            draw(st.one_of(NAMES, st.just("x" * 200_000))), draw(NAMES), draw(st.sampled_from(["", "/a.mp3", "http://[x"])),
        ]  # fmt: skip
        rows.append([*row[: draw(st.integers(1, 9))], *draw(st.lists(NAMES, max_size=1))])
        if draw(st.booleans()):
            files[f"posts/{name}.html"] = draw(BODIES)
    names = ["post_id", "post_date", "is_published", "email_sent_at", "type", "audience", "title", "subtitle"]
    names.append("podcast_url")
    good = ["9.good", "2019-07-26T20:48:19.814Z", "TRUE", "", "newsletter", "everyone", "Good", "", ""]
    return {**files, "posts/9.good.html": f"<p>{GOOD}</p>", "posts.csv": _table(names, *rows, good)}


@st.composite
def notion(draw: st.DrawFn) -> Files:
    """Draw an export of Notion: pages in Markdown or HTML, below each other, and a table with properties."""
    numbers = [letter * 32 for letter in "abcdef0"]
    columns = ["Name", *draw(st.lists(st.sampled_from(["Date", "Tags", "Status", "Slug", "Mood", "Published", "日"])))]
    times = st.one_of(TIMES, st.sampled_from(["March 40, 2024 10:22 AM", "April 5, 2023 (GMT+99)", "1/1/0000", "soon"]))
    values = st.one_of(times, NAMES, st.sampled_from(["Yes", "Published", "x" * 200_000, "a, b", "A (../x%20y.md)"]))
    table = _table(columns, *([draw(values) for _ in range(draw(st.integers(1, 9)))] for _ in range(2)))
    titles = st.sampled_from(["Tide", "tide", "Blog", "Search", "日本", "A B", "-", "a%20b", "x" * 80])
    files = {f"Notes {numbers[0]}_all.csv": table}
    for number in numbers[1 : draw(st.integers(2, 5))]:
        folder = draw(st.sampled_from(["", "Notes/", f"Tide {numbers[1]}/", "Deep/er/"]))
        properties = "\n".join(f"{name}: {draw(values)}" for name in columns[1:])
        if draw(st.booleans()):
            body = f"# {draw(NAMES)}\n\n{properties}\n\n{draw(BODIES)}\n[x](Tide%20{numbers[1]}.md#a)\n"
            files[f"{folder}{draw(titles)} {number}.md"] = body
        else:
            files[f"{folder}{draw(titles)} {number}.html"] = (
                f"<html><body><article class='page'><header><h1 class='page-title'>{escape(draw(NAMES))}</h1>"
                f"<table class='properties'><tr><th>Date</th><td>{escape(draw(values))}</td></tr></table></header>"
                f"<div class='page-body'>{draw(BODIES)}</div></article></body></html>"
            )
    return {**files, f"Good {numbers[6]}.md": f"# Good\n\n{GOOD}\n"}


EXPORTS: Mapping[str, st.SearchStrategy[Files]] = {
    "blogger": blogger(), "contentful": contentful(), "ghost": ghost(), "medium": medium(), "notion": notion(),
    "substack": substack(),
}  # fmt: skip


def check(kind: str, files: Files) -> None:
    """Check that files of an export become a site that builds, and that the good record in them arrives."""
    with new_folder() as folder:
        for name, text in files.items():
            path = folder / "export" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="replace")
        import_and_build(folder / "site", folder / "export", kind=kind)
        assert GOOD in _written(folder / "site/content")


def _written(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.md"))


@pytest.mark.parametrize("kind", sorted(EXPORTS))
@FEW
@given(st.data())
def test_an_export_builds(kind: str, data: st.DataObject) -> None:
    """The plainest of each kind: import, load and strict build end without an error, a second run writes nothing."""
    check(kind, data.draw(EXPORTS[kind]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(EXPORTS))
@MANY
@given(st.data())
def test_any_export_builds(kind: str, data: st.DataObject) -> None:
    """Any of that kind."""
    check(kind, data.draw(EXPORTS[kind]))


@st.composite
def accounts(draw: st.DrawFn) -> Mapping[str, Any]:
    """Draw the lists of an account by their paths, some of their values damaged."""
    author = {"slug": draw(SLUGS), "first_name": draw(NAMES), "last_name": draw(NAMES), "profile_image": draw(PATHS)}

    def post(number: int) -> Any:
        return {
            "url": f"https://old.example{draw(PATHS)}", "slug": draw(SLUGS) or f"p{number}", "title": draw(NAMES),
            "body": draw(BODIES), "status": "published", "published": draw(TIMES), "created": draw(TIMES),
            "summary": draw(NAMES), "featured_image": "https://cdn.example/a.png", "author": author,
            "tags": [{"name": draw(NAMES), "slug": draw(SLUGS)}], "categories": [],
        }  # fmt: skip

    def values() -> Any:
        """Draw fields, of which some are missing or unset: their types are the same in all entries of a list."""
        whole: dict[str, Any] = {
            "text": draw(NAMES), "html": f"<p>{draw(BODIES)}</p>", "date": draw(TIMES), "number": 4, "flag": True,
            "picture": {"url": "https://cdn.example/b.png", "alt": draw(NAMES)}, "rows": [{"a": draw(NAMES)}],
            "other": "/v2/content/?keys=team[_id=7]", "page": "/v2/pages/guide/one/",
        }  # fmt: skip
        kept = draw(st.sets(st.sampled_from(sorted(whole))))
        return {name: value if name in kept else None for name, value in whole.items() if name != draw(SLUGS)}

    pages = [{"slug": slug, "name": draw(NAMES), "published": draw(TIMES), "fields": values()} for slug in ("one", "b")]
    good = {"slug": "good", "title": "Good", "body": GOOD, "published": "2012-03-04T09:00:00Z", "status": "published"}
    return {
        "authors/": draw(damaged([author])),
        "tags/": draw(damaged([{"name": draw(NAMES), "slug": draw(SLUGS)}])),
        "posts/": [*draw(damaged([post(number) for number in range(draw(st.integers(1, 2)))])), good],
        "pages/guide/": pages,
        "content/team/": {"team": [{"meta": {"id": number}, **values()} for number in (7, 8)]},
    }


def answering(account: Mapping[str, Any]) -> Fetcher:
    """Return a function that answers requests as the API of an account does; lists that it lacks are 404."""

    def fetch(address: str, headers: Mapping[str, str]) -> Answer:
        assert headers["Authorization"] == "Token secret"
        path, _, query = address.removeprefix("http://127.0.0.1/v2/").partition("?")
        if path not in account:
            return Answer(404, {}, b"{}")
        listed = account[path]
        rows = listed if isinstance(listed, list) else next(iter(listed.values()))
        start = int(dict(parse_qsl(query)).get("offset", 0))
        data = rows[start:] if rows is listed else {"team": rows[start:] if isinstance(rows, list) else rows}
        count = len(rows) if isinstance(rows, list) else 1
        return Answer(200, {}, json.dumps({"meta": {"count": count}, "data": data}).encode())

    return fetch


def check_account(account: Mapping[str, Any]) -> None:
    """Check that an account becomes a site that builds, with the good post in it."""
    reader = ReaderOptions(token="secret", fetch=answering(account), page_types=("guide",), collections=("team",))
    with new_folder() as folder:
        import_and_build(folder / "site", "http://127.0.0.1/v2/", reader=reader)
        assert GOOD in _written(folder / "site/content")


@FEW
@given(accounts())
def test_an_account_builds(account: Mapping[str, Any]) -> None:
    """The plainest hosted account, read by its API."""
    check_account(account)


@pytest.mark.slow
@MANY
@given(accounts())
def test_any_account_builds(account: Mapping[str, Any]) -> None:
    """Any of that kind."""
    check_account(account)
