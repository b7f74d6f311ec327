"""Sites that Eleventy, Hexo and Astro publish: after an import and a build, every address leads to its entry.

Names and titles are what people write: spaces, signs, other scripts, dates, indexes, folders of languages.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.importing.golden import PICTURE, import_and_build, published_titles, write, wrong_answers, wrong_pages

pytestmark = pytest.mark.slow
BUILD_SECONDS = 300
PACKAGES = Path(__file__).parent / "generators"
ARTICLE = '<article data-title="{{ %s }}">{{ %s | safe }}</article>'

ELEVENTY = {
    "eleventy.config.mjs": """
export default function (config) {
  config.addGlobalData("layout", "base.njk");
  config.addPassthroughCopy("img");
  config.addPassthroughCopy({ "public": "/" });
  return { dir: { input: ".", includes: "_includes" } };
}
""",
    "_includes/base.njk": ARTICLE % ("title", "content"),
    "blog/blog.json": '{"tags": "posts"}',
    "news/news.json": '{"permalink": "/n/{{ page.fileSlug }}/"}',
    "img/Sea Map.svg": PICTURE,
    "public/app.txt": "x",
}
ELEVENTY_PAGES = {
    "index.md": "",
    "about.md": "",
    "about/team.md": "",
    "docs/docs.md": "",
    "docs/A B & C.md": "",
    "docs/Ärger.md": "",
    "docs/v1.2.md": "",
    "docs/UPPER.md": "",
    "a/b/c/d.md": "",
    "404.md": "permalink: 404.html",
    "page.html": "",
    "_posts/2020-01-02-first.md": "",
    "_posts/2020-01-03-second/index.md": "",
    "2020-03-04-folder/text.md": "",
    "blog/2020-01-02-index.md": "",
    "blog/x/2020-02-03-index.md": 'permalink: "blog/{{ page.fileSlug }}/index.html"',
    "blog/own.md": "permalink: /own/place/",
    "blog/file.md": "permalink: /own/file.html",
    "blog/Its Title, & more.md": 'permalink: "/t/{{ title | slugify }}/"',
    "blog/dated.md": "date: 2020-05-06\npermalink: \"/{{ page.date | date: '%Y/%m' }}/{{ page.fileSlug }}/\"",
    "fr/index.md": "",
    "fr/about.md": "",
    "news/2021-01-01-one.md": "",
    "news/Two Words.md": "",
}

HEXO = {
    "_config.yml": "title: T\nurl: https://old.example\nlanguage: en\ntimezone: Europe/Helsinki\n"
    "permalink: :year/:month/:day/:title/\ntheme: t\n",
    "themes/t/layout/post.njk": ARTICLE % ("page.title", "page.content"),
    "themes/t/layout/page.njk": ARTICLE % ("page.title", "page.content"),
    "source/img/Sea Map.svg": PICTURE,
}
HEXO_PAGES = {
    "_posts/night.md": "date: 2020-01-02 00:30:00\ntags: [x]\ncategories: [A, B]",
    "_posts/slashes.md": "date: 2020/01/02 00:30:00",
    "_posts/day.md": "date: 2020-01-02",
    "_posts/zone.md": "date: 2020-01-02T00:30:00+02:00",
    "_posts/west.md": "date: 2020-01-02T23:30:00-05:00",
    "_posts/utc.md": "date: 2020-01-02T23:30:00Z",
    "_posts/Sub Folder/x y.md": "date: 2020-01-03",
    "_posts/Ärger & Co.md": "date: 2020-01-04",
    "_posts/own.md": "date: 2020-01-05\npermalink: own/place/",
    "_posts/file.md": "date: 2020-01-05\npermalink: own2.html",
    "_posts/slug.md": "date: 2020-01-05\nslug: The Slug",
    "_posts/v1.2.md": "date: 2020-01-05",
    "about/index.md": "",
    "contact.md": "",
    "a b.md": "",
    "deep/er/x.md": "",
}

ASTRO = {
    "package.json": '{"type": "module"}',
    "astro.config.mjs": 'export default { site: "https://old.example" };',
    "src/content.config.mjs": """
import { defineCollection } from "astro:content";
import { glob } from "astro/loaders";
export const collections = {
  blog: defineCollection({ loader: glob({ pattern: "**/*.md", base: "./src/content/blog" }) }),
  docs: defineCollection({ loader: glob({ pattern: "**/[^_]*.md", base: "./src/content/docs" }) }),
};
""",
    "src/layouts/base.astro": "<article data-title={Astro.props.frontmatter.title}><slot /></article>",
    **{
        f"src/pages/{folder}[...slug].astro": f"""---
