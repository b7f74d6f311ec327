"""Addresses, folders, languages and taxonomies of the generators' sites, as the generators make them."""

import tomllib
from pathlib import Path

import pytest

from sitecms.errors import InvalidRequest
from tests.importing.building import build
from tests.importing.imported import import_files

HUGO = 'baseURL = "https://old.example/"\ntitle = "Tides"\n'
PATTERNS = '[permalinks]\nnews = "/:year/:month/:day/:title/"\nslugs = "/s/:slug/"\nnames = "/n/:filename/"\n'


@pytest.mark.parametrize(
    ("name", "facts", "address"),
    [
        ("news/a.md", "title: A\ndate: 2021-09-09T00:10:00+02:00", "/2021/09/09/a/"),
        ("news/a.md", "title: A\ndate: 2021-09-09 00:10:00 +0200", "/2021/09/09/a/"),
        ("news/a.md", "title: A\ndate: 2021-09-09T00:10:00", "/2021/09/09/a/"),
        ("news/a.md", "title: A\ndate: 2021-09-09T22:10:00Z", "/2021/09/09/a/"),
        ("news/a.md", "title: How to (A/B+)\ndate: 2021-09-09", "/2021/09/09/how-to-a-b/"),
        ("news/a.md", "title: 1/2 + 1/3\ndate: 2021-09-09", "/2021/09/09/1-2--1-3/"),
        ("slugs/a.md", "title: A\nslug: a/b", "/s/a/b/"),
        ("slugs/a.md", 'title: A\nslug: "- a -"', "/s/a/"),
        ("slugs/a.md", "title: C++ & C#", "/s/c-c/"),
        ("slugs/a.md", "title: İstanbul x²", "/s/istanbul-x/"),
        ("names/a -- b.md", "title: A", "/n/a--b/"),
        ("other/a -- b.md", "title: A", "/other/a----b/"),
        ("other/a.md", "title: A\nslug: 🎉 party", "/other/party/"),
    ],
)
def test_addresses_of_hugo(tmp_path: Path, name: str, facts: str, address: str) -> None:
    """Dates in the zone in which they are written; titles, slugs and file names each cleaned in their own way."""
    config = f'{HUGO}timeZone = "America/New_York"\n{PATTERNS}'
    site = import_files(tmp_path, {"hugo.toml": config, f"content/{name}": f"---\n{facts}\n---\nText\n"})
    (found,) = site.addresses().values()
    assert found == address


def test_headless_pages_of_hugo_are_drafts(tmp_path: Path) -> None:
    """Those of a list whose `cascade` says so, and those of a path that the configuration names; no others."""
    page = "---\ntitle: {}\n---\nText\n"
    config = f'{HUGO}[[cascade]]\n[cascade.build]\nrender = "never"\n[cascade.target]\npath = "/parts/**"\n'
    cascade = "---\ntitle: Quotes\ncascade:\n  _build:\n    render: never\n---\n"
    site = import_files(
        tmp_path,
        {
            "hugo.toml": config,
            "content/quotes/_index.md": cascade,
            "content/quotes/one.md": page.format("One"),
            "content/parts/two.md": page.format("Two"),
            "content/other/three.md": page.format("Three"),
        },
    )
    statuses = {name: site.page(name).data["status"] for name in ("one", "two", "three")}
    assert statuses == {"one": "draft", "two": "draft", "three": "published"}


@pytest.mark.parametrize("kind", ["hugo", "old hugo", "zola"])
def test_declared_taxonomies_join_the_tags(tmp_path: Path, kind: str) -> None:
    """The lists of their terms lead to those of the tags."""
    config = {
        "hugo": HUGO + '[taxonomies]\ntag = "tags"\ntopic = "topics"\n',
        "old hugo": HUGO + '[indexes]\ntopic = "topics"\n[taxonomies]\ntag = "tags"\n',
        "zola": 'base_url = "https://old.example"\ntaxonomies = [{name = "topics"}, {name = "tags"}]\n',
    }[kind]
    terms = 'tags = ["moon"]\ntopics = ["Deep Sea"]'
    front = f"[taxonomies]\n{terms}" if kind == "zola" else terms
    text = f'+++\ntitle = "A"\ndate = 2020-01-01\n{front}\n+++\nText\n'
    site = import_files(tmp_path, {f"{kind.split()[-1]}.toml": config, "content/posts/a.md": text})
    assert site.post("a").data["tags"] == ["moon", "Deep Sea"]
    assert site.redirects()["/topics/deep-sea/"] == "/tags/deep-sea/"
    assert site.redirects()["/topics/"] == "/tags/"
    assert "topics" not in str(site.notes("unknown key"))


