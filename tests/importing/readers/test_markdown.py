"""Folders of Markdown, of each generator: entries, addresses, dates, languages, links."""
# ruff: noqa: E501 - files as their authors write them

import tomllib
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from sitecms.cli.main import cli
from sitecms.errors import InvalidRequest
from sitecms.importing.reader import ReaderOptions
from sitecms.importing.readers import detect
from sitecms.importing.readers.markdown.document import summary_of
from sitecms.importing.readers.markdown.generators import open_generator
from sitecms.importing.source import Source
from tests.importing.building import build
from tests.importing.imported import import_files
from tests.importing.wxr import export, item
from tests.media.revealing import png as image


@cache
def png(width: int, height: int) -> bytes:
    """Return a picture of that size, always the same one."""
    return image(size=(width, height))


HUGO = 'baseURL = "https://old.example/"\ntitle = "Tides"\n'


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("Hugo", {"hugo.toml": "", "content/a.md": "x"}),
        ("Hugo", {"config.toml": HUGO, "content/a.md": "x"}),
        ("Hugo", {"config/_default/hugo.yaml": "title: x", "content/a.md": "x"}),
        ("Zola", {"config.toml": 'base_url = "https://old.example"', "content/a.md": "x"}),
        ("Jekyll", {"_config.yml": "title: x", "_posts/2020-01-01-a.md": "x"}),
        ("Jekyll", {"_config.yml": "source: source\ndestination: public", "source/_posts/2020-01-01-a.md": "x"}),
        ("Hexo", {"_config.yml": "new_post_name: ':title.md'", "source/_posts/a.md": "x"}),
        ("Eleventy", {".eleventy.js": "", "a.md": "x"}),
        ("Eleventy", {"eleventy.config.mjs": "", "a.md": "x"}),
        ("Astro", {"astro.config.mjs": "", "src/content/blog/a.md": "x"}),
        ("Pelican", {"pelicanconf.py": "", "content/a.md": "x"}),
        ("Markdown", {"a.md": "x", "b/c.md": "y"}),
        ("Markdown", {"a.md": "x", "b/_posts/2020-01-01-a.md": "y"}),
        ("Jekyll", {"site-main/_config.yml": "title: x", "site-main/_posts/2020-01-01-a.md": "x"}),
    ],
)
def test_generators_are_found_by_their_configuration(tmp_path: Path, name: str, files: dict[str, str]) -> None:
    """Also one folder below, as in archives."""
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert open_generator(Source([str(tmp_path)]), ReaderOptions()).name == name


def test_an_export_that_lies_in_a_site_is_not_the_source(tmp_path: Path) -> None:
    """The folder is read as the site that was made of it; the file alone as the export."""
    (tmp_path / "_posts").mkdir()
    (tmp_path / "_config.yml").write_text("title: x")
    (tmp_path / "_posts/2020-01-01-a.md").write_text("x")
    (tmp_path / "wordpress.xml").write_text(export(item(1)))
    assert detect(Source([str(tmp_path)])) == "markdown"
    assert detect(Source([str(tmp_path / "wordpress.xml")])) == "wordpress"


