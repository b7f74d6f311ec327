"""Packages for sitecms, most of them as the manual shows them, and a site that uses all of them together."""

from pathlib import Path

from sitecms.resources import resource_dir
from tests.support.console import blocks, merged_toml

CHAPTERS = "content/pages/chapter"
READING_LEVEL, CHART, RATING, SEASIDE = PACKAGES = (
    "sitecms-reading-level", "sitecms-chart", "sitecms-rating", "seaside-theme",
)  # fmt: skip
HARBOUR_MODULE = """
from sitecms.plugins.hooks import hookimpl

@hookimpl
def template_filters():
    return {"stars": lambda number: "*" * int(number)}
"""
"""The plug-in that lies in the site."""
SETTINGS = """
[build]
before = [["mkdir", "-p", "data"], ["cp", "src/notice.json", "data/notice.json"]]
[plugins]
enabled = ["reading-level", "chart", "rating", "harbour"]
[plugins.reading_level]
moderate = 10
[theme]
name = "harbour"
[theme.options]
motto = "With the tide."
"""
POST = """---
title: Boats in the harbour
published: 2026-02-21
fields: {stars: 4, comfort: 3}
---
::: chart Boats by day
Friday 6
Saturday 14
:::
"""
POST_END = """<p>This text is {{ post.body|reading_level }} to read.</p>
{% if post.fields.stars %}
<p>Rated {{ post.fields.stars|stars }} of {{ site.data.notice.most }}, comfort {{ post.fields.comfort }}</p>
{% endif %}
"""
SITE = {
    "plugins/harbour.py": HARBOUR_MODULE,
    "schema/post.yaml": "fields:\n- {slug: stars, type: number}\n- {slug: comfort, type: rating}\n",
    "content/posts/boats.md": POST,
    "src/notice.json": '{"most": 5}',
    "templates/hooks/post-end.html": POST_END,
    "themes/harbour/theme.toml": 'name = "harbour"\nextends = "seaside"\n',
    "themes/harbour/templates/parts/footer.html": '<footer class="harbour">{{ site.name }}</footer>\n',
    "themes/harbour/assets/style.css": ".harbour { padding: 1rem; }\n",
}
"""Files by path; the theme of the site extends that of a package, which extends the default one."""


def write_packages(folder: Path) -> None:
    """Write the packages into folders of their names: as the manual shows them, or after its example."""
    shown = manual_files("write-a-plug-in")
    theme = manual_files("your-own-theme")
    project = shown[f"{READING_LEVEL}/pyproject.toml"]
    files = {name: text for name, text in shown.items() if name.startswith(READING_LEVEL)}
    files[f"{READING_LEVEL}/src/sitecms_reading_level.py"] = shown["plugins/reading_level.py"]
    for package, name in ((CHART, "chart"), (RATING, "rating")):
        files[f"{package}/pyproject.toml"] = project.replace(READING_LEVEL, package).replace("reading_level", name)
        files[f"{package}/src/sitecms_{name}.py"] = shown[f"plugins/{name}.py"]
    files |= {
        f"{SEASIDE}/pyproject.toml": theme[f"{SEASIDE}/pyproject.toml"],
        f"{SEASIDE}/seaside_theme/__init__.py": "",
    }
    within = "themes/seaside/"
    for name, text in theme.items():
        if name.startswith(within):
            files[f"{SEASIDE}/seaside_theme/{name.removeprefix(within)}"] = text
    write_files(folder, files)


def write_site(folder: Path) -> None:
    """Add to a site what uses all packages."""
    settings = folder / "site.toml"
    settings.write_text(merged_toml(settings.read_text(encoding="utf-8"), SETTINGS), encoding="utf-8")
    write_files(folder, SITE)


def manual_files(chapter: str) -> dict[str, str]:
    """Return the files that a chapter shows, the last form of each."""
    text = (resource_dir("manual") / CHAPTERS / f"{chapter}.md").read_text(encoding="utf-8")
    return {block.file: block.text for block in blocks(text) if block.file}


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Write texts by their paths in a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