@pytest.mark.parametrize("feed", ["index", "feed"])
def test_feeds_of_hugo_have_the_name_that_it_gives_them(tmp_path: Path, feed: str) -> None:
    """A site names them in `outputFormats`; readers of each of them find the new one."""
    config = HUGO + '[taxonomies]\ntag = "tags"\ntopic = "topics"\n'
    if feed != "index":
        config += f'[outputFormats.RSS]\nbaseName = "{feed}"\n'
    text = '+++\ntitle = "A"\ndate = 2020-01-01\ntags = ["moon"]\ntopics = ["Sea"]\n+++\nText\n'
    site = import_files(tmp_path, {"hugo.toml": config, "content/posts/a.md": text})
    redirects = site.redirects()
    places = ("", "posts/", "tags/", "tags/moon/", "topics/", "topics/sea/")
    assert [place for place in places if f"/{place}{feed}.xml" not in redirects] == []
    assert redirects[f"/{feed}.xml"] == "/rss.xml"
    assert feed == "index" or "/index.xml" not in redirects


POST = "---\ntitle: {}\n{}\n---\nText\n"


def test_folders_above_the_posts_of_jekyll_are_categories_and_languages(tmp_path: Path) -> None:
    """They stand in the addresses; a folder of a language is no category, and its posts are translations."""
    site = import_files(
        tmp_path,
        {
            "_config.yml": "permalink: pretty\n",
            "en/news/_posts/2020-01-02-a.md": POST.format("A", "lang: en\ncategories: [Sea Life]"),
            "ja/news/_posts/2020-01-02-a.md": POST.format("あ", "lang: ja"),
            "en/news/_posts/2020-01-03-b.md": POST.format("B", ""),
        },
    )
    addresses = site.addresses()
    assert addresses["a-ja"] == "/ja/news/2020/01/02/a/"
    assert addresses["b"] == "/en/news/2020/01/03/b/"
    assert site.post("ja/a-ja").data["translation_of"] == "a"
    assert site.post("a").data["categories"] == ["news", "Sea Life"]
    assert site.redirects()["/en/news/sea%20life/2020/01/02/a/"] == addresses["a"]


@pytest.mark.parametrize(
    "files",
    [
        {"_posts/en/2020-01-02-a.md": "lang: en", "_posts/fr/2020-01-02-a.md": "lang: fr"},
        {"_i18n/en/_posts/2020-01-02-a.md": "", "_i18n/fr/_posts/2020-01-02-a.md": ""},
        {"_posts/2020-01-02-a.md": "", "_posts/2020-01-02-b.md": "lang: fr\npermalink: /2020/01/02/a/"},
    ],
)
def test_languages_of_plug_ins_of_jekyll(tmp_path: Path, files: dict[str, str]) -> None:
    """Languages but the first stand below their folder; posts with one address besides are translations."""
    config = {"_config.yml": "permalink: pretty\nlanguages: [en, fr]\n"}
    site = import_files(tmp_path, {**config, **{name: POST.format("A", facts) for name, facts in files.items()}})
    (french,) = (path.stem for path in (site.folder / "content/posts/fr").iterdir())
    assert site.post(f"fr/{french}").data["translation_of"] == "a"
    assert site.addresses() == {"a": "/2020/01/02/a/", french: "/fr/2020/01/02/a/"}