def test_jekyll(tmp_path: Path) -> None:
    """Addresses by the default style, dates of names, terms, drafts, redirects, authors, bodies with links."""
    config = "title: Tides\nurl: https://old.example\nbaseurl: /blog\ntimezone: Europe/Helsinki\nlang: en\n"
    site = import_files(
        tmp_path,
        {
            "_config.yml": config,
            "_data/authors.yml": "ann:\n  name: Ann Example\n  email: ann@old.example\n  bio: Writes.\n",
            "_posts/2020-01-02-Low-Tide.md": "---\ntitle: Low\ncategories: Sea Life\ntags: moon sun\nauthor: ann\nrating: 5\n---\n"
            "See [next]({{ site.baseurl }}{% post_url 2020-01-03-high %}), ![b](/blog/img/b.png).\n{: .note}\n",
            "_posts/2020-01-03-high.md": "---\ntitle: High\ndate: 2020-01-03 10:00:00 +0800\nredirect_from: /old/high/\n---\nText\n",
            "_posts/2020-01-04-utc.md": "---\ntitle: Utc\ndate: 2020-01-04 23:30:00\npublished: false\n---\nText\n",
            "_drafts/later.md": "---\ntitle: Later\n---\nText\n",
            "about.md": "---\ntitle: About\npermalink: /about/\n---\nText\n",
            "moved.md": "---\nredirect_to: https://new.example/\n---\n",
            "index.html": "---\n---\n{% for post in site.posts %}{{ post.title }}{% endfor %}",
            "img/b.png": png(2, 2),
            "README.md": "Read me",
        },
    )
    low = site.post("low-tide")
    assert low.data["published"] == "2020-01-01T22:00:00Z"  # midnight of the time zone
    assert (low.data["categories"], low.data["tags"], low.data["author"]) == (["Sea", "Life"], ["moon", "sun"], "ann")
    addresses = site.addresses()
    assert addresses["low-tide"] == "/sea/life/2020/01/02/Low-Tide.html"
    assert addresses["high"] == "/2020/01/03/high.html"
    assert addresses["about"] == "/about/"
    assert "[next](/2020/01/03/high.html), ![b](media/img/b.png)." in low.body
    assert site.post("high").data["published"] == "2020-01-03T02:00:00Z"
    assert site.post("high").data["aliases"] == ["/old/high/"]
    assert site.post("utc").data["status"] == site.post("later").data["status"] == "draft"
    assert site.redirects()["/moved.html"] == "https://new.example/"
    assert list(site.notes("unknown key")) == ["rating"]
    assert "a page that is a template" in site.notes("skipped")
    authors = (site.folder / "content/authors.yaml").read_text()
    assert "bio: Writes." in authors
    assert "ann@old.example" not in "".join(path.read_text() for path in site.folder.rglob("*.yaml"))
    assert (site.folder / "media/img/b.png").read_bytes() == png(2, 2)


@pytest.mark.parametrize(
    ("permalink", "address"),
    [
        ("pretty", "/sea/2020/01/02/a-b/"),
        ("ordinal", "/sea/2020/002/a-b.html"),
        ("weekdate", "/sea/2020/W01/Thu/a-b.html"),
        ("none", "/sea/a-b.html"),
        ("/:year/:i_month/:title/", "/2020/1/a-b/"),
        ("/:short_year/:slug", "/20/a-b/"),  # Jekyll writes /20/a-b.html, and links to /20/a-b
    ],
)
def test_permalink_styles_of_jekyll(tmp_path: Path, permalink: str, address: str) -> None:
    """Named styles and patterns."""
    files: dict[str, str | bytes] = {
        "_config.yml": f"permalink: {permalink}\n",
        "sea/_posts/2020-01-02-a-b.md": "---\ntitle: A\n---\nx\n",
    }
    assert import_files(tmp_path, files).addresses()["a-b"] == address


def test_defaults_and_collections_of_jekyll(tmp_path: Path) -> None:
    """Defaults of the configuration count; a collection has pages only if it is put out."""
    config = (
        "collections:\n  guides:\n    output: true\n    permalink: /g/:path/\n  people: {}\n"
        "defaults:\n- scope: {path: '', type: posts}\n  values: {author: bob, permalink: /p/:title/}\n"
    )
    site = import_files(
        tmp_path,
        {
            "_config.yml": config,
            "_posts/2020-01-02-a.md": "---\ntitle: A\n---\nx\n",
            "_guides/knots.md": "---\ntitle: Knots\n---\nx\n",
            "_people/ann.md": "---\nname: Ann\n---\nx\n",
        },
    )
    assert site.addresses() == {"a": "/p/a/", "knots": "/g/knots/"}
    assert site.post("a").data["author"] == "bob"
    assert "the collection people, which has no pages of its own" in site.notes("skipped")


