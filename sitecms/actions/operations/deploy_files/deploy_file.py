"""One file to be put where another program reads it, made of a template that ships with sitecms."""

import re
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sitecms.errors import ConfigurationError
from sitecms.resources import resource_dir

_PLAIN_PATH = re.compile(r"/[A-Za-z0-9._/@+-]*")
_KEY_SIGNS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class DeployFile:
    """`name` is what the other program wants it to be called."""

    name: str
    text: str


def filled_in(template: str, values: dict[str, object], name: str = "") -> DeployFile:
    """Return the template of that name with these values; one that is missing is an error. The file has the same name
    unless another is given.
    """
    environment = Environment(  # noqa: S701 - no HTML
        loader=FileSystemLoader(resource_dir("deploy")), undefined=StrictUndefined, keep_trailing_newline=True
    )
    return DeployFile(name or template, environment.get_template(f"{template}.j2").render(values))


def guide() -> str:
    """Return the guide to deployments, from a laptop to three machines, in Markdown."""
    return (resource_dir("deploy") / "guide.md").read_text(encoding="utf-8")


def plain_path(path: Path, what: str) -> str:
    """Return the absolute path, which needs no quotes in any of these programs. Raises ConfigurationError."""
    text = str(path.absolute())
    if not _PLAIN_PATH.fullmatch(text):
        raise ConfigurationError(
            f"{what} {text} has signs in its path that mean something to nginx and systemd. "
            "Move it to a path of letters, digits and . _ - @ +"
        )
    return text


def key_of(folder: Path) -> str:
    """Return a name for the site, made of its folder's, that is one word for each of these programs."""
    return "sitecms_" + (_KEY_SIGNS.sub("_", folder.name.lower()).strip("_") or "site")


def one_line(name: str) -> str:
    """Return a site's name for use in a comment."""
    return " ".join(name.split())