def test_eleventy_reads_all_folders_but_those_of_templates_and_data(tmp_path: Path) -> None:
    """Also those that begin with `_`; ignored ones, and their number of texts, are named."""
    site = import_files(
        tmp_path,
        {
            "eleventy.config.js": 'export default { dir: { includes: "_parts" } }\n',
            ".eleventyignore": "# texts in the making\nattic/\n",
            "about.md": "# About",
            "_posts/2020-01-02-first.md": "# First",
            "_parts/card.md": "x",
            "_data/note.md": "x",
            "attic/old.md": "x",
            "team/team.md": "# Team",
        },
    )
    assert sorted(site.addresses().items()) == [
        ("about", "/about/"), ("first", "/_posts/2020-01-02-first/"), ("team", "/team/"),
    ]  # fmt: skip
    assert site.notes("skipped") == {
        "Markdown in folders that Eleventy does not publish": ["_data: 1", "_parts: 1", "attic: 1"]
    }


def test_an_index_of_eleventy_is_named_like_its_folder(tmp_path: Path) -> None:
    """`page.fileSlug` of `a/2020-01-02-index.md` is `a`."""
    permalink = "permalink: blog/{{ page.fileSlug }}/index.html"
    files = {f"posts/{name}/2020-01-02-index.md": POST.format(name, permalink) for name in ("a", "b")}
    site = import_files(tmp_path, {"eleventy.config.js": "", **files})
    assert site.addresses() == {"a": "/blog/a/", "b": "/blog/b/"}
    assert str(site.post("a").data["published"])[:10] == "2020-01-02"


def test_jekyll_stubs_and_drafts(tmp_path: Path) -> None:
    """A page without a text that names a tag is the tag's list; drafts have no date in their address to complain of."""
    site = import_files(
        tmp_path,
        {
            "_config.yml": "source: ./\npermalink: /:year/:title/\n",
            "_posts/2020-01-02-a.md": POST.format("A", "tags: [Deep Sea]\ndisqus_identifier: x\nlayout: post"),
            "_drafts/later.md": POST.format("Later", "permalink: /:year/later/"),
            "tag/deep-sea.md": "---\nlayout: tag\ntag: Deep Sea\ntitle: Deep Sea\n---\n",
        },
    )
    assert site.redirects()["/tag/deep-sea/"] == "/tags/deep-sea/"
    assert not list((site.folder / "content/pages").rglob("*.md"))
    assert list(site.notes("address")) == ["addresses are computed by the rules of Jekyll"]
    assert not (site.folder / "schema/post.yaml").exists()


def test_a_missing_source_folder_of_jekyll_is_named(tmp_path: Path) -> None:
    """The error says why nothing was found."""
    files = {"_config.yml": "source: docs\n", "_posts/2020-01-02-a.md": POST.format("A", "")}
    with pytest.raises(InvalidRequest, match="docs/ as the source, which is missing"):
        import_files(tmp_path, files)


@pytest.mark.parametrize("folder", ["public", "static"])
def test_pictures_of_a_plain_folder(tmp_path: Path, folder: str) -> None:
    """A folder that most programs copy to the root is looked through without its configuration."""
    picture = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'
    text = POST.format("A", "date: 2020-01-02") + "![x](/posts/x/a.svg)\n"
    site = import_files(tmp_path, {"posts/a.md": text, f"{folder}/posts/x/a.svg": picture})
    assert "![x](media/posts/x/a.svg)" in site.post("a").body