def test_hugo(tmp_path: Path) -> None:
    """TOML, page bundles, slugs, aliases, sections, taxonomies, shortcodes, drafts, expiry."""
    front = '+++\ntitle = "%s"\ndate = 2020-01-02T10:00:00+02:00\n%s+++\nText %s\n'
    site = import_files(
        tmp_path,
        {
            "hugo.toml": f'{HUGO}[permalinks]\nnews = "/:year/:month/:slug/"\n[params]\ndescription = "About"\n',
            "content/posts/My Post.md": front
            % (
                "A",
                'tags = ["x"]\ncategories = ["y"]\naliases = ["/old-a/", "b"]\nweight = 3\n',
                '[n]({{< relref "news/n" >}})',
            ),
            "content/posts/bundle/index.md": front
            % ("B", 'slug = "own"\n', '![p](p.png) {{< figure src="p.png" alt="P" >}}'),
            "content/posts/bundle/p.png": png(2, 2),
            "content/news/n.md": front % ("The News", "", "{{< chart >}}"),
            "content/posts/gone.md": front % ("Gone", "expiryDate = 2020-02-01\n", ""),
            "content/posts/draft.md": front % ("Draft", "draft = true\n", ""),
            "content/posts/future.md": '+++\ntitle = "F"\ndate = 2999-01-01\n+++\nx\n',
            "content/about.md": front % ("About", 'url = "/who/"\n', "![s](/s.png)"),
            "content/posts/_index.md": '+++\ntitle = "Posts"\n+++\n',
            "content/docs/_index.md": '+++\ntitle = "Docs"\n+++\nAll of them.\n',
            "static/s.png": png(3, 3),
            "content/org.org": "#+title: x",
        },
    )
    addresses = site.addresses()
    assert addresses["my-post"] == "/posts/my-post/"
    assert addresses["own"] == "/posts/own/"
    assert addresses["the-news"] == "/2020/01/the-news/"
    assert addresses["who"] == "/who/"
    assert addresses["docs"] == "/docs/"
    post = site.post("my-post")
    assert post.data["aliases"] == ["/old-a/", "/posts/b/"]
    assert post.data["published"] == "2020-01-02T08:00:00Z"
    assert "[n](/2020/01/the-news/)" in post.body
    assert site.post("own").body.count("media/posts/bundle/p.png") == 2
    assert "media/s.png" in site.page("who").body
    assert [site.post(each).data["status"] for each in ("gone", "draft", "future")] == ["draft", "draft", "scheduled"]
    assert "it had expired" in site.notes("made a draft")
    assert list(site.notes("unknown shortcode")) == ["chart"]
    assert list(site.notes("unknown key")) == ["weight"]
    assert list(site.notes("skipped")) == ["a text in .org"]
    assert site.redirects()["/posts/"] == "/blog/"
    assert site.redirects()["/index.xml"] == "/rss.xml"


def test_languages_of_hugo(tmp_path: Path) -> None:
    """Files by language and by folder; translations of posts and pages, whose addresses lead to them."""
    config = HUGO + "[languages.en]\nweight=1\n[languages.fr]\nweight=2\n"
    site = import_files(
        tmp_path,
        {
            "hugo.toml": config,
            "content/posts/tide.md": '---\ntitle: Tide\ndate: 2020-01-02\n---\n[m]({{< ref "about" >}})\n',
            "content/posts/tide.fr.md": "---\ntitle: Marée\ndate: 2020-01-02\nslug: maree\n---\n[m](/fr/a-propos/)\n",
            "content/about.md": "---\ntitle: About\n---\nText\n",
            "content/about.fr.md": "---\ntitle: Qui\nslug: a-propos\n---\nTexte\n",
            "content/rss.md": "---\ntitle: RSS\n---\nText\n",
            "content/rss.fr.md": "---\ntitle: RSS\nslug: flux\n---\nTexte\n",
        },
    )
    french = site.folder / "content/posts/fr/maree.md"
    text = french.read_text()
    assert "translation_of: tide" in text
    assert "[m](/fr/a-propos/)" in text
    assert 'locales = ["en", "fr"]' in (site.folder / "site.toml").read_text()
    assert site.page("about.fr").data | {"published": ""} == {
        "title": "Qui", "status": "published", "published": "", "path": "/fr/a-propos/",
    }  # fmt: skip
    assert site.page("rss.fr").data["path"] == "/fr/flux/"