import {{ getCollection, render }} from "astro:content";
export async function getStaticPaths() {{
  const entries = await getCollection("{collection}");
  const slug = (id) => (id === "index" ? undefined : id);
  return entries.map((entry) => ({{ params: {{ slug: slug(entry.id) }}, props: {{ entry }} }}));
}}
const {{ entry }} = Astro.props;
const {{ Content }} = await render(entry);
---
<article data-title={{entry.data.title}}><Content /></article>
"""
        for folder, collection in (("blog/", "blog"), ("", "docs"))
    },
    "public/img/Sea Map.svg": PICTURE,
}
ASTRO_PAGES = {
    "pages/contact.md": "layout: ../layouts/base.astro",
    "pages/Us And You.md": "layout: ../layouts/base.astro",
    "pages/fr/contact.md": "layout: ../../layouts/base.astro",
    "content/blog/Low Tide.md": "pubDate: 2020-01-02",
    "content/blog/2020-01-03-high.md": "pubDate: 2020-01-03",
    "content/blog/How to (A+B)!.md": "pubDate: 2020-01-03",
    "content/blog/v1.2.0.md": "pubDate: 2020-01-03",
    "content/blog/Ärger & Co.md": "pubDate: 2020-01-03",
    "content/blog/own.md": "pubDate: 2020-01-03\nslug: My Slug/x",
    "content/blog/sub/index.md": "pubDate: 2020-01-03",
    "content/blog/sub/Other.md": "pubDate: 2020-01-03",
    "content/blog/_seen.md": "pubDate: 2020-01-03",
    "content/blog/日本.md": "pubDate: 2020-01-03",
    "content/blog/हिन्दी x².md": "pubDate: 2020-01-03",
    "content/blog/a_b--c.md": "pubDate: 2020-01-03",
    "content/docs/index.md": "",
    "content/docs/guide.md": "",
    "content/docs/de/guide.md": "",
    "content/docs/fr/guide.md": "",
    "content/docs/1.2/x y.md": "",
}


@pytest.fixture(scope="module")
def packages(npm_install: Callable[[Path], Path]) -> Path:
    """The folder of the generators as npm installs them."""
    return npm_install(PACKAGES) / "node_modules"


def _build(folder: Path, packages: Path, program: str, *arguments: str) -> None:
    """Build a site by the generator, in a copy, in the time zone of its author."""
    (folder / "node_modules").symlink_to(packages)
    quiet = {"TZ": "Europe/Helsinki", "ASTRO_TELEMETRY_DISABLED": "1"}
    done = subprocess.run(
        ["node", str(packages / program), *arguments],
        cwd=folder,
        env={**os.environ, **quiet},
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _texts(pages: Mapping[str, str], folder: str) -> dict[str, str]:
    titles = {name: json.dumps(f"{Path(name).stem} of {name}", ensure_ascii=False) for name in pages}
    return {f"{folder}{name}": f"---\ntitle: {titles[name]}\n{facts}\n---\nText.\n" for name, facts in pages.items()}


@pytest.mark.parametrize(
    ("files", "pages", "folder", "program", "output"),
    [
        (ELEVENTY, ELEVENTY_PAGES, "", ("@11ty/eleventy/cmd.cjs", "--quiet"), "_site"),
        (HEXO, HEXO_PAGES, "source/", ("hexo/bin/hexo", "generate"), "public"),
        (ASTRO, ASTRO_PAGES, "src/", ("astro/astro.js", "build"), "dist"),
    ],
    ids=["eleventy", "hexo", "astro"],
)
def test_every_address(
    tmp_path: Path,
    packages: Path,
    nginx: None,
    files: Mapping[str, str],
    pages: Mapping[str, str],
    folder: str,
    program: tuple[str, ...],
    output: str,
) -> None:
    """It is the same, or one redirect leads from it."""
    source, work, site = tmp_path / "old", tmp_path / "work", tmp_path / "site"
    write(source, {**files, **_texts(pages, folder)})
    shutil.copytree(source, work)
    if output == "public":  # Hexo
        manifest = {"name": "x", "hexo": {"version": ""}, "dependencies": {"hexo": "*", "hexo-renderer-marked": "*"}}
        write(work, {"package.json": json.dumps(manifest)})
    _build(work, packages, *program)
    titles = published_titles(work / output)
    assert len(titles) == len(pages)
    titles.pop("/404.html", None)  # the site has an error page of its own
    assert wrong_pages(import_and_build(source, site), titles) == {}
    assert wrong_answers(work / output, site, tmp_path / "nginx") == {}