@pytest.mark.parametrize(
    ("count", "others", "pattern"),
    [(3, 0, "/post/{slug}/"), (3, 2, "/post/{slug}/"), (10, 0, "/post/x/{slug}/"), (2, 3, "")],
)
def test_a_pattern_is_what_most_addresses_have(tmp_path: Path, count: int, others: int, pattern: str) -> None:
    """A few posts in one folder of a section do not send the next post there."""
    files = {f"content/post/x/{number}.md": POST.format(number, "date: 2020-01-02") for number in range(count)}
    places = ("weblog/{}.md", "blog/{}.md", "news/{}.md") if count < 3 else ("post/{}.md",) * 3
    files |= {f"content/{places[n].format(f'n{n}')}": POST.format(n, "date: 2020-01-02") for n in range(others)}
    site = import_files(tmp_path, {"hugo.toml": HUGO, **files})
    settings = tomllib.loads((site.folder / "site.toml").read_text())
    assert settings.get("permalinks", {}).get("post", "") == pattern
    assert site.addresses()["0"] == "/post/x/0/"


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("list.md", "{% for post in site.posts %}\n- {{ post.title }}\n{% endfor %}", "draft"),
        ("code.md", "```liquid\n{% for post in site.posts %}\n```\nand `{% for x in y %}`", "published"),
        ("404.md", "Nothing here.", "draft"),
    ],
)
def test_templates_and_error_pages_are_not_published(tmp_path: Path, name: str, body: str, status: str) -> None:
    """They become drafts; a text about templates is a page like any other."""
    stem = name.partition(".")[0]
    text = f"---\ntitle: X\npermalink: /{stem}.html\n---\n{body}\n"
    site = import_files(
        tmp_path, {"_config.yml": "title: T", "_posts/2020-01-02-a.md": POST.format("A", ""), name: text}
    )
    (page,) = (site.folder / "content/pages/_single").iterdir()
    assert site.page(page.stem).data["status"] == status


def test_a_home_page_without_a_title_is_named_as_the_site(tmp_path: Path) -> None:
    """Not after its file."""
    site = import_files(
        tmp_path, {"_config.yml": "title: Tides", "_layouts/x.html": "", "index.md": "---\nx: 1\n---\nText\n"}
    )
    (page,) = (site.folder / "content/pages/_single").iterdir()
    assert site.page(page.stem).data["title"] == "Tides"


def test_languages_in_folders_of_a_jekyll_collection(tmp_path: Path) -> None:
    """A guide and its translation are one page, with an address each."""
    config = 'collections:\n  guides: {output: true, permalink: "/:path/"}\n'
    files: dict[str, str | bytes] = {
        "_config.yml": config,
        "_layouts/x.html": "",
        "_guides/tides.md": "---\ntitle: Tides\nlang: en\n---\nx\n",
        "_guides/fr/tides.md": "---\ntitle: Marées\nlang: fr\n---\nx\n",
        "_guides/pcm/tides.md": "---\ntitle: Tide dem\nlang: pcm\n---\nx\n",
    }
    site = import_files(tmp_path, files)
    assert sorted(path.name for path in (site.folder / "content/pages/_single").iterdir()) == [
        "tides.fr.md",
        "tides.md",
        "tides.pcm.md",
    ]
    assert site.addresses()["tides.fr"] in ("/fr/tides/", "/tides.fr/")


def test_home_pages_that_only_a_layout_fills(tmp_path: Path) -> None:
    """They are left out, with a line; that of another language leads to the home page."""
    files: dict[str, str | bytes] = {
        "_config.yml": "title: Tides\n",
        "_posts/2020-01-02-a.md": "---\ntitle: A\n---\nx\n",
        "index.html": "---\nlayout: home\n---\n",
        "index_fr.html": "---\nlayout: home\nlang: fr\npermalink: /fr/\n---\n",
    }
    site = import_files(tmp_path, files)
    assert not (site.folder / "content/pages").exists()
    assert site.redirects()["/fr/"] == "/"
    places = site.notes("left out by design")["home pages without a text, which only a layout fills"]
    assert places == ["index.html", "index_fr.html"]


def test_a_path_of_zola_is_the_whole_address(tmp_path: Path) -> None:
    """The language is part of it; lists of sections lead to the list of posts."""
    files: dict[str, str | bytes] = {
        "config.toml": 'base_url = "https://old.example"\ntitle = "T"\n[languages.fr]\n',
        "content/sea/_index.md": '+++\ntitle = "Sea"\n+++\n',
        "content/sea/low.md": '+++\ntitle = "Low"\ndate = 2020-01-02\npath = "low-tide"\n+++\nx\n',
        "content/sea/low.fr.md": '+++\ntitle = "Basse"\ndate = 2020-01-02\npath = "fr/low-tide"\n+++\nx\n',
    }
    site = import_files(tmp_path, files)
    assert sorted(site.addresses().values()) == ["/fr/low-tide/", "/low-tide/"]
    assert site.redirects()["/sea/"] == "/blog/"