def test_folders_of_languages_of_hugo(tmp_path: Path) -> None:
    """A file of each language names its folder; `content/` itself is none then, and links may lack the .html."""
    hugo = f'{HUGO}[permalinks]\npost = "/:year/:month/:slug/"\n[uglyURLs]\npost = true\n'
    site = import_files(
        tmp_path,
        {
            "config/_default/hugo.toml": hugo,
            "config/_default/languages.en.toml": 'title = "Tides"\ncontentDir = "content/en"\n',
            "config/_default/languages.pt-br.toml": 'contentDir = "content/pt-br"\n',
            "content/en/post/2020-01-02-low.md": "---\ntitle: Low\ndate: 2020-01-02\nslug: low\n---\nText\n",
            "content/en/docs/faq.md": "---\ntitle: FAQ\n---\n[a](/2020/01/low/#b) [b](/2020/01/low)\n",
            "content/pt-br/docs/faq.md": "---\ntitle: FAQ\n---\nTexto\n",
            "content/stubs/faq.md": "---\ntitle: Stub\n---\nText\n",
        },
    )
    settings = (site.folder / "site.toml").read_text()
    assert 'locales = ["en", "pt-BR"]' in settings
    assert site.addresses()["low"] == "/2020/01/low.html"
    files = sorted(path.name for path in (site.folder / "content/pages").rglob("*.*"))
    assert files == ["faq.md", "faq.pt-BR.md"]
    assert "[a](/2020/01/low.html#b) [b](/2020/01/low.html)" in site.page("faq").body
    assert site.page("faq").data["path"] == "/docs/faq/"
    assert site.page("faq.pt-BR").data["path"] == "/pt-br/docs/faq/"


@pytest.mark.parametrize("language", ['lang = "en"', '[module.mounts.sites.matrix]\nlanguages = ["en"]'])
def test_mounted_content_of_hugo(language: str, tmp_path: Path) -> None:
    """A folder that is mounted as the content is not part of the addresses."""
    mounts = f'[[module.mounts]]\nsource = "assets"\ntarget = "assets"\n[[module.mounts]]\nsource = "content/en"\ntarget = "content"\n{language}\n'
    files: dict[str, str | bytes] = {
        "hugo.toml": HUGO + mounts,
        "content/en/about/tide.md": "---\ntitle: Tide\n---\nText\n",
    }
    assert import_files(tmp_path, files).addresses() == {"tide": "/about/tide/"}


def test_zola(tmp_path: Path) -> None:
    """Slugs in ASCII, dates of names, own paths, taxonomies, inner links, sections."""
    site = import_files(
        tmp_path,
        {
            "config.toml": 'base_url = "https://old.example"\ntitle = "Z"\n',
            "content/blog/2020-01-02-Été.md": '+++\ntitle = "Summer"\naliases = ["old/summer"]\n[taxonomies]\ntags = ["t"]\n[extra]\nx = 1\n+++\n[p](@/page.md#here)\n',
            "content/page.md": '+++\ntitle = "P"\npath = "own/place"\n+++\nText\n',
            "content/blog/asset/index.md": '+++\ntitle = "A"\ndate = 2020-05-05\n+++\n![i](i.png)\n',
            "content/blog/asset/i.png": png(2, 2),
            "content/hidden.md": '+++\ntitle = "H"\nrender = false\n+++\nText\n',
            "content/moved.md": '+++\nredirect_to = "/own/place/"\n+++\n',
            "content/gone/_index.md": '+++\nredirect_to = "own/place"\n+++\n',
            "content/away.md": '+++\nredirect_to = "https://new.example/x"\n+++\n',
        },
    )
    assert site.addresses()["ete"] == "/blog/ete/"
    post = site.post("ete")
    assert (post.data["tags"], post.data["aliases"]) == (["t"], ["/old/summer/"])
    assert "[p](/own/place/#here)" in post.body
    assert "media/blog/asset/i.png" in site.post("asset").body
    assert site.page("hidden").data["status"] == "draft"
    assert site.redirects()["/moved/"] == "/own/place/"
    assert site.redirects()["/gone/"] == "/own/place"
    assert site.redirects()["/away/"] == "https://new.example/x"
    assert list(site.notes("unknown key")) == ["extra.x"]


