"""`sitecms deploy`: make configuration files for programs that run a site on servers, and show the guide."""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from sitecms.actions.operations.deploy_files import (
    DeployFile,
    NginxPlan,
    SystemdPlan,
    container_files,
    guide,
    nginx_files,
    systemd_files,
)
from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.site_argument import site_argument
from sitecms.errors import Conflict
from sitecms.settings.site import SiteSettings

_ADDRESS = re.compile(r"(?:[A-Za-z0-9.-]+:|\[[0-9a-fA-F:.]+\]:)?[0-9]{1,5}|unix:/[A-Za-z0-9._/-]+")
_NETWORK = re.compile(r"[0-9a-fA-F:.]+(?:/[0-9]{1,3})?")
_USER = re.compile(r"[a-z_][a-z0-9_-]*")


def _like(pattern: re.Pattern[str], example: str) -> Callable[..., Any]:
    """Return a callback that checks each value of an option against a pattern."""

    def check(_context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
        for text in value if isinstance(value, tuple) else (value,):
            if not pattern.fullmatch(text):
                raise click.BadParameter(f'"{text}" is none; expected one such as {example}')
        return value

    return check


def _placed(command: Callable[..., Sequence[DeployFile]]) -> Callable[..., None]:
    """Give a command the options for the target of its files, and print or write the files that it returns."""

    @click.option("--output", type=click.Path(path_type=Path, file_okay=False), help="Write the files to this folder.")
    @click.option("--force", is_flag=True, help="Replace existing files.")
    @wraps(command)
    def place(output: Path | None, force: bool, **arguments: Any) -> None:
        files = command(**arguments)
        if output is None:
            _print(files)
        else:
            _write(files, output, force=force)

    return place


def _print(files: Sequence[DeployFile]) -> None:
    for number, file in enumerate(files):
        if len(files) > 1:
            click.echo(f"{'' if number == 0 else chr(10)}##### {file.name}")
        click.echo(file.text, nl=False)


def _write(files: Sequence[DeployFile], folder: Path, *, force: bool) -> None:
    there = [file.name for file in files if (folder / file.name).exists()]
    if there and not force:
        raise Conflict("output", f"{folder} has {', '.join(there)} already; --force replaces. Nothing was written.")
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        (folder / file.name).write_text(file.text, encoding="utf-8")
        click.echo(f"Wrote {folder / file.name}", err=True)


@click.group(
    cls=SuggestingGroup,
    epilog="\b\nExample:\n  sitecms deploy guide\n  sitecms deploy nginx demo > demo.conf\n"
    "  sitecms deploy systemd demo --output units",
)
def deploy() -> None:
    """Generate configuration files for nginx, systemd and containers from the settings of a site.

    They are printed, or written to a folder; nothing else is changed.
    """


@deploy.command("guide", epilog="\b\nExample:\n  sitecms deploy guide | less")
def show_guide() -> None:
    """Print the guide to deployments, from a laptop to three machines, in Markdown."""
    click.echo(guide(), nl=False)


@deploy.command(epilog="\b\nExample:\n  sitecms deploy nginx demo --upstream 10.0.0.2:8000 --upstream 10.0.0.3:8000")
@site_argument
@click.option(
    "--listen",
    multiple=True,
    default=("80", "[::]:80"),
    show_default=True,
    callback=_like(_ADDRESS, "80 or 127.0.0.1:8080"),
    help="Port, or address and port, that nginx listens on; may be given several times.",
)
@click.option(
    "--upstream",
    "upstreams",
    multiple=True,
    default=("127.0.0.1:8000",),
    show_default=True,
    callback=_like(_ADDRESS, "10.0.0.2:8000"),
    help="Address of a `sitecms serve`; may be given several times.",
)
@click.option(
    "--inner",
    default="127.0.0.1:8099",
    show_default=True,
    callback=_like(_ADDRESS, "127.0.0.1:8099"),
    help="A free address of this machine for requests of nginx to itself.",
)
@click.option(
    "--allow",
    multiple=True,
    callback=_like(_NETWORK, "10.0.0.0/8"),
    help="Address or network that may request /health, besides nginx's own machine; may be given several times.",
)
@click.option("--published", type=click.Path(path_type=Path), help="The built site; default: as set in site.toml.")
@click.option("--cache", type=click.Path(path_type=Path), help="Folder of nginx's cache; default: one in /var/cache.")
@click.option(
    "--logs",
    type=click.Path(path_type=Path),
    default=Path("/var/log/nginx"),
    show_default=True,
    help="Folder of nginx's log files.",
)
@click.option("--brotli", is_flag=True, help="Send .br files; nginx needs the module brotli_static.")
@_placed
def nginx(settings: SiteSettings, **options: Any) -> Sequence[DeployFile]:
    """Generate a configuration for nginx, which serves the static site and passes requests on to the API.

    Both are on one host, unless `url` under [serve] in site.toml names another one for the API. nginx caches /v2 and
    revalidates each use by ETag; it buffers slow clients; /metrics is not reachable from outside.
    """
    from sitecms.api.request_body import MAX_BODY_BYTES  # imported here, since these import Flask and Huey
    from sitecms.web.server.web_process import HEAD_SECONDS

    for note in _notes(settings):
        click.echo(note, err=True)
    return nginx_files(settings, NginxPlan(**options, max_body_bytes=MAX_BODY_BYTES, idle_seconds=HEAD_SECONDS))


def _notes(settings: SiteSettings) -> Iterator[str]:
    """Return what has to be set before the API is reached through another server."""
    if settings.proxies.trusted == 0:
        yield "Set trusted_proxies = 1 under [serve] in site.toml: the API then takes client addresses from nginx."
    if not settings.serve_url:
        address = settings.url or "https://tide.example"
        yield f'Set url = "{address}" under [serve] in site.toml: media addresses in API responses begin with it.'


@deploy.command(epilog="\b\nExample:\n  sitecms deploy systemd /srv/sitecms/demo --output /etc/systemd/system")
@site_argument
@click.option("--program", type=click.Path(path_type=Path), help="Path of the command sitecms; default: this one.")
@click.option(
    "--user",
    default="sitecms",
    show_default=True,
    callback=_like(_USER, "sitecms"),
    help="User that the units run as, who owns the site folder.",
)
@click.option(
    "--backups",
    type=click.Path(path_type=Path),
    default=Path("/var/backups/sitecms"),
    show_default=True,
    help="Folder of nightly backups.",
)
@_placed
def systemd(settings: SiteSettings, program: Path | None, user: str, backups: Path) -> Sequence[DeployFile]:
    """Generate units for systemd: API, worker, builds and backups by timer; each may write to the site folder alone.

    They are valid for every site in the parent folder of SITE: sitecms-serve@demo serves its folder demo.
    """
    return systemd_files(settings, SystemdPlan(program or _this_program(), user, backups))


@deploy.command(epilog="\b\nExample:\n  sitecms deploy container demo --output image")
@site_argument
@_placed
def container(settings: SiteSettings) -> Sequence[DeployFile]:
    """Generate a Containerfile, and a compose file that runs it with PostgreSQL and Redis."""
    return container_files(settings)


def _this_program() -> Path:
    """Return the command beside the running interpreter, else the one found by its name."""
    beside = Path(sys.executable).with_name("sitecms")
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("sitecms")
    return Path(found) if found else beside
