"""Configuration files for programs that run a site: nginx, systemd, containers; made from templates and settings."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sitecms.errors import ConfigurationError
from sitecms.media.intake import MAX_UPLOAD_BYTES
from sitecms.resources import resource_dir
from sitecms.settings.site import SiteSettings
from sitecms.values import dataclass

_PLAIN_PATH = re.compile(r"/[A-Za-z0-9._/@+-]*")
_KEY_SIGNS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class DeployFile:
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


_SOONER_SECONDS = 10
_HOST = re.compile(r"[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]")


@dataclass(frozen=True, slots=True)
class NginxPlan:
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
    if urlsplit(settings.serve_url).path:
        raise ConfigurationError(
            f'site.toml: serve.url is "{settings.serve_url}", and the API answers at the root of a host only.'
        )
    values: dict[str, object] = {
        "name": one_line(settings.name),
        "key": key,
        "listen": plan.listen,
        "upstreams": plan.upstreams,
        "inner": plan.inner,
        "allow": plan.allow,
        "has_studio": settings.studio.enabled,
        "published": plain_path(plan.published or settings.output_dir, "The published folder"),
        "cache": plain_path(plan.cache or Path(f"/var/cache/{key}"), "The folder of the cache"),
        "logs": plain_path(plan.logs, "The folder of logs"),
        "max_body_bytes": plan.max_body_bytes,
        "max_upload_bytes": MAX_UPLOAD_BYTES,
        "site_host": site_host,
        "api_host": api_host if api_host != site_host else "",
        "shares_root": not settings.base_path and api_host in ("", site_host),
        "base": settings.base_path,
        "base_pattern": re.escape(settings.base_path),
        "gzip": "gz" in settings.delivery.precompress,
        "has_brotli": "br" in settings.delivery.precompress,
        "brotli": plan.brotli and "br" in settings.delivery.precompress,
        "idle_seconds": plan.idle_seconds,
        "sooner_seconds": plan.idle_seconds - _SOONER_SECONDS,
    }
    return (filled_in("nginx.conf", values, f"{key}.conf"),)


def _host(url: str) -> str:
    """Return the host of an address without its port, "" for none. Raises ConfigurationError."""
    host = urlsplit(url).hostname or ""
    try:
        host = host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError:
        host = " "
    if host and not _HOST.fullmatch(host):
        raise ConfigurationError(f"site.toml: {url} has no host name that nginx accepts.")
    return host


_UNITS = (
    "sitecms-serve@.service",
    "sitecms-worker@.service",
    "sitecms-build@.service",
    "sitecms-build@.timer",
    "sitecms-backup@.service",
    "sitecms-backup@.timer",
)
_HOMES = (Path("/home"), Path("/root"), Path("/run/user"))


@dataclass(frozen=True, slots=True)
class SystemdPlan:
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


_UID = 10001


def container_files(settings: SiteSettings) -> tuple[DeployFile, ...]:
    """Return a Containerfile and a compose file. Raises ConfigurationError for a path that does not fit into them."""
    wanted = {
        "brotli": "br" in settings.delivery.precompress,
        "postgres": True,
        "redis": True,
        "search": settings.search.enabled,
    }
    values: dict[str, object] = {
        "name": one_line(settings.name),
        "folder": plain_path(settings.folder, "The site folder"),
        "uid": _UID,
        "extras": ",".join(extra for extra, is_wanted in wanted.items() if is_wanted),
    }
    return tuple(filled_in(name, values) for name in ("Containerfile", "compose.yaml"))