def test_posts_of_docusaurus(tmp_path: Path) -> None:
    """The day in a name becomes folders; a slug takes the place of both."""
    files: dict[str, str | bytes] = {
        "docusaurus.config.ts": "export default {\n  title: 'Tides',\n  url: 'https://old.example',\n};\n",
        "blog/2020-01-02-low.md": "---\ntitle: Low\n---\n"
        "# Low\n\nMore.\n\n{/* truncate */}\n\n<img src={'/a.png'} />\n",
        "blog/2020-01-03-high/index.mdx": "---\ntitle: High\n---\n"
        "<img src={require('./a.png').default} alt=\"A\" />\n\n<a href={url}>x</a>\n",
        "blog/2020-01-04-own.md": "---\ntitle: Own\nslug: mine\n---\nx\n",
    }
    site = import_files(tmp_path, files)
    assert set(site.addresses().values()) == {"/blog/2020/01/02/low/", "/blog/2020/01/03/high/", "/blog/mine/"}
    assert '<img src="https://old.example/blog/2020/01/03/high/a.png" alt="A">' in site.post("high").body
    assert "href of <a>, which is computed" in site.notes("unknown shortcode")
    assert site.post("low").body == 'More.\n\n<!-- truncate -->\n\n<img src="https://old.example/a.png">\n'
    assert site.post("low").data["summary"] == "More."
    assert 'name = "Tides"' in (site.folder / "site.toml").read_text()


def test_a_missing_file_of_the_old_media_folder(tmp_path: Path) -> None:
    """A picture that the source lacks does not keep its text from being loaded."""
    files: dict[str, str | bytes] = {
        "hugo.toml": 'title = "T"\n',
        "content/posts/a.md": "---\ntitle: A\ndate: 2020-01-02\n---\n![Lost](/media/lost.png)\n",
    }
    site = import_files(tmp_path, files)
    build(site.folder)
    assert "![Lost](/./media/lost.png)" in site.post("a").body


@pytest.mark.parametrize(
    ("files", "folder"),
    [
        ({"hugo.toml": 'title = "T"\n[languages.en]\n[languages.fr]\n'}, "content/posts/"),
        ({"_config.yml": "title: T\n"}, "source/_posts/"),
    ],
    ids=["hugo", "hexo"],
)
def test_further_pages_of_a_term(tmp_path: Path, files: dict[str, str | bytes], folder: str) -> None:
    """They lead to the list of the term by one redirect."""
    texts = {
        f"{folder}{n}.md": f"---\ntitle: P{n}\ndate: 2020-01-0{n}\ntags: [low tide]\n---\nx\n" for n in range(1, 8)
    }
    site = import_files(tmp_path, {**files, **texts})
    assert site.redirects()["/tags/low-tide/page/*"] == "/tags/low-tide/"


