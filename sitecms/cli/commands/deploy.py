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
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from msgspec import Struct
from msgspec.structs import asdict

from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.site_argument import site_argument
from sitecms.errors import ConfigurationError, Conflict
from sitecms.media.intake import MAX_UPLOAD_BYTES
from sitecms.optional_packages import Extra
from sitecms.resources import resource_dir
from sitecms.settings.extras import needed_extras
from sitecms.settings.files import GitMode
from sitecms.settings.site import SiteSettings
from sitecms.web_address import split_address

_ADDRESS = re.compile(r"(?:[A-Za-z0-9.-]+:|\[[0-9a-fA-F:.]+\]:)?[0-9]{1,5}|unix:/[A-Za-z0-9._/-]+")
_NETWORK = re.compile(r"[0-9a-fA-F:.]+(?:/[0-9]{1,3})?")
_USER = re.compile(r"[a-z_][a-z0-9_-]*")
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9._/@+-]*")
_KEY_SIGNS = re.compile(r"[^a-z0-9]+")
_SOONER_SECONDS = 10
_NOT_IN_PATHS = frozenset(" ;{}\"'\\$#")
_HOST = re.compile(r"[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]")
_UNITS = (
    "sitecms-serve@.service",
    "sitecms-worker@.service",
    "sitecms-build@.service",
    "sitecms-build@.timer",
    "sitecms-backup@.service",
    "sitecms-backup@.timer",
)
_HOMES = (Path("/home"), Path("/root"), Path("/run/user"))
_UID = 10001


class DeployFile(Struct, frozen=True):
    """File for another program, which requires the `name`."""

    name: str
    text: str


def filled_in(template: str, values: dict[str, object], name: str = "") -> DeployFile:
    """Fill in the template, and return it under its own name or another. Missing values are errors."""
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
            f"{what} {text} has characters in its path that are special to nginx or systemd. "
            "Move it to a path of letters, digits and . _ - @ +"
        )
    return text


def key_of(folder: Path) -> str:
    """Return a name for the site, made of its folder's, that is one word for each of these programs."""
    return "sitecms_" + (_KEY_SIGNS.sub("_", folder.name.lower()).strip("_") or "site")


def one_line(name: str) -> str:
    """Return a site's name for use in a comment."""
    return " ".join(name.split())


class NginxPlan(Struct, frozen=True):
    """Addresses that nginx listens on and forwards to.

    `published`: None for the output folder of the settings; `cache`: None for a folder named after the site. `inner` is
    an address of this machine for requests of nginx to itself; the addresses in `allow` may request /health/ready. The
    API closes connections that were idle for `idle_seconds`.
    """

    listen: tuple[str, ...]
    upstreams: tuple[str, ...]
    inner: str
    allow: tuple[str, ...]
    published: Path | None
    cache: Path | None
    logs: Path
    brotli: bool
    max_body_bytes: int
    idle_seconds: int


def nginx_files(settings: SiteSettings, plan: NginxPlan) -> tuple[DeployFile, ...]:
    """Return one file, for `http { }`. Raises ConfigurationError for values that nginx cannot express."""
    key = key_of(settings.folder)
    site_host, api_host = _host(settings.url), _host(settings.serve_url)
    base = settings.readable_base_path  # nginx decodes addresses before it compares them
    if _NOT_IN_PATHS & set(base):
        raise ConfigurationError(f"site.toml: {settings.url} has a path that nginx cannot express.")
    values: dict[str, object] = {
        **asdict(plan),
        "name": one_line(settings.name),
        "key": key,
        "has_studio": settings.studio.enabled,
        "published": plain_path(plan.published or settings.output_dir, "The published folder"),
        "cache": plain_path(plan.cache or Path(f"/var/cache/{key}"), "The folder of the cache"),
        "logs": plain_path(plan.logs, "The folder of logs"),
        "max_upload_bytes": MAX_UPLOAD_BYTES,
        "site_host": site_host,
        "api_host": api_host if api_host != site_host else "",
        "shares_root": not settings.base_path and api_host in ("", site_host),
        "base": base,
        "base_address": settings.base_path,
        "base_pattern": re.escape(base),
        "gzip": "gz" in settings.delivery.precompress,
        "has_brotli": "br" in settings.delivery.precompress,
        "brotli": plan.brotli and "br" in settings.delivery.precompress,
        "sooner_seconds": plan.idle_seconds - _SOONER_SECONDS,
    }
    return (filled_in("nginx.conf", values, f"{key}.conf"),)


def _host(url: str) -> str:
    """Return the host of an address without its port, "" for none. Raises ConfigurationError."""
    host = split_address(url).hostname or ""
    if host and not _HOST.fullmatch(host):
        raise ConfigurationError(f"site.toml: {url} has no host name that nginx accepts.")
    return host


