"""Creation of a site folder from one of the starter sites that ship with sitecms."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePath

from msgspec import Struct

from sitecms.content.author import split_name
from sitecms.content.text.slug import slugify
from sitecms.errors import ConfigurationError
from sitecms.resources import resource_dir
from sitecms.settings.site import STATE_FOLDER

DEFAULT_NAME = "My site"
DEFAULT_AUTHOR = "Your Name"
DEFAULT_STARTER = "blog"
_AUTHOR_SLUG = "me"
_WELCOME_FILES = ("readme", "license", "licence", "copying")
_STARTER_NAMES = {"gitignore": ".gitignore"}  # pip does not pack the hidden file
_COMMON = "common"
"""The folder beside the starter sites with the files that every site begins with."""


class Starter(Struct, frozen=True):
    """A site to begin with: what it is, and the files to edit first, with what they hold."""

    summary: str
    first_files: Mapping[str, str]


STARTERS: Mapping[str, Starter] = {
    "blog": Starter(
        "posts, an about page, and a kind of page with fields of its own",
        {
            "content/posts/first-steps.md": "a post; its text says where the rest is",
            "schema/page_types/project.yaml": "a kind of page with fields of its own",
        },
    ),
    "docs": Starter(
        "a manual with a tree of chapters",
        {
            "content/pages/chapter/welcome.md": "the first chapter",
            "content/collections/contents.yaml": "the tree: all chapters in their order",
        },
    ),
    "portfolio": Starter(
        "works with large pictures",
        {
            "content/posts/low-water.md": "a work; its file has picture, year and technique",
            "content/pages/_single/about.md": "who you are, and how to reach you",
        },
    ),
    "landing": Starter(
        "one page made of components, such as that of a shop or product",
        {
            "content/pages/landing-page/home.yaml": "the page: its texts, pictures and components",
            "schema/components/": "which fields each component has",
        },
    ),
    "magazine": Starter(
        "stories by several authors, in sections",
        {
            "content/posts/slack-water.md": "a story",
            "content/authors.yaml": "who writes",
            "content/categories.yaml": "the sections of the front page, in their order",
        },
    ),
}


class NewSite(Struct, frozen=True):
    """Choices for a new site; `url` is "" as long as its address is not known, `starter` a key of STARTERS."""

    name: str = DEFAULT_NAME
    author: str = DEFAULT_AUTHOR
    url: str = ""
    starter: str = DEFAULT_STARTER


def starter_folder(name: str) -> Path:
    """Return the folder of a starter site, without the files that all of them share."""
    return resource_dir("starters") / name


def make_site(folder: Path, site: NewSite) -> tuple[str, ...]:
    """Make the site folder and return a line for each existing file that is kept or added to.

    The folder may contain hidden files, a README and a licence, as a new repository does. Raises ConfigurationError,
    and changes nothing, if it contains anything else.
    """
    refuse_folder(folder)
    lines = []
    try:
        for name, source in _files_of(site.starter):
            target = folder / name.with_name(_STARTER_NAMES.get(name.name, name.name))
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                shutil.copyfile(source, target)
            elif target.name == ".gitignore":
                lines += _add_lines(target, source.read_text(encoding="utf-8").splitlines())
            else:
                lines.append(f"Kept your {target.name}")
        _fill_in(folder, site)
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be made: {error.strerror}.") from error
    return tuple(lines)


def _files_of(starter: str) -> list[tuple[PurePath, Path]]:
    """Return the files of a starter site with their names in the site, in order of name."""
    folders = (starter_folder(_COMMON), starter_folder(starter))
    files = {path.relative_to(folder): path for folder in folders for path in folder.rglob("*") if path.is_file()}
    return sorted(files.items())


def refuse_folder(folder: Path) -> None:
    """Raise ConfigurationError if no site can be made in the folder: see `make_site`."""
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{folder} is a file; choose another folder. Nothing was changed.")
    if not folder.is_dir():
        return
    names = sorted(path.name for path in folder.iterdir())
    in_the_way = [name for name in names if not _may_stay(name)]
    if in_the_way:
        raise ConfigurationError(
            f"{folder} is not empty: it contains {in_the_way[0]}. Choose another folder; only hidden files, a "
            "README and a licence may be in it. Nothing was changed."
        )


def _may_stay(name: str) -> bool:
    is_hidden = name.startswith(".") and name != STATE_FOLDER
    return is_hidden or name.lower().partition(".")[0] in _WELCOME_FILES


def _add_lines(file: Path, lines: list[str]) -> list[str]:
    """Append the lines that the file does not have yet; return a line about it for the report, if any."""
    text = file.read_text(encoding="utf-8", errors="surrogateescape")
    missing = [line for line in lines if line not in text.splitlines()]
    if not missing:
        return []
    end = "" if text.endswith("\n") or not text else "\n"
    with file.open("a", encoding="utf-8") as target:
        target.write(end + "\n".join(missing) + "\n")
    return [f"Added to your {file.name}: {' '.join(missing)}"]


def _fill_in(folder: Path, site: NewSite) -> None:
    """Put the name, address and author into the files of the starter site."""
    first, last = split_name(site.author)
    slug = _AUTHOR_SLUG if site.author == DEFAULT_AUTHOR else slugify(site.author) or _AUTHOR_SLUG
    texts = {
        "site.toml": {
            'name = "My site"\n': f"name = {_quoted(site.name)}\n",
            'url = ""': f"url = {_quoted(site.url)}",
            'owner = "me"': f"owner = {_quoted(slug)}",
        },
        "content/authors.yaml": {
            "slug: me\n": f"slug: {_quoted(slug)}\n",
            "first_name: Your\n": f"first_name: {_quoted(first)}\n",
            "last_name: Name\n": f"last_name: {_quoted(last)}\n",
        },
    }
    for path, changes in texts.items():
        text = (folder / path).read_text(encoding="utf-8")
        for old, new in changes.items():
            text = text.replace(old, new, 1)
        (folder / path).write_text(text, encoding="utf-8")


def _quoted(text: str) -> str:
    """Return the text as a double-quoted string, which TOML and YAML read alike."""
    return json.dumps(text, ensure_ascii=False)