def test_summaries_have_no_captions() -> None:
    """The text before `<!--more-->` may end with a picture."""
    assert summary_of('One *two*.\n\n![p](p.png "A caption")\n', is_html=False) == "One two."


def test_hexo(tmp_path: Path) -> None:
    """Front matter without its first line, hierarchical categories, asset folders, terms' addresses."""
    config = "title: H\nurl: https://old.example\npermalink: :year/:month/:title/\nlanguage: zh-CN\ntimezone: Asia/Shanghai\nnew_post_name: :title.md\n"
    site = import_files(
        tmp_path,
        {
            "_config.yml": config,
            "source/_posts/潮.md": "title: Tide\ndate: 2013/7/13 20:46:25\ncategories:\n- Sea\n- Moon\ntags: x\n---\nOne\n<!-- more -->\n{% asset_img p.png %} {% post_link low 'Low' %}\n",
            "source/_posts/潮/p.png": png(2, 2),
            "source/_posts/low.md": '"title": "Low",\n"date": "2014/1/2"\n;;;\nText\n',
            "source/_drafts/d.md": "title: D\n---\nText\n",
            "source/about/index.md": "---\ntitle: About\n---\nText\n",
        },
    )
    post = site.post("潮")
    assert post.data["published"] == "2013-07-13T12:46:25Z"
    assert site.addresses()["潮"] == "/2013/07/潮/"
    assert (post.data["categories"], post.data["summary"]) == (["Sea", "Moon"], "One")
    assert "![](media/潮/p.png)" in post.body
    assert "[Low](/2014/01/low/)" in post.body
    assert site.post("d").data["status"] == "draft"
    assert site.addresses()["about"] == "/about/"
    assert 'tag = "/tags/{slug}/"' in (site.folder / "site.toml").read_text()


def test_pelican(tmp_path: Path) -> None:
    """Settings as literals, metadata, categories of folders, statuses, translations, links, rst left out."""
    conf = (
        "import os\nSITENAME = 'P'\nSITEURL = 'https://old.example'\nTIMEZONE = 'Europe/Paris'\nDEFAULT_LANG = 'en'\nAUTHOR = 'Ann'\n"
        "ARTICLE_URL = '{date:%Y}/{slug}.html'\nARTICLE_SAVE_AS = ARTICLE_URL\nTAG_URL = os.environ.get('X')\n"
    )
    site = import_files(
        tmp_path,
        {
            "pelicanconf.py": conf,
            "content/sea/low.md": "Title: Low tide!\nDate: 2020-06-01 10:00\nTags: a, b\nAuthors: Ann; Bob\nSummary: Short\nMood: calm\n\n"
            "[h]({filename}/sea/high.md) ![p]({static}/images/p.png) |filename|high.md\n",
            "content/sea/high.md": "Title: High\nDate: 2020-06-02\nSlug: high\nSave_as: own/high.html\n\nText\n",
            "content/images/p.png": png(2, 2),
            "content/fr.md": "Title: Haut\nDate: 2020-06-02\nSlug: high\nLang: fr\n\nTexte\n",
            "content/d.md": "Title: D\nDate: 2020-06-02\nStatus: draft\n\nText\n",
            "content/h.md": "Title: H\nDate: 2020-06-02\nStatus: hidden\n\nText\n",
            "content/s.md": "Title: S\nStatus: skip\n\nText\n",
            "content/pages/about.md": "Title: About\n\nText\n",
            "content/html.html": '<html><head><title>Page</title><meta name="date" content="2020-06-03"></head><body><p>T</p></body></html>',
            "content/x.rst": "Title\n=====\n",
        },
    )
    low = site.post("low-tide")
    assert low.data["published"] == "2020-06-01T08:00:00Z"
    assert (low.data["categories"], low.data["tags"]) == (["sea"], ["a", "b"])
    assert site.addresses()["low-tide"] == "/2020/low-tide.html"
    assert "[h](/own/high.html) ![p](media/images/p.png)" in low.body
    assert (site.folder / "content/posts/fr/high-fr.md").is_file()
    assert site.post("d").data["status"] == site.post("h").data["status"] == "draft"
    assert site.addresses()["about"] == "/pages/about.html"
    assert "its status is skip" in site.notes("skipped")
    assert "a text in .rst" in site.notes("skipped")
    assert list(site.notes("unknown key")) == ["mood"]
    assert any("TAG_URL is computed" in what for what in site.notes("setting"))