class SystemdPlan(Struct, frozen=True):
    """Values of the units: the path of the command `sitecms`, the user to run as, the folder of nightly backups."""

    program: Path
    user: str
    backups: Path


def systemd_files(settings: SiteSettings, plan: SystemdPlan) -> tuple[DeployFile, ...]:
    """Return units for all sites in the parent folder; the instance is the name of a site folder.

    Raises ConfigurationError for paths that do not fit into them.
    """
    folder, output = settings.folder, settings.output_dir.resolve()
    plain_path(folder, "The site folder")
    writable = () if output.is_relative_to(folder) else (plain_path(output.parent, "The folder around the output"),)
    values: dict[str, object] = {
        "sites": plain_path(folder.parent, "The site folder").rstrip("/"),
        "program": plain_path(plan.program, "The command"),
        "user": plan.user,
        "backups": plain_path(plan.backups, "The folder of backups"),
        "writable": writable,
        "in_home": any(place.is_relative_to(home) for home in _HOMES for place in (folder, plan.program, output)),
    }
    return tuple(filled_in(name, values) for name in _UNITS)


def container_files(settings: SiteSettings) -> tuple[DeployFile, ...]:
    """Return a Containerfile and a compose file. Raises ConfigurationError for a path that does not fit into them."""
    extras = {*(needed.extra for needed in needed_extras(settings)), Extra.POSTGRES, Extra.REDIS}  # as compose.yaml has
    values: dict[str, object] = {
        "name": one_line(settings.name),
        "folder": plain_path(settings.folder, "The site folder"),
        "uid": _UID,
        "extras": ",".join(sorted(extras)),
        "git": settings.files.git is not GitMode.OFF,
    }
    return tuple(filled_in(name, values) for name in ("Containerfile", "compose.yaml"))


def small_container_files(settings: SiteSettings) -> tuple[DeployFile, ...]:
    """Return the files of a container with SQLite, in which nginx serves the site, and passes requests on to the API.

    Raises ConfigurationError for a site on a database server, and for an output folder outside of the site.
    """
    from sitecms.api.request_body import MAX_BODY_BYTES  # imported here, since these import Flask and Huey
    from sitecms.web.server.web_process import HEAD_SECONDS

    if settings.store_url or settings.queue_url:
        raise ConfigurationError("The site has its store or queue on a server; leave out --small.")
    output = settings.output_dir
    if not output.is_relative_to(settings.folder):
        raise ConfigurationError(f"The output folder {output} is not in the site folder, which is the volume.")
    plan = NginxPlan(
        listen=("8080",),
        upstreams=("127.0.0.1:8000",),
        inner="127.0.0.1:8099",
        allow=(),
        published=Path("/site") / output.relative_to(settings.folder),
        cache=Path("/tmp/nginx-cache"),  # noqa: S108 - in the container
        logs=Path("/tmp/nginx-logs"),  # noqa: S108
        brotli=False,
        max_body_bytes=MAX_BODY_BYTES,
        idle_seconds=HEAD_SECONDS,
    )
    (site,) = nginx_files(settings, plan)
    values: dict[str, object] = {
        "name": one_line(settings.name),
        "uid": _UID,
        "extras": ",".join(sorted(needed.extra for needed in needed_extras(settings))),
        "git": settings.files.git is not GitMode.OFF,
    }
    return (
        filled_in("Containerfile.small", values, "Containerfile"),
        filled_in("nginx-small.conf", values, "nginx.conf"),
        DeployFile("site.conf", site.text),
        filled_in("start", values),
    )


def _like(pattern: re.Pattern[str], example: str) -> Callable[..., Any]:
    """Return a callback that checks each value of an option against a pattern."""

    def check(_context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
        for text in value if isinstance(value, tuple) else (value,):
            if not pattern.fullmatch(text):
                raise click.BadParameter(f'"{text}" is not valid; expected one such as {example}')
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
@click.option("--small", is_flag=True, help="One container with SQLite, nginx and the built site, and one volume.")
@_placed
def container(settings: SiteSettings, small: bool) -> Sequence[DeployFile]:
    """Generate a Containerfile, and a compose file that runs it with PostgreSQL and Redis.

    With --small everything is in one container: the site, the studio and the API, on SQLite in the volume.
    """
    if not small:
        return container_files(settings)
    for note in _notes(settings):
        click.echo(note, err=True)
    if not settings.build.on_publish:
        click.echo(
            "Set on_publish = true under [build] in site.toml: changes in the studio then reach the site.", err=True
        )
    return small_container_files(settings)


def _this_program() -> Path:
    """Return the command beside the running interpreter, else the one found by its name."""
    beside = Path(sys.executable).with_name("sitecms")
    program = str(beside) if os.access(beside, os.X_OK) else shutil.which("sitecms")
    return Path(program) if program else beside
