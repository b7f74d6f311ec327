"""Sites that Jekyll publishes: after an import and a build, every address leads to its entry.

The addresses stand in `generators/jekyll.json`, as Jekyll 4.3 makes them, since not every machine has Ruby. Where the
program is installed, a test compares them; write them anew with
`SITECMS_UPDATE_SNAPSHOTS=1 pytest -m slow tests/importing/test_golden_jekyll.py`.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.importing.golden import import_and_build, published_titles, write, wrong_pages

pytestmark = pytest.mark.slow
BUILD_SECONDS = 120
JEKYLL = shutil.which("jekyll")
GOLDEN = Path(__file__).parent / "generators/jekyll.json"
LAYOUT = '<article data-title="{{ page.title }}" data-url="{{ page.url }}">{{ content }}</article>'
CONFIG = 'title: Tides\nurl: https://old.example\ntimezone: Europe/Helsinki\nexclude: []\npermalink: "%s"\n%s'
COLLECTIONS = """
collections:
  notes: {output: true}
  guides: {output: true, permalink: "/g/:path/"}
  tips: {output: true, permalink: "/:collection/:name"}
  recipes: {output: true, permalink: "/r/:title:output_ext"}
  days: {output: true, permalink: "/d/:year/:month/:slug/"}
"""
SITES = {
    "date": CONFIG % ("date", ""),
    "pretty": CONFIG % ("pretty", COLLECTIONS),
    "none": CONFIG % ("none", ""),
    "ordinal": CONFIG % ("ordinal", ""),
    "weekdate": CONFIG % ("weekdate", ""),
    "bare": CONFIG % ("/:year/:i_month/:i_day/:title", COLLECTIONS),
    "slug": CONFIG % ("/:short_year/:short_month/:slug/", ""),
    "slugified": CONFIG % ("/:slugified_categories/:hour/:y_day/:title:output_ext", ""),
}
POSTS = {
    "_posts/2020-01-02-low-tide.md": "tags: [sea]",
    "_posts/2020-01-02-Ärger & Co.md": "",
    "_posts/2020-01-03-Low Tide Again!.md": "",
    "_posts/2020-01-03-UPPER_case.v1.2.md": "",
    "_posts/2020-01-03-日本.md": "",
    "_posts/2020-01-03-a--b -- c.md": "",
    "_posts/2020-01-03-हिन्दी².md": "",
    "_posts/2020-1-7-short.md": "",
    "_posts/2020-01-04-night.md": "date: 2020-01-05 00:30:00 +0200",
    "_posts/2020-01-04-west.md": "date: 2020-01-05 23:30:00 -0500",
    "_posts/2020-01-04-plain.md": "date: 2020-01-05 23:30:00",
    "_posts/2020-01-04-day.md": "date: 2020-02-05",
    "_posts/2020-01-04-list.md": 'categories: [Sea Life, "a/b"]',
    "_posts/2020-01-04-words.md": "categories: sea life",
    "_posts/2020-01-04-one.md": "category: Sea Life",
    "_posts/2020-01-04-slug.md": "slug: Own Slug",
    "_posts/2020-01-04-place.md": "permalink: /own/place/",
    "_posts/2020-01-04-file.md": "permalink: /own/file.html",
    "_posts/2020-01-04-bare.md": "permalink: /own/bare",
    "_posts/2020-01-04-pattern.md": 'categories: x\npermalink: "/p/:categories/:title/"',
    "_posts/2020-01-04-style.md": "permalink: pretty",
    "_posts/sub/2020-01-05-below.md": "",
    "_posts/2020-01-05-page.html": "",
    "en/news/_posts/2020-01-06-a.md": "lang: en",
    "ja/news/_posts/2020-01-06-c.md": "lang: ja",
    "Sub Folder/_posts/2020-01-06-b.md": "category: own",
}
PAGES = {
    "index.md": "",
    "about.md": "",
    "docs/index.md": "",
    "docs/A B & c.md": "",
    "docs/v1.2.md": "",
    "Ärger.md": "",
    "contact.html": "",
    "place.md": "permalink: /who/is/",
    "file.md": "permalink: /who/file.html",
    "bare.md": "permalink: /who/bare",
    "pattern.md": "permalink: /who/:basename/",
}
DOCUMENTS = {
    "_notes/One Note.md": "",
    "_notes/deep/Two.md": "",
    "_notes/own.md": "permalink: /notes/of/mine",
    "_guides/First Guide.md": "",
    "_guides/deep/er/x.md": "",
    "_tips/A Tip.md": "",
    "_recipes/Tart & Co.md": "slug: tart",
    "_recipes/2020-01-02-dated.md": "",
    "_days/one.md": "date: 2020-03-04",
}


def _files(site: str) -> dict[str, str]:
    texts = {**POSTS, **PAGES, **(DOCUMENTS if "collections:" in SITES[site] else {})}
    titles = {name: json.dumps(f"{Path(name).stem} of {name}", ensure_ascii=False) for name in texts}
    return {
        "_config.yml": SITES[site],
        "_layouts/base.html": LAYOUT,
        **{name: f"---\nlayout: base\ntitle: {titles[name]}\n{more}\n---\nText.\n" for name, more in texts.items()},
    }


@pytest.fixture(scope="module")
def golden() -> Mapping[str, Mapping[str, str]]:
    """The titles of the entries by address, of the address that pages name and of the one of their file, by site."""
    return json.loads(GOLDEN.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def _published(public: Path) -> dict[str, str]:
    """Return the titles by the addresses of the files, and by those that the pages have for Jekyll."""
    texts = (path.read_text(encoding="utf-8") for path in public.rglob("*.html"))
    named = (re.search(r'data-title="([^"]*)" data-url="([^"]*)"', text) for text in texts)
    addresses = {unquote(unescape(match[2])): match[1] for match in named if match}
    return dict(sorted({**published_titles(public), **addresses}.items()))


def _version() -> str:
    if JEKYLL is None:
        return ""
    return subprocess.run([JEKYLL, "--version"], capture_output=True, text=True, timeout=BUILD_SECONDS).stdout.strip()


def test_the_addresses_are_those_of_jekyll(tmp_path: Path) -> None:
    """What the file holds is what the program publishes."""
    if not _version().startswith("jekyll 4.3"):
        pytest.skip("Jekyll 4.3 is not installed (apt install jekyll)")
    found = {}
    for site in SITES:
        write(tmp_path / site, _files(site))
        done = subprocess.run(
            [str(JEKYLL), "build", "--quiet", "--disable-disk-cache", "--destination", str(tmp_path / "public" / site)],
            cwd=tmp_path / site,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        found[site] = _published(tmp_path / "public" / site)
    written = json.dumps(found, ensure_ascii=False, indent=1) + "\n"
    if os.environ.get("SITECMS_UPDATE_SNAPSHOTS"):
        GOLDEN.write_text(written, encoding="utf-8")
    assert GOLDEN.read_text(encoding="utf-8") == written


@pytest.mark.parametrize("site", SITES)
def test_every_address(tmp_path: Path, golden: Mapping[str, Mapping[str, str]], site: str) -> None:
    """It is the same, or one redirect leads from it."""
    write(tmp_path / "old", _files(site))
    assert golden[site]
    assert wrong_pages(import_and_build(tmp_path / "old", tmp_path / "site"), golden[site]) == {}