def test_eleventy(tmp_path: Path) -> None:
    """Data of folders, dates in paths, control tags, permalinks, filters."""
    site = import_files(
        tmp_path,
        {
            "eleventy.config.js": 'c.addPassthroughCopy({ static: "/" }); export default {dir: {input: "src"}}',
            "static/sea.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>',
            "src/blog/blog.11tydata.js": "permalink: (data) => data.x",
            "src/blog/blog.json": '{"tags": "posts", "layout": "post"}',
            "src/blog/2020-01-02-low.md": '---\ntitle: Low\ntags: [moon, posts]\n---\n[a]({{ "/about/" | url }})\n',
            "src/blog/high.md": "---\ntitle: High\ndate: 2020-03-04\npermalink: /h/{{ page.fileSlug }}/index.html\n---\n![s](/sea.svg)\n",
            "src/about.md": "---\ntitle: About\n---\nText\n",
            "src/lost.md": "---\ntitle: Lost\npermalink: /404.html\nimage: no/such.png\n---\nText\n",
            "src/secret.md": "---\ntitle: S\npermalink: false\n---\nText\n",
            "src/feed.md": "---\npermalink: /feed.xml\n---\n{{ x }}\n",
            "src/topics.njk": "---\npermalink: /topics/{{ topic | slugify }}/\n---\n",
            "README.md": "x",
        },
    )
    assert {name: address for name, address in site.addresses().items() if name != "secret"} == {
        "low": "/blog/2020-01-02-low/", "high": "/h/high/", "about": "/about/", "lost": "/lost/",
    }  # fmt: skip
    low = site.post("low")
    assert (low.data["tags"], low.data["published"]) == (["moon"], "2020-01-02T00:00:00Z")
    assert "[a](/about/)" in low.body
    assert "![s](media/sea.svg)" in site.post("high").body
    assert "addresses that a script computes are not known" in site.notes("address")
    settings = tomllib.loads((site.folder / "site.toml").read_text())
    assert settings["permalinks"]["tag"] == "/topics/{slug}/"
    assert site.page("lost").data["fields"] == {"image": ""}  # a picture without a file and an address is reported
    assert "/no/such.png" in site.notes("media")["the address of the old site is not known"]
    assert "a template of /feed.xml, which is no page" in site.notes("skipped")


def test_astro(tmp_path: Path) -> None:
    """Collections by their routes, pictures of the source, MDX, languages as folders."""
    site = import_files(
        tmp_path,
        {
            "astro.config.mjs": "export default {}",
            "src/pages/blog/[...slug].astro": "",
            "src/content/blog/Low Tide.mdx": "---\ntitle: Low\npubDate: 2020-01-02\nheroImage: ../../assets/p.png\n---\n"
            'import p from "../../assets/p.png";\nimport C from "../C.astro";\n\n![x](../../assets/p.png) <Image src={p} alt="P" /> [h](./high.md)\n',
            "src/content/blog/high.md": "---\ntitle: High\npubDate: Jul 08 2022\ndraft: true\n---\nText\n",
            "src/content/docs/guide.md": "---\ntitle: Guide\n---\nText\n",
            "src/content/docs/de/guide.md": "---\ntitle: Leitfaden\n---\nText\n",
            "src/assets/p.png": png(2, 2),
        },
    )
    low = site.post("low-tide")
    assert site.addresses()["low-tide"] == "/blog/low-tide/"
    assert low.body.count("media/p.png") == 2
    assert low.data["featured_image"] == "media/p.png"
    assert "<!-- import C" in low.body
    assert site.post("high").data["status"] == "draft"
    german = site.page("guide.de")
    assert german.data["title"] == "Leitfaden"
    assert german.data.keys().isdisjoint({"slug", "locale", "path"})  # its address follows from the page's