def test_included_texts(tmp_path: Path) -> None:
    """A text that a tag includes is put in, with its parameters; a template becomes a comment."""
    jekyll: dict[str, str | bytes] = {
        "_config.yml": "title: T\n",
        "_includes/hello.md": "---\nx: y\n---\nHello **{{ include.name }}**, {% include deep/more.html %}\n",
        "_includes/deep/more.html": "<em>more</em>\n",
        "_includes/list.html": "{% for post in site.posts %}x{% endfor %}",
        "_includes/round.md": "{% include round.md %}",
        "_posts/part.md": "A part.\n\nOf two lines.\n",
        "_posts/2020-01-02-a.md": "---\ntitle: A\n---\n"
        '{% include hello.md name="Ann" %}\n\n{% include_relative part.md %}\n\n{% include list.html %}\n\n'
        "- {% include round.md %}\n\n{% for x in page.y %}\n- {{ x }}\n{% endfor %}\n\nThe end.\n",
    }
    body = import_files(tmp_path / "jekyll", jekyll).post("a").body
    assert "Hello **Ann**, <em>more</em>" in body
    assert "A part.\n\nOf two lines." in body
    assert "<!-- {% include list.html %} -->" in body
    assert "<!-- {% for x in page.y %} - {{ x }} {% endfor %} -->" in body
    eleventy: dict[str, str | bytes] = {
        "eleventy.config.js": 'export default { dir: { input: "src", includes: "parts" } };\n',
        "src/parts/note.md": "In *short*.\n",
        "src/posts/a.md": '---\ntitle: A\ndate: 2020-01-02\n---\n{% include "note.md" %}\n',
    }
    assert import_files(tmp_path / "eleventy", eleventy).post("a").body == "In *short*.\n"
    hexo: dict[str, str | bytes] = {
        "_config.yml": "title: T\n",
        "source/downloads/code/a.py": "def low():\n    return 1\n",
        "source/_posts/a.md": "---\ntitle: A\ndate: 2020-01-02\n---\n{% include_code Low lang:python a.py %}\n",
    }
    body = import_files(tmp_path / "hexo", hexo).post("a").body
    assert body == "```python\ndef low():\n    return 1\n```\n"
    hugo: dict[str, str | bytes] = {
        "hugo.toml": "title = 'T'\n",
        "content/_parts/note.md": "---\ntitle: N\n---\nIn *short*.\n",
        "content/posts/a.md": '---\ntitle: A\ndate: 2020-01-02\n---\n{{% include "/_parts/note" %}}\n',
    }
    assert import_files(tmp_path / "hugo", hugo).post("a").body == "In *short*.\n"


def test_includes_end(tmp_path: Path) -> None:
    """A file that includes itself many times is put in a few hundred times at most; a hidden file never."""
    files: dict[str, str | bytes] = {
        "_config.yml": "title: T\n",
        "_includes/round.md": "{% include round.md %}\n" * 30,
        ".env": "SECRET=1",
        "_posts/2020-01-02-a.md": "---\ntitle: A\n---\n{% include round.md %}\n\n{% include_relative ../.env %}\n",
    }
    body = import_files(tmp_path, files).post("a").body
    assert len(body) < 1_000_000
    assert "SECRET" not in body


@pytest.mark.parametrize("name", ["data.json", "two.yml"])
def test_included_code_is_whole(name: str, tmp_path: Path) -> None:
    """The first document of YAML is no front matter of code, and JSON is none."""
    code = {"data.json": '{"a": 1}\n', "two.yml": "---\nkind: A\n---\nkind: B\n"}[name]
    files: dict[str, str | bytes] = {
        "_config.yml": "title: T\n",
        f"source/downloads/code/{name}": code,
        "source/_posts/a.md": f"---\ntitle: A\ndate: 2020-01-02\n---\n{{% include_code {name} %}}\n",
    }
    assert code.strip() in import_files(tmp_path, files).post("a").body


def test_untranslated_texts_of_a_plug_in_for_languages(tmp_path: Path) -> None:
    """It showed them at an address of each language, which leads to the text."""
    files: dict[str, str | bytes] = {
        "_config.yml": "permalink: pretty\nlanguages: [en, fr, de]\n",
        "_posts/2020-01-02-a.md": "---\ntitle: A\nlang: en\n---\nx\n",
        "_posts/fr/2020-01-02-a.md": "---\ntitle: Ah\nlang: fr\n---\nx\n",
        "_posts/2020-01-03-b.md": "---\ntitle: B\n---\nx\n",
    }
    redirects = import_files(tmp_path, files).redirects()
    assert {old: new for old, new in redirects.items() if "2020" in old} == {
        "/de/2020/01/02/a/": "/2020/01/02/a/",
        "/fr/2020/01/03/b/": "/2020/01/03/b/",
        "/de/2020/01/03/b/": "/2020/01/03/b/",
    }
