"""The law of mistakes: whatever a name, an address or a term is, it costs at most the entry that has it."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from sitecms.actions.loading import load_site
from sitecms.site.check.check import CheckOptions, check_site
from sitecms.site.dry_run import plan_dry_run
from sitecms.site.preview.rebuild import marks_of
from tests.support.sites import ExampleSite

MANY = settings().max_examples // 2
GOOD = "The good post."
LONG = "x" * 245
NAMES = (
    "🎉", "_", "---", "a.b", "CON", "Good", "GOOD", "ＧＯＯＤ", "good ", "e\u0301", "é", LONG, "ü" * 120, "search",
    "index", "2026-01-01", "2026", "404", "*", "{slug}", "%2e%2e", "tags", "blog", "es", "\u202eevil", "~", "a'b\"c",
    "null", "1",
)  # fmt: skip
PATHS = (
    "/", "/blog/good/", "/BLOG/GOOD/", "/blog/good/index.html", "/blog/good", "/index.html", "/404.html", "/rss.xml/x/",
    "/assets/", "/media/x.html", "/_redirects/", "/_headers/x/", "/a//b/", "/../x/", "/x/./y/", f"/{LONG}{LONG}/",
    "/a.html", "/a.html/b/", "/es/", "/blog/", "/tags/moon/", "/robots.txt/", "/.sitecms-manifest.json/", "/%00/",
    "/%2e%2e/", "/search/", "/team/ann/", "/releases/1.2.0", "/e\u0301/", "/é/", "/🎉/", "/a b/", "/x/" * 300,
    "/pagefind/x/",
)  # fmt: skip
TERMS = ("🎉", "moon", "Moon", "C#", "C++", "page", "x" * 250, "a/b", "..", "rss.xml", "é", "e\u0301", "&", " ")
Odd = dict[str, Any]


def odd() -> st.SearchStrategy[Odd]:
    """One entry: its kind, its file's name, and what its front matter has besides a title."""
    some = {
        "slug": st.sampled_from(NAMES),
        "path": st.sampled_from(PATHS),
        "aliases": st.lists(st.sampled_from(PATHS), max_size=2, unique=True),
        "locale": st.sampled_from(["en", "es", "xx", ""]),
        "tags": st.lists(st.sampled_from(TERMS), max_size=2, unique=True),
        "author": st.sampled_from(["ann", "🎉", "nobody@x.example"]),
        "translation_of": st.sampled_from(["good", "nothing"]),
    }
    in_page = {key: some[key] for key in ("slug", "path", "aliases")}
    name = st.sampled_from(NAMES)
    return st.one_of(
        st.fixed_dictionaries({"kind": st.just("post"), "name": name}, optional=some),
        st.fixed_dictionaries({"kind": st.just("page"), "name": name}, optional=in_page),
        st.fixed_dictionaries(
            {"kind": st.just("item"), "name": name}, optional={"path": some["path"], "aliases": some["aliases"]}
        ),
    )


def make_site(folder: Path) -> ExampleSite:
    """A site of one author, one good post, and a collection whose items have pages."""
    folder.mkdir()
    site = ExampleSite(folder)
    site.settings_are(owner="ann", feeds={"kinds": ["rss"], "archives": []})
    site.write("content/authors.yaml", [{"slug": "ann", "first_name": "Ann"}])
    site.write("schema/collections/team.yaml", {
        "key": "team", "label": "name", "route": "/team/{slug}/", "fields": [{"slug": "name", "type": "short_text"}],
    })  # fmt: skip
    site.post("good", GOOD, published="2026-01-01T08:00:00Z", tags=["moon"])
    return site


def write_entries(site: ExampleSite, entries: list[Odd]) -> dict[str, list[str]]:
    """Write the entries, and return the marks in their texts by file."""
    marks: dict[str, list[str]] = {}
    items = []
    for number, entry in enumerate(entries):
        kind, name, mark = entry["kind"], entry["name"], f"mark-{number}-x"
        given = {key: value for key, value in entry.items() if key not in ("kind", "name")}
        if kind == "item":
            items.append({**given, "fields": {"name": f"{name} {mark}"}})
            marks.setdefault("content/collections/team.yaml", []).append(mark)
            continue
        folder = "posts" if kind == "post" else "pages/_single"
        front = {"title": f"Title {number}", "status": "published", **given}
        lines = "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items())
        site.write(f"content/{folder}/{name}.md", f"---\n{lines}\npublished: 2026-01-02T08:00:00Z\n---\n{mark}\n")
        marks[f"content/{folder}/{name}.md"] = [mark]
    if items:
        site.write("content/collections/team.yaml", items)
    return marks


def own_pages(site: ExampleSite) -> Iterator[str]:
    return (data.decode() for path, data in site.tree().items() if path.endswith(".html"))


def check_entries(entries: list[Odd]) -> None:
    """Load, build, check and preview a site with these entries."""
    with tempfile.TemporaryDirectory() as scratch:
        site = make_site(Path(scratch) / "site")
        try:
            site.load()
            marks = write_entries(site, entries)
            loaded = load_site(site.database, site.settings, site.now)
            report = site.build()
            assert GOOD in site.text("blog/good/index.html")
            assert report.failed == {}
            named = {error.file for error in (*loaded.errors, *report.left_out)}
            shown = "".join(own_pages(site))
            lost = {file for file, texts in marks.items() if not all(text in shown for text in texts)}
            assert lost <= named
            check_site(site.settings, site.now, CheckOptions())
            with site.database.reading() as session:
                plan_dry_run(session, site.settings, drafts=True)
                marks_of(session, site.settings)
            for file in marks:
                site.remove(file)
            site.make()
            assert GOOD in site.text("blog/good/index.html")
        finally:
            site.database.close()


@pytest.mark.slow
@settings(max_examples=MANY)
@given(st.lists(odd(), min_size=1, max_size=8))
def test_many_odd_entries_cost_at_most_themselves(entries: list[Odd]) -> None:
    """Many sets of entries."""
    check_entries(entries)


@settings(phases=[Phase.explicit])
@given(st.lists(odd(), min_size=1, max_size=8))
@example([{"kind": "post", "name": name} for name in NAMES if name != LONG])
@example([{"kind": "post", "name": f"p{number}", "path": path} for number, path in enumerate(PATHS)])
@example([{"kind": "page", "name": f"p{number}", "aliases": [path]} for number, path in enumerate(PATHS)])
@example([{"kind": "item", "name": f"p{number}", "path": path} for number, path in enumerate(PATHS[:4])])
@example([{"kind": "post", "name": f"p{number}", "tags": [term]} for number, term in enumerate(TERMS)])
def test_an_odd_entry_costs_at_most_itself(entries: list[Odd]) -> None:
    """Load, build, check and preview go on; the good post is built, and each loss is named with its file."""
    check_entries(entries)