def test_home_pages_of_locales(tmp_path: Path) -> None:
    """The home page stays at the root, its translations in the folders of their locales; all pages load and build."""
    files: dict[str, str | bytes] = {
        "astro.config.mjs": "export default {}",
        "src/content/docs/index.md": "---\ntitle: Tides\n---\nText\n",
        "src/content/docs/fr/index.md": "---\ntitle: Marées\n---\nVoir [guide](./guide.md), [en](../index.md)\n",
        "src/content/docs/pt-br/index.md": "---\ntitle: Marés\n---\nVeja o [francês](../fr/index.md)\n",
        "src/content/docs/guide.md": "---\ntitle: Guide\n---\nText\n",
        "src/content/docs/fr/guide.md": "---\ntitle: Guide en français\n---\nTexte\n",
        "src/content/docs/fr.md": "---\ntitle: French\nslug: french\n---\nText\n",
    }
    site = import_files(tmp_path, files)
    assert tomllib.loads((site.folder / "site.toml").read_text())["build"] == {"home": "home"}
    assert "path" not in site.page("home").data
    french = site.page("home.fr")
    assert "path" not in french.data
    assert "[guide](/fr/guide/), [en](/)" in french.body
    assert "[francês](/fr/)" in site.page("home.pt-BR").body
    assert list(site.notes("address")) == ["addresses are computed by the rules of Astro"]
    counts = site.report.counts
    assert (counts["old addresses", "as Astro makes them"], counts["old addresses", "redirected"]) == (5, 1)
    build(site.folder)
    public = site.folder / "public"
    assert "Tides" in (public / "index.html").read_text()
    assert "Texte" in (public / "fr/guide/index.html").read_text()
    assert not (public / "fr/fr").exists()
    assert "Marées" in (public / "fr/index.html").read_text()
    assert "Marés" in (public / "pt-BR/index.html").read_text()
    assert "/pt-br/ /pt-BR/ 301" in (public / "_redirects").read_text()


def test_hugo_without_sections(tmp_path: Path) -> None:
    """Dated texts at the root of the content are posts if no section has texts."""
    files: dict[str, str | bytes] = {
        "hugo.toml": HUGO,
        "content/low.md": "---\ntitle: Low\ndate: 2020-01-02\n---\nText\n",
        "content/about.md": "---\ntitle: About\n---\nText\n",
    }
    site = import_files(tmp_path, files)
    assert site.post("low").data["published"].startswith("2020-01-02")
    assert site.page("about").data["title"] == "About"


def test_days_in_paths_and_collections_beside_src(tmp_path: Path) -> None:
    """Zola pages without a date have the day of their path; collections of Astro may stand outside of src."""
    zola: dict[str, str | bytes] = {
        "config.toml": 'base_url = "https://old.example"',
        "content/low.md": '+++\npath = "inside/2024/02/26/Low"\ntitle = "Low"\n+++\nText\n',
    }
    assert import_files(tmp_path / "a", zola).post("low").data["published"].startswith("2024-02-26")
    astro: dict[str, str | bytes] = {
        "astro.config.ts": "",
        "content/posts/high.md": "---\ntitle: High\npubDate: 2024-02-26\n---\nText\n",
    }
    assert import_files(tmp_path / "b", astro).post("high").data["title"] == "High"


