"""Sites that the generators themselves publish: after an import and a build, every address leads to its entry."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
import requests

from sitecms.importing.old_urls import BuiltSite, Fate, old_urls
from sitecms.importing.run import ImportOptions, import_site
from sitecms.site.plan.redirect_files import NGINX, NGINX_MAPS, NGINX_SERVER
from tests.support.nginx import MISSING, nginx_program, running_nginx
from tests.support.ports import free_port

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


PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>'


@pytest.fixture
def nginx(lacking: Callable[[str], None]) -> None:
    """Skip the test where nginx is not installed."""
    if nginx_program() is None:
        lacking(MISSING)


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _program(name: str) -> str:
    """Return the program of a generator; skip the test where it is not installed."""
    beside = Path(sys.executable).parent / name
    found = os.environ.get(f"SITECMS_TEST_{name.upper()}") or (str(beside) if beside.exists() else shutil.which(name))
    if not found:
        pytest.skip(f"{name} is not installed (pip install {name})")
    return found


def _import_and_build(source: Path, site: Path) -> Path:
    import_site(site, [str(source)], ImportOptions())
    for command in ("load", "build"):
        done = subprocess.run([sys.executable, "-m", "sitecms", command, str(site)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return site / "public"


def _published(public: Path, mark: str) -> dict[str, str]:
    """Return the titles of the entries that a generator published, by address."""
    found = {}
    for path in public.rglob("*.html"):
        if match := re.search(mark, path.read_text(encoding="utf-8")):
            name = path.relative_to(public).as_posix()
            found["/" + re.sub(r"(^|/)index\.html$", r"\1", name)] = match[1]
    return found


def _leads_to(public: Path, address: str) -> str:
    """Return the text of the page that an address leads to, over one redirect at most; "" for none."""
    rules = [line.split() for line in (public / "_redirects").read_text().splitlines() if line.startswith("/")]
    redirects = {rule[0].rstrip("/"): rule[1] for rule in rules if rule[2:3] != ["410"]}
    for each in (address, redirects.get(address.rstrip("/"), "")):
        path = public / each.lstrip("/")
        path = path / "index.html" if each.endswith("/") else path
        if each and path.is_file():
            text = path.read_text(encoding="utf-8")
            if 'http-equiv="refresh"' not in text:
                return text
    return ""


def _check(public: Path, published: dict[str, str]) -> None:
    from html import unescape

    wrong = {
        each: title for each, title in published.items() if unescape(title) not in unescape(_leads_to(public, each))
    }
    assert not wrong


def _check_served(golden: Path, site: Path, folder: Path) -> None:
    """Ask nginx for every file that the generator published: it answers with 200, or one redirect to 200."""
    public, port = site / "public", free_port()
    conf = f"""
    map $uri $sitecms_moved {{ include {public}/{NGINX}; }}
    include {public}/{NGINX_MAPS};
    server {{
        listen 127.0.0.1:{port};
        absolute_redirect off;
        root {public};
        if ($sitecms_moved) {{ return 301 $sitecms_moved; }}
        include {public}/{NGINX_SERVER};
    }}
    """
    names = (path.relative_to(golden).as_posix() for path in sorted(golden.rglob("*")) if path.is_file())
    addresses = ["/" + quote(re.sub(r"(^|/)index\.html$", r"\1", name)) for name in names]
    wrong = {}
    with running_nginx(conf, folder):
        for address in addresses:
            answer = requests.get(f"http://127.0.0.1:{port}{address}", timeout=60)
            if answer.status_code != 200 or len(answer.history) > 1:
                wrong[address] = [each.url for each in (*answer.history, answer)]
    assert not wrong
    fates = {found.fate for found in old_urls(BuiltSite(site, public), addresses)}
    assert fates <= {Fate.KEPT, Fate.REDIRECTED}


def test_every_address_of_a_hugo_site(tmp_path: Path, nginx: None) -> None:
    """Names with spaces and signs, bundles, slugs, permalinks by section, languages, aliases."""
    hugo = _program("hugo")
    source = tmp_path / "old"
    entries = {
        f"content/{name}": f'+++\ntitle = "{title}"\ndate = {HUGO_DATE.format(number % 8 + 1)}\n{more}\n+++\nText.\n'
        for number, (name, (title, more)) in enumerate(HUGO_ENTRIES.items())
    }
    _write(source, {"static/img/Sea Map.svg": PICTURE, "content/posts/high-tide/tide.svg": PICTURE + "\n"})
    entries["content/posts/slug.md"] += "\n![Map](/img/Sea%20Map.svg)\n"
    entries["content/posts/high-tide/index.md"] += "\n![Tide](tide.svg)\n"
    _write(source, {"hugo.toml": HUGO_CONFIG, **entries, **{f"layouts/{name}": t for name, t in HUGO_LAYOUTS.items()}})
    subprocess.run([hugo, "--quiet", "-d", str(tmp_path / "golden")], cwd=source, check=True, capture_output=True)
    published = _published(tmp_path / "golden", r'<article data-title="([^"]*)"')
    assert len(published) == len(HUGO_ENTRIES)
    public = _import_and_build(source, tmp_path / "site")
    _check(public, {**published, "/old/low/": "Low", "/posts/near/": "Low"})
    _check_served(tmp_path / "golden", tmp_path / "site", tmp_path / "nginx")


@pytest.mark.parametrize("more", ["", PELICAN_DATED, PELICAN_BY_CATEGORY])
def test_every_address_of_a_pelican_site(tmp_path: Path, more: str, nginx: None) -> None:
    """Slugs of titles, own addresses, patterns with dates and categories, languages."""
    pelican = _program("pelican")
    source = tmp_path / "old"
    files = {f"content/{name}": f"{text}\nText.\n" for name, text in PELICAN_ENTRIES.items()}
    files["content/own.md"] += "\n![Map]({static}/images/map.svg)\n"
    _write(source, {"pelicanconf.py": PELICAN_CONFIG + more, "content/images/map.svg": PICTURE, **files})
    theme = dict.fromkeys(
        ("archives", "authors", "author", "categories", "category", "index", "period_archives", "tag", "tags"), ""
    )
    theme |= {
        "article": '<article data-title="{{ article.title }}">',
        "page": '<article data-title="{{ page.title }}">',
    }
    _write(tmp_path / "theme", {f"templates/{name}.html": text for name, text in theme.items()})
    (tmp_path / "theme/static").mkdir()
    command = [pelican, "-s", "pelicanconf.py", "-o", str(tmp_path / "golden"), "-t", str(tmp_path / "theme"), "-q"]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    published = _published(tmp_path / "golden", r'<article data-title="([^"]*)"')
    assert len(published) == len(PELICAN_ENTRIES)
    _check(_import_and_build(source, tmp_path / "site"), published)
    _check_served(tmp_path / "golden", tmp_path / "site", tmp_path / "nginx")
