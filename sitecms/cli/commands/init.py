"""`sitecms init`: make a new site folder."""

import shlex
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import click

from sitecms.actions.authoring.new_site import (
    DEFAULT_AUTHOR,
    DEFAULT_NAME,
    DEFAULT_STARTER,
    STARTERS,
    NewSite,
    make_site,
    refuse_folder,
)
from sitecms.cli.site_argument import parse_site_url

_NEXT = """\
Made a site {place}. Next:

  sitecms preview{site} --open              see it in the browser while you write
  sitecms new post{site} --title "My title" begin a post
  sitecms check{site}                       find broken links and what readers would miss
  sitecms build{site}                       render it to {output}
  sitecms serve{site}                       answer the content API from it

To write in a browser, serve the site, and open the address that it prints: there you make the first user of the studio

  sitecms load{site}
  sitecms serve{site}

What to edit first:
{files}
"""
_FIRST_FILES = {"site.toml": "name, address, colours", "content/collections/menu.yaml": "the menu"}
"""Files to edit first, whatever the site begins with."""
_MAX_LENGTH = 100
_STARTERS = "; ".join(f"{name} ({starter.summary})" for name, starter in STARTERS.items())
Parse = Callable[[click.Context, click.Parameter, str | None], str | None]


def _parse_text(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    text = value.strip()
    if not text or len(text) > _MAX_LENGTH or any(unicodedata.category(each) in ("Cc", "Cs") for each in text):
        raise click.BadParameter(f"expected one line of 1 to {_MAX_LENGTH} characters")
    return text


def _ask(question: str, default: str, parse: Parse) -> str:
    """Ask until the answer is valid; on anything but a terminal, return the default."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return default
    context = click.get_current_context()
    parameter = context.command.params[0]
    answer = click.prompt(question, default, value_proc=lambda text: parse(context, parameter, text) or "", err=True)
    return str(answer)


@click.command(
    epilog="\b\nExample:\n  sitecms init demo\n  sitecms init handbook --starter docs\n"
    '  sitecms init demo --name Tide --author "Ann Ray" --url https://tide.example'
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--name", callback=_parse_text, help=f"The name of the site; default: {DEFAULT_NAME}.")
@click.option("--author", callback=_parse_text, help="The name of the person whose posts these are.")
@click.option("--url", callback=parse_site_url, help="The address that the site will have, if it is known.")
@click.option(
    "--starter",
    type=click.Choice(list(STARTERS)),
    default=DEFAULT_STARTER,
    help=f"What to begin with, each in the theme for it: {_STARTERS}. Default: {DEFAULT_STARTER}.",
)
def init(folder: Path, name: str | None, author: str | None, url: str | None, starter: str) -> None:
    """Create a new site folder that can be built at once.

    DIR must not exist, or contain only hidden files, a README and a licence, which stay as they are. On a
    terminal, name, author and address are asked for unless they are given. `sitecms manual starters` shows
    what --starter takes.
    """
    refuse_folder(folder)
    site = NewSite(
        name=name or _ask("Name of the site", DEFAULT_NAME, _parse_text),
        author=author or _ask("Your name", DEFAULT_AUTHOR, _parse_text),
        url=_ask("Its address, such as https://tide.example (empty: not known yet)", "", parse_site_url)
        if url is None
        else url,
        starter=starter,
    )
    for line in make_site(folder, site):
        click.echo(line)
    files = _first_files(starter)
    if folder.resolve() == Path.cwd():
        click.echo(_NEXT.format(place="here", site="", output="public", files=files))
    else:
        site_argument = f" {shlex.quote(str(folder))}"
        click.echo(_NEXT.format(place=f"in {folder}", site=site_argument, output=f"{folder}/public", files=files))


def _first_files(starter: str) -> str:
    """Return the lines about the files to edit first."""
    files = {**_FIRST_FILES, **STARTERS[starter].first_files}
    width = max(map(len, files))
    return "\n".join(f"  {name:<{width}}  {content}" for name, content in files.items())