def test_links_to_missing_files_load(tmp_path: Path) -> None:
    """A link to a file that is not there becomes an address from the root, in drafts too, and is reported."""
    body = "[a](missing.md), [b](../gone.md#x), ![c](no.png), [d](dir), <a href='e.md'>e</a>\n"
    files: dict[str, str | bytes] = {"a.md": body, "sub/b.md": f"---\ntitle: B\ndraft: true\n---\n{body}"}
    site = import_files(tmp_path, files)
    assert "[a](/missing.md), [b](/gone.md#x)" in site.page("b").body
    assert len(site.notes("link not resolved")) >= 3
    loaded = CliRunner().invoke(cli, ["load", str(site.folder)])
    assert loaded.exit_code == 0, loaded.output


def test_a_plain_folder(tmp_path: Path) -> None:
    """Titles from headings, links between files, wiki links, dates of names, pictures beside the texts."""
    site = import_files(
        tmp_path,
        {
            "index.md": "# Home *page*\n\n[n](notes/low.md#tide) and [[high|High]]\n",
            "notes/low.md": "Text without title\n\n![p](../pics/p.png)\n",
            "blog/2020-01-02-high.md": "---\ntags: a, b\n---\nHigh\n====\n\nText\n",
            "pics/p.png": png(2, 2),
            "LICENSE.md": "x",
        },
    )
    home = site.page("home")
    assert home.data["title"] == "Home page"
    assert "# Home" not in home.body
    assert "[n](/notes/low/#tide)" in home.body
    assert "[High](/blog/2020-01-02-high/)" in home.body
    assert site.page("low").data["title"] == "Low"
    assert "media/pics/p.png" in site.page("low").body
    high = site.post("high")
    assert (high.data["title"], high.data["tags"]) == ("High", ["a", "b"])


def test_bytes_and_files_that_cannot_be_read(tmp_path: Path) -> None:
    """One bad byte is repaired and told with line and column; one bad file never ends the import."""
    site = import_files(
        tmp_path,
        {
            "a.md": b"\xef\xbb\xbf---\r\ntitle: A\r\n---\r\nCaf\xe9 and \xc3\xa9\r\n",
            "b.md": '+++\ntitle = "B\n+++\nText\n',
        },
    )
    assert "Café and é" in site.page("a").body
    assert [places for what, places in site.notes("repaired").items() if "UTF-8" in what] == [["a.md:4:4"]]
    assert [places for what, places in site.notes("skipped").items() if "TOML" in what] == [["b.md:2"]]


def test_a_folder_without_entries_is_an_error(tmp_path: Path) -> None:
    """The error names the generator."""
    with pytest.raises(InvalidRequest, match="no Markdown that is an entry of a site of Jekyll"):
        import_files(tmp_path, {"_config.yml": "x: y", "_layouts/a.html": "x", "README.md": "x"})


def test_a_site_whose_texts_cannot_be_read_says_why(tmp_path: Path) -> None:
    """The error names the file and what is wrong in it."""
    with pytest.raises(InvalidRequest, match=r"b\.md:2: .*TOML"):
        import_files(tmp_path, {"b.md": '+++\ntitle = "B\n+++\nText\n'})


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    """An unchanged source touches no file; a changed post is written again."""
    files: dict[str, str | bytes] = {
        "_config.yml": "",
        "_posts/2020-01-02-a.md": "---\ntitle: A\n---\nx\n",
        "_posts/2020-01-02-b.md": "---\ntitle: B\n---\nx\n",
    }
    first = import_files(tmp_path, files)
    before = {path: path.stat().st_mtime_ns for path in first.folder.rglob("*") if path.is_file()}
    second = import_files(tmp_path, {**files, "_posts/2020-01-02-b.md": "---\ntitle: B\n---\nnew\n"})
    changed = {
        path.name for path, at in before.items() if path.stat().st_mtime_ns != at and path.parent.name == "posts"
    }
    assert changed == {"b.md"}
    assert second.report.counts["posts", "unchanged"] == 1
