"""`sitecms init`: a new site folder."""

import shutil
from pathlib import Path

import click

from sitecms.errors import ConfigurationError
from sitecms.resources import resource_dir

_TOUR = """\
Made a site in {folder}. Next:

  sitecms build {folder}     render it to {folder}/public
  sitecms serve {folder}     answer the content API from it

What to edit first:
  site.toml                       name, address, colours
  content/posts/first-steps.md    a post; its text says where the rest is
  content/collections/menu.yaml   the menu
  schema/page_types/project.yaml  a kind of page with fields of its own
"""
_HIDDEN = {"gitignore": ".gitignore"}


@click.command(epilog="\b\nExample:\n  sitecms init demo")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def init(folder: Path) -> None:
    """Make a new site folder that builds at once. DIR must not exist, or be empty."""
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{folder} is a file; name a new folder. Nothing was changed.")
    if folder.is_dir() and any(folder.iterdir()):
        raise ConfigurationError(f"{folder} is there already and not empty; name a new folder. Nothing was changed.")
    starter = resource_dir("starter")
    try:
        for source in sorted(path for path in starter.rglob("*") if path.is_file()):
            name = source.relative_to(starter)
            target = folder / name.with_name(_HIDDEN.get(name.name, name.name))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be made: {error.strerror}.") from error
    click.echo(_TOUR.format(folder=folder))
