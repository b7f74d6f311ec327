"""Creation of a site folder from the starter site that ships with sitecms."""

import json
import shutil
from pathlib import Path

from msgspec import Struct

from sitecms.content.author import split_name
from sitecms.content.text.slug import slugify
from sitecms.errors import ConfigurationError
from sitecms.resources import resource_dir
from sitecms.settings.site import STATE_FOLDER

DEFAULT_NAME = "My site"
DEFAULT_AUTHOR = "Your Name"
_AUTHOR_SLUG = "me"
_WELCOME_FILES = ("readme", "license", "licence", "copying")
_STARTER_NAMES = {"gitignore": ".gitignore"}  # pip does not pack the hidden file


class NewSite(Struct, frozen=True):
    """Choices for a new site; `url` is "" as long as its address is not known."""

    name: str = DEFAULT_NAME
    author: str = DEFAULT_AUTHOR
    url: str = ""


def make_site(folder: Path, site: NewSite) -> tuple[str, ...]:
    """Make the site folder and return a line for each existing file that is kept or added to.

    The folder may contain hidden files, a README and a licence, as a new repository does. Raises ConfigurationError,
    and changes nothing, if it contains anything else.
    """
    refuse_folder(folder)
    starter = resource_dir("starter")
    lines = []
    try:
        for source in sorted(path for path in starter.rglob("*") if path.is_file()):
            name = source.relative_to(starter)
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
