"""Whatever a folder of Markdown holds, its import ends in a site that loads and builds."""

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecms.importing.media.collector import MediaChoice, MediaOptions
from sitecms.importing.run import ImportOptions, import_site
from tests.importing.building import build
from tests.importing.hostile import whole_imports

OPTIONS = ImportOptions(kind="markdown", media=MediaOptions(choice=MediaChoice.LINK))
CONFIGS = {
    "hugo.toml": 'baseURL = "https://old.example/"\ntitle = "T"\n[languages.en]\n[languages.fr]\n'
    '[permalinks]\nposts = "/:year/:month/:title/"\n[taxonomies]\ntag = "tags"\ntopic = "topics"\n',
    "_config.yml": "title: T\nurl: https://old.example\npermalink: pretty\nlanguages: [en, fr]\n",
    "eleventy.config.js": "",
    "astro.config.mjs": "",
    "zola.toml": 'base_url = "https://old.example"\ntaxonomies = [{name = "topics"}]\n',
    "pelicanconf.py": "SITEURL = 'https://old.example'\nPATH = 'content'\n",
    "next.config.js": "",
}
BELOW = {
    "hugo.toml": "content/",
    "zola.toml": "content/",
    "pelicanconf.py": "content/",
    "astro.config.mjs": "src/content/",
}
FOLDERS = (
    "",
    "posts/",
    "blog/",
    "_posts/",
    "fr/",
    "fr/posts/",
    "tags/",
    "docs/a b/",
    "en/news/_posts/",
    "2020-01-02-x/",
)
names = st.sampled_from(
    ("index", "_index", "about", "about.fr", "search", "404", "a b", "A#B", "Ärger & Co", "2020-01-02-x", "2020-13-45",
     "日本", "-", "tag", "v1.2.0", "con", "x" * 120, "%20", "a%2Fb", "*", "blog", "fr", "a{b}", "{{ x }}")
)  # fmt: skip
texts = st.sampled_from(
    ("A", "", "test", "C++ & C#", "-", "???", "日本 / x", '"', "x" * 300, "Über: #1", "a\u00a0b", "/")
)
dates = st.sampled_from(
    ("2020-01-02", "2021-09-09T00:10:00+02:00", "0000-00-00", "soon", "2999-01-01", "1969-12-31 23:59", "")
)
facts = st.fixed_dictionaries(
    {"title": texts},
    optional={
        "date": dates,
        "slug": texts,
        "tags": st.lists(texts, max_size=2),
        "topics": st.lists(texts, max_size=2),
        "categories": st.lists(texts, max_size=2),
        "draft": st.booleans(),
        "lang": st.sampled_from(("fr", "en", "xx-yy", "")),
        "permalink": st.sampled_from(
            ("/", "/blog/", "/tags/", "/a b/", "x", "/x.html", "/a/../b/", "/:year/x/", "{{ y }}", "/*/")
        ),
        "url": st.sampled_from(("/own/", "/", "/a?b", "/tags/test/")),
        "aliases": st.lists(st.sampled_from(("/old/", "/", "x", "/blog/", "/a b/", "/*", "/own/", "//x")), max_size=2),
        "redirect_to": st.sampled_from(("/own/", "https://other.example/", "")),
    },
)
bodies = st.sampled_from(
    ("Text.", "", "# T\n\nx", "[a](../about.md) ![b](no.png)", "{% for x in y %}", "<p>a <b>", "{{< x >}}")
)


@pytest.mark.slow
@whole_imports(5)
@given(
    config=st.sampled_from(sorted(CONFIGS)),
    pages=st.dictionaries(st.tuples(st.sampled_from(FOLDERS), names), st.tuples(facts, bodies), min_size=1, max_size=6),
)
def test_any_folder_loads_and_builds(config: str, pages: dict[tuple[str, str], tuple[dict[str, object], str]]) -> None:
    """Names, front matter, dates and addresses of any kind; a second run writes nothing."""
    folder = Path(tempfile.mkdtemp())
    try:
        source, site = folder / "old", folder / "site"
        source.mkdir()
        (source / config).write_text(CONFIGS[config])
        (source / "_posts").mkdir()
        files = {f"{BELOW.get(config, '')}{place}{name}.md": page for (place, name), page in pages.items()}
        files[f"{BELOW.get(config, '')}posts/2020-01-02-first.md"] = ({"title": "First", "date": "2020-01-02"}, "x")
        for name, (front, body) in files.items():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_text(f"---\n{json.dumps(front, ensure_ascii=False)}\n---\n{body}\n")
        import_site(site, [str(source)], OPTIONS)
        build(site)
        again = import_site(site, [str(source)], OPTIONS)
        assert not [name for name in again.counts if name[1] == "written"], again.counts
    finally:
        shutil.rmtree(folder)
